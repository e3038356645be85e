import { type ElapsedClock, KubeError } from 'kube-informer/core';

/**
 * Whether this process may write as the leader. Read it immediately before each write.
 *
 * It cannot promise that the server does not commit a request late that was sent in time. Where that matters,
 * write with a resourceVersion, or pass `number` to a system that refuses smaller ones.
 */
export interface Fence {
  /** Number of times the lease had changed hands when this term began. Grows with every leader. */
  readonly number: number;
  /** Aborts when the lease is lost, with the KubeError LEASE_LOST as its reason. */
  readonly lost: AbortSignal;
  /**
   * Whether the last renewal is recent enough. Reads the clock, so it is correct after a pause even before
   * any timer has run.
   */
  held(): boolean;
  /** Throws LEASE_LOST unless `held()`. */
  check(): void;
  /** Time until other replicas may take the lease: the maximum timeout of a write. */
  remainingMs(): number;
}

export interface LeaseFenceOptions {
  readonly clock: ElapsedClock;
  readonly number: number;
  /** Time at which the request that acquired the lease was sent, on `clock`. */
  readonly sentAt: number;
  readonly renewDeadlineMs: number;
  readonly leaseDurationMs: number;
}

/**
 * One term of leadership, by the clock that also counts a suspend.
 *
 * The term is over at `renewDeadlineMs` after the *sending* of the last good renewal; others wait for
 * `leaseDurationMs` from when they saw it, which is later. Once over, it stays over: work may have been
 * refused meanwhile.
 */
export class LeaseFence implements Fence {
  readonly number: number;
  readonly #options: LeaseFenceOptions;
  readonly #lost = new AbortController();
  #sentAt: number;

  constructor(options: LeaseFenceOptions) {
    this.number = options.number;
    this.#options = options;
    this.#sentAt = options.sentAt;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  held(): boolean {
    if (this.#lost.signal.aborted) return false;
    if (this.#ageMs() < this.#options.renewDeadlineMs) return true;
    this.lose('it could not be renewed in time');
    return false;
  }

  check(): void {
    if (!this.held())
      throw leaseFenceError('its writes are refused until it is elected again', this.#lost.signal.reason);
  }

  remainingMs(): number {
    return this.held() ? this.#options.leaseDurationMs - this.#ageMs() : 0;
  }

  /** Time until the term is over if no renewal succeeds. */
  heldForMs(): number {
    return Math.max(0, this.#options.renewDeadlineMs - this.#ageMs());
  }

  /** Time since the sending of the last good renewal. */
  #ageMs(): number {
    return this.#options.clock.read() - this.#sentAt;
  }

  renewed(sentAt: number): void {
    this.#sentAt = sentAt;
  }

  lose(because: string): void {
    if (!this.#lost.signal.aborted) this.#lost.abort(leaseFenceError(because));
  }
}

function leaseFenceError(because: string, cause?: unknown): KubeError {
  return new KubeError('LEASE_LOST', `this process no longer holds its lease: ${because}`, { cause });
}
