import type { UserCode } from '../core/guarded.ts';
import { KubeError } from '../core/errors.ts';
import { guardedKey, type Key, type KeyFn } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { Store } from './store.ts';

export interface FifoOptions<T> {
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
}

/** Processes one object. `initial` is true for objects of the first list. */
export type FifoProcess<T> = (object: T, initial: boolean) => void | Promise<void>;

/**
 * A queue of objects: each once, in its newest state, in order of first arrival.
 *
 * Promises: a queued object that changes keeps its place; one that is added again
 * after it was popped or deleted goes to the end; a deleted object is removed
 * silently; a replace drops all queued objects. `hasSynced` becomes true once: with
 * the first call unless that is a replace, otherwise when every object of the first
 * list has been *processed* or deleted. A second list that comes earlier takes the
 * place of the first. Does not promise that every state is processed: use a delta
 * queue for that.
 *
 * Room rule: no timers, no logging. Only `pop` waits, and only for work.
 */
export class Fifo<T extends object = KubeObject> implements Store<T> {
  readonly #keyOf: KeyFn<T>;
  /** A Map iterates in order of insertion, so it holds the items and their order. */
  #items = new Map<Key, T>();
  #populated = false;
  /** Keys of the first list that are still queued. */
  #initial: Set<Key> = new Set();
  #initialRunning = 0;
  #closed = false;
  #waiters: (() => void)[] = [];

  constructor(options: FifoOptions<T> = {}) {
    this.#keyOf = guardedKey(options.key);
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
    // It will not be processed, so `hasSynced` must not wait for it.
    this.#initial.delete(key);
  }

  /** Replaces all queued objects. One object without a key rejects the whole list, and nothing changes. */
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
   * Waits for an object, processes the oldest and resolves with it. If `process` throws, the object is
   * dropped and `pop` rejects with that error. Rejects with QUEUE_CLOSED once closed and empty.
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

  /** Closes the queue. Waiting objects can still be popped; then every `pop` rejects. Writes are still accepted. */
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
