import { type Env, guardedEnv } from '../env.ts';
import type { UserCode } from '../guarded.ts';
import { abortError, requireOption } from '../errors.ts';

/** Decides when a request may be sent. */
export interface Limiter {
  /** Resolves when the request may be sent. Rejects ABORTED when `signal` aborts first. */
  take(signal: AbortSignal): Promise<void>;
}

export interface RateLimitOptions {
  /** Average number of requests per second. */
  readonly perSecond: number;
  /** Requests that may be sent at once after an idle time. @default twice `perSecond`, at least 1 */
  readonly burst?: number;
}

/** Waits longer than this are logged at level debug. */
const DEBUG_WAIT_MS = 50;
/** Waits longer than this are logged at level info. */
const INFO_WAIT_MS = 1_000;
/** Minimum time between two lines at level info: under load every request waits. */
const INFO_INTERVAL_MS = 1_000;

/**
 * A token bucket: requests beyond the rate wait in order. One whose signal aborts leaves the queue, and those behind it
 * move up. Used only if the option `rateLimit` is set, and never for watches.
 */
export class RateLimiter implements Limiter {
  readonly #env: Env;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #queue: { readonly go: () => void }[] = [];
  /** Set while requests wait. */
  #serving: AbortController | undefined;
  #tokens: number;
  #at: number;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(given: UserCode<Env>, options: RateLimitOptions) {
    const env = guardedEnv(given);
    const { perSecond, burst = Math.max(1, Math.ceil(perSecond * 2)) } = options;
    requireOption(Number.isFinite(perSecond) && perSecond > 0, 'rateLimit.perSecond', 'a positive number', perSecond);
    requireOption(Number.isSafeInteger(burst) && burst >= 1, 'rateLimit.burst', 'a whole number >= 1', burst);
    this.#env = env;
    this.#perMs = perSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = env.now();
  }

  /** Number of waiting requests. */
  get pending(): number {
    return this.#queue.length;
  }

  take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortError(signal, WAITING));
    this.#refill();
    if (this.#queue.length === 0 && this.#tokens >= ONE) {
      this.#tokens -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const entry = {
        go: (): void => {
          signal.removeEventListener('abort', left);
          resolve();
        },
      };
      const left = (): void => {
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        if (this.#queue.length === 0) this.#serving?.abort();
        reject(abortError(signal, WAITING));
      };
      signal.addEventListener('abort', left, { once: true });
      this.#queue.push(entry);
      this.#logWait((this.#queue.length - this.#tokens) / this.#perMs);
      if (this.#queue.length === 1) void this.#serve();
    });
  }

  /** Runs while requests wait. Leaves no timer behind when the last one aborts. */
  async #serve(): Promise<void> {
    const serving = new AbortController();
    this.#serving = serving;
    while (!serving.signal.aborted) {
      await this.#env.sleep(Math.max(1, (1 - this.#tokens) / this.#perMs), serving.signal);
      if (serving.signal.aborted) return;
      this.#refill();
      while (this.#queue.length > 0 && this.#tokens >= ONE) {
        this.#tokens -= 1;
        this.#queue.shift()?.go();
      }
      if (this.#queue.length === 0) return;
    }
  }

  #refill(): void {
    const now = this.#env.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }

  #logWait(ms: number): void {
    if (ms <= DEBUG_WAIT_MS) return;
    const fields = { reason: 'client-side throttling', ms: Math.round(ms) };
    const now = this.#env.now();
    const isLong = ms > INFO_WAIT_MS && now - this.#loggedAt >= INFO_INTERVAL_MS;
    if (isLong) this.#loggedAt = now;
    this.#env.log(isLong ? 'info' : 'debug', 'a request waits for the client-side rate limit', fields);
  }
}

/** One token, less the rounding error of added fractions, which would cause endless waits of zero. */
const ONE = 1 - 1e-9;
const WAITING = 'waiting for the client-side rate limit';
