import type { StoredRecord } from './stored-record.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One write to one key. */
export interface Change {
  readonly type: ChangeType;
  readonly revision: number;
  readonly key: string;
  /** The state afterwards; undefined after a delete. */
  readonly record: StoredRecord | undefined;
  /** The state before; undefined before a create. */
  readonly previous: StoredRecord | undefined;
}

export interface HistoryLimits {
  /** Maximum number of changes kept per resource. @default 100_000 */
  readonly events?: number;
  /** Maximum bytes of old states kept per resource. @default 64 MiB */
  readonly bytes?: number;
}

/** Number of bytes that a change counts as, besides the state it replaced. */
const CHANGE_BYTES = 200;

/**
 * The last changes of one collection, oldest first.
 *
 * Bounded by count and bytes. `dropped` is the highest revision that was dropped: watches can start from, and
 * lists go back to, any revision not below it.
 */
export class History {
  readonly #events: number;
  readonly #limit: number;
  #changes: Change[] = [];
  /**
   * Index of the oldest change that is kept; the array is shortened only occasionally, so that dropping one
   * is cheap.
   */
  #start = 0;
  #bytes = 0;
  #dropped = 0;

  constructor({ events = 100_000, bytes = 64 * 1024 * 1024 }: HistoryLimits = {}) {
    this.#events = events;
    this.#limit = bytes;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get length(): number {
    return this.#changes.length - this.#start;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += storedHistoryCost(change);
    while (this.length > 0 && (this.length > this.#events || this.#bytes > this.#limit)) this.#drop();
  }

  /** Every change with a revision above `revision`, oldest first; at most `max` of them. */
  after(revision: number, max: number = Infinity): readonly Change[] {
    const from = this.#indexAfter(revision);
    return this.#changes.slice(from, Math.min(this.#changes.length, from + max));
  }

  /** Drops everything up to `revision`, even if it never had it. */
  compact(revision: number): void {
    // Counted, not compared: dropping may cut the array, which changes every index.
    for (let left = this.#indexAfter(revision) - this.#start; left > 0; left -= 1) this.#drop();
    this.#dropped = Math.max(this.#dropped, revision);
  }

  #indexAfter(revision: number): number {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(): void {
    const change = this.#changes[this.#start] as Change;
    this.#dropped = Math.max(this.#dropped, change.revision);
    this.#bytes -= storedHistoryCost(change);
    // The slot must not keep the old state alive until the array is cut.
    this.#changes[this.#start] = FORGOTTEN;
    this.#start += 1;
    if (this.#start > 1024 && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
  }
}

const FORGOTTEN: Change = { type: 'DELETED', revision: 0, key: '', record: undefined, previous: undefined };

const storedHistoryCost = ({ previous }: Change): number => CHANGE_BYTES + (previous?.tail.length ?? 0);
