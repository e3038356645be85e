import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { guardedKey, type Key, type KeyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { compareVersions, isOrderedVersion } from '../core/object/resource-version.ts';
import { indexTableFunction } from './index-table.ts';
import type { Indexers, IndexFn, ReadonlyStore } from './store.ts';

export interface MutationCacheOptions<T> {
  /** Maximum number of remembered objects; the least recently used is dropped first. @default 100 */
  readonly maxEntries?: number;
  /** Maximum time a written object is remembered. @default 300_000 */
  readonly ttlMs?: number;
  /** Whether reads return objects that the store does not have yet. Needs calls of `onDelete`. @default false */
  readonly includeAdds?: boolean;
  /** The store's index functions: with `includeAdds`, `byIndex` uses them for objects that the store does not have. */
  readonly indexers?: Indexers<T>;
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
  /** How metadata is read. @default plain decoded JSON */
  readonly access?: ObjectAccess<T>;
  readonly env?: UserCode<Env>;
}

/** A written object, or a mark that it was deleted. */
type Entry<T> =
  | { readonly deleted: false; readonly object: T; readonly uid: string | undefined; readonly version: string }
  | { readonly deleted: true; readonly uid: string | undefined; readonly version: string };

/**
 * Read your own writes: remembers the responses to own writes for a short time, over
 * a store that the watch has not updated yet.
 *
 * Promises: a read returns the newer of the store's object and the remembered one,
 * by resourceVersion; a late response never hides newer state, and after `onDelete`
 * never brings an object back. The store itself is never written.
 * Does not promise to remember: entries are dropped by age, by number, or when the
 * store has caught up. Objects whose resourceVersion is not a number cannot be
 * ordered and are refused with INVALID_OPTION.
 *
 * Call `onAddOrUpdate` and `onDelete` from the informer's handler to drop entries early.
 *
 * Room rule: never waits and has no timer; knows a readable store, no client.
 */
export class MutationCache<T extends object = KubeObject, I extends string = string> {
  readonly #store: ReadonlyStore<T, I>;
  readonly #recent: RecentEntries<Entry<T>>;
  readonly #includeAdds: boolean;
  readonly #indexers: ReadonlyMap<string, IndexFn<T>>;
  readonly #keyOf: KeyFn<T>;
  readonly #access: ObjectAccess<T>;
  readonly #env: Env;

  constructor(store: ReadonlyStore<T, I>, options: MutationCacheOptions<T> = {}) {
    const { maxEntries = 100, ttlMs = 300_000, includeAdds = false, indexers = {}, key } = options;
    const { access = plainAccess } = options;
    const env = guardedEnv(options.env ?? systemEnv);
    requireOption(Number.isInteger(maxEntries) && maxEntries > 0, 'maxEntries', 'a positive integer', maxEntries);
    requireOption(ttlMs > 0, 'ttlMs', 'a positive number', ttlMs);
    this.#store = store;
    this.#recent = new RecentEntries(env, maxEntries, ttlMs);
    this.#includeAdds = includeAdds;
    this.#indexers = new Map(
      Object.entries({ namespace: (object: T) => [access.namespace(object) ?? ''], ...indexers } as Indexers<T>).map(
        ([name, index]) => [name, guardedAnswer(`index "${name}"`, indexTableFunction(name, index))],
      ),
    );
    this.#keyOf = guardedKey(key, access);
    this.#access = access;
    this.#env = env;
  }

  // — reading ————————————————————————————————————————————————————————————

  get(key: Key): T | undefined {
    const stored = this.#store.get(key);
    if (stored === undefined && !this.#includeAdds) return undefined;
    return this.#newer(key, stored, this.#recent.use(key));
  }

  /**
   * The store's objects of this index value, each in its newest state, even if that has another value;
   * with `includeAdds`, also newer objects with this value that the store does not have under it.
   */
  byIndex(name: I | 'namespace', value: string): T[] {
    const keys = new Set(this.#store.indexKeys(name, value));
    const objects: T[] = [];
    for (const key of keys) {
      const object = this.#newer(key, this.#store.get(key), this.#recent.peek(key));
      if (object !== undefined) objects.push(object);
    }
    if (!this.#includeAdds) return objects;
    const valuesOf = this.#indexFn(name);
    for (const [key, entry] of this.#recent.entries()) {
      if (entry.deleted || keys.has(key)) continue;
      const object = this.#newer(key, this.#store.get(key), entry);
      if (object === entry.object && this.#hasIndexValue(valuesOf, object, name, value)) objects.push(object);
    }
    return objects;
  }

  // — writing ————————————————————————————————————————————————————————————

  /** Remembers the response to a create, update or patch, unless a newer state is known. */
  mutation(object: T): void {
    const key = this.#keyOrReport(object, 'mutation');
    if (key === undefined) return;
    const entry = this.#entryOf(object);
    const known = this.#recent.peek(key);
    if (known !== undefined) {
      const order = compareInMutationCache(entry.version, known.version);
      if (order < 0 || (known.deleted && (order === 0 || entry.uid === known.uid))) return;
    }
    const stored = this.#store.get(key);
    // An entry older than the store's object would reappear when that object is deleted.
    if (stored !== undefined && compareInMutationCache(entry.version, this.#versionOf(stored)) <= 0) return;
    this.#recent.set(key, entry);
  }

  /** Reports that the store has `object`; an entry that is not newer is dropped. */
  onAddOrUpdate(object: T): void {
    const key = this.#keyOrReport(object, 'onAddOrUpdate');
    const known = key === undefined ? undefined : this.#recent.peek(key);
    if (key === undefined || known === undefined) return;
    if (compareInMutationCache(this.#versionOf(object), known.version) >= 0) this.#recent.delete(key);
  }

  /** Reports that the store has deleted `object`: drops the entry, and ignores late responses about it for `ttlMs`. */
  onDelete(object: T): void {
    const key = this.#keyOrReport(object, 'onDelete');
    if (key === undefined) return;
    const { uid, version } = this.#entryOf(object);
    const known = this.#recent.peek(key);
    // A newer object with another UID was created after the deleted one.
    if (known !== undefined && known.uid !== uid && compareInMutationCache(version, known.version) < 0) return;
    this.#recent.set(key, { deleted: true, uid, version });
  }

  /** The newer of the store's object and the remembered one. Drops an entry that the store has caught up with. */
  #newer(key: Key, stored: T | undefined, entry: Entry<T> | undefined): T | undefined {
    if (entry === undefined) return stored;
    if (stored !== undefined && compareInMutationCache(this.#versionOf(stored), entry.version) >= 0) {
      this.#recent.delete(key);
      return stored;
    }
    return entry.deleted ? stored : entry.object;
  }

  #indexFn(name: string): IndexFn<T> {
    const fn = this.#indexers.get(name);
    if (fn !== undefined) return fn;
    throw new KubeError(
      'INVALID_OPTION',
      `unknown index "${name}": pass the store's index functions to the mutation cache as option indexers`,
    );
  }

  #hasIndexValue(valuesOf: IndexFn<T>, object: T, name: string, value: string): boolean {
    try {
      return valuesOf(object).includes(value);
    } catch (error) {
      this.#env.log('error', 'an index function failed; a written object is left out', { index: name, error });
      return false;
    }
  }

  #keyOrReport(object: T, call: string): Key | undefined {
    try {
      return this.#keyOf(object);
    } catch (error) {
      // Not thrown, because the write itself succeeded on the server.
      this.#env.log('error', 'an object without a key; the mutation cache ignores it', { call, error });
      return undefined;
    }
  }

  #entryOf(object: T): Entry<T> & { readonly deleted: false } {
    return { deleted: false, object, uid: this.#access.uid(object), version: this.#versionOf(object) };
  }

  /** The object's resourceVersion; "", which is older than any other, when it has none. */
  #versionOf(object: T): string {
    const version = this.#access.resourceVersion(object) ?? '';
    if (version === '' || version === '0') return '';
    if (isOrderedVersion(version)) return version;
    throw new KubeError(
      'INVALID_OPTION',
      `the mutation cache orders objects by resourceVersion: expected a number, got ${JSON.stringify(version)}`,
    );
  }
}

/** Orders versions as returned by `#versionOf`. */
function compareInMutationCache(a: string, b: string): number {
  if (a === b) return 0;
  return compareVersions(a, b) ?? (a === '' ? -1 : 1);
}

/** The `max` most recently used entries, each for `ttlMs`. A Map iterates in order of insertion, so the first is the least recent. */
class RecentEntries<V> {
  readonly #env: Env;
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #held = new Map<Key, { readonly value: V; readonly until: number }>();

  constructor(env: Env, max: number, ttlMs: number) {
    this.#env = env;
    this.#max = max;
    this.#ttlMs = ttlMs;
  }

  /** Reads and counts as use. */
  use(key: Key): V | undefined {
    const value = this.peek(key);
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, held);
    return value;
  }

  peek(key: Key): V | undefined {
    const held = this.#held.get(key);
    if (held === undefined || this.#env.now() <= held.until) return held?.value;
    this.#held.delete(key);
    return undefined;
  }

  set(key: Key, value: V): void {
    this.#held.delete(key);
    this.#held.set(key, { value, until: this.#env.now() + this.#ttlMs });
    if (this.#held.size <= this.#max) return;
    for (const [oldest] of this.#held) {
      this.#held.delete(oldest);
      return;
    }
  }

  delete(key: Key): void {
    this.#held.delete(key);
  }

  /** A copy, least recently used first, so that reading may drop entries on the way. */
  entries(): [Key, V][] {
    const now = this.#env.now();
    return [...this.#held].filter(([, held]) => now <= held.until).map(([key, held]) => [key, held.value]);
  }
}
