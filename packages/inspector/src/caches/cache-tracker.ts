import type { ClusterCache, InformerEvent, KubeObject, Registration } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { History } from '../history/inspector-history.ts';
import { EventRate } from './event-rate.ts';
import { RestartCounter, type Restarts } from './restart-counter.ts';

/** One cache of the process, and the observations since it was found. */
export interface CacheRecord {
  readonly id: string;
  readonly cache: ClusterCache;
  readonly rate: EventRate;
  /** Wall clock of the last change, by key, for the keys that changed last. */
  readonly changedAt: ReadonlyMap<string, number>;
  readonly restarts: Restarts;
}

export type ChangeListener = (record: CacheRecord, key: string) => void;

interface Tracked extends CacheRecord {
  readonly changedAt: Map<string, number>;
  readonly registration: Registration;
  restarts: Restarts;
}

/** Maximum number of keys per cache whose last change is remembered. */
const MAX_CHANGED = 5_000;

/**
 * Tracks every cache of the process: joins new ones, and leaves those that were closed.
 *
 * Adds one handler to each informer, which counts events, records versions and passes keys on. Changes nothing else.
 *
 * Room rule: knows informers; no HTTP and nothing that is displayed.
 */
export class CacheTracker {
  readonly #caches: () => readonly ClusterCache[];
  readonly #env: Env;
  readonly #history: History;
  readonly #restarts = new RestartCounter();
  readonly #tracked = new Map<string, Tracked>();
  readonly #listeners = new Set<ChangeListener>();

  constructor(caches: () => readonly ClusterCache[], env: Env, history: History) {
    this.#caches = caches;
    this.#env = env;
    this.#history = history;
  }

  /** Returns all caches, up to date. Cheap: call it before each use. */
  refresh(): readonly CacheRecord[] {
    const found = new Map(this.#caches().map((cache) => [trackedCacheId(cache), cache]));
    for (const [id, { cache }] of this.#tracked) if (found.get(id)?.informer !== cache.informer) this.#leave(id);
    for (const [id, cache] of found) {
      const known = this.#tracked.get(id);
      if (known !== undefined) known.restarts = this.#restarts.of(cache.informer);
      else if (!cache.informer.isStopped) this.#join(id, cache);
    }
    return [...this.#tracked.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  find(id: string): CacheRecord | undefined {
    if (!this.#tracked.has(id)) this.refresh();
    return this.#tracked.get(id);
  }

  /** Adds a listener for changes. Returns a function that removes it. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    for (const id of this.#tracked.keys()) this.#leave(id);
    this.#listeners.clear();
  }

  #join(id: string, cache: ClusterCache): void {
    const note = (event: InformerEvent<KubeObject>): void => this.#note(tracked, event);
    // Objects that exist already are read from the cache; the handler needs changes only.
    const registration = cache.informer.on(
      { add: note, update: note, delete: note },
      { name: 'inspector', initial: false },
    );
    const tracked: Tracked = {
      id,
      cache,
      rate: new EventRate(this.#env.now()),
      changedAt: new Map(),
      registration,
      restarts: this.#restarts.of(cache.informer),
    };
    this.#tracked.set(id, tracked);
  }

  #leave(id: string): void {
    this.#tracked.get(id)?.registration.remove();
    this.#tracked.delete(id);
    this.#history.forget(id);
  }

  #note(tracked: Tracked, event: InformerEvent<KubeObject>): void {
    const { id, changedAt, rate } = tracked;
    const isChange = event.type === 'add' ? !event.initial : event.type === 'delete' || !event.resync;
    if (isChange) {
      const at = this.#env.wallNow();
      rate.count(this.#env.now());
      this.#history.note(id, event, at);
      changedAt.delete(event.key);
      changedAt.set(event.key, at);
      if (changedAt.size > MAX_CHANGED) for (const oldest of changedAt.keys()) return void changedAt.delete(oldest);
    }
    for (const listener of this.#listeners) listener(tracked, event.key);
  }
}

/** Names a cache the way a person would; equal for equal scopes. */
export function trackedCacheId({
  resource,
  namespace,
  labelSelector,
  fieldSelector,
  metadataOnly,
}: ClusterCache): string {
  return [
    resource,
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ...(labelSelector === undefined ? [] : [`with ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`where ${fieldSelector}`]),
    ...(metadataOnly ? ['(metadata)'] : []),
  ].join(' ');
}
