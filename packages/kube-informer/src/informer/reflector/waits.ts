import { Backoff, completeBackoffOptions, type BackoffOptions } from '../../core/async/backoff.ts';
import type { Env } from '../../core/env.ts';
import { errorMessageOf } from '../../core/errors.ts';
import { isUnparsableVersion, retryAfterOf } from '../../core/status.ts';
import type { Timeline } from './timeline.ts';
import { isWatchConnectionCut, reasonOf } from './watch-error.ts';

/**
 * A watch that was opened and cut is resumed sooner than one that could not be opened: resuming costs the
 * server little.
 */
const CUT_SHARE = 1 / 4;

/**
 * The waits between two requests, of which the first failed. Each kind of failure has a backoff of its own,
 * so that an outage does not lengthen the waits that follow it.
 *
 * Room rule: the only place that waits because of a failure.
 */
export class Waits {
  readonly #env: Env;
  readonly #timeline: Timeline;
  readonly #backoff: Backoff;
  /** Backoff for an expired version: the server is reachable, and a list will do. */
  readonly #expiries: Backoff;
  /** Backoff while the server is stale, until its state has been accepted. */
  readonly #behind: Backoff;
  /** Backoff after a response that began and was cut. */
  readonly #cuts: Backoff;
  #isCut = false;
  /** End of a pause that the server requested in another response, on the monotonic clock. */
  #notBefore = 0;

  constructor(env: Env, timeline: Timeline, options: BackoffOptions | undefined) {
    this.#env = env;
    this.#timeline = timeline;
    this.#backoff = new Backoff(env, options);
    this.#expiries = new Backoff(env, options);
    this.#behind = new Backoff(env, options);
    this.#cuts = new Backoff(env, { ...options, initialMs: completeBackoffOptions(options).initialMs * CUT_SHARE });
  }

  /** Records the end of a watch. If its response had begun before it failed, it was cut. */
  watched(hadBegun: boolean): void {
    this.#isCut = hadBegun;
  }

  /** Records that a current server delivered or responded: the count of stale servers starts again. */
  current(): void {
    this.#behind.reset();
  }

  /** Milliseconds to wait after `error`: the backoff, or Retry-After if that is longer. Each call counts as a failure. */
  next(error: unknown): number {
    return Math.max(this.#backoffAfter(error).next(), retryAfterOf(error) ?? 0);
  }

  /** Records that another request failed: its Retry-After applies to these waits too. */
  failedBeside(error: unknown): void {
    this.#notBefore = Math.max(this.#notBefore, this.#env.now() + (retryAfterOf(error) ?? 0));
  }

  async sleep(ms: number, error: unknown, signal: AbortSignal): Promise<void> {
    const end = this.#timeline.begin('wait', error === undefined ? {} : { because: errorMessageOf(error) });
    await this.sleepUntil(this.#env.now() + ms, signal);
    end();
  }

  /** Sleeps until `at`, or longer if the server requests a pause, before or meanwhile. */
  async sleepUntil(at: number, signal: AbortSignal): Promise<void> {
    const leftMs = (): number => Math.max(at, this.#notBefore) - this.#env.now();
    do await this.#env.sleep(Math.max(0, leftMs()), signal);
    while (leftMs() > 0 && !signal.aborted);
  }

  #backoffAfter(error: unknown): Backoff {
    const isCut = this.#isCut && isWatchConnectionCut(error);
    this.#isCut = false;
    if (isCut) return this.#cuts;
    const reason = reasonOf(error);
    if (reason === 'expired' || isUnparsableVersion(error)) return this.#expiries;
    return reason === 'stale-server' ? this.#behind : this.#backoff;
  }
}
