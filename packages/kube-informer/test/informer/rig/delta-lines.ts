import type { KubeObject } from '../../../src/core/object/object.ts';
import type { Delta, Deltas } from '../../../src/informer/queue/delta.ts';
import type { ProcessFn, Queue } from '../../../src/informer/queue/queue.ts';
import type { KnownObjects } from '../../../src/informer/queue/known-objects.ts';
import { keyFor, pod, versionOf } from '../../store/rig/objects.ts';

export { coded, nameless, versionOf } from '../../store/rig/objects.ts';

/** `web/a@3` → an object; `web/a@3#u2` gives it the uid `u2`. */
export function obj(text: string): KubeObject {
  const [key = '', rest] = text.split('@');
  const [version, uid] = (rest ?? '').split('#');
  return pod(key, version === '' ? undefined : version, uid === undefined ? {} : { uid });
}

export function objs(...texts: readonly string[]): KubeObject[] {
  return texts.map(obj);
}

/** `web/a@3`, or `-` for nothing. */
export function name(object: KubeObject | undefined): string {
  if (object === undefined) return '-';
  const version = versionOf(object);
  return version === undefined ? keyFor(object) : `${keyFor(object)}@${version}`;
}

/** A delta as one line, easy to compare with. */
export function line(delta: Delta<KubeObject>): string {
  switch (delta.type) {
    case 'added':
    case 'updated':
    case 'replaced':
    case 'sync':
      return `${delta.type} ${name(delta.object)}${delta.newEpoch === true ? ' newEpoch' : ''}`;
    case 'deleted':
      return `deleted ${delta.key} ${name(delta.object)}${delta.finalStateUnknown ? ' unknown' : ''}`;
    case 'poisoned':
      return `poisoned ${delta.key}${delta.newEpoch === true ? ' newEpoch' : ''}`;
    case 'replacedAll':
      return `replacedAll@${delta.resourceVersion} ${delta.objects.map(name).join(' ')}${delta.newEpoch ? ' newEpoch' : ''}`;
    case 'syncAll':
      return 'syncAll';
    case 'bookmark':
      return `bookmark@${delta.resourceVersion}`;
  }
}

/** What a consumer claims to hold, as lines; a name with `!` cannot be looked up, one with `?` is not found. */
export function known(...texts: readonly string[]): KnownObjects<KubeObject> {
  const plain = texts.map((text) => text.replace(/[!?]$/, ''));
  const bad = new Set(texts.filter((text) => text.endsWith('!')).map((text) => keyFor(obj(text.slice(0, -1)))));
  const missing = new Set(texts.filter((text) => text.endsWith('?')).map((text) => keyFor(obj(text.slice(0, -1)))));
  const objects = new Map(plain.map((text) => [keyFor(obj(text)), obj(text)]));
  return {
    keys: () => objects.keys(),
    get(key) {
      if (bad.has(key)) throw new Error(`cannot look up ${key}`);
      return missing.has(key) ? undefined : objects.get(key);
    },
  };
}

/** One entry of the queue: its deltas as lines. */
export async function popOne(queue: Queue<KubeObject>): Promise<string[]> {
  let lines: string[] = [];
  await queue.pop((deltas) => void (lines = deltas.map(line)));
  return lines;
}

/** Everything that is queued, entry by entry. */
export async function drain(queue: Queue<KubeObject>): Promise<string[][]> {
  const entries: string[][] = [];
  while (queue.pending > 0) entries.push(await popOne(queue));
  return entries;
}

/** Everything that is queued, with ` initial` where the flag was set. */
export async function drainFlagged(queue: Queue<KubeObject>): Promise<string[]> {
  const lines: string[] = [];
  const note: ProcessFn<KubeObject> = (deltas: Deltas<KubeObject>, initial) =>
    void lines.push(`${deltas.map(line).join(', ')}${initial ? ' initial' : ''}`);
  while (queue.pending > 0) await queue.pop(note);
  return lines;
}
