import type { InformerEvent, Key, KubeObject } from 'kube-informer';

export type Mark = 'new' | 'changed' | 'deleted';

/** One object of a live table. */
export interface Row {
  readonly key: Key;
  readonly object: KubeObject;
  /** What happened to it just now. */
  readonly mark: Mark | undefined;
}

interface Entry {
  key: Key;
  object: KubeObject;
  order: string;
  mark: Mark | undefined;
  /** On the steady clock. */
  markedAt: number;
}

/** How long a row shows that it has changed. */
export const MARK_MS = 2_000;

export interface RowOrder {
  /** What rows are sorted by. */
  readonly orderOf: (object: KubeObject) => string;
  readonly descending?: boolean;
}

/** As kubectl does: by namespace, then by name. */
export const byName: RowOrder = {
  orderOf: ({ metadata }) => `${metadata?.namespace ?? ''}\u0000${metadata?.name ?? ''}`,
};

/** Objects as rows would stand. */
export function sorted(objects: readonly KubeObject[], { orderOf, descending = false }: RowOrder): KubeObject[] {
  const sign = descending ? -1 : 1;
  return objects
    .map((object) => ({ object, order: orderOf(object) }))
    .sort((a, b) => sign * compare(a.order, b.order))
    .map(({ object }) => object);
}

/**
 * What a live table holds: the rows in order, and what has just happened to them.
 *
 * A deleted row stays, marked, for two seconds. What was there from the beginning is not marked.
 *
 * Room rule: knows events and time, no columns and no terminal.
 */
export class LiveRows {
  readonly #order: RowOrder;
  readonly #entries = new Map<Key, Entry>();
  /** Entries with a mark: there are few, while rows may be many. */
  readonly #marked = new Set<Entry>();
  #sorted: Entry[] = [];
  #isSorted = true;
  #present = 0;

  constructor(order: RowOrder = byName) {
    this.#order = order;
  }

  /** Objects there are; rows on their way out do not count. */
  get size(): number {
    return this.#present;
  }

  /** Rows there are, those on their way out included. */
  get length(): number {
    return this.#entries.size;
  }

  apply(event: InformerEvent<KubeObject>, now: number): void {
    const { key, object } = event;
    const entry = this.#entries.get(key);
    if (event.type === 'delete') {
      if (entry === undefined || entry.mark === 'deleted') return;
      this.#present -= 1;
      entry.object = object;
      this.#mark(entry, 'deleted', now);
      return;
    }
    const order = this.#order.orderOf(object);
    if (entry === undefined) {
      const made: Entry = { key, object, order, mark: undefined, markedAt: now };
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
    const isNoise = event.type === 'update' && event.resync;
    if (!isNoise) this.#mark(entry, wasGone ? 'new' : 'changed', now);
  }

  /** Takes away marks, and deleted rows, whose time is over. */
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
    if (hasGone) this.#sorted = this.#sorted.filter((entry) => this.#entries.get(entry.key) === entry);
  }

  /** Some of the rows, in order. */
  slice(from: number, to: number): readonly Row[] {
    if (!this.#isSorted) {
      const sign = this.#order.descending === true ? -1 : 1;
      // Nearly in order already, which is what this sort is quick with.
      this.#sorted.sort((a, b) => (a.order === b.order ? compare(a.key, b.key) : sign * compare(a.order, b.order)));
      this.#isSorted = true;
    }
    return this.#sorted.slice(from, to);
  }

  #mark(entry: Entry, mark: Mark, now: number): void {
    // What is new stays new while it settles.
    if (mark === 'changed' && entry.mark === 'new' && now - entry.markedAt < MARK_MS) return;
    entry.mark = mark;
    entry.markedAt = now;
    this.#marked.add(entry);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
