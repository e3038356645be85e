import { requireOption } from '../core/errors.ts';

/** Initial capacity: enough for most listeners. */
const INITIAL_CAPACITY = 1024;

/**
 * A first-in, first-out queue without a limit.
 *
 * Promises: `push` and `shift` take constant time; memory doubles when full and is
 * never freed; a removed element is not kept alive by its old slot. Does not promise
 * that an element `undefined` can be distinguished from an empty queue.
 *
 * Room rule: never waits, never drops; the writer checks `length`.
 */
export class RingBuffer<T> {
  #slots: (T | undefined)[];
  /** Capacity minus one. Capacity is a power of two, so that wrapping around is one `&`. */
  #mask: number;
  #head = 0;
  #length = 0;

  constructor(initialCapacity: number = INITIAL_CAPACITY) {
    const possible = Number.isInteger(initialCapacity) && initialCapacity > 0;
    requireOption(possible, 'initialCapacity', 'a positive integer', initialCapacity);
    const capacity = powerOfTwoForRingBuffer(initialCapacity);
    this.#slots = Array.from<T | undefined>({ length: capacity });
    this.#mask = capacity - 1;
  }

  get length(): number {
    return this.#length;
  }

  /** Number of elements before the next doubling. */
  get capacity(): number {
    return this.#mask + 1;
  }

  push(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#slots[(this.#head + this.#length) & this.#mask] = item;
    this.#length += 1;
  }

  /** Removes and returns the oldest. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const head = this.#head;
    const item = this.#slots[head];
    this.#slots[head] = undefined;
    this.#head = (head + 1) & this.#mask;
    this.#length -= 1;
    return item;
  }

  /** Returns the oldest without removing it. */
  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  clear(): void {
    this.#slots.fill(undefined);
    this.#head = 0;
    this.#length = 0;
  }

  /** Iterates over the elements, oldest first. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#length; i += 1) yield this.#slots[(this.#head + i) & this.#mask] as T;
  }

  #grow(): void {
    // In two copies side by side the elements from `head` on are contiguous; the rest is cleared.
    const capacity = this.#slots.length;
    const slots = this.#slots.concat(this.#slots);
    slots.fill(undefined, 0, this.#head);
    slots.fill(undefined, this.#head + capacity);
    this.#slots = slots;
    this.#mask = slots.length - 1;
  }
}

function powerOfTwoForRingBuffer(wanted: number): number {
  let capacity = 1;
  while (capacity < wanted) capacity *= 2;
  return capacity;
}
