import { defined } from '../core/defined.ts';
import { KubeError, type Status } from '../core/errors.ts';
import type { ListOptions, WatchOptions } from '../core/object/list-options.ts';
import { keyOf } from '../core/object/key.ts';
import type { KubeList, KubeObject } from '../core/object/object.ts';
import { retryAfterMsOf } from '../core/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../core/object/watch-event.ts';
import type { ListWatch } from '../informer/list-watch/list-watch.ts';
import { EventPipe } from './event-pipe.ts';

/** A request to the source. */
export type SourceCall =
  | { readonly verb: 'list'; readonly options: ListOptions }
  | { readonly verb: 'watch'; readonly options: WatchOptions };

export interface FakeSourceOptions {
  /** First resourceVersion. @default 1 */
  readonly startVersion?: number;
  /** Whether the source supports watch-list. @default true */
  readonly watchList?: boolean;
}

interface Change<T> {
  readonly version: number;
  readonly event: WatchEvent<T>;
  /** Whether the change is applied but never sent to a watch. */
  readonly lost: boolean;
}

/**
 * A server in memory: objects, a history, lists in pages, watches that resume,
 * and the faults of real servers on request.
 *
 * resourceVersions are a counter, which a delete increments too; a watch from a
 * version that is no longer in the history gets 410.
 *
 * @example
 * const source = new FakeSource<Pod>();
 * source.create({ metadata: { namespace: 'web', name: 'a' } });
 * const pods = new SharedInformer(source).start();
 * source.cut();             // every open watch breaks; the informer resumes
 * source.expireHistory();   // the next resume gets 410; the informer relists
 */
export class FakeSource<T extends KubeObject = KubeObject> implements ListWatch<T> {
  readonly calls: SourceCall[] = [];
  readonly #objects = new Map<string, T>();
  /** The state before the first change of the history. */
  #base: ReadonlyMap<string, T> = new Map();
  readonly #history: Change<T>[] = [];
  readonly #pipes = new Set<EventPipe<WatchEvent<T>>>();
  readonly #watchList: boolean;
  readonly #failures: { readonly verb: 'list' | 'watch'; readonly error: unknown }[] = [];
  readonly #snapshots = new Map<string, { readonly items: T[]; readonly version: number }>();
  #version: number;
  #oldest: number;
  #uid = 0;
  #losing = 0;
  #delays: Promise<void> | undefined;
  #token = 0;

  constructor(options: FakeSourceOptions = {}) {
    const { startVersion = 1, watchList = true } = options;
    this.#version = startVersion;
    this.#oldest = startVersion;
    this.#watchList = watchList;
  }

