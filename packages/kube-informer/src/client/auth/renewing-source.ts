import { type Env, systemEnv } from '../../core/env.ts';
import { hasCode, KubeError } from '../../core/errors.ts';
import { printAs } from '../secrets/conceal.ts';
import type { Credentials, CredentialSource } from './credentials.ts';
import { safeCause } from '../secrets/redact.ts';
import { SingleFlight } from '../../core/async/single-flight.ts';

/** What a renewal brought. */
export interface Renewal {
  readonly credentials: Credentials;
  /** Wall-clock milliseconds after which a server refuses them. Undefined: they do not say. */
  readonly expiresAt?: number;
}

export interface RenewingSourceOptions {
  readonly kind: string;
  /**
   * Gets new credentials: reads the file, runs the program, asks the identity provider. Rejects CREDENTIALS. Must end by
   * itself: only `close` aborts its signal.
   */
  readonly renew: (signal: AbortSignal) => Promise<Renewal>;
  /** Looks again after this time, whatever the credentials say about themselves. @default never */
  readonly maxAgeMs?: number;
  /** Go on with the last good credentials when a renewal fails. @default false */
  readonly keepLastGood?: boolean;
  /** A shortest time between two renewals that worked, so that a skewed clock or a stubborn 401 is no hot loop. @default 10_000 */
  readonly leastAgeMs?: number;
  readonly env?: Env;
}

/** Renewed this much before they expire: a request may take as long to arrive, and clocks differ. */
const LEEWAY_MS = 10_000;
/** After a failed renewal the last good credentials are used for this long before the next try. */
const RETRY_MS = 10_000;

interface Held {
  readonly credentials: Credentials;
  readonly expiresAt: number | undefined;
  /** On the clock that never jumps. */
  readonly at: number;
  isRejected: boolean;
  /** Not looked at again before this, after a renewal that failed. */
  retryAt: number;
}

/**
 * Credentials that are fetched, kept, and fetched again: when they are about to expire, when they are old, or when the
 * server refused them.
 *
 * Promises: one renewal at a time, however many ask; expiry is judged anew at each call, so a wall clock that jumps
 * costs at most one renewal; concurrent rejections of the same credentials cause one renewal; a renewal that has begun
 * goes on when those who wait for it give up, and what it brings is kept: a refresh token may be good for one use, and
 * a slow program would never come to its end under short timeouts. No timers of its own.
 *
 * Room rule: knows when, not how; files, programs and providers are behind `renew`.
 */
export class RenewingSource implements CredentialSource {
  readonly kind: string;
  readonly #renew: (signal: AbortSignal) => Promise<Renewal>;
  readonly #maxAgeMs: number;
  readonly #leastAgeMs: number;
  readonly #keepLastGood: boolean;
  readonly #env: Env;
  readonly #flight: SingleFlight<Held>;
  #held: Held | undefined;
  #forcedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: RenewingSourceOptions) {
    const { kind, renew, maxAgeMs = Infinity, leastAgeMs = 10_000, keepLastGood = false, env = systemEnv } = options;
    this.kind = kind;
    this.#renew = renew;
    this.#maxAgeMs = maxAgeMs;
    this.#leastAgeMs = leastAgeMs;
    this.#keepLastGood = keepLastGood;
    this.#env = env;
    this.#flight = new SingleFlight(`getting credentials (${kind})`, { detached: true });
    printAs(this, () => ({ kind }));
  }

  async current(signal: AbortSignal): Promise<Credentials> {
    if (this.#isClosed) throw new KubeError('ILLEGAL_STATE', `credentials (${this.kind}): closed`);
    const held = this.#held;
    if (held !== undefined && this.#isGood(held)) return held.credentials;
    try {
      return (await this.#flight.join(signal, (stop) => this.#fetch(stop))).credentials;
    } catch (error) {
      if (!this.#keepLastGood || held === undefined || hasCode(error, 'ABORTED')) throw error;
      const now = this.#env.now();
      // One line for everybody who waited for the same renewal.
      if (held.retryAt <= now) {
        held.retryAt = now + RETRY_MS;
        const fields = { kind: this.kind, error: safeCause(error) };
        this.#env.log('warn', 'credentials could not be renewed, going on with the last good ones', fields);
      }
      return held.credentials;
    }
  }

  rejected(credentials: Credentials): boolean {
    const held = this.#held;
    if (held === undefined || held.isRejected) return !this.#isClosed;
    // The request set out with older credentials than we have by now.
    if (held.credentials !== credentials) return !isSame(held.credentials, credentials);
    const now = this.#env.now();
    if (now - this.#forcedAt < this.#leastAgeMs) return false;
    this.#forcedAt = now;
    held.isRejected = true;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#held = undefined;
    this.#flight.abort();
  }

  #isGood(held: Held): boolean {
    const now = this.#env.now();
    if (now < held.retryAt) return true;
    if (held.isRejected) return false;
    const age = now - held.at;
    if (age >= this.#maxAgeMs - Math.min(LEEWAY_MS, this.#maxAgeMs / 2)) return false;
    if (held.expiresAt === undefined || this.#env.wallNow() < held.expiresAt - LEEWAY_MS) return true;
    return age < this.#leastAgeMs;
  }

  async #fetch(signal: AbortSignal): Promise<Held> {
    const { credentials, expiresAt } = await this.#renew(signal);
    if (signal.aborted) throw new KubeError('ABORTED', `credentials (${this.kind}): closed`, { cause: signal.reason });
    const held: Held = {
      credentials,
      expiresAt,
      at: this.#env.now(),
      isRejected: false,
      retryAt: Number.NEGATIVE_INFINITY,
    };
    this.#held = held;
    return held;
  }
}

function isSame(a: Credentials, b: Credentials): boolean {
  return a.authorization === b.authorization && a.certificate?.cert === b.certificate?.cert;
}
