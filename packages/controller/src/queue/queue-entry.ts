/** State of a key. A key without a state needs no work. */
export type KeyState = 'ready' | 'waiting' | 'stale' | 'running' | 'running+again';

/**
 * One key. It is in at most one list or heap at a time, which keeps its links here.
 *
 * A time that does not apply yet is undefined, not 0: V8 keeps a fraction outside of its object, 16 bytes for each, and many keys
 * wait for hours.
 */
export interface Entry {
  readonly key: string;
  state: KeyState;
  priority: number;
  /** When it is due, or became ready, on the monotonic clock. */
  readyAt: number;
  /** Sequence number of its arrival; decides between keys that are otherwise equal. */
  order: number;
  /** When it became ready, or was added while it ran, for the queue duration. Undefined while it waits. */
  addedAt: number | undefined;
  /** When its run began; 'held' after it was taken and put aside without a run. Undefined before it was taken. */
  startedAt: number | 'held' | undefined;
  /** The list that holds it: one of ready keys, or that of keys at work. */
  list: EntryList | undefined;
  previous: Entry | undefined;
  next: Entry | undefined;
  /** Index in the heap that holds it; -1 in none. */
  at: number;
}

export function isEntryDueBefore(a: Entry, b: Entry): boolean {
  return a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.order < b.order);
}

/** A linked list through the entries themselves: append, shift and removal cost the same at every length. */
export class EntryList implements Iterable<Entry> {
  first: Entry | undefined;
  last: Entry | undefined;
  size = 0;

  *[Symbol.iterator](): Generator<Entry> {
    for (let entry = this.first; entry !== undefined; entry = entry.next) yield entry;
  }

  append(entry: Entry): void {
    this.size += 1;
    entry.list = this;
    entry.previous = this.last;
    if (this.last === undefined) this.first = entry;
    else this.last.next = entry;
    this.last = entry;
  }

  remove(entry: Entry): void {
    this.size -= 1;
    if (entry.previous === undefined) this.first = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next === undefined) this.last = entry.previous;
    else entry.next.previous = entry.previous;
    entry.list = undefined;
    entry.previous = undefined;
    entry.next = undefined;
  }
}

/** A binary heap that can remove any of its entries. */
export class EntryHeap {
  readonly #tree: Entry[] = [];
  readonly #less: (a: Entry, b: Entry) => boolean;

  constructor(less: (a: Entry, b: Entry) => boolean) {
    this.#less = less;
  }

  get first(): Entry | undefined {
    return this.#tree[0];
  }

  get size(): number {
    return this.#tree.length;
  }

  /** The entries in order. */
  sorted(): Entry[] {
    return this.#tree.toSorted((a, b) => (this.#less(a, b) ? -1 : 1));
  }

  push(entry: Entry): void {
    entry.at = this.#tree.length;
    this.#tree.push(entry);
    this.#up(entry);
  }

  remove(entry: Entry): void {
    const { at } = entry;
    entry.at = -1;
    const last = this.#tree.pop();
    if (last === undefined || last === entry) return;
    this.#place(last, at);
    this.#up(last);
    this.#down(last);
  }

  #up(entry: Entry): void {
    while (entry.at > 0) {
      const parent = this.#tree[(entry.at - 1) >> 1];
      if (parent === undefined || !this.#less(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#tree[2 * entry.at + 1];
      const right = this.#tree[2 * entry.at + 2];
      if (left === undefined) return;
      const child = right !== undefined && this.#less(right, left) ? right : left;
      if (!this.#less(child, entry)) return;
      this.#swap(child, entry);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const { at } = a;
    this.#place(a, b.at);
    this.#place(b, at);
  }

  #place(entry: Entry, at: number): void {
    entry.at = at;
    this.#tree[at] = entry;
  }
}
