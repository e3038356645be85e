import { tooLargeStatusError } from './status-error.ts';

/** Maximum number of steps of one piece of work. A step takes around a microsecond. */
export const MAX_WORK_STEPS = 1_000_000;

/**
 * Counts the steps of a piece of work, and ends it with 413 when there are too many.
 *
 * Limits on bytes are not enough: a small body can cause work that grows with the product of its parts, and
 * this server shares its process with the tests that use it. Every loop inside a loop over a client's data
 * spends steps.
 */
export class Work {
  readonly #what: string;
  readonly #max: number;
  #spent = 0;

  /** `what` is named in the refusal: `the patch`. */
  constructor(what: string, max: number = MAX_WORK_STEPS) {
    this.#what = what;
    this.#max = max;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Spends steps. Throws 413 when the limit is reached. */
  spend(steps = 1): void {
    this.#spent += steps;
    if (this.#spent > this.#max)
      throw tooLargeStatusError(`Request entity too large: ${this.#what} takes more than ${this.#max} steps`);
  }
}
