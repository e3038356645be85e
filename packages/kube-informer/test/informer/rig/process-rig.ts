import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { type KubeObject, plainAccess } from '../../../src/core/object/object.ts';
import type { Delta, Deltas } from '../../../src/informer/queue/delta.ts';
import type { Bulk } from '../../../src/informer/handlers/bulk.ts';
import { type InformerEvent, deliverToHandlers } from '../../../src/informer/handlers/handlers.ts';
import { type Audience, Process, type ProcessOptions } from '../../../src/informer/apply/process.ts';
import { Indexer, type IndexerOptions } from '../../../src/store/indexer.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { keyFor, versionOf } from '../../store/rig/objects.ts';
import { name, obj, objs } from './delta-lines.ts';

export interface ProcessRig {
  readonly store: Indexer<KubeObject>;
  readonly process: Process<KubeObject>;
  readonly env: FakeEnv;
  readonly recorder: HandlerRecorder;
  /** Events received, in order, with ` (sync)` for those to resyncing handlers only. Emptied by `heard()`. */
  readonly heard: () => string[];
  /** The content of the cache, as `web/a@1` lines. */
  readonly held: () => string[];
  /** Number of epoch resets received. */
  readonly epochs: () => number;
  /** Applies deltas; a list is waited for. */
  readonly apply: (...deltas: readonly Delta<KubeObject>[]) => Promise<void>;
}

export interface ProcessRigOptions extends Partial<Omit<ProcessOptions<KubeObject>, 'store' | 'audience'>> {
  readonly indexers?: IndexerOptions<KubeObject>['indexers'];
  /** Called for every event. */
  readonly onEvent?: (event: InformerEvent<KubeObject>, store: Indexer<KubeObject>) => void;
  readonly audience?: Partial<Audience<KubeObject>>;
  readonly initial?: boolean;
}

/** A Process over a real cache, and a recorder of what it announces. */
export function processRig(options: ProcessRigOptions = {}): ProcessRig {
  const { indexers, onEvent, audience: more, initial = false, env = fakeEnv(), ...rest } = options;
  const store = new Indexer<KubeObject>(indexers === undefined ? {} : { indexers });
  const recorder = new HandlerRecorder();
  const syncs: boolean[] = [];
  let epochs = 0;
  const tell = (event: InformerEvent<KubeObject>, sync: boolean): void => {
    syncs.push(sync);
    void deliverToHandlers(recorder, event);
    onEvent?.(event, store);
  };
  const audience: Audience<KubeObject> = {
    event: tell,
    bulk: (bulk: Bulk<KubeObject>, _initialAdds: number, sync: boolean) => {
      for (let i = 0; i < bulk.size; i += 1) tell(bulk.at(i), sync);
    },
    epochReset: () => void (epochs += 1),
    ...more,
  };
  const process = new Process<KubeObject>({
    store,
    audience,
    access: plainAccess,
    events: plainEventMaker(),
    env,
    ...rest,
  });
  return {
    store,
    process,
    env: env as FakeEnv,
    recorder,
    heard() {
      const lines = recorder.lines.map((each, i) => `${each}${syncs[i] === true ? ' (sync)' : ''}`);
      recorder.clear();
      syncs.length = 0;
      return lines;
    },
    held: () => store.list().map(name),
    epochs: () => epochs,
    async apply(...deltas) {
      await process.process(deltas as unknown as Deltas<KubeObject>, initial);
    },
  };
}

type Keyed = 'added' | 'updated' | 'replaced' | 'sync';

/** `set('added', 'web/a@1')` */
export function set(type: Keyed, text: string, more: { readonly newEpoch?: boolean } = {}): Delta<KubeObject> {
  const object = obj(text);
  return { type, key: keyFor(object), object, ...more };
}

/** `poison('web/a@2')`: this state could not be digested. */
export function poison(
  text: string,
  error: unknown = new Error('unlucky'),
  more: { readonly newEpoch?: boolean } = {},
): Delta<KubeObject> {
  const object = obj(text);
  return { type: 'poisoned', key: keyFor(object), object, error, ...more };
}

/** `gone('web/a@2')` was seen, `gone('web/a@2', true)` was found by a list; without a version there is no last state. */
export function gone(text: string, finalStateUnknown = false): Delta<KubeObject> {
  const object = obj(text);
  const last = versionOf(object) === undefined ? undefined : object;
  return { type: 'deleted', key: keyFor(object), object: last, finalStateUnknown };
}

export function all(
  resourceVersion: string,
  texts: readonly string[],
  more: { readonly newEpoch?: boolean; readonly poisoned?: Readonly<Record<string, unknown>> } = {},
): Delta<KubeObject> {
  const objects = objs(...texts);
  const { newEpoch = false } = more;
  const entries = Object.entries(more.poisoned ?? {}).map(([text, error]) => [obj(text), error] as const);
  const poisoned = new Map(entries.map(([object, error]) => [keyFor(object), { object, error }]));
  return { type: 'replacedAll', keys: objects.map(keyFor), objects, resourceVersion, poisoned, newEpoch };
}

/** Files an object under its version, and fails for version 13. */
export function unluckyIndex(object: KubeObject): string[] {
  const version = versionOf(object) ?? '';
  if (version === '13') throw new Error('unlucky');
  return [version];
}
