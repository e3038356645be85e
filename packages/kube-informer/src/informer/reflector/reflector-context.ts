import { untilAborted } from '../../core/async/abort.ts';
import { Backoff, type BackoffOptions } from '../../core/async/backoff.ts';
import type { Env } from '../../core/env.ts';
import { errorMessageOf } from '../../core/errors.ts';
import type { WatchOptions } from '../../core/object/list-options.ts';
import { isNoMetric, versionGauge } from '../../core/metrics.ts';
import type { ReflectorMetrics } from './reflector-metrics.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { retryAfterOf } from '../../core/status.ts';
import type { ExpectedType } from '../list-watch/event-reader.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { Sink } from '../queue/queue.ts';
import { Timeline } from './timeline.ts';
import type { Versionless } from './versionless.ts';
import { Versions } from './versions.ts';
import { reasonOf, type ProblemReason } from './watch-error.ts';
import { WatchSession } from './watch-session.ts';

/** What the reflector is doing. */
export type ReflectorState =
  | { readonly kind: 'idle' | 'stopped' }
  | { readonly kind: 'listing'; readonly received: number }
  | { readonly kind: 'watching'; readonly resourceVersion: string }
  | { readonly kind: 'waiting'; readonly ms: number; readonly error: unknown };

/** The reason why the cache may be stale. */
export interface Problem {
  /** Wall clock time at which it began. */
  readonly since: number;
  readonly reason: ProblemReason;
  readonly error: unknown;
}

export interface ContextOptions<T> {
  readonly name: string;
  readonly typeDescription: string;
  readonly source: ListWatch<T>;
  readonly sink: Sink<T>;
  readonly env: Env;
  readonly access: ObjectAccess<T>;
  readonly expected: ExpectedType | undefined;
  readonly metrics: ReflectorMetrics;
  readonly backoff: BackoffOptions | undefined;
  readonly minWatchTimeoutMs: number;
}

/** Minimum lifetime to request for a watch. The server or the network may end it sooner. */
const MIN_WATCH_TIMEOUT_MS = 5 * 60_000;

/**
 * The state that the steps of a reflector (list, watch-list, watch, resync, probe)
 * share: versions, backoffs, the current watch and the current problem.
 *
 * Room rule: the only place that waits between two requests.
 */
export class ReflectorContext<T> {
  readonly options: ContextOptions<T>;
  readonly versions: Versions = new Versions();
  readonly timeline: Timeline;
  readonly #backoff: Backoff;
  /** After 410 Gone: the server is reachable again, so an outage before must not lengthen the wait. */
  readonly #expiries: Backoff;
  /** While the server is behind, which repeats until its state has been accepted. */
  readonly #behind: Backoff;
  readonly #unmeasured: boolean;
  #state: ReflectorState = { kind: 'idle' };
  #problem: Problem | undefined;
  #lastContact: number | undefined;
  #clusterId: string | undefined;
  #session: WatchSession<T> | undefined;
  /** Why the next watch must end as soon as it is read. */
  #interruption: { readonly reason: unknown } | undefined;
  /** This server has sent bookmarks, so a long time without one means that the watch is dead. */
  bookmarksSeen = false;
  /** `clusterId` has changed, and no list of the new cluster has been accepted yet. */
  foreign = false;
  /** Set while the accepted list has no version to watch from. */
  versionless: Versionless<T> | undefined;

  constructor(options: ContextOptions<T>) {
    this.options = options;
    this.timeline = new Timeline(options.env);
    this.#backoff = new Backoff(options.env, options.backoff);
    this.#expiries = new Backoff(options.env, options.backoff);
    this.#behind = new Backoff(options.env, options.backoff);
    this.#unmeasured = isNoMetric(options.metrics.lastResourceVersion);
  }

  get state(): ReflectorState {
    // Derived here, so that the hot path creates no object per event.
    return this.#state.kind === 'watching' ? { kind: 'watching', resourceVersion: this.versions.last } : this.#state;
  }

