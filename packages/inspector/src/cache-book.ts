import type { ClusterCache, InformerEvent, KubeObject, Registration } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { History } from './history.ts';
import type { Restart } from './protocol.ts';
import { Samples } from './samples.ts';

/** One cache of the process, and what was noticed about it since it was found. */
export interface CacheRecord {
  readonly id: string;
  readonly cache: ClusterCache;
  readonly samples: Samples;
  /** Wall clock of the last change, by key; of those that changed lately. */
  readonly changedAt: ReadonlyMap<string, number>;
  readonly restarts: number;
  readonly lastRestart: Restart | undefined;
}

export type ChangeListener = (record: CacheRecord, key: string) => void;

interface Open {
  readonly id: string;
  readonly cache: ClusterCache;
  readonly samples: Samples;
  readonly changedAt: Map<string, number>;
  readonly registration: Registration;
  restarts: number;
  lastRestart: Restart | undefined;
  /** Wall clock of the newest watch that was counted. */
  watchedAt: number | undefined;
}

/** Keys whose last change is remembered, per cache. */
const MOST_CHANGED = 5_000;

/**
 * Follows every cache the process keeps: joins new ones, lets go of those that ended.
 *
 * Adds one handler to each, which counts, remembers versions and passes keys on. It adds nothing else to a user's informer
 * and changes nothing in it.
 *
 * Room rule: knows informers; knows no HTTP and shows nothing.
 */
export class CacheBook {
  readonly #caches: () => readonly ClusterCache[];
  readonly #env: Env;
  readonly #history: History;
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<ChangeListener>();

  constructor(caches: () => readonly ClusterCache[], env: Env, history: History) {
    this.#caches = caches;
    this.#env = env;
    this.#history = history;
  }

  /** Brings it up to date. Cheap: call it before looking. */
  refresh(): readonly CacheRecord[] {
    const found = new Map(this.#caches().map((cache) => [idOf(cache), cache]));
    for (const [id, { cache }] of this.#open) if (found.get(id)?.informer !== cache.informer) this.#leave(id);
    for (const [id, cache] of found) {
      const known = this.#open.get(id);
      if (known !== undefined) countRestarts(known);
      else if (!cache.informer.isStopped) this.#join(id, cache);
    }
    return [...this.#open.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  find(id: string): CacheRecord | undefined {
    if (!this.#open.has(id)) this.refresh();
    return this.#open.get(id);
  }

  /** Returns what ends it. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    for (const id of this.#open.keys()) this.#leave(id);
    this.#listeners.clear();
  }

  #join(id: string, cache: ClusterCache): void {
    const note = (event: InformerEvent<KubeObject>): void => this.#note(open, event);
    // What is there already can be read from the cache: only changes are news.
    const registration = cache.informer.on(
      { add: note, update: note, delete: note },
      { name: 'inspector', initial: false },
    );
    const open: Open = {
      id,
      cache,
      samples: new Samples(this.#env.now()),
      changedAt: new Map(),
      registration,
      restarts: 0,
      lastRestart: undefined,
      watchedAt: undefined,
    };
    this.#open.set(id, open);
    countRestarts(open);
  }

  #leave(id: string): void {
    this.#open.get(id)?.registration.remove();
    this.#open.delete(id);
    this.#history.forget(id);
  }

  #note(open: Open, event: InformerEvent<KubeObject>): void {
    const { id, changedAt, samples } = open;
    const isNews = event.type === 'add' ? !event.initial : event.type === 'delete' || !event.resync;
    if (isNews) {
      const at = this.#env.wallNow();
      samples.count(this.#env.now());
      this.#history.note(id, event, at);
      changedAt.delete(event.key);
      changedAt.set(event.key, at);
      if (changedAt.size > MOST_CHANGED) for (const oldest of changedAt.keys()) return void changedAt.delete(oldest);
    }
    for (const listener of this.#listeners) listener(open, event.key);
  }
}

/** The way a person would say it, and the same for the same scope. */
export function idOf({ resource, namespace, labelSelector, fieldSelector, metadataOnly }: ClusterCache): string {
  return [
    resource,
    ...(namespace === undefined ? [] : [`in ${namespace}`]),
    ...(labelSelector === undefined ? [] : [`with ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`where ${fieldSelector}`]),
    ...(metadataOnly ? ['(metadata)'] : []),
  ].join(' ');
}

/** Watches that had to be opened again because one broke. The timeline forgets; a count must not. */
function countRestarts(open: Open): void {
  const steps = open.cache.informer.timeline;
  let broken: Restart | undefined;
  for (const { kind, startedAt, endedAt, because = '', failed } of steps) {
    if (kind !== 'watch') continue;
    const isNew = open.watchedAt !== undefined && startedAt > open.watchedAt;
    if (isNew && broken !== undefined) {
      open.restarts += 1;
      open.lastRestart = broken;
    }
    open.watchedAt = Math.max(open.watchedAt ?? 0, startedAt);
    // One whose time is over, several times an hour, is no trouble and no news.
    if (endedAt !== undefined) broken = failed ? { because, at: endedAt } : undefined;
  }
}
