import type { KubeObject } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheRecord } from '../caches/cache-tracker.ts';
import type { IndexMask } from '../mask/index-mask.ts';
import { type Mask, withMaskedKind } from '../mask/mask.ts';
import type { ChangesMessage, Row, RowsMessage } from '../protocol/messages.ts';
import {
  rowQueryAsksIndex,
  rowQueryCandidates,
  matchesRowQuery,
  rowQueryOrder,
  rowQueryRow,
  type RowQuery,
} from './row-query.ts';
import { WorkSlices } from './work-slices.ts';

export interface RowFeedOptions {
  readonly record: CacheRecord;
  readonly query: RowQuery;
  readonly mask: Mask;
  readonly indexMask: IndexMask;
  readonly env: Env;
}

/** The position of an object in the table. */
interface Place {
  readonly key: string;
  readonly order: string;
}

/** Maximum number of changed keys; with more, a new snapshot is cheaper and smaller. */
const MAX_PENDING = 2_000;

/**
 * The rows that match a query, and their changes.
 *
 * Promises: a snapshot and the changes after it equal the cache; memory is bounded, because only keys are queued, and
 * too many of them become a new snapshot. Examines objects in slices of time: neither a large cache nor large objects
 * block the event loop.
 *
 * Room rule: reads one cache; knows no clients.
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

  /** Whether the next message is a snapshot. */
  get needsSnapshot(): boolean {
    return !this.#isFresh;
  }

  /** Marks an object as changed. */
  touch(key: string): void {
    if (this.#pending.size < MAX_PENDING) this.#pending.add(key);
    else this.reset();
  }

  /** Discards the state of the client: the next message is a snapshot. */
  reset(): void {
    this.#pending.clear();
    this.#isFresh = false;
  }

  async snapshot(signal: AbortSignal): Promise<RowsMessage | undefined> {
    const { record, query, env } = this.#options;
    this.#pending.clear();
    this.#isFresh = true;
    const matching = new Set<string>();
    const first: Place[] = [];
    const slices = new WorkSlices(env);
    for (const key of rowQueryCandidates(record, query)) {
      const object = this.#match(key);
      if (object !== undefined) {
        matching.add(key);
        keepFirstFeedRows(first, { key, order: rowQueryOrder(key, object) }, query.limit);
      }
      if (slices.due()) await slices.pause();
      if (signal.aborted) return undefined;
    }
    this.#matching = matching;
    const objects = record.cache.informer.store.size;
    // Objects deleted meanwhile are among the next changes.
    const rows: Row[] = [];
    for (const { key } of first) {
      const row = this.#row(key);
      if (row !== undefined) rows.push(row);
      if (slices.due()) await slices.pause();
      if (signal.aborted) return undefined;
    }
    return { cache: record.id, rows, matching: matching.size, objects };
  }

  /** Returns what changed since the last call. */
  async changes(signal: AbortSignal): Promise<ChangesMessage | undefined> {
    if (this.#pending.size === 0) return undefined;
    const { record, query, env } = this.#options;
    // Changes made meanwhile are among the next changes.
    const pending = [...this.#pending];
    this.#pending.clear();
    const slices = new WorkSlices(env);
    // An index only has the current keys.
    const current = query.index === '' || query.key !== '' ? undefined : new Set(rowQueryCandidates(record, query));
    const rows: Row[] = [];
    const gone: string[] = [];
    for (const key of pending) {
      const row = current?.has(key) === false || (query.key !== '' && key !== query.key) ? undefined : this.#row(key);
      if (row !== undefined) {
        rows.push(row);
        this.#matching.add(key);
      } else if (this.#matching.delete(key)) gone.push(key);
      if (slices.due()) await slices.pause();
      if (signal.aborted) return undefined;
    }
    if (rows.length === 0 && gone.length === 0) return undefined;
    return { rows, gone, matching: this.#matching.size, objects: record.cache.informer.store.size };
  }

  /** The object, if it exists and matches. An index value that is masked in it does not match. */
  #match(key: string): KubeObject | undefined {
    const { record, query, mask, indexMask } = this.#options;
    const { informer, resource } = record.cache;
    const found = informer.store.get(key);
    const object = found && withMaskedKind(resource, found);
    if (object === undefined || !matchesRowQuery(key, object, query, mask)) return undefined;
    return rowQueryAsksIndex(record, query) && indexMask.hides(resource, object, query.value) ? undefined : object;
  }

  #row(key: string): Row | undefined {
    const { record, mask } = this.#options;
    const object = this.#match(key);
    return object === undefined ? undefined : rowQueryRow(key, object, { mask, changedAt: record.changedAt });
  }
}

/** Keeps the first `limit` rows sorted, without sorting the rest. */
function keepFirstFeedRows(rows: Place[], row: Place, limit: number): void {
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