  set state(state: ReflectorState) {
    this.#state = state;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Wall clock time of the last contact, computed from the monotonic clock: the wall clock may have been set since. */
  get lastContactAt(): number | undefined {
    const { env } = this.options;
    return this.#lastContact === undefined ? undefined : env.wallNow() - (env.now() - this.#lastContact);
  }

  /** Records a successful response or event, at `now` on the monotonic clock, and clears the problem. */
  contact(now: number = this.options.env.now()): void {
    this.#lastContact = now;
    this.#problem = undefined;
  }

  /** Records that the sink has accepted a complete list. */
  caughtUp(): void {
    this.foreign = false;
    this.#behind.reset();
    this.contact();
    this.advanced();
  }

  /** Records a problem. Keeps the beginning of an earlier one and takes the newest reason. */
  noteProblem(error: unknown): void {
    this.#problem = { since: this.#problem?.since ?? this.options.env.wallNow(), reason: reasonOf(error), error };
  }

  /** Records the problem and waits: for the backoff, or for Retry-After if that is longer. Ends early when stopped. */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.noteProblem(error);
    await this.#sleep(error, signal);
  }

  /** Waits before the next list, because of the current problem. */
  async waitToList(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await this.#sleep(this.#problem?.error, signal);
  }

  async #sleep(error: unknown, signal: AbortSignal): Promise<void> {
    const ms = Math.max(this.#backoffAfter(reasonOf(error)).next(), retryAfterOf(error) ?? 0);
    this.state = { kind: 'waiting', ms, error };
    const end = this.timeline.begin('wait', error === undefined ? {} : { because: errorMessageOf(error) });
    await this.options.env.sleep(ms, signal);
    end();
  }

  #backoffAfter(reason: ProblemReason): Backoff {
    if (reason === 'expired') return this.#expiries;
    return reason === 'stale-server' ? this.#behind : this.#backoff;
  }

  /** Random for every request, so that the watches of many clients do not all end at once. */
  timeoutSeconds(): number {
    const { minWatchTimeoutMs, env } = this.options;
    const min = Math.max(minWatchTimeoutMs, MIN_WATCH_TIMEOUT_MS);
    return Math.floor((min + env.random() * min) / 1_000);
  }

  openWatch(options: WatchOptions, signal: AbortSignal): WatchSession<T> {
    const { source, env, metrics } = this.options;
    metrics.watches.inc();
    return new WatchSession(source, options, signal, env, (lateMs) => {
      metrics.stalls.observe(lateMs / 1_000);
      this.log('warn', 'the event loop was blocked, or the process was suspended', { lateMs: Math.round(lateMs) });
    });
  }

  /** Sets the watch that is being read. `interrupt` ends it, and so does an interruption that came before. */
  attend(session: WatchSession<T> | undefined): void {
    this.#session = session;
    if (session === undefined || this.#interruption === undefined) return;
    session.interrupt(this.#interruption.reason);
    this.#interruption = undefined;
  }

  /** Ends the running stream, or the next one as soon as it is read. Never interrupts a wait. */
  interrupt(reason: unknown): void {
    if (this.#session === undefined) this.#interruption ??= { reason };
    else this.#session.interrupt(reason);
  }

  /** Drops a pending interruption: the list that is about to begin satisfies it. */
  startOver(): void {
    this.#interruption = undefined;
  }

  /** Updates the version gauge. Must be called after versions moved. */
  advanced(): void {
    if (this.#unmeasured) return;
    const value = versionGauge(this.versions.last);
    if (value !== undefined) this.options.metrics.lastResourceVersion.set(value);
  }

  /**
   * Whether the address now leads to another cluster; stays true until a list of that cluster has been
   * accepted. Always false for sources without `clusterId`.
   */
  async isForeign(signal: AbortSignal): Promise<boolean> {
    const { source } = this.options;
    if (source.clusterId === undefined || signal.aborted) return this.foreign;
    try {
      const now = await untilAborted(source.clusterId(signal), signal, 'clusterId');
      if (this.#clusterId !== undefined && this.#clusterId !== now) this.foreign = true;
      this.#clusterId = now;
    } catch (error) {
      this.log('debug', 'clusterId() failed; the cluster is taken for the same', { error: errorMessageOf(error) });
    }
    return this.foreign;
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> = {}): void {
    const { env, name, typeDescription } = this.options;
    env.log(level, message, { reflector: name, type: typeDescription, ...fields });
  }
}
