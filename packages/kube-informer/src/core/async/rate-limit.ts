import type { Env } from '../env.ts';
import { abortError, requireOption } from '../errors.ts';

/** Decides when a request may go out. */
export interface Limiter {
  /** Resolves when it may. Rejects ABORTED when `signal` aborts before. */
  take(signal: AbortSignal): Promise<void>;
}

export interface RateLimitOptions {
  /** Requests per second in the long run. */
  readonly perSecond: number;
  /** Requests that may go out at once after a quiet time. @default twice `perSecond`, at least 1 */
  readonly burst?: number;
}

/** Waits worth a line for who looks closely, and for everybody. */
const NOTED_WAIT_MS = 50;
const LONG_WAIT_MS = 1_000;
/** Under load every request waits; one line a second says as much as all of them. */
const BETWEEN_LINES_MS = 1_000;

/**
 * A token bucket: requests beyond the rate wait, in order of asking. Who gives up leaves the line, and those behind
 * move up. Off unless asked for; watches never pass it.
 */
export class RateLimiter implements Limiter {
  readonly #env: Env;
  readonly #perMs: number;
  readonly #burst: number;
  readonly #line: { readonly go: () => void }[] = [];
  /** There while somebody waits. */
  #serving: AbortController | undefined;
  #tokens: number;
  #at: number;
  #saidAt = Number.NEGATIVE_INFINITY;

  constructor(env: Env, options: RateLimitOptions) {
    const { perSecond, burst = Math.max(1, Math.ceil(perSecond * 2)) } = options;
    requireOption(Number.isFinite(perSecond) && perSecond > 0, 'rateLimit.perSecond', 'a positive number', perSecond);
    requireOption(Number.isSafeInteger(burst) && burst >= 1, 'rateLimit.burst', 'a whole number >= 1', burst);
    this.#env = env;
    this.#perMs = perSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = env.now();
  }

  /** Requests that wait now. */
  get pending(): number {
    return this.#line.length;
  }

  take(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortError(signal, WAITING));
    this.#refill();
    if (this.#line.length === 0 && this.#tokens >= ONE) {
      this.#tokens -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const place = {
        go: (): void => {
          signal.removeEventListener('abort', left);
          resolve();
        },
      };
      const left = (): void => {
        this.#line.splice(this.#line.indexOf(place), 1);
        if (this.#line.length === 0) this.#serving?.abort();
        reject(abortError(signal, WAITING));
      };
      signal.addEventListener('abort', left, { once: true });
      this.#line.push(place);
      this.#say((this.#line.length - this.#tokens) / this.#perMs);
      if (this.#line.length === 1) void this.#serve();
    });
  }

  /** Runs while somebody waits, and leaves no timer behind when the last one gives up. */
  async #serve(): Promise<void> {
    const serving = new AbortController();
    this.#serving = serving;
    while (!serving.signal.aborted) {
      await this.#env.sleep(Math.max(1, (1 - this.#tokens) / this.#perMs), serving.signal);
      if (serving.signal.aborted) return;
      this.#refill();
      while (this.#line.length > 0 && this.#tokens >= ONE) {
        this.#tokens -= 1;
        this.#line.shift()?.go();
      }
      if (this.#line.length === 0) return;
    }
  }

  #refill(): void {
    const now = this.#env.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }

  #say(ms: number): void {
    if (ms <= NOTED_WAIT_MS) return;
    const fields = { reason: 'client-side throttling', ms: Math.round(ms) };
    const now = this.#env.now();
    const isLong = ms > LONG_WAIT_MS && now - this.#saidAt >= BETWEEN_LINES_MS;
    if (isLong) this.#saidAt = now;
    this.#env.log(isLong ? 'info' : 'debug', 'a request waits for the client-side rate limit', fields);
  }
}

/** A token, less what adding up fractions may lose: else a wait of nothing would follow, over and over. */
const ONE = 1 - 1e-9;
const WAITING = 'waiting for the client-side rate limit';
