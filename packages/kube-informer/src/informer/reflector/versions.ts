import {
  isOlder,
  isOrderedVersion,
  isVersionPlaceInHistory,
  newerVersion,
} from '../../core/object/resource-version.ts';

/** The resourceVersion to request for a list. */
export interface ListVersion {
  readonly resourceVersion: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
}

/**
 * The version to request for a list: not older than the newest state seen, so that a lagging server cannot
 * take the cache back; the newest state when that version is unavailable; `first` for the first list.
 */
export function listVersion(high: string, unavailable: boolean, first: '' | '0'): ListVersion {
  if (unavailable) return { resourceVersion: '' };
  if (high === '') return { resourceVersion: first };
  return isVersionPlaceInHistory(high)
    ? { resourceVersion: high, resourceVersionMatch: 'NotOlderThan' }
    : { resourceVersion: high };
}

/** The version to request for a streaming list: like `listVersion`, but never "0" by default. */
export function watchListVersion(high: string, unavailable: boolean): string {
  return unavailable ? '' : high;
}

/**
 * Maximum number of consecutive lists that are contradicted by later events; after that, versions are no
 * longer compared.
 */
const MAX_DISPROOFS = 3;
/** Number of consecutive consistent lists after which versions are compared again. */
const MIN_CONSISTENT_LISTS = 2;

/**
 * The position of a reflector in the server's history.
 *
 *  last   the newest version given to the sink; a broken watch resumes here
 *  high   the highest version of this epoch; no list or event may be older
 *  sure   the highest version that something later has confirmed: a list, or an event at or beyond it
 *
 * A version from one response is doubted when later ones contradict it:
 *
 *  - Versions are compared only while `ordered` is true. A list without a version, or with items newer than itself, shows
 *    that the server counts versions per object; then only equal versions can be recognized. Two consecutive lists
 *    that are newer than their items restore the comparison: one list may have been an exception.
 *  - A new event between `sure` and `high` shows that `high`, which one event or bookmark has set, was wrong, or was
 *    ahead of events that had not been sent: `disproves`. Every event after it would be taken for an old one, so the newest
 *    state is listed. If that is older than `high`, it begins a new epoch, which is announced: objects may carry the wrong
 *    version, and `high` no longer counts.
 *
 * Room rule: pure bookkeeping. Decides nothing.
 */
export class Versions {
  #last = '';
  #high = '';
  #sure = '';
  #ordered = true;
  #consistentLists = 0;
  /** Number of consecutive lists after which an event disproved `high`. */
  #disproofs = 0;
  #isDisproved = false;
  #epochs = 0;
  /** Whether the server cannot serve `high`, so that the newest state is requested instead. */
  unavailable = false;

  get last(): string {
    return this.#last;
  }

  get high(): string {
    return this.#high;
  }

  get ordered(): boolean {
    return this.#ordered;
  }

  /** Number of times the storage went back in time or was replaced. */
  get epochs(): number {
    return this.#epochs;
  }

  /** Records that the sink has accepted a complete list at `version`. */
  replaced(version: string, newEpoch: boolean): void {
    if (newEpoch) this.#epochs += 1;
    this.#last = version;
    if (newEpoch) this.#high = version;
    // A list without a version says nothing about the versions seen before.
    else if (isVersionPlaceInHistory(version)) this.#high = this.#ordered ? newerVersion(this.#high, version) : version;
    this.#sure = this.#high;
  }

  /** Records that the sink has accepted an event or bookmark at `version`. */
  advance(version: string): void {
    if (this.isStale(version)) return;
    this.#sure = this.#high;
    this.#last = version;
    this.#high = version;
  }

  /** Whether `version` is known to be older than the newest one seen. */
  isStale(version: string): boolean {
    return this.#ordered && isOlder(version, this.#high);
  }

  /** Whether a new event at `version` shows that `high` is wrong. A replayed event is not newer than `sure`. */
  disproves(version: string): boolean {
    return this.isStale(version) && isOlder(this.#sure, version);
  }

  /**
   * Records that an event has disproved `high`, so that the newest state is requested. If this follows list
   * after list, the server's versions have no order.
   */
  disproved(): void {
    this.unavailable = true;
    this.#isDisproved = true;
    this.#disproofs += 1;
    if (this.#disproofs >= MAX_DISPROOFS) this.#distrust();
  }

  #distrust(): void {
    this.#ordered = false;
    this.#consistentLists = 0;
    this.#disproofs = 0;
  }

  /** Starts comparing versions again. Those seen while they had no order must not be compared with the next ones. */
  #trust(): void {
    if (!this.#ordered) this.#high = '';
    this.#ordered = true;
  }

  /** Learns the order of versions from a list. An empty list with a version shows nothing. */
  judge({ contradicts, items }: ListOrder): void {
    if (!this.#isDisproved) this.#disproofs = 0;
    this.#isDisproved = false;
    if (contradicts) this.#distrust();
    else if (items > 0) {
      this.#consistentLists += 1;
      if (this.#consistentLists >= MIN_CONSISTENT_LISTS) this.#trust();
    }
  }
}

/** Collects every item of a list to find out whether versions are ordered. */
export class ListOrder {
  readonly #version: string;
  #contradicts: boolean;
  #items = 0;

  constructor(version: string) {
    this.#version = version;
    this.#contradicts = !isOrderedVersion(version);
  }

  /** Whether the list has no version to compare with, or is older than one of its items. */
  get contradicts(): boolean {
    return this.#contradicts;
  }

  get items(): number {
    return this.#items;
  }

  observe(itemVersion: string | undefined): void {
    this.#items += 1;
    if (!this.#contradicts && isOlder(this.#version, itemVersion)) this.#contradicts = true;
  }
}
