import { isOlder, isOrdered, isPlaceInHistory, newerVersion } from '../../core/object/resource-version.ts';

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
  return isPlaceInHistory(high)
    ? { resourceVersion: high, resourceVersionMatch: 'NotOlderThan' }
    : { resourceVersion: high };
}

/** The version to request for a streaming list: like `listVersion`, but never "0" by default. */
export function watchListVersion(high: string, unavailable: boolean): string {
  return unavailable ? '' : high;
}

/**
 * The position of a reflector in the server's history.
 *
 *  last   the newest version given to the sink; a broken watch resumes here
 *  high   the highest version of this epoch; no list or event may be older
 *
 * Versions are compared only while `ordered` is true. A list whose items are newer
 * than itself shows that the server counts versions per object; from then on only
 * equal versions can be recognized.
 *
 * Room rule: pure bookkeeping. Decides nothing.
 */
export class Versions {
  #last = '';
  #high = '';
  #ordered = true;
  #epochs = 0;
  /** The server cannot serve `high`: request the newest state instead. */
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

  /** How often the storage went back in time or was replaced. */
  get epochs(): number {
    return this.#epochs;
  }

  /** The sink has accepted a complete list at `version`. */
  replaced(version: string, newEpoch: boolean): void {
    if (newEpoch) this.#epochs += 1;
    this.#last = version;
    this.#high = newEpoch || !this.#ordered ? version : newerVersion(this.#high, version);
  }

  /** The sink has accepted an event or bookmark at `version`. */
  advance(version: string): void {
    if (this.isStale(version)) return;
    this.#last = version;
    this.#high = version;
  }

  /** Whether `version` is known to be older than the newest one seen. */
  isStale(version: string): boolean {
    return this.#ordered && isOlder(version, this.#high);
  }

  /** Detects per-object versions: a list that is older than one of its items. */
  observeItem(listVersion: string, itemVersion: string | undefined): void {
    if (this.#ordered && itemVersion !== undefined && isOlder(listVersion, itemVersion)) this.#ordered = false;
  }

  observeList(version: string): void {
    if (!isOrdered(version)) this.#ordered = false;
  }
}
