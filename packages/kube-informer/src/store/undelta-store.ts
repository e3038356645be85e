import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { defined } from '../core/defined.ts';
import type { Key, KeyFn } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import { Indexer } from './indexer.ts';
import type { Store } from './store.ts';

export interface UndeltaStoreOptions<T> {
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
  /** Stores the objects. @default an Indexer with `key` */
  readonly store?: Store<T>;
}

/**
 * A store for consumers that want the whole state after each change, not the change.
 *
 * Promises: `push` is called with the full list, a new array, after every
 * successful write and only then. A write that throws changes and pushes nothing.
 * If `push` throws, or returns a promise, the write has been done and throws.
 *
 * Room rule: never waits; adds one call to a store and keeps no objects itself.
 */
export class UndeltaStore<T extends object = KubeObject> implements Store<T> {
  readonly #store: Store<T>;
  readonly #push: (objects: T[]) => void;

  constructor(push: UserCode<(objects: T[]) => void>, options: UndeltaStoreOptions<T> = {}) {
    const { key, store = new Indexer<T>(defined({ key })) } = options;
    this.#store = store;
    this.#push = guardedAnswer('push', push);
  }

  add(object: T): void {
    this.#store.add(object);
    this.#push(this.#store.list());
  }

  update(object: T): void {
    this.#store.update(object);
    this.#push(this.#store.list());
  }

  delete(object: T): void {
    this.#store.delete(object);
    this.#push(this.#store.list());
  }

  replace(items: readonly T[], resourceVersion: string): void {
    this.#store.replace(items, resourceVersion);
    this.#push(this.#store.list());
  }

  get(key: Key): T | undefined {
    return this.#store.get(key);
  }

  keys(): Key[] {
    return this.#store.keys();
  }

  list(): T[] {
    return this.#store.list();
  }
}
