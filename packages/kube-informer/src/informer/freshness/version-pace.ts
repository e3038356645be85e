import { isOlder, isOrderedVersion } from '../../core/object/resource-version.ts';

/** A version and a time at which the server had it and nothing newer. */
interface Point {
  readonly version: string;
  readonly at: number;
  /** Number of events that the stream had delivered. */
  readonly events: number;
}

/** The pace is measured between points at least this far apart. */
const MIN_MEASURED_MS = 30_000;
/**
 * The weight of an earlier measurement beside the next one: short measurements are coarse where writes come
 * in bursts.
 */
const KEPT = 0.75;
/** Trust in a pace after its first measurement: it need not be even, but it mostly is. */
const FIRST_TRUST = 1;
const MAX_TRUST = 3;
/** Trust that one deviation, such as a burst of writes, costs a pace that has agreed for some time. */
const EXCEPTION = 2;
/**
 * Trust that the first deviation costs any other pace: it must agree three times before it dates bookmarks
 * again, after the next deviation five times, then nine …
 */
const LOST_TRUST = 2;
/**
 * Maximum of that cost. A request before each bookmark is cheaper than dates that are often wrong: a wrong
 * date costs two requests.
 */
const MAX_LOST_TRUST = 32;
/** Maximum difference of times that agree: a storage reports its progress every 5 s, and leases are renewed as rarely. */
const MAX_DIFFERENCE_MS = 6_000;
/** Maximum age of a bookmark whose date agrees: bursts of writes make the calculated date coarser than it is. */
const MAX_AGE_MS = 4_000;

/**
 * Dates the versions of bookmarks. A server that is cut off from its storage continues to send bookmarks, and
 * the version of the first may even have grown, but by less than a minute's worth: versions count the writes
 * of the whole cluster, and most of these renew leases, at an even pace. The resource itself may be written
 * in bursts: its own events are left out of the count.
 *
 * Where the pace is not even, nothing is dated, and the server's version is requested instead. A date can
 * miss a server that is cut off in the very minute in which the writes multiply; the next bookmark reveals
 * it. `odd-minute.test.ts` shows why only a request every minute would do better.
 */
export class VersionPace {
  /**
   * Number of versions, and the time in which they were written: sums of all measurements, older ones
   * weighted less.
   */
  #moved = 0;
  #ms = 0;
  /** The point from which bookmarks are dated: a version that the server reported, or an earlier bookmark. */
  #point: Point | undefined;
  /** The point from which the pace is measured. */
  #mark: Point | undefined;
  /** Number of agreements. Bookmarks are dated while it is above zero. */
  #trust = 0;
  /** Number of agreements that the next deviation will cost. */
  #loss = LOST_TRUST;
  #disagreed = false;
  #events = 0;

  /** Whether the pace has been even: the next bookmark probably dates itself, and no request is needed. */
  get isSteady(): boolean {
    return this.#trust > 0;
  }

  /** Records that the server's current version was `version` at the time `at`. */
  reported(version: string, at: number): void {
    const moved = this.#movedFrom(this.#point, version);
    this.#point = isOrderedVersion(version) ? this.#at(version, at) : undefined;
    // A storage that went back starts counting anew.
    if (moved === undefined) this.#beginAt(this.#point);
    else this.#measure(version, at);
  }

  /**
   * Counts an event of the stream: one version of this resource. Events from before the last report are
   * included in its version.
   */
  counted(version: string): void {
    if (this.#point === undefined || !isOlder(version, this.#point.version)) this.#events += 1;
  }

  /**
   * Records that a current event at `version` arrived at the time `at`. It shows how fast versions grow, but
   * not when the server had this one: a server that is behind sends its events as evenly as a current one.
   */
  arrived(version: string, at: number): void {
    if (this.#mark !== undefined) this.#measure(version, at);
  }

  /** Time at which the server had `version` and nothing newer, if a bookmark that arrives at `now` can be dated. */
  dateOf(version: string, now: number): number | undefined {
    const point = this.#point;
    const moved = this.#movedFrom(point, version);
    if (!this.isSteady || point === undefined || moved === undefined) return undefined;
    if (!this.#agrees(moved, now - point.at)) {
      this.#broken();
      return undefined;
    }
    const at = Math.min(now, point.at + (moved * this.#ms) / this.#moved);
    this.#point = this.#at(version, at);
    // Nothing is learned from it, so that a server that falls behind a little more every minute is detected by the sum.
    this.#agreed();
    return Math.max(at, now - MAX_AGE_MS);
  }

  #beginAt(point: Point | undefined): void {
    this.#mark = point;
    this.#trust = 0;
    this.#moved = 0;
    this.#ms = 0;
  }

  #measure(version: string, at: number): void {
    const mark = this.#mark;
    const moved = this.#movedFrom(mark, version);
    if (mark === undefined || moved === undefined) return this.#beginAt(this.#point);
    const ms = at - mark.at;
    if (ms < MIN_MEASURED_MS) return;
    this.#mark = this.#at(version, at);
    if (this.#moved === 0) {
      if (moved > 0 && this.#trust === 0) this.#trust = FIRST_TRUST;
      return this.#learn(moved, ms, 0);
    }
    if (this.#agrees(moved, ms)) {
      this.#agreed();
      this.#disagreed = false;
      return this.#learn(moved, ms, KEPT);
    }
    this.#broken();
    // A burst of writes is an exception once; twice in a row it is another pace.
    if (this.#disagreed) this.#learn(moved, ms, 0);
    this.#disagreed = !this.#disagreed;
  }

  #learn(moved: number, ms: number, kept: number): void {
    this.#moved = this.#moved * kept + moved;
    this.#ms = this.#ms * kept + ms;
  }

  #agreed(): void {
    if (this.#trust === MAX_TRUST) this.#loss = LOST_TRUST;
    this.#trust = Math.min(this.#trust + 1, MAX_TRUST);
  }

  #broken(): void {
    if (this.#trust === MAX_TRUST) {
      this.#trust = MAX_TRUST - EXCEPTION;
      return;
    }
    const wasSteady = this.isSteady;
    this.#trust = -this.#loss;
    // A pace that was not trusted yet has caused no harm.
    if (wasSteady) this.#loss = Math.min(this.#loss * 2, MAX_LOST_TRUST);
  }

  #agrees(moved: number, ms: number): boolean {
    return this.#moved > 0 && Math.abs((moved * this.#ms) / this.#moved - ms) <= MAX_DIFFERENCE_MS;
  }

  #at(version: string, at: number): Point {
    return { version, at, events: this.#events };
  }

  /** Number of versions that other resources have used since `point`. Undefined if unknown. */
  #movedFrom(point: Point | undefined, version: string): number | undefined {
    if (point === undefined || !isOrderedVersion(version) || isOlder(version, point.version)) return undefined;
    // An event may arrive after a report of a newer version.
    return Math.max(0, Number(BigInt(version) - BigInt(point.version)) - (this.#events - point.events));
  }
}
