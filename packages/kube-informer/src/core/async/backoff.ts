import type { Env } from '../env.ts';
import { requireOption } from '../errors.ts';

export interface BackoffOptions {
  /** First delay. @default 800 */
  readonly initialMs?: number;
  /** Maximum delay before jitter is added. @default 30_000 */
  readonly maxMs?: number;
  /** The delay is multiplied by this after each failure; 0 disables growth and reset. @default 2 */
  readonly factor?: number;
  /** Maximum share of the delay that is added at random, 0 to 1. @default 1 */
  readonly jitter?: number;
  /** Time without a failure after which the next one counts as the first. @default 120_000 */
  readonly resetAfterMs?: number;
}

/** Fills in the defaults. Throws INVALID_OPTION for values that are out of range. */
export function completeBackoffOptions(options: BackoffOptions = {}): Required<BackoffOptions> {
  // Destructuring, not spread: an explicit `undefined` must not undo a default.
  const { initialMs = 800, maxMs = 30_000, factor = 2, jitter = 1, resetAfterMs = 120_000 } = options;
  requireOption(initialMs > 0 && Number.isFinite(initialMs), 'backoff.initialMs', 'a positive number', initialMs);
  requireOption(maxMs >= initialMs && Number.isFinite(maxMs), 'backoff.maxMs', 'a number >= initialMs', maxMs);
  requireOption(factor >= 0, 'backoff.factor', 'a number >= 0', factor);
  requireOption(jitter >= 0 && jitter <= 1, 'backoff.jitter', 'a number from 0 to 1', jitter);
  requireOption(resetAfterMs > 0, 'backoff.resetAfterMs', 'a positive number', resetAfterMs);
  return { initialMs, maxMs, factor, jitter, resetAfterMs };
}

/**
 * Growing delays with jitter. They start over after a time without failures.
 *
 * That time is counted from the last failure. Counted from the last reset, the
 * delay would start over every two minutes during an outage.
 */
export class Backoff {
  readonly #env: Env;
  readonly #options: Required<BackoffOptions>;
  #current: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(env: Env, options: BackoffOptions = {}) {
    this.#env = env;
    this.#options = completeBackoffOptions(options);
    this.#current = this.#options.initialMs;
  }

  /** The next failure counts as the first. */
  reset(): void {
    this.#current = this.#options.initialMs;
  }

  /** The delay to wait now. Each call counts as one more failure. */
  next(): number {
    const { initialMs, maxMs, factor, jitter, resetAfterMs } = this.#options;
    const now = this.#env.now();
    if (factor > 0 && now - this.#lastAt > resetAfterMs) this.#current = initialMs;
    this.#lastAt = now;
    const base = this.#current;
    if (factor > 0) this.#current = Math.min(base * factor, maxMs);
    // Jitter is not added to the base, so that growth is predictable.
    return base + base * jitter * this.#env.random();
  }
}

/**
 * Decides whether a watch may be retried without a relist after an error that is usually short.
 *
 * The first matching error opens a window of `maxMs`; matching errors inside it
 * are retried; the first one after it is not, and it closes the window. A gap of
 * `minResetMs` between matching errors opens a new window. Other errors leave it alone.
 */
export class RetryWithDeadline {
  readonly #env: Env;
  readonly #maxMs: number;
  readonly #minResetMs: number;
  readonly #matches: (error: unknown) => boolean;
  #firstAt: number | undefined;
  #lastAt: number | undefined;

  constructor(env: Env, matches: (error: unknown) => boolean, maxMs: number, minResetMs = 60_000) {
    this.#env = env;
    this.#matches = matches;
    this.#maxMs = maxMs;
    this.#minResetMs = minResetMs;
  }

  /** Records how a stream ended. */
  after(error: unknown): void {
    if (!this.#matches(error)) return;
    const now = this.#env.now();
    if (this.#lastAt !== undefined && now - this.#lastAt >= this.#minResetMs) this.#firstAt = undefined;
    this.#firstAt ??= now;
    this.#lastAt = now;
  }

  shouldRetry(): boolean {
    if (this.#maxMs <= 0 || this.#firstAt === undefined) return false;
    if (this.#env.now() - this.#firstAt <= this.#maxMs) return true;
    this.#firstAt = undefined;
    this.#lastAt = undefined;
    return false;
  }
}
