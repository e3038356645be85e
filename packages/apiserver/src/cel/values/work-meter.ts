import { CostExceeded } from './cel-failure.ts';

/** Maximum number of steps of one evaluation, or of all that share a `WorkMeter`. A step takes some ten nanoseconds. */
const MAX_STEPS = 10_000_000;

/**
 * Counts the actual work of an evaluation.
 *
 * The costs of the language are those of cel-go, where most text functions cost one. This interpreter shares
 * its process with the tests that use it, so its own loops are counted too.
 */
export class WorkMeter {
  #left: number;

  constructor(steps: number = MAX_STEPS) {
    this.#left = steps;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new CostExceeded();
  }
}

/** The meter of the current evaluation. Evaluations never wait, so there is one at a time. */
let current: WorkMeter | undefined;

/** Runs an evaluation whose loops spend steps of `meter`. */
export function withWorkMeter<T>(meter: WorkMeter, run: () => T): T {
  const outer = current;
  current = meter;
  try {
    return run();
  } finally {
    current = outer;
  }
}

/** Called by everything that loops over a value. Throws when the evaluation has done too much. */
export function spendWork(steps: number): void {
  current?.spend(steps);
}
