import { hasReachedVersion, isOlder } from '../../core/object/resource-version.ts';

/** A replica that is not asked itself reaches one of the last answers, if not the last. */
const MAX_TOLD = 8;
/** Time after a question in which no other is asked: a bookmark is near, and the answer serves all informers that wait for one. */
const QUESTION_MS = 7_000;

/** A version that was the server's current one at a time. */
export interface ToldVersion {
  readonly version: string;
  readonly at: number;
}

/**
 * Versions that the server told as its current one, and when it was asked. Informers of one resource and one connection
 * share them, because they read the same storage; those of other resources may not.
 */
export class ToldVersions {
  readonly #told: ToldVersion[] = [];
  #askedAt = Number.NEGATIVE_INFINITY;

  add(version: string, at: number): void {
    // A storage that went back: what was told before is of another history.
    if (isOlder(version, this.#told.at(-1)?.version)) this.#told.length = 0;
    this.#told.push({ version, at });
    if (this.#told.length > MAX_TOLD) this.#told.shift();
  }

  /** The last answer. */
  get last(): ToldVersion | undefined {
    return this.#told.at(-1);
  }

  /** When the server was last known to have nothing beyond `version`. */
  atOf(version: string): number {
    return this.#told.findLast((told) => hasReachedVersion(version, told.version))?.at ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether the caller should ask now: of several informers before a bookmark, one does. */
  takeQuestion(now: number): boolean {
    if (now - Math.max(this.#askedAt, this.#told.at(-1)?.at ?? Number.NEGATIVE_INFINITY) < QUESTION_MS) return false;
    this.#askedAt = now;
    return true;
  }
}
