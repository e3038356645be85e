import type { Env } from '../env.ts';

/** Maximum time between two turns of the event loop. */
const SLICE_MS = 10;
/** Reading the clock costs more than most steps; every 32nd step is enough for a slice of 10 ms. */
const STEPS_PER_CHECK = 32;
/** The first steps run code that is not compiled yet: 32 of them may take longer than a slice. */
const COLD_STEPS = 1_024;

/**
 * Splits long work into slices, so that 100,000 objects never block timers,
 * sockets or handlers.
 *
 * @example
 * for (const item of items) { work(item); if (slices.due()) await slices.pause(); }
 */
export class Slices {
  readonly #env: Env;
  #startedAt: number;
  #steps = 0;

  constructor(env: Env) {
    this.#env = env;
    this.#startedAt = env.now();
  }

  due(): boolean {
    this.#steps += 1;
    if (this.#steps > COLD_STEPS && this.#steps % STEPS_PER_CHECK !== 0) return false;
    return this.#env.now() - this.#startedAt >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await this.#env.yield();
    this.#startedAt = this.#env.now();
  }
}
