import type { Key } from '../core/object/key.ts';

/** One index: the values an object is filed under. Must be synchronous and must not change the object. */
export type IndexFn<T> = (object: T) => readonly string[];
export type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;

/**
 * What handlers, listers and reconcilers get to see. They cannot write, so they cannot lie.
 *
 * Every call is answered from one state of the cache; returned arrays are the
 * caller's own, returned objects are shared and must not be changed.
 */
export interface ReadonlyStore<T, I extends string = string> {
  readonly size: number;
  /** The resourceVersion the whole store has reached, bookmarks included. Empty before the first write. */
  readonly resourceVersion: string;
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  keys(): Key[];
  list(): T[];
  /** Objects filed under `value`. Throws INVALID_OPTION when there is no index `name`. */
  byIndex(name: I | 'namespace', value: string): T[];
  /** Keys filed under `value`, sorted. */
  indexKeys(name: I | 'namespace', value: string): Key[];
  /** All values of an index; none when there is no such index. */
  indexValues(name: I | 'namespace'): string[];
  /** Objects that share at least one value of the index with `object`, each once. */
  index(name: I | 'namespace', object: T): T[];
  hasIndex(name: string): boolean;
  /** `namespace` and all that were added. */
  indexNames(): string[];
}

/**
 * A place for objects, by key: what a Reflector can write into.
 *
 * `add` and `update` do the same; deleting what is not there is fine.
 */
export interface Store<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** Takes `items` as the whole truth, in one step. */
  replace(items: readonly T[], resourceVersion: string): void;
  /** Announces again what is held, where announcing has a meaning. */
  resync?(): void;
  get(key: Key): T | undefined;
  keys(): Key[];
  list(): T[];
}

/** One write of a transaction. */
export type StoreWrite<T> =
  | { readonly type: 'set'; readonly key?: Key; readonly object: T }
  | { readonly type: 'delete'; readonly key: Key; readonly object?: T };

/** What a transaction did: every write that failed, by its place; the others are applied. */
export interface TransactionResult {
  readonly total: number;
  readonly failures: readonly { readonly at: number; readonly error: unknown }[];
}
