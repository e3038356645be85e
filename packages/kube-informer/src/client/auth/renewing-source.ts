import { type Env, systemEnv } from '../../core/env.ts';
import { hasCode, KubeError } from '../../core/errors.ts';
import { concealInPrint } from '../secrets/conceal.ts';
import type { Credentials, CredentialSource } from './credentials.ts';
import { redactForSafeError } from '../../core/safe-error.ts';
import { SingleFlight } from '../../core/async/single-flight.ts';

/** The result of a renewal. */
export interface Renewal {
  readonly credentials: Credentials;
  /** Wall-clock milliseconds after which a server rejects them. Undefined: unknown. */
  readonly expiresAt?: number;
}

export interface RenewingSourceOptions {
  readonly kind: string;
  /**
   * Gets new credentials: reads the file, runs the program, sends a request to the identity provider. Rejects
   * CREDENTIALS. Needs its own timeout: only `close` aborts its signal.
   */
  readonly renew: (signal: AbortSignal) => Promise<Renewal>;
  /** Maximum age, whatever the expiry of the credentials. @default Infinity */
  readonly maxAgeMs?: number;
  /** Use the last good credentials when a renewal fails. @default false */
  readonly keepLastGood?: boolean;
  /** Minimum time between two successful renewals, so that a skewed clock or repeated 401s cause no hot loop. @default 10_000 */
  readonly minAgeMs?: number;
  /**
   * Time for which all callers get the error of a failed renewal, so that many requests cause no flood of renewals.
   * @default 0
   */
  readonly failureAgeMs?: number;
  readonly env?: Env;
}

/** Credentials are renewed this long before they expire: requests take time, and clocks differ. */
const LEEWAY_MS = 10_000;
/** Delay before the next renewal after one that failed, with `keepLastGood`. */
const RETRY_MS = 10_000;

interface Held {
  readonly credentials: Credentials;
  readonly expiresAt: number | undefined;
  /** Time at which the credentials were obtained, on the monotonic clock. */
  readonly at: number;
  isRejected: boolean;
  /** Time of the next renewal after one that failed. */
  retryAt: number;
}

/**
 * Credentials that are renewed when they are about to expire, when they are old, or when the server rejected them.
 *
 * Promises: concurrent callers share one renewal; expiry is checked at each call, so a wall clock that jumps costs at
 * most one renewal; concurrent rejections of the same credentials cause one renewal; a renewal continues when its
 * callers abort, and its result is kept: a refresh token may be valid only once, and a slow program would never finish
 * under short timeouts. Has no timers.
 *
 * Room rule: decides when to renew; files, programs and providers are behind `renew`.
 */
export class RenewingSource implements CredentialSource {
  readonly kind: string;
  readonly #renew: (signal: AbortSignal) => Promise<Renewal>;
  readonly #maxAgeMs: number;
  readonly #minAgeMs: number;
  readonly #failureAgeMs: number;
  readonly #keepLastGood: boolean;
  readonly #env: Env;
  readonly #flight: SingleFlight<Held>;
  #held: Held | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;
  #forcedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: RenewingSourceOptions) {
    const { kind, renew, maxAgeMs = Infinity, minAgeMs = 10_000, keepLastGood = false, env = systemEnv } = options;
    this.kind = kind;
    this.#renew = renew;
    this.#maxAgeMs = maxAgeMs;
    this.#minAgeMs = minAgeMs;
    this.#failureAgeMs = options.failureAgeMs ?? 0;
    this.#keepLastGood = keepLastGood;
    this.#env = env;
    this.#flight = new SingleFlight(`getting credentials (${kind})`, { detached: true });
    concealInPrint(this, () => ({ kind }));
  }

  async current(signal: AbortSignal): Promise<Credentials> {
    if (this.#isClosed)
      throw new KubeError('ILLEGAL_STATE', `getting credentials (${this.kind}): the client was closed`);
    const held = this.#held;
    if (held !== undefined && this.#isGood(held)) return held.credentials;
    try {
      return (await this.#flight.join(signal, (stop) => this.#fetch(stop))).credentials;
    } catch (error) {
      if (!this.#keepLastGood || held === undefined || hasCode(error, 'ABORTED')) throw error;
      const now = this.#env.now();
      // One line for all callers of the same renewal.
      if (held.retryAt <= now) {
        held.retryAt = now + RETRY_MS;
        const fields = { kind: this.kind, error: redactForSafeError(error) };
        this.#env.log('warn', 'cannot renew the credentials; using the last good ones', fields);
      }
      return held.credentials;
    }
  }

  rejected(credentials: Credentials): boolean {
    const held = this.#held;
    if (held === undefined || held.isRejected) return !this.#isClosed;
    // The request was sent with older credentials than those held now.
    if (held.credentials !== credentials) return !isSameRenewedCredentials(held.credentials, credentials);
    const now = this.#env.now();
    if (now - this.#forcedAt < this.#minAgeMs) return false;
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
    return age < this.#minAgeMs;
  }

  async #fetch(signal: AbortSignal): Promise<Held> {
    const last = this.#failure;
    if (last !== undefined && this.#env.now() < last.at + this.#failureAgeMs) throw last.error;
    const { credentials, expiresAt } = await this.#renew(signal).catch((error: unknown) => {
      this.#failure = { error, at: this.#env.now() };
      throw error;
    });
    if (signal.aborted)
      throw new KubeError('ABORTED', `getting credentials (${this.kind}): the client was closed`, {
        cause: signal.reason,
      });
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

function isSameRenewedCredentials(a: Credentials, b: Credentials): boolean {
  return a.authorization === b.authorization && a.certificate?.cert === b.certificate?.cert;
}
