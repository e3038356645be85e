import { isOrdered } from '../../core/object/resource-version.ts';

/** A version and a time at which the server had it and nothing newer. */
interface Point {
  readonly version: string;
  readonly at: number;
}

/** The pace is measured between points at least this far apart. */
const MIN_MEASURED_MS = 30_000;
/** Measured times that must agree with the pace, one after the other, before it dates anything. */
const MIN_AGREED = 3;
/** Times agree if they are no further apart than this: a storage tells its progress every 5 s, and leases are renewed as rarely. */
const MAX_DIFFERENCE_MS = 6_000;

/**
 * Dates the versions of bookmarks. A server that is cut off from its storage goes on sending bookmarks, and the first of
 * them may even have moved on, but not as far as a minute of this cluster does: versions count the writes of the whole
 * cluster, and most of these renew leases, at an even pace.
 *
 * Where the pace is not even, nothing is dated, and the server is asked instead. What a date can miss is a server that is
 * cut off in the very minute in which the writes multiply; the next bookmark shows it.
 */
export class VersionPace {
  #perMs = 0;
  #point: Point | undefined;
  #agreed = 0;

  /** The pace has been even: the next bookmark probably dates itself, and nobody needs to ask. */
  get isSteady(): boolean {
    return this.#agreed >= MIN_AGREED;
  }

  /** The server's current version was `version` at the time `at`. */
  told(version: string, at: number): void {
    const point = this.#point;
    // An event that came while the server was asked is newer than its answer.
    if (point !== undefined && at < point.at) return;
    const moved = this.#movedTo(version);
    this.#point = isOrdered(version) ? { version, at } : undefined;
    if (point === undefined || moved === undefined || moved < 0) {
      // A storage that went back counts anew.
      this.#agreed = 0;
      return;
    }
    const ms = at - point.at;
    if (ms < MIN_MEASURED_MS) return;
    this.#agreed = this.#agrees(moved, ms) ? this.#agreed + 1 : 0;
    this.#perMs = this.#agreed === 0 ? moved / ms : (this.#perMs + moved / ms) / 2;
  }

  /**
   * An event of `version` arrived at `now`. The next bookmark is dated from there, so that a burst of writes that the
   * stream itself delivered says nothing against the pace of the others. On the path of every event.
   */
  heard(version: string, now: number): void {
    if (this.#point !== undefined) this.#point = { version, at: now };
  }

  /** When the server had `version` and nothing newer, if a bookmark that arrives at `now` tells it. */
  dateOf(version: string, now: number): number | undefined {
    const point = this.#point;
    const moved = this.#movedTo(version);
    if (!this.isSteady || point === undefined || moved === undefined) return undefined;
    const ms = now - point.at;
    if (!this.#agrees(moved, ms)) {
      this.#agreed = 0;
      return undefined;
    }
    const at = Math.min(now, point.at + moved / this.#perMs);
    this.#point = { version, at };
    return at;
  }

  #agrees(moved: number, ms: number): boolean {
    return this.#perMs > 0 && Math.abs(moved / this.#perMs - ms) <= MAX_DIFFERENCE_MS;
  }

  #movedTo(version: string): number | undefined {
    const from = this.#point?.version;
    // An event may have brought any version; it is looked at here, off the path of events.
    if (from === undefined || !isOrdered(from) || !isOrdered(version)) return undefined;
    return Number(BigInt(version) - BigInt(from));
  }
}
