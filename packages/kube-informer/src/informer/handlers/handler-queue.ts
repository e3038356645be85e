import type { Key } from '../../core/object/key.ts';
import { RingBuffer } from '../../store/ring-buffer.ts';
import type { Bulk } from './bulk.ts';
import type { InformerEvent } from './handlers.ts';
import { mergeEvents } from './merged-event.ts';

/** The merged events waiting for one key: at most a delete and the add after it. */
type Merged<T> = [InformerEvent<T>] | [InformerEvent<T>, InformerEvent<T>];

/**
 * The events that wait for one handler.
 *
 *   exact:   every state, in order; until more than `limit` events wait
 *   merged:  per key the newest state, with correct adds and deletes; until the queue is empty
 *
 * Invariants (docs/SPEC.md):
 *  H1  per key the handler gets add, update*, delete, and so on, never another order
 *  H2  `old` of an update is the state delivered before it
 *  H3  the delete of a delivered object is never merged away; an add that was
 *      not delivered disappears together with its delete
 *  H4  while merged, at most two events per key wait
 *
 * Room rule: pure data. Knows nothing of handlers, promises or time.
 */
export class HandlerQueue<T> {
  readonly #limit: number;
  readonly #dropped: (event: InformerEvent<T>) => void;
  readonly #ring = new RingBuffer<InformerEvent<T>>(64);
  /** A snapshot pushed while nothing else was queued. It is delivered before everything in `#ring` and `#merged`. */
  #bulk: Bulk<T> | undefined;
  #bulkPosition = 0;
  /** Undefined while exact. A Map keeps the keys in order of first arrival. */
  #merged: Map<Key, Merged<T>> | undefined;
  #mergedCount = 0;
  /** Walks `#merged` from oldest to newest. */
  #order: IterableIterator<Key> | undefined;
  /** The key whose delete was just delivered; the add after it is next. */
  #front: Key | undefined;

  /** `dropped` is called for each event that disappears, so that initial adds are still counted. */
  constructor(limit: number, dropped: (event: InformerEvent<T>) => void = () => {}) {
    this.#limit = limit;
    this.#dropped = dropped;
  }

  /** Waiting events, including the rest of a snapshot. */
  get length(): number {
    return this.#bulkLeft + this.#ring.length + this.#mergedCount;
  }

  /** Events held one by one, which the limit applies to; a snapshot does not count. */
  get held(): number {
    return this.#ring.length + this.#mergedCount;
  }

  get isMerging(): boolean {
    return this.#merged !== undefined;
  }

  get #bulkLeft(): number {
    return this.#bulk === undefined ? 0 : this.#bulk.size - this.#bulkPosition;
  }

  push(event: InformerEvent<T>): void {
    if (this.#merged === undefined) {
      this.#ring.push(event);
      if (this.#ring.length > this.#limit) this.#startMerging();
    } else {
      this.#merge(this.#merged, event);
      this.#exactWhenEmpty(this.#merged);
    }
  }

  /** Keeps a snapshot as it is while nothing else waits; behind other events it is pushed event by event. */
  pushBulk(bulk: Bulk<T>): void {
    if (bulk.size === 0) return;
    if (this.length === 0) {
      this.#bulk = bulk;
      this.#bulkPosition = 0;
      return;
    }
    for (let i = 0; i < bulk.size; i += 1) this.push(bulk.at(i));
  }

  shift(): InformerEvent<T> | undefined {
    if (this.#bulk !== undefined) {
      const event = this.#bulk.at(this.#bulkPosition);
      this.#bulkPosition += 1;
      if (this.#bulkPosition >= this.#bulk.size) this.#bulk = undefined;
      return event;
    }
    if (this.#merged === undefined) return this.#ring.shift();
    return this.#shiftMerged(this.#merged);
  }

  /** Removes all events and reports each as dropped. */
  clear(): void {
    for (let event = this.shift(); event !== undefined; event = this.shift()) this.#dropped(event);
  }

  #startMerging(): void {
    const merged = new Map<Key, Merged<T>>();
    this.#merged = merged;
    for (let event = this.#ring.shift(); event !== undefined; event = this.#ring.shift()) this.#merge(merged, event);
    this.#exactWhenEmpty(merged);
  }

  /** Returns to exact mode when the queue is empty, which also happens when adds and deletes cancel each other. */
  #exactWhenEmpty(merged: ReadonlyMap<Key, Merged<T>>): void {
    if (merged.size > 0) return;
    this.#merged = undefined;
    this.#order = undefined;
    this.#front = undefined;
  }

  #shiftMerged(merged: Map<Key, Merged<T>>): InformerEvent<T> | undefined {
    const key = this.#nextKey(merged);
    if (key === undefined) return undefined;
    const [first, second] = merged.get(key) as Merged<T>;
    if (second === undefined) merged.delete(key);
    else merged.set(key, [second]);
    this.#front = second === undefined ? undefined : key;
    this.#mergedCount -= 1;
    this.#exactWhenEmpty(merged);
    return first;
  }

  /**
   * The oldest key. One iterator is kept for the whole map: a new one for each event would walk over all
   * deleted entries, and draining 100,000 keys would take seconds.
   */
  #nextKey(merged: Map<Key, Merged<T>>): Key | undefined {
    if (this.#front !== undefined && merged.has(this.#front)) return this.#front;
    this.#order ??= merged.keys();
    const next = this.#order.next();
    if (next.done !== true) return next.value;
    this.#order = undefined;
    return merged.size === 0 ? undefined : this.#nextKey(merged);
  }

  #merge(merged: Map<Key, Merged<T>>, event: InformerEvent<T>): void {
    const waiting = merged.get(event.key);
    if (waiting === undefined) {
      merged.set(event.key, [event]);
      this.#mergedCount += 1;
      return;
    }
    const before = waiting.length === 2 ? waiting[1] : waiting[0];
    const now = mergeEvents(before, event);
    if (now === 'both') {
      merged.set(event.key, [before, event]);
      this.#mergedCount += 1;
    } else if (now === 'neither') {
      this.#mergedCount -= 1;
      this.#dropped(before);
      if (waiting.length === 2) merged.set(event.key, [waiting[0]]);
      else merged.delete(event.key);
    } else {
      merged.set(event.key, waiting.length === 2 ? [waiting[0], now] : [now]);
    }
  }
}
