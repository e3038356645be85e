/** First and longest pause before the next try to watch again. */
const MIN_BACK_MS = 60_000;
const MAX_BACK_MS = 10 * 60_000;
/** The same where rounds succeed that failed before. */
const TRY_AGAIN_MS = 30_000;
const MAX_TRY_AGAIN_MS = 120_000;

/** When polling asks and tries again, on the monotonic clock. Outlives the relists between two chains. */
export class PollSchedule {
  #backMs: number;
  #failures = 0;
  backAt: number;
  echoAt: number;

  /** `isPartial`: events stop in the middle. Small ones pass, so an echo would not show it. */
  constructor(now: number, isPartial: boolean) {
    this.#backMs = isPartial ? MAX_BACK_MS : MIN_BACK_MS;
    this.backAt = now + this.#backMs;
    this.echoAt = now;
  }

  /** Tries again at `at`, unless it was due earlier or a try has just failed. */
  tryAt(at: number): void {
    const pauseMs = Math.min(this.#failures * TRY_AGAIN_MS, MAX_TRY_AGAIN_MS);
    this.backAt = Math.min(this.backAt, at + pauseMs);
  }

  postpone(now: number): void {
    this.#failures += 1;
    this.#backMs = Math.min(this.#backMs * 2, MAX_BACK_MS);
    this.backAt = now + this.#backMs;
  }
}
