import type { Env } from 'kube-informer/core';

/** Maximum time between two turns of the event loop, if one step does not take longer. */
const SLICE_MS = 10;
/** Maximum number of steps, for clocks that are too coarse to measure them. */
const SLICE_STEPS = 500;

/**
 * Splits work on objects into slices. The page shares the process with the program it inspects, and an object
 * may have two labels or ten thousand: slices are limited by time, not by objects.
 *
 * @example
 * for (const key of keys) { look(key); if (slices.due()) await slices.pause(); }
 */
export class WorkSlices {
  readonly #env: Pick<Env, 'now' | 'yield'>;
  #startedAt: number;
  #steps = 0;

  constructor(env: Pick<Env, 'now' | 'yield'>) {
    this.#env = env;
    this.#startedAt = env.now();
  }

  /** Counts one step. Returns whether a pause is due. */
  due(): boolean {
    this.#steps += 1;
    return this.#steps >= SLICE_STEPS || this.#env.now() - this.#startedAt >= SLICE_MS;
  }

  async pause(): Promise<void> {
    await this.#env.yield();
    this.#steps = 0;
    this.#startedAt = this.#env.now();
  }
}
