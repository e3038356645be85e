import { untilAborted } from '../../core/async/abort.ts';
import { Backoff, type BackoffOptions } from '../../core/async/backoff.ts';
import type { Env } from '../../core/env.ts';
import { messageOf } from '../../core/errors.ts';
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

/** Where the loop stands. The inspector prints it; tests wait for it. */
export type ReflectorState =
  | { readonly kind: 'idle' | 'stopped' }
  | { readonly kind: 'listing'; readonly received: number }
  | { readonly kind: 'watching'; readonly resourceVersion: string }
  | { readonly kind: 'waiting'; readonly ms: number; readonly error: unknown };

/** What keeps the cache from being up to date. */
export interface Problem {
  /** Wall clock, for people. */
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

/** Watches live at least this long unless the server or the network says otherwise. */
const MIN_WATCH_TIMEOUT_MS = 5 * 60_000;

/**
 * What the steps of a reflector (list, watch-list, watch, resync, probe) share:
 * its position in history, its one backoff, and what it knows about the server's health.
 *
 * Room rule: the only place that waits between two requests.
 */
export class ReflectorContext<T> {
  readonly options: ContextOptions<T>;
  readonly versions: Versions = new Versions();
  readonly timeline: Timeline;
  readonly #backoff: Backoff;
  /** After 410: whoever says so is there, and that nobody was a moment ago is no reason to wait. */
  readonly #expiries: Backoff;
  /** After a word that the server is behind us, which is true again and again until its state has been taken. */
  readonly #behind: Backoff;
  readonly #unmeasured: boolean;
  #state: ReflectorState = { kind: 'idle' };
  #problem: Problem | undefined;
  #contactAt: number | undefined;
  #clusterId: string | undefined;
  #session: WatchSession<T> | undefined;
  /** One place: why the next stream, or the running one, must end. */
  #interruption: { readonly reason: unknown } | undefined;
  /** This server has sent bookmarks, so their absence means something. */
  bookmarksSeen = false;
  /** Another cluster has been seen, and nothing of it is in the cache yet. */
  foreign = false;
  /** Kept while what was handed on has no place in history. */
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
    // Derived, so that the hot path does not make an object per event.
    return this.#state.kind === 'watching' ? { kind: 'watching', resourceVersion: this.versions.last } : this.#state;
  }

  set state(state: ReflectorState) {
    this.#state = state;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Wall clock of the last good answer, as the wall clock counts now. */
  get lastContactAt(): number | undefined {
    const { env } = this.options;
    return this.#contactAt === undefined ? undefined : env.wallNow() - (env.now() - this.#contactAt);
  }

  /** The server answered as it should, at `now` on the monotonic clock. */
  contact(now: number = this.options.env.now()): void {
    this.#contactAt = now;
    this.#problem = undefined;
  }

  /** A whole state has been handed on. */
  caughtUp(): void {
    this.foreign = false;
    this.#behind.reset();
    this.contact();
    this.advanced();
  }

  /** The cache may be falling behind. Keeps when it began, takes the newest reason. */
  noteProblem(error: unknown): void {
    this.#problem = { since: this.#problem?.since ?? this.options.env.wallNow(), reason: reasonOf(error), error };
  }

  /** One step of the shared backoff, or what the server asked for if that is longer. Ends early when stopped. */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.noteProblem(error);
    await this.#sleep(error, signal);
  }

  /** The pause before the next list, because of the problem there is. */
  async waitToList(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await this.#sleep(this.#problem?.error, signal);
  }

  async #sleep(error: unknown, signal: AbortSignal): Promise<void> {
    const ms = Math.max(this.#backoffAfter(reasonOf(error)).next(), retryAfterOf(error) ?? 0);
    this.state = { kind: 'waiting', ms, error };
    const end = this.timeline.begin('wait', error === undefined ? {} : { because: messageOf(error) });
    await this.options.env.sleep(ms, signal);
    end();
  }

  #backoffAfter(reason: ProblemReason): Backoff {
    if (reason === 'expired') return this.#expiries;
    return reason === 'stale-server' ? this.#behind : this.#backoff;
  }

  /** Drawn anew for every request, so that watches of many clients do not all end at once. */
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
      this.log('warn', 'the event loop was blocked, or the process was stopped', { lateMs: Math.round(lateMs) });
    });
  }

  /** `session` is the one being read: interruptions go to it, also one that was waiting. */
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

  /** A list is about to begin: whoever asked for one gets it. */
  startOver(): void {
    this.#interruption = undefined;
  }

  /** Called after versions moved. */
  advanced(): void {
    if (this.#unmeasured) return;
    const value = versionGauge(this.versions.last);
    if (value !== undefined) this.options.metrics.lastResourceVersion.set(value);
  }

  /**
   * Whether another cluster answers under the same address; stays true until a list of that cluster has
   * been handed on. Sources without an identity never change.
   */
  async isForeign(signal: AbortSignal): Promise<boolean> {
    const { source } = this.options;
    if (source.clusterId === undefined || signal.aborted) return this.foreign;
    try {
      const now = await untilAborted(source.clusterId(signal), signal, 'clusterId');
      if (this.#clusterId !== undefined && this.#clusterId !== now) this.foreign = true;
      this.#clusterId = now;
    } catch (error) {
      this.log('debug', 'the identity of the cluster could not be read', { error: messageOf(error) });
    }
    return this.foreign;
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> = {}): void {
    const { env, name, typeDescription } = this.options;
    env.log(level, message, { reflector: name, type: typeDescription, ...fields });
  }
}
