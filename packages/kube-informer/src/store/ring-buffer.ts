import { requireOption } from '../core/errors.ts';

/** Room for a burst without growing: most listeners never hold more than this. */
const INITIAL_CAPACITY = 1024;

/**
 * A first-in, first-out queue without a limit.
 *
 * Promises: adding and taking cost the same however much waits; memory doubles
 * when full and is never given back; a taken element is not kept alive by its
 * old slot. Does not promise that an element `undefined` can be told from "empty".
 *
 * Room rule: never waits, never drops; who fills it watches `length`.
 */
export class RingBuffer<T> {
  #slots: (T | undefined)[];
  /** Capacity is a power of two, so that wrapping around is one `&`. */
  #mask: number;
  #head = 0;
  #length = 0;

  constructor(initialCapacity: number = INITIAL_CAPACITY) {
    const possible = Number.isInteger(initialCapacity) && initialCapacity > 0;
    requireOption(possible, 'initialCapacity', 'a positive integer', initialCapacity);
    const capacity = powerOfTwoFor(initialCapacity);
    this.#slots = Array.from<T | undefined>({ length: capacity });
    this.#mask = capacity - 1;
  }

  get length(): number {
    return this.#length;
  }

  /** How many fit before the next doubling. */
  get capacity(): number {
    return this.#mask + 1;
  }

  push(item: T): void {
    if (this.#length > this.#mask) this.#grow();
    this.#slots[(this.#head + this.#length) & this.#mask] = item;
    this.#length += 1;
  }

  /** Takes the oldest. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const head = this.#head;
    const item = this.#slots[head];
    this.#slots[head] = undefined;
    this.#head = (head + 1) & this.#mask;
    this.#length -= 1;
    return item;
  }

  /** Looks at the oldest without taking it. */
  peek(): T | undefined {
    return this.#slots[this.#head];
  }

  clear(): void {
    this.#slots.fill(undefined);
    this.#head = 0;
    this.#length = 0;
  }

  /** Oldest first. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let i = 0; i < this.#length; i += 1) yield this.#slots[(this.#head + i) & this.#mask] as T;
  }

  #grow(): void {
    // Two copies side by side hold the elements in one piece from `head` on; the rest is cleared.
    const capacity = this.#slots.length;
    const slots = this.#slots.concat(this.#slots);
    slots.fill(undefined, 0, this.#head);
    slots.fill(undefined, this.#head + capacity);
    this.#slots = slots;
    this.#mask = slots.length - 1;
  }
}

function powerOfTwoFor(wanted: number): number {
  let capacity = 1;
  while (capacity < wanted) capacity *= 2;
  return capacity;
}
