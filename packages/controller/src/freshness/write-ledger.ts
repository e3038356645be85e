import { isOlder, joinKey, type Key, type KubeObject, type ObjectName } from 'kube-informer/core';
import {
  declaredCacheObject,
  declaredCacheHolds,
  type DeclaredCache,
  isDeclaredCacheOrdered,
  newestInDeclaredCache,
} from './declared-cache.ts';

/** Maximum wait for a write in a cache with a field selector: the object may not belong to it. */
const MAX_UNDECIDED_MS = 5_000;

/** A write that the caches do not have yet. */
export interface PendingWrite {
  readonly resource: string;
  readonly key: Key;
  /**
   * `version`: the cache is older. `deleted`: the cache still has the object. `unanswered`: the server sent no
   * response.
   */
  readonly waitsFor: 'version' | 'deleted' | 'unanswered';
  readonly version?: string;
}

interface WrittenVersion {
  readonly cache: DeclaredCache;
  readonly namespace: string;
  /** The object with the highest version. */
  readonly key: Key;
  readonly version: string;
  readonly at: number;
  /** All objects that were written since the cache was last known to have everything. */
  readonly keys: Set<Key>;
}

interface Deleted {
  readonly cache: DeclaredCache;
  readonly key: Key;
  readonly uid: string;
}

/** An object that was written. */
export interface WrittenObject {
  readonly resource: string;
  readonly key: Key;
}

/** All writes for one primary object that are not known to be in the caches. */
interface Written {
  readonly uid: string;
  readonly versions: Map<string, WrittenVersion>;
  readonly deleted: Map<string, Deleted>;
  readonly unanswered: Map<string, WrittenObject>;
}

const NOTHING_WRITTEN: Written = { uid: '', versions: new Map(), deleted: new Map(), unanswered: new Map() };

/** A write that was sent. Exactly one of its methods is called, with the response or when there is none. */
export interface SentWrite {
  /** Called when the server returned the object. */
  answered(object: KubeObject): void;
  /** Called when the server responded that the object is gone. */
  gone(uid: string | undefined): void;
  /** Called when the server refused, so that nothing was written. */
  refused(): void;
}

/**
 * The writes of runs, by primary key: the highest version per cache and namespace, and the uids of deleted
 * objects.
 *
 * Compares with what the caches hold now, so it does not matter whether the event or the response to a write
 * arrives first.
 */
export class WriteLedger {
  readonly #caches: () => readonly DeclaredCache[];
  readonly #now: () => number;
  readonly #written = new Map<Key, Written>();

  constructor(caches: () => readonly DeclaredCache[], now: () => number) {
    this.#caches = caches;
    this.#now = now;
  }

