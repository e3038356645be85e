import { isOlder, isOrdered, isPlaceInHistory, newerVersion } from '../../core/object/resource-version.ts';

/** The resourceVersion a list should ask for. */
export interface ListVersion {
  readonly resourceVersion: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
}

/**
 * Which version a list asks for: at least the newest state seen, so that no server can take us back;
 * the newest there is when that one cannot be had, and at the very first.
 */
export function listVersion(high: string, unavailable: boolean, first: '' | '0'): ListVersion {
  if (unavailable) return { resourceVersion: '' };
  if (high === '') return { resourceVersion: first };
  return isPlaceInHistory(high)
    ? { resourceVersion: high, resourceVersionMatch: 'NotOlderThan' }
    : { resourceVersion: high };
}

/** Which version a watch-list starts from: like a list, but never "0" by itself. */
export function watchListVersion(high: string, unavailable: boolean): string {
  return unavailable ? '' : high;
}

/**
 * Where a reflector stands in the server's history.
 *
 *  last   the newest version that has been handed on; a broken watch resumes here
 *  high   the highest of this epoch; no list or event may be older
 *
 * Versions are compared only while the server's are known to be ordered. A list
 * whose items are newer than itself shows that they are counted per object; from
 * then on only equality means anything, and `ordered` says so.
 *
 * Room rule: pure bookkeeping. Decides nothing.
 */
export class Versions {
  #last = '';
  #high = '';
  #ordered = true;
  #epochs = 0;
  /** The server cannot serve `high`: ask for the newest instead. */
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

  /** How often the storage was found to have gone back. */
  get epochs(): number {
    return this.#epochs;
  }

  /** A whole list at `version` was handed on. */
  replaced(version: string, newEpoch: boolean): void {
    if (newEpoch) this.#epochs += 1;
    this.#last = version;
    this.#high = newEpoch || !this.#ordered ? version : newerVersion(this.#high, version);
  }

  /** An event or bookmark at `version` was handed on. */
  advance(version: string): void {
    if (this.isStale(version)) return;
    this.#last = version;
    this.#high = version;
  }

  /** Whether `version` is known to be older than what has been seen. */
  isStale(version: string): boolean {
    return this.#ordered && isOlder(version, this.#high);
  }

  /** Looks at one listed item: a list older than its own items has versions that cannot be ordered. */
  observeItem(listVersion: string, itemVersion: string | undefined): void {
    if (this.#ordered && itemVersion !== undefined && isOlder(listVersion, itemVersion)) this.#ordered = false;
  }

  observeList(version: string): void {
    if (!isOrdered(version)) this.#ordered = false;
  }
}
