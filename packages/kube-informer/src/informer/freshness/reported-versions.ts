import { hasReachedVersion, isOlder } from '../../core/object/resource-version.ts';

/**
 * Maximum number of versions that are remembered: a replica that received no request itself will reach one of
 * the last.
 */
const MAX_REPORTED = 8;
/**
 * Time after a request in which no other informer sends one: bookmarks are due together, and one response
 * serves all informers.
 */
const QUESTION_MS = 7_000;

/** A version that was the server's current one at a time. */
export interface ReportedVersion {
  readonly version: string;
  readonly at: number;
}

/**
 * Versions that the server reported as its current one, and when they were requested. Informers of one
 * resource and one connection share them, because they read the same storage; those of other resources may
 * not.
 */
export class ReportedVersions {
  readonly #reported: ReportedVersion[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;

  add(version: string, at: number): void {
    // A storage that went back: earlier versions belong to another history.
    if (isOlder(version, this.#reported.at(-1)?.version)) this.#reported.length = 0;
    this.#reported.push({ version, at });
    if (this.#reported.length > MAX_REPORTED) this.#reported.shift();
  }

  /** The last version that the server reported. */
  get last(): ReportedVersion | undefined {
    return this.#reported.at(-1);
  }

  /** Time at which the server was last known to have nothing beyond `version`. */
  atOf(version: string): number {
    return (
      this.#reported.findLast((reported) => hasReachedVersion(version, reported.version))?.at ??
      Number.NEGATIVE_INFINITY
    );
  }

  /** Whether the caller should send a request now: one of several informers does so before a bookmark. */
  takeQuestion(now: number): boolean {
    if (now - Math.max(this.#askedAt, this.#reported.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < QUESTION_MS)
      return false;
    this.#askedAt = now;
    return true;
  }
}