  /** Registers a write before it is sent. */
  sending(primary: ObjectName & { readonly uid: string }, resource: string, key: Key | undefined): SentWrite {
    const owner = joinKey(primary);
    const written = this.#of(owner, primary.uid);
    const caches = this.#caches().filter((cache) => cache.resource === resource);
    const id = `${resource} ${key ?? ''}`;
    if (caches.length > 0 && key !== undefined) written.unanswered.set(id, { resource, key });
    const isAnswered = (): void => void written.unanswered.delete(id);
    return {
      refused: isAnswered,
      answered: (object) => {
        isAnswered();
        for (const cache of caches) this.#answered(written, cache, object);
      },
      gone: (uid) => {
        isAnswered();
        if (key === undefined) return;
        for (const cache of caches) {
          const known = uid ?? cachedUidForLedger(cache, key);
          if (known !== undefined) written.deleted.set(this.#idIn(cache, key), { cache, key, uid: known });
        }
      },
    };
  }

  /** Writes for this primary that the caches do not have. Writes that they have are forgotten. */
  pending(owner: Key): readonly PendingWrite[] {
    const written = this.#written.get(owner);
    if (written === undefined) return [];
    for (const [id, one] of written.versions) if (this.#isReached(one)) written.versions.delete(id);
    for (const [id, { cache, key, uid }] of written.deleted)
      if (cachedUidForLedger(cache, key) !== uid) written.deleted.delete(id);
    const pending: PendingWrite[] = [
      ...[...written.unanswered.values()].map((one) => ({ ...one, waitsFor: 'unanswered' as const })),
      ...[...written.versions.values()].map(({ cache: { resource }, key, version }) => ({
        resource,
        key,
        version,
        waitsFor: 'version' as const,
      })),
      ...[...written.deleted.values()].map(({ cache: { resource }, key }) => ({
        resource,
        key,
        waitsFor: 'deleted' as const,
      })),
    ];
    if (pending.length === 0) this.#written.delete(owner);
    return pending;
  }

  /** Resolves when a cache has reached one of the pending versions, for each of them. */
  versionsReached(owner: Key, signal: AbortSignal): readonly Promise<void>[] {
    const versions = this.#written.get(owner)?.versions.values() ?? [];
    return [...versions].map(({ cache, namespace, version }) =>
      cache.informer.waitForVersion(version, { signal, ...withinLedgerNamespace(cache, namespace) }),
    );
  }

  /**
   * The objects that were written and that a cache does not have, including deleted ones; one live read of
   * each is enough.
   */
  behind(owner: Key): readonly WrittenObject[] {
    const { versions, deleted, unanswered } = this.#written.get(owner) ?? NOTHING_WRITTEN;
    const objects = new Map<string, WrittenObject>();
    const add = (one: WrittenObject): void => void objects.set(`${one.resource} ${one.key}`, one);
    for (const { cache, keys } of versions.values()) for (const key of keys) add({ resource: cache.resource, key });
    for (const { cache, key } of deleted.values()) add({ resource: cache.resource, key });
    for (const { resource, key } of unanswered.values()) add({ resource, key });
    return [...objects.values()];
  }

  /** Records a live read after a write without a response. `object` is undefined if it does not exist. */
  readLive(owner: Key, resource: string, key: Key, object: KubeObject | undefined): void {
    const written = this.#written.get(owner);
    if (written === undefined) return;
    written.unanswered.delete(`${resource} ${key}`);
    for (const cache of this.#caches()) {
      if (cache.resource !== resource) continue;
      if (object !== undefined) {
        this.#answered(written, cache, object);
        continue;
      }
      const uid = cachedUidForLedger(cache, key);
      if (uid !== undefined) written.deleted.set(this.#idIn(cache, key), { cache, key, uid });
    }
  }

  /** Drops what was written for another object of the same name. */
  requireUid(owner: Key, uid: string | undefined): void {
    if (this.#written.get(owner)?.uid !== uid) this.#written.delete(owner);
  }

  /**
   * Records that the storage behind a cache was restored: earlier versions can no longer be compared, and a
   * write may be lost. All writes count as unanswered, so that they are read from the server.
   */
  restored(cache: DeclaredCache): void {
    const { resource } = cache;
    for (const { versions, deleted, unanswered } of this.#written.values()) {
      const ask = (key: Key): void => void unanswered.set(`${resource} ${key}`, { resource, key });
      for (const [id, one] of versions) {
        if (one.cache !== cache) continue;
        versions.delete(id);
        for (const key of one.keys) ask(key);
      }
      for (const [id, one] of deleted) {
        if (one.cache !== cache) continue;
        deleted.delete(id);
        ask(one.key);
      }
    }
  }

  forget(owner: Key): void {
    this.#written.delete(owner);
  }

  /** Uid of an object in the caches. */
  cachedUid(resource: string, key: Key): string | undefined {
    const caches = this.#caches().filter((one) => one.resource === resource);
    return newestInDeclaredCache(caches, key)?.metadata?.uid;
  }

  /** Whether the caches are as new as this state of an object. */
  hasReached(resource: string, object: KubeObject): boolean {
    const { namespace = '', resourceVersion = '' } = object.metadata ?? {};
    return this.#caches().every(
      (cache) =>
        cache.resource !== resource ||
        !declaredCacheHolds(cache, object) ||
        cache.informer.hasReached(resourceVersion, withinLedgerNamespace(cache, namespace).namespace),
    );
  }

  /** The id of a cache. A resource may have several caches, and each must have the write: a run reads them all. */
  #idIn(cache: DeclaredCache, name: string): string {
    return `${this.#caches().indexOf(cache)} ${name}`;
  }

  #of(owner: Key, uid: string): Written {
    this.requireUid(owner, uid);
    const known = this.#written.get(owner);
    if (known !== undefined) return known;
    const written: Written = { uid, versions: new Map(), deleted: new Map(), unanswered: new Map() };
    this.#written.set(owner, written);
    return written;
  }

  #answered(written: Written, cache: DeclaredCache, object: KubeObject): void {
    const { namespace = '', name = '', resourceVersion: version = '' } = object.metadata ?? {};
    if (!isDeclaredCacheOrdered(version) || !declaredCacheHolds(cache, object)) return;
    const id = this.#idIn(cache, namespace);
    const key = joinKey({ namespace, name });
    const before = written.versions.get(id);
    const keys = (before?.keys ?? new Set()).add(key);
    if (isOlder(version, before?.version)) return;
    written.versions.set(id, { cache, namespace, key, version, at: this.#now(), keys });
  }

  #isReached({ cache, namespace, version, at }: WrittenVersion): boolean {
    if (cache.hasFields && this.#now() - at >= MAX_UNDECIDED_MS) return true;
    return cache.informer.hasReached(version, withinLedgerNamespace(cache, namespace).namespace);
  }
}

/** The namespace whose cache must have the version. A cache of all namespaces has one version. */
function withinLedgerNamespace(cache: DeclaredCache, namespace: string): { readonly namespace?: string } {
  return cache.namespaces.length === 0 || namespace === '' ? {} : { namespace };
}

const cachedUidForLedger = (cache: DeclaredCache, key: Key): string | undefined =>
  declaredCacheObject(cache, key)?.metadata?.uid;
