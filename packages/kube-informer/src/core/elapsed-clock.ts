import type { Env } from './env.ts';

/**
 * Minimum lead of another clock over the monotonic one that counts as a suspend. Less is resolution or a correction.
 */
const MIN_LEAD_MS = 2_000;

/**
 * A clock for ages, in milliseconds. Survives a suspend and a wall clock that is set.
 *
 * The monotonic clock stands still while the machine sleeps, and so do timers; the wall clock can be set. So this clock
 * is the monotonic one plus every lead that the boot clock gained on it, because the boot clock runs during a suspend.
 * On platforms without a boot clock, the wall clock is compared instead: set forward by hand, it makes evidence look
 * older than it is, which costs one request. No clock makes evidence look younger.
 */
export class ElapsedClock {
  readonly #env: Env;
  #leadMs = 0;
  #monotonic: number;
  #boot: number | undefined;
  #wall: number;

  constructor(env: Env) {
    this.#env = env;
    this.#monotonic = env.now();
    this.#boot = env.bootNow?.();
    this.#wall = env.wallNow();
  }

  /** Compares the clocks and returns the time. Must be read at least every few seconds and before every judgement. */
  read(): number {
    const monotonic = this.#env.now();
    const boot = this.#env.bootNow?.();
    const wall = this.#env.wallNow();
    const step = monotonic - this.#monotonic;
    const other = boot === undefined || this.#boot === undefined ? wall - this.#wall : boot - this.#boot;
    if (other > step + MIN_LEAD_MS) this.#leadMs += other - step;
    this.#monotonic = monotonic;
    this.#boot = boot;
    this.#wall = wall;
    return monotonic + this.#leadMs;
  }

  /** The time at `monotonic` on the monotonic clock, by the last comparison. For the path of every event. */
  at(monotonic: number): number {
    return monotonic + this.#leadMs;
  }
}
