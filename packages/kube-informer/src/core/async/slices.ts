import type { Env } from '../env.ts';

/** Longest run of our own code between two turns of the event loop. */
const SLICE_MS = 10;
/** Asking for the time costs more than most steps; every 32nd step is often enough for a slice of 10 ms. */
const STEPS_PER_LOOK = 32;

/**
 * Cuts long work into slices, so that 100,000 objects never keep timers, sockets
 * or handlers waiting.
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
    if (this.#steps % STEPS_PER_LOOK !== 0) return false;
    return this.#env.now() - this.#startedAt >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await this.#env.yield();
    this.#startedAt = this.#env.now();
  }
}
