import type { Env } from '../../core/env.ts';
import type { Key } from '../../core/object/key.ts';

/** One call of a handler that took long. */
export interface SlowCall {
  readonly key: Key;
  readonly ms: number;
  /** Wall clock of its end. */
  readonly at: number;
}

/** How many of the slowest calls are remembered. */
const MOST_SLOWEST = 5;
/** Quicker calls are not worth a place. */
const WORTH_MS = 1;

/** How the calls of one handler went: how many, how many failed, and which took longest. */
export class CallLog {
  calls = 0;
  failures = 0;
  /** Longest first. */
  readonly #slowest: SlowCall[] = [];

  get slowest(): readonly SlowCall[] {
    return [...this.#slowest];
  }

  /** Not every call is timed. */
  took(key: Key, ms: number, clock: Pick<Env, 'wallNow'>): void {
    if (ms < WORTH_MS) return;
    const shortest = this.#slowest.at(-1);
    if (this.#slowest.length === MOST_SLOWEST && shortest !== undefined && ms <= shortest.ms) return;
    const place = this.#slowest.findIndex((one) => one.ms < ms);
    this.#slowest.splice(place === -1 ? this.#slowest.length : place, 0, { key, ms, at: clock.wallNow() });
    this.#slowest.length = Math.min(this.#slowest.length, MOST_SLOWEST);
  }
}