  get resourceVersion(): string {
    return String(this.#version);
  }

  /** Number of open watches. */
  get openWatches(): number {
    return this.#pipes.size;
  }

  get objects(): T[] {
    return [...this.#objects.values()];
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  // — changes ————————————————————————————————————————————————————————————

  create(object: T): T {
    return this.#write('ADDED', object, object.metadata?.uid ?? `uid-${(this.#uid += 1)}`);
  }

  /** Changes an object, or creates it. */
  update(object: T): T {
    const before = this.#objects.get(keyOf(object));
    if (before === undefined) return this.create(object);
    return this.#write('MODIFIED', object, object.metadata?.uid ?? before.metadata?.uid ?? '');
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#version += 1;
    this.#record({ type: 'DELETED', object: this.#stamped(before, before.metadata?.uid ?? '') });
  }

  /** Sends a bookmark with the current version to all open watches. */
  bookmark(annotations: Record<string, string> = {}): void {
    const metadata = {
      resourceVersion: this.resourceVersion,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
    this.send({ type: 'BOOKMARK', object: { metadata } });
  }

  // — faults —————————————————————————————————————————————————————————————

  /** Ends every open watch with `error`, or without one as if the server had closed it. */
  cut(error?: unknown): void {
    for (const pipe of this.#pipes) pipe.end(error);
  }

  /** Sends any event to every open watch: a duplicate, an ERROR, an invalid one. */
  send(event: WatchEvent<T>): void {
    for (const pipe of this.#pipes) pipe.push(event);
  }

  /** Sends the last `count` changes again. */
  repeat(count: number): void {
    for (const { event } of this.#history.slice(-count)) this.send(event);
  }

  /** Loses the next `count` changes: they are never sent to a watch. */
  loseNext(count: number): void {
    this.#losing += count;
  }

  /** Drops the history: watches and continue tokens from before get 410. */
  expireHistory(): void {
    this.#history.length = 0;
    this.#base = new Map(this.#objects);
    this.#oldest = this.#version;
    this.#snapshots.clear();
  }

  /** Fails the next `times` requests of this verb with `error`. */
  failNext(verb: 'list' | 'watch', error: unknown, times = 1): void {
    for (let i = 0; i < times; i += 1) this.#failures.push({ verb, error });
  }

  /** Delays the responses to lists until `until` settles. */
  delayLists(until: Promise<void> | undefined): void {
    this.#delays = until;
  }

  /** Restores the storage from a backup: objects and version go back. */
  restore(objects: readonly T[], version: number): void {
    this.#objects.clear();
    this.#history.length = 0;
    this.#snapshots.clear();
    this.#version = version;
    this.#oldest = version;
    for (const object of objects) this.#objects.set(keyOf(object), object);
    this.#base = new Map(this.#objects);
  }

  // — ListWatch ——————————————————————————————————————————————————————————

  readonly list = async (options: ListOptions, signal: AbortSignal): Promise<KubeList<T>> => {
    this.calls.push({ verb: 'list', options });
    await this.#delays;
    signal.throwIfAborted();
    this.#failIfAsked('list');
    const { limit, continue: token, resourceVersion = '', resourceVersionMatch } = options;
    let from = { items: this.#sorted(), version: this.#version };
    let offset = 0;
    if (token !== undefined) {
      const held = this.#snapshots.get(token.split('/')[0] as string);
      if (held === undefined) throw expired('the provided continue parameter is too old');
      from = held;
      offset = Number(token.split('/')[1]);
    } else if (resourceVersionMatch === 'Exact') {
      from = this.#at(Number(resourceVersion));
    } else if (Number(resourceVersion || 0) > this.#version) {
      throw tooLarge(resourceVersion, this.resourceVersion);
    }
    const items = limit === undefined ? from.items.slice(offset) : from.items.slice(offset, offset + limit);
    const more = offset + items.length < from.items.length;
    const name = `t${(this.#token += 1)}`;
    if (more) this.#snapshots.set(name, from);
    return {
      metadata: {
        resourceVersion: String(from.version),
        ...defined({ continue: more ? `${name}/${offset + items.length}` : undefined }),
      },
      items,
    };
  };

  readonly watch = (options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>> => {
    this.calls.push({ verb: 'watch', options });
    const pipe = new EventPipe<WatchEvent<T>>(signal, () => this.#pipes.delete(pipe));
    try {
      this.#failIfAsked('watch');
      this.#start(pipe, options);
      if (!signal.aborted) this.#pipes.add(pipe);
    } catch (error) {
      pipe.end(error);
    }
    return pipe;
  };

  get watchListUnsupported(): boolean {
    return !this.#watchList;
  }

  #start(pipe: EventPipe<WatchEvent<T>>, { resourceVersion = '', sendInitialEvents }: WatchOptions): void {
    const from = Number(resourceVersion || 0);
    if (sendInitialEvents === true) {
      if (from > this.#version) throw tooLarge(resourceVersion, this.resourceVersion);
      for (const object of this.#sorted()) pipe.push({ type: 'ADDED', object });
      pipe.push({
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: this.resourceVersion, annotations: { [INITIAL_EVENTS_END]: 'true' } } },
      });
    } else if (from === 0) {
      for (const object of this.#sorted()) pipe.push({ type: 'ADDED', object });
    } else {
      if (from < this.#oldest) throw expired(`too old resource version: ${from} (${this.#oldest})`);
      for (const { version, event, lost } of this.#history) if (version > from && !lost) pipe.push(event);
    }
  }

  #write(type: 'ADDED' | 'MODIFIED', object: T, uid: string): T {
    this.#version += 1;
    const stored = this.#stamped(object, uid);
    this.#objects.set(keyOf(stored), stored);
    this.#record({ type, object: stored });
    return stored;
  }

  #stamped(object: T, uid: string): T {
    return { ...object, metadata: { ...object.metadata, uid, resourceVersion: this.resourceVersion } };
  }

  #record(event: WatchEvent<T>): void {
    const lost = this.#losing > 0;
    if (lost) this.#losing -= 1;
    this.#history.push({ version: this.#version, event, lost });
    if (!lost) this.send(event);
  }

  #sorted(): T[] {
    return [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** The state at a version that is still in the history: the base, with the changes up to it. */
  #at(version: number): { items: T[]; version: number } {
    if (version > this.#version) throw tooLarge(String(version), this.resourceVersion);
    if (version < this.#oldest) throw expired(`too old resource version: ${version} (${this.#oldest})`);
    const state = new Map(this.#base);
    for (const { version: at, event } of this.#history) {
      if (at > version) break;
      const object = event.object as T;
      if (event.type === 'DELETED') state.delete(keyOf(object));
      else state.set(keyOf(object), object);
    }
    return { items: [...state.values()], version };
  }

  #failIfAsked(verb: 'list' | 'watch'): void {
    const at = this.#failures.findIndex((failure) => failure.verb === verb);
    if (at !== -1) throw this.#failures.splice(at, 1)[0]?.error;
  }
}

/** An error with a Status, as an API server sends it. */
export function statusFailure(
  code: number,
  reason: string,
  message: string,
  more: Pick<Status, 'details'> = {},
): KubeError {
  const status: Status = { apiVersion: 'v1', kind: 'Status', code, reason, message, ...more };
  const seconds = more.details?.retryAfterSeconds;
  const retryAfterMs = retryAfterMsOf(seconds);
  return new KubeError('API_STATUS', message, { status, ...defined({ retryAfterMs }) });
}

export function expired(message: string): KubeError {
  return statusFailure(410, 'Expired', message);
}

export function tooLarge(asked: string, current: string): KubeError {
  return statusFailure(504, 'Timeout', `Too large resource version: ${asked}, current: ${current}`, {
    details: {
      retryAfterSeconds: 1,
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    },
  });
}
