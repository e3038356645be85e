/** First and longest pause before the next try to watch again. */
const MIN_BACK_MS = 60_000;
const MAX_BACK_MS = 10 * 60_000;
/** The same pauses where rounds of polling succeed that failed before. */
const TRY_AGAIN_MS = 30_000;
const MAX_TRY_AGAIN_MS = 120_000;

/**
 * The times of the next echo and of the next try to watch, on the monotonic clock. Survives relists between
 * two chains of short watches.
 */
export class PollSchedule {
  #backMs: number;
  #failures = 0;
  backAt: number;
  echoAt: number;

  /** `isPartial`: events stop in the middle. Small responses pass, so an echo would not show that. */
  constructor(now: number, isPartial: boolean) {
    this.#backMs = isPartial ? MAX_BACK_MS : MIN_BACK_MS;
    this.backAt = now + this.#backMs;
    this.echoAt = now;
  }

  /** Schedules a try at `at`, unless one is due earlier; later if the last tries have failed. */
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
