import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import type { IndexMask } from '../mask/index-mask.ts';
import type { Mask } from '../mask/mask.ts';
import type { ChangesMessage, Row, RowsMessage } from '../protocol/messages.ts';
import { asksIndex, candidates, matches, orderOf, rowOf, type RowQuery } from './row-query.ts';

export interface RowFeedOptions {
  readonly record: CacheRecord;
  readonly query: RowQuery;
  readonly mask: Mask;
  readonly indexMask: IndexMask;
  readonly env: Env;
}

/** Where an object stands among the others. */
interface Place {
  readonly key: string;
  readonly order: string;
}

/** Objects looked at before others get their turn. */
const SLICE = 500;
/** The same where an index is asked: whether it gives something away takes longer to see. */
const INDEX_SLICE = 50;
/** With more keys waiting, it is cheaper and smaller to tell everything again. */
const MAX_PENDING = 2_000;

/**
 * The rows that match a request, and how they change.
 *
 * Promises: a snapshot and the changes after it add up to what is in the cache; what waits is bounded, because only keys
 * wait, and too many of them become one new snapshot. Looks at objects in slices: a large cache does not block the loop.
 *
 * Room rule: reads one cache; knows nothing of clients.
 */
export class RowFeed {
  readonly #options: RowFeedOptions;
  readonly #pending = new Set<string>();
  #matching = new Set<string>();
  #isFresh = false;

  constructor(options: RowFeedOptions) {
    this.#options = options;
  }

  get cache(): CacheRecord {
    return this.#options.record;
  }

  /** Whether the next thing to be told is everything. */
  get needsSnapshot(): boolean {
    return !this.#isFresh;
  }

  /** Something about this object is different. */
  touch(key: string): void {
    if (this.#pending.size < MAX_PENDING) this.#pending.add(key);
    else this.again();
  }

  /** What was told is not to be relied on any more. */
  again(): void {
    this.#pending.clear();
    this.#isFresh = false;
  }

  async snapshot(signal: AbortSignal): Promise<RowsMessage | undefined> {
    const { record, query, env } = this.#options;
    this.#pending.clear();
    this.#isFresh = true;
    const matching = new Set<string>();
    const first: Place[] = [];
    const slice = query.index === '' ? SLICE : INDEX_SLICE;
    let looked = 0;
    for (const key of candidates(record, query)) {
      const object = this.#match(key);
      if (object !== undefined) {
        matching.add(key);
        keepFirst(first, { key, order: orderOf(key, object) }, query.limit);
      }
      looked += 1;
      if (looked % slice === 0) await env.yield();
      if (signal.aborted) return undefined;
    }
    this.#matching = matching;
    const objects = record.cache.informer.store.size;
    // What is gone by now is among the changes that follow.
    const rows = first.flatMap(({ key }) => this.#row(key) ?? []);
    return { cache: record.id, rows, matching: matching.size, objects };
  }

  /** What changed since the last time it was asked. */
  changes(): ChangesMessage | undefined {
    if (this.#pending.size === 0) return undefined;
    const { record, query } = this.#options;
    // An index only says which keys it has now.
    const current = query.index === '' || query.key !== '' ? undefined : new Set(candidates(record, query));
    const rows: Row[] = [];
    const gone: string[] = [];
    for (const key of this.#pending) {
      const row = current?.has(key) === false || (query.key !== '' && key !== query.key) ? undefined : this.#row(key);
      if (row !== undefined) {
        rows.push(row);
        this.#matching.add(key);
      } else if (this.#matching.delete(key)) gone.push(key);
    }
    this.#pending.clear();
    if (rows.length === 0 && gone.length === 0) return undefined;
    return { rows, gone, matching: this.#matching.size, objects: record.cache.informer.store.size };
  }

  /** The object, if it is there and matches. A value that it hides is answered like one that it does not have. */
  #match(key: string): KubeObject | undefined {
    const { record, query, mask, indexMask } = this.#options;
    const { informer, resource } = record.cache;
    const object = informer.store.get(key);
    if (object === undefined || !matches(key, object, query, mask)) return undefined;
    return asksIndex(record, query) && indexMask.hides(resource, object, query.value) ? undefined : object;
  }

  #row(key: string): Row | undefined {
    const { record, mask } = this.#options;
    const object = this.#match(key);
    return object === undefined ? undefined : rowOf(key, object, { mask, changedAt: record.changedAt });
  }
}

/** Keeps the first `limit` places in order, without sorting the rest. */
function keepFirst(rows: Place[], row: Place, limit: number): void {
  const last = rows.at(-1);
  if (rows.length >= limit && last !== undefined && row.order >= last.order) return;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as Place).order < row.order) low = middle + 1;
    else high = middle;
  }
  rows.splice(low, 0, row);
  if (rows.length > limit) rows.pop();
}
