import type { Env } from '../../core/env.ts';
import type { Key } from '../../core/object/key.ts';

/** A callback that took long. */
export interface SlowCall {
  readonly key: Key;
  readonly ms: number;
  /** Wall clock time of its end. */
  readonly at: number;
}

/** A callback that threw or rejected. */
export interface FailedCall {
  readonly key: Key;
  /** Message, redacted and bounded. The stack is in the log. */
  readonly error: string;
  /** Wall clock time of its end. */
  readonly at: number;
}

/** Maximum number of slow calls kept. */
const MAX_SLOWEST = 5;
/** Minimum duration of calls that are kept. */
const MIN_SLOW_MS = 1;

/** Counts the calls and failures of one handler and keeps the slowest calls. */
export class CallLog {
  calls = 0;
  failures = 0;
  /** The last call that failed. */
  lastFailure: FailedCall | undefined;
  /** The slowest calls, longest first. */
  readonly #slowest: SlowCall[] = [];

  get slowest(): readonly SlowCall[] {
    return [...this.#slowest];
  }

  /** Records the duration of a call. Not every call is timed. */
  took(key: Key, ms: number, clock: Pick<Env, 'wallNow'>): void {
    if (ms < MIN_SLOW_MS) return;
    const shortest = this.#slowest.at(-1);
    if (this.#slowest.length === MAX_SLOWEST && shortest !== undefined && ms <= shortest.ms) return;
    const place = this.#slowest.findIndex((one) => one.ms < ms);
    this.#slowest.splice(place === -1 ? this.#slowest.length : place, 0, { key, ms, at: clock.wallNow() });
    this.#slowest.length = Math.min(this.#slowest.length, MAX_SLOWEST);
  }
}
