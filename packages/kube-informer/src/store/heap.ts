import { guardedAnswer, type UserCode } from '../core/guarded.ts';
import { KubeError } from '../core/errors.ts';
import { guardedKey, type Key, type KeyFn } from '../core/object/key.ts';
import type { KubeObject } from '../core/object/object.ts';

export interface HeapOptions<T> {
  /** Whether `a` comes out before `b`. Must be synchronous and must not throw. */
  readonly less: UserCode<(a: T, b: T) => boolean>;
  /** @default `namespace/name` from the metadata */
  readonly key?: UserCode<KeyFn<T>>;
}

interface Entry<T> {
  readonly key: Key;
  object: T;
  /** Index in the tree, so that update and delete need no search. */
  at: number;
}

/**
 * A priority queue with one entry per key.
 *
 * Promises: `pop` returns the first object in order, or waits for one; adding a
 * key again replaces its object and moves it to its new place; every write is
 * O(log n). After `close`, adding throws QUEUE_CLOSED and `pop` rejects with it
 * once the heap is empty. Does not promise an order among equals; `list` and
 * `listKeys` are in no order.
 *
 * Room rule: no timers, no logging. Only `pop` waits, and only for work.
 */
export class Heap<T extends object = KubeObject> {
  readonly #less: (a: T, b: T) => boolean;
  readonly #keyOf: KeyFn<T>;
  readonly #entries = new Map<Key, Entry<T>>();
  /** A binary tree in an array: the children of `i` are `2i + 1` and `2i + 2`. */
  readonly #tree: Entry<T>[] = [];
  #closed = false;
  #waiters: (() => void)[] = [];

  constructor(options: HeapOptions<T>) {
    this.#less = guardedAnswer('less', options.less);
    this.#keyOf = guardedKey(options.key);
  }

  get length(): number {
    return this.#tree.length;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  // — writing ————————————————————————————————————————————————————————————

  add(object: T): void {
    this.bulkAdd([object]);
  }

  update(object: T): void {
    this.bulkAdd([object]);
  }

  /** Adds all objects before the next `pop`. One object without a key rejects the whole list, and nothing is added. */
  bulkAdd(objects: readonly T[]): void {
    this.#refuseIfClosed();
    const keyed = objects.map((object) => [this.#keyOf(object), object] as const);
    for (const [key, object] of keyed) this.#put(key, object);
    this.#wakeAll();
  }

  /** Adds an object unless its key is present. Returns whether it was added. */
  addIfNotPresent(object: T): boolean {
    this.#refuseIfClosed();
    const key = this.#keyOf(object);
    if (this.#entries.has(key)) return false;
    this.#put(key, object);
    this.#wakeAll();
    return true;
  }

  /** Removes an object. Returns whether it was present. */
  delete(object: T): boolean {
    const entry = this.#entries.get(this.#keyOf(object));
    if (entry === undefined) return false;
    this.#remove(entry);
    return true;
  }

  /** Waits for an object and removes the first in order. Rejects with QUEUE_CLOSED once closed and empty. */
  async pop(): Promise<T> {
    let first = this.#tree[0];
    while (first === undefined) {
      if (this.#closed) throw new KubeError('QUEUE_CLOSED', 'the heap is closed and empty: stop popping');
      await new Promise<void>((resolve) => void this.#waiters.push(resolve));
      first = this.#tree[0];
    }
    this.#remove(first);
    return first.object;
  }

  /** Closes the heap. Remaining objects can still be popped; then every `pop` rejects. */
  close(): void {
    this.#closed = true;
    this.#wakeAll();
  }

  // — reading ————————————————————————————————————————————————————————————

  /** The entry with the key of `object`. */
  get(object: T): T | undefined {
    return this.getByKey(this.#keyOf(object));
  }

  getByKey(key: Key): T | undefined {
    return this.#entries.get(key)?.object;
  }

  list(): T[] {
    return this.#tree.map((entry) => entry.object);
  }

  listKeys(): Key[] {
    return this.#tree.map((entry) => entry.key);
  }

  // — the tree ———————————————————————————————————————————————————————————

  #put(key: Key, object: T): void {
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry: Entry<T> = { key, object, at: this.#tree.length };
      this.#entries.set(key, entry);
      this.#tree.push(entry);
      this.#up(entry);
    } else {
      known.object = object;
      this.#settle(known);
    }
  }

  #remove(entry: Entry<T>): void {
    this.#entries.delete(entry.key);
    const last = this.#tree.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, entry.at);
    this.#settle(last);
  }

  /** Moves an entry to its place, up or down. */
  #settle(entry: Entry<T>): void {
    this.#up(entry);
    this.#down(entry);
  }

  #up(entry: Entry<T>): void {
    for (;;) {
      const parent = entry.at === 0 ? undefined : this.#tree[(entry.at - 1) >> 1];
      if (parent === undefined || !this.#less(entry.object, parent.object)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: Entry<T>): void {
    for (;;) {
      const left = this.#tree[2 * entry.at + 1];
      const right = this.#tree[2 * entry.at + 2];
      if (left === undefined) return;
      const child = right !== undefined && this.#less(right.object, left.object) ? right : left;
      if (!this.#less(child.object, entry.object)) return;
      this.#swap(entry, child);
    }
  }

  #swap(a: Entry<T>, b: Entry<T>): void {
    const { at } = a;
    this.#place(a, b.at);
    this.#place(b, at);
  }

  #place(entry: Entry<T>, at: number): void {
    entry.at = at;
    this.#tree[at] = entry;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new KubeError('QUEUE_CLOSED', 'the heap is closed: nothing can be added');
  }

  #wakeAll(): void {
    const waiters = this.#waiters;
    if (waiters.length === 0) return;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
