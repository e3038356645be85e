import type { Key } from '../../core/object/key.ts';
import { RingBuffer } from '../../store/ring-buffer.ts';
import type { Bulk } from './bulk.ts';
import type { InformerEvent } from './handlers.ts';
import { mergeEvents } from './merged-event.ts';

/** What waits for one key when events are merged: at most a delete and the add after it. */
type Merged<T> = [InformerEvent<T>] | [InformerEvent<T>, InformerEvent<T>];

/**
 * The events one handler has not been told yet.
 *
 *   exact:   every state, in order                      until `limit` wait
 *   merged:  per key the newest state, adds and deletes true, until it is empty again
 *
 * Invariants (docs/SPEC.md):
 *  H1  per key the handler sees a legal life: add, update*, delete, and again
 *  H2  `old` of an update is the state delivered before it
 *  H3  a delete of something announced is never merged away; an add that was
 *      never delivered disappears together with its delete
 *  H4  merged, at most two events per key wait
 *
 * Room rule: pure data. Knows nothing of handlers, promises or time.
 */
export class HandlerQueue<T> {
  readonly #limit: number;
  readonly #dropped: (event: InformerEvent<T>) => void;
  readonly #ring = new RingBuffer<InformerEvent<T>>(64);
  /** Waits before everything in `#ring` and `#merged`: a snapshot handed over while nothing else was queued. */
  #bulk: Bulk<T> | undefined;
  #drawn = 0;
  /** Undefined while exact. A Map keeps the keys in order of first arrival. */
  #merged: Map<Key, Merged<T>> | undefined;
  #mergedCount = 0;
  /** Walks `#merged` from oldest to newest. */
  #order: IterableIterator<Key> | undefined;
  /** Its delete was drawn, and the add after it is next. */
  #front: Key | undefined;

  /** `dropped` is told of initial adds that disappear, so that somebody keeps counting them. */
  constructor(limit: number, dropped: (event: InformerEvent<T>) => void = () => {}) {
    this.#limit = limit;
    this.#dropped = dropped;
  }

  /** Events waiting, the undrawn rest of a snapshot included. */
  get length(): number {
    return this.#bulkLeft + this.#ring.length + this.#mergedCount;
  }

  /** Events that are held one by one, which is what the limit is about. */
  get held(): number {
    return this.#ring.length + this.#mergedCount;
  }

  get isMerging(): boolean {
    return this.#merged !== undefined;
  }

  get #bulkLeft(): number {
    return this.#bulk === undefined ? 0 : this.#bulk.size - this.#drawn;
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

  /** A snapshot costs nothing while it waits alone; behind other events it is spelled out. */
  pushBulk(bulk: Bulk<T>): void {
    if (bulk.size === 0) return;
    if (this.length === 0) {
      this.#bulk = bulk;
      this.#drawn = 0;
      return;
    }
    for (let i = 0; i < bulk.size; i += 1) this.push(bulk.at(i));
  }

  shift(): InformerEvent<T> | undefined {
    if (this.#bulk !== undefined) {
      const event = this.#bulk.at(this.#drawn);
      this.#drawn += 1;
      if (this.#drawn >= this.#bulk.size) this.#bulk = undefined;
      return event;
    }
    if (this.#merged === undefined) return this.#ring.shift();
    return this.#shiftMerged(this.#merged);
  }

  /** Forgets everything; each event is reported as dropped. */
  clear(): void {
    for (let event = this.shift(); event !== undefined; event = this.shift()) this.#dropped(event);
  }

  #startMerging(): void {
    const merged = new Map<Key, Merged<T>>();
    this.#merged = merged;
    for (let event = this.#ring.shift(); event !== undefined; event = this.#ring.shift()) this.#merge(merged, event);
    this.#exactWhenEmpty(merged);
  }

  /** Adds and deletes that cancel each other can empty the queue as well as somebody who takes from it. */
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
   * The oldest key. One iterator lives as long as the map: a new one for each event would walk over everything
   * that was deleted before it, and a drain of 100,000 keys would take seconds.
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
