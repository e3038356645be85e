import type { UserCode } from '../core/guarded.ts';
import type { Key } from '../core/object/key.ts';
import type { LabelSelector } from '../core/selector/selector.ts';

/** Computes the values of an object in one index. Must be synchronous and must not change the object. */
export type IndexFn<T> = (object: T) => readonly string[];
/** A function of the object, or the path of the values: `'spec.nodeName'`, which packed caches read from bytes. */
export type Index<T> = UserCode<IndexFn<T>> | string;
export type Indexers<T> = Readonly<Record<string, Index<T>>>;

/**
 * The read-only view of a store for handlers, listers and reconcilers.
 *
 * Every call reads one state of the cache; returned arrays are new, returned
 * objects are shared and must not be changed.
 */
export interface ReadonlyStore<T, I extends string = string> {
  readonly size: number;
  /** The resourceVersion of the whole store, including bookmarks. Empty before the first write. */
  readonly resourceVersion: string;
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  keys(): Key[];
  list(): T[];
  /** Objects with `value` in the index. Throws INVALID_OPTION for an unknown index. */
  byIndex(name: I | 'namespace', value: string): T[];
  /** Objects whose labels match; `namespace` "" means all. Absent where reading labels costs nothing. */
  byLabels?(selector: LabelSelector, namespace: string): T[];
  /** Sorted keys of objects with `value` in the index. Throws INVALID_OPTION for an unknown index. */
  indexKeys(name: I | 'namespace', value: string): Key[];
  /** All values of an index; empty for an unknown index. */
  indexValues(name: I | 'namespace'): string[];
  /** Objects that share at least one value of the index with `object`, each once. */
  index(name: I | 'namespace', object: T): T[];
  hasIndex(name: string): boolean;
  /** Names of all indexes: `namespace` and those that were added. */
  indexNames(): string[];
}

/**
 * Objects by key. A Reflector can write into it.
 *
 * `add` and `update` do the same; deleting an unknown object does nothing.
 */
export interface Store<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** Replaces all objects in one step. */
  replace(items: readonly T[], resourceVersion: string): void;
  /** Announces all objects again, in stores with listeners. */
  resync?(): void;
  get(key: Key): T | undefined;
  keys(): Key[];
  list(): T[];
}

/** One write of a transaction. */
export type StoreWrite<T> =
  | { readonly type: 'set'; readonly key?: Key; readonly object: T }
  | { readonly type: 'delete'; readonly key: Key; readonly object?: T };

/** The result of a transaction: failed writes by their index. The others are applied. */
export interface TransactionResult {
  readonly total: number;
  readonly failures: readonly { readonly at: number; readonly error: unknown }[];
}
