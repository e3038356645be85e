import { KubeError } from '../core/errors.ts';
import { type Key, type KeyFn, keyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import type { Store } from './store.ts';

export interface FifoOptions<T> {
  /** @default `namespace/name` from the metadata */
  readonly key?: KeyFn<T>;
}

/** Work for one object. `initial` says it belongs to the first list. */
export type FifoProcess<T> = (object: T, initial: boolean) => void | Promise<void>;

/**
 * Objects waiting to be worked on: each once, in its newest state, in order of first arrival.
 *
 * Promises: a queued object that changes keeps its place; one that comes back
 * after it was popped or deleted goes to the end; a delete takes it out and tells
 * nobody; a replace drops whatever waits. `hasSynced` turns true once: with the
 * first call if that is no replace, else when every object of the first list has been
 * *processed* (or deleted before). A second list that comes earlier takes the
 * first one's place. Does not promise that every state is seen: that is a delta queue.
 *
 * Room rule: no timers, no logging. Only `pop` waits, and only for work.
 */
export class Fifo<T extends object = KubeObject> implements Store<T> {
  readonly #keyOf: KeyFn<T>;
  /** A Map iterates in order of insertion, so it is both the items and the order. */
  #items = new Map<Key, T>();
  #populated = false;
  /** Keys of the first list that still wait. */
  #initial: Set<Key> = new Set();
  #initialRunning = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  constructor(options: FifoOptions<T> = {}) {
    const { key = keyFn(plainAccess as unknown as ObjectAccess<T>) } = options;
    this.#keyOf = key;
  }

  get length(): number {
    return this.#items.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get hasSynced(): boolean {
    return this.#populated && this.#initial.size === 0 && this.#initialRunning === 0;
  }

  add(object: T): void {
    const key = this.#keyOf(object);
    this.#populated = true;
    this.#items.set(key, object);
    this.#wakeAll();
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    const key = this.#keyOf(object);
    this.#populated = true;
    this.#items.delete(key);
    // Nobody will process it, so nobody may wait for that.
    this.#initial.delete(key);
  }

  /** One bad key rejects the whole list and changes nothing. */
  replace(items: readonly T[], _resourceVersion: string): void {
    const next = new Map(items.map((object) => [this.#keyOf(object), object]));
    if (!this.hasSynced) this.#initial = new Set(next.keys());
    this.#populated = true;
    this.#items = next;
    this.#wakeAll();
  }

  get(key: Key): T | undefined {
    return this.#items.get(key);
  }

  keys(): Key[] {
    return [...this.#items.keys()];
  }

  list(): T[] {
    return [...this.#items.values()];
  }

  /**
   * Waits for work, takes the oldest object, processes it and resolves with it. Rejects with what
   * `process` threw, the object being dropped; rejects with QUEUE_CLOSED once closed and empty.
   */
  async pop(process: FifoProcess<T>): Promise<T> {
    let oldest = this.#items.entries().next();
    while (oldest.done) {
      if (this.#closed) throw new KubeError('QUEUE_CLOSED', 'the queue is closed and empty: stop popping');
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
      oldest = this.#items.entries().next();
    }
    const [key, object] = oldest.value;
    this.#items.delete(key);
    const initial = this.#initial.delete(key);
    if (initial) this.#initialRunning += 1;
    try {
      await process(object, initial);
    } finally {
      if (initial) this.#initialRunning -= 1;
    }
    return object;
  }

  /** Lets poppers finish what waits and then releases them all. Writes are still accepted. */
  close(): void {
    this.#closed = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
