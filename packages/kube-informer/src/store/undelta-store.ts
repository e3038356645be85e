import type { Key, KeyFn } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import { Indexer } from './indexer.ts';
import type { Store } from './store.ts';

export interface UndeltaStoreOptions<T> {
  /** @default `namespace/name` from the metadata */
  readonly key?: KeyFn<T>;
  /** Where objects are kept. @default an Indexer with `key` */
  readonly store?: Store<T>;
}

/**
 * A store for consumers that want the whole state after each change, not the change.
 *
 * Promises: after every write that succeeded, and only then, `push` gets the full
 * list, as an array of its own; reads never push. A write that threw changed and
 * pushed nothing. If `push` throws, the write has happened and the error goes to
 * the writer.
 *
 * Room rule: never waits; adds one call to a store and holds no objects itself.
 */
export class UndeltaStore<T extends object = KubeObject> implements Store<T> {
  readonly #store: Store<T>;
  readonly #push: (objects: T[]) => void;

  constructor(push: (objects: T[]) => void, options: UndeltaStoreOptions<T> = {}) {
    const { key, store = new Indexer<T>(key === undefined ? {} : { key }) } = options;
    this.#store = store;
    this.#push = push;
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
