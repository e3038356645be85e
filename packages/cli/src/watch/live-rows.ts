import type { InformerEvent, Key, KubeObject } from 'kube-informer';
import { byName, type RowOrder } from '../columns/column-order.ts';

export type Mark = 'new' | 'changed' | 'deleted';

/** A row of a live table. */
export interface Row {
  readonly key: Key;
  readonly object: KubeObject;
  /** The last change of the object. */
  readonly mark: Mark | undefined;
}

interface Entry {
  key: Key;
  object: KubeObject;
  order: string;
  mark: Mark | undefined;
  /** Time of the mark, on the monotonic clock. */
  markedAt: number;
  /** Whether the filter lets it through. */
  isShown: boolean;
}

/** Time for which a change is marked. */
export const MARK_MS = 2_000;

/** Sorts objects as the rows of a table. */
export function sortLiveRows(objects: readonly KubeObject[], { orderOf, descending = false }: RowOrder): KubeObject[] {
  const sign = descending ? -1 : 1;
  return objects
    .map((object) => ({ object, order: orderOf(object) }))
    .sort((a, b) => sign * compareLiveRows(a.order, b.order))
    .map(({ object }) => object);
}

/**
 * The rows of a live table, sorted, with marks for recent changes.
 *
 * A deleted row stays for two seconds. Objects of the initial list are not marked.
 *
 * Room rule: knows events and time, not columns or the terminal.
 */
export class LiveRows {
  #order: RowOrder;
  #filter: (object: KubeObject) => boolean = () => true;
  #shown: Entry[] | undefined;
  readonly #entries = new Map<Key, Entry>();
  /** Entries with a mark: few, even if there are many rows. */
  readonly #marked = new Set<Entry>();
  #sorted: Entry[] = [];
  #isSorted = true;
  #present = 0;

  constructor(order: RowOrder = byName) {
    this.#order = order;
  }

  /** Number of objects, without deleted rows. */
  get size(): number {
    return this.#present;
  }

  /** Number of rows that the filter lets through, including deleted ones. */
  get length(): number {
    return this.#rows().length;
  }

  /** Sorts all rows anew. */
  sortBy(order: RowOrder): void {
    this.#order = order;
    for (const entry of this.#entries.values()) entry.order = order.orderOf(entry.object);
    this.#isSorted = false;
  }

  /** Hides rows for which `filter` is false. */
  filterBy(filter: (object: KubeObject) => boolean): void {
    this.#filter = filter;
    for (const entry of this.#entries.values()) entry.isShown = filter(entry.object);
    this.#shown = undefined;
  }

  /** The row of a key, also if it is hidden. */
  find(key: Key): Row | undefined {
    return this.#entries.get(key);
  }

  apply(event: InformerEvent<KubeObject>, now: number): void {
    const { key, object } = event;
    const entry = this.#entries.get(key);
    this.#shown = undefined;
    if (event.type === 'delete') {
      if (entry === undefined || entry.mark === 'deleted') return;
      this.#present -= 1;
      entry.object = object;
      this.#mark(entry, 'deleted', now);
      return;
    }
    const order = this.#order.orderOf(object);
    if (entry === undefined) {
      const made: Entry = { key, object, order, mark: undefined, markedAt: now, isShown: this.#filter(object) };
      this.#entries.set(key, made);
      this.#sorted.push(made);
      this.#isSorted = false;
      this.#present += 1;
      if (event.type !== 'add' || !event.initial) this.#mark(made, 'new', now);
      return;
    }
    const wasGone = entry.mark === 'deleted';
    if (wasGone) this.#present += 1;
    if (entry.order !== order) this.#isSorted = false;
    entry.object = object;
    entry.order = order;
    entry.isShown = this.#filter(object);
    const isNoise = event.type === 'update' && event.resync;
    if (!isNoise) this.#mark(entry, wasGone ? 'new' : 'changed', now);
  }

  /** Removes marks, and deleted rows, after MARK_MS. */
  expire(now: number): void {
    let hasGone = false;
    for (const entry of this.#marked) {
      if (now - entry.markedAt < MARK_MS) continue;
      this.#marked.delete(entry);
      if (entry.mark === 'deleted') {
        this.#entries.delete(entry.key);
        hasGone = true;
      }
      entry.mark = undefined;
    }
    if (!hasGone) return;
    this.#sorted = this.#sorted.filter((entry) => this.#entries.get(entry.key) === entry);
    this.#shown = undefined;
  }

  /** Returns rows in order. */
  slice(from: number, to: number): readonly Row[] {
    return this.#rows().slice(from, to);
  }

  #rows(): readonly Entry[] {
    if (!this.#isSorted) {
      const sign = this.#order.descending === true ? -1 : 1;
      // Nearly sorted already, for which this sort is fast.
      this.#sorted.sort((a, b) =>
        a.order === b.order ? compareLiveRows(a.key, b.key) : sign * compareLiveRows(a.order, b.order),
      );
      this.#isSorted = true;
      this.#shown = undefined;
    }
    this.#shown ??= this.#sorted.filter(({ isShown }) => isShown);
    return this.#shown;
  }

  #mark(entry: Entry, mark: Mark, now: number): void {
    // A new row that is updated stays marked as new.
    if (mark === 'changed' && entry.mark === 'new' && now - entry.markedAt < MARK_MS) return;
    entry.mark = mark;
    entry.markedAt = now;
    this.#marked.add(entry);
  }
}

const compareLiveRows = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
