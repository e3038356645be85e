import type { BackoffOptions } from '../../core/async/backoff.ts';
import type { Env } from '../../core/env.ts';
import { errorMessageOf, hasCode } from '../../core/errors.ts';
import type { WatchOptions } from '../../core/object/list-options.ts';
import { isNoMetric, versionMetric } from '../../core/metrics.ts';
import type { ReflectorMetrics } from './reflector-metrics.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { retryAfterOf } from '../../core/status.ts';
import type { ExpectedType } from '../list-watch/event-reader.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import type { Sink } from '../queue/queue.ts';
import { echoWithinSeconds } from '../freshness/echo.ts';
import { type Applied, type Evidence, EvidenceBook, type RefutedBy } from '../freshness/evidence.ts';
import { type StreamingPath } from '../freshness/streaming-path.ts';
import { NO_STREAK, type Streak } from './decide.ts';
import type { PollTrial } from './polling.ts';
import { FailureReporter, type ReportedFailure } from './failure-reporter.ts';
import { KnownServer } from '../freshness/known-server.ts';
import { PollSchedule } from '../freshness/poll-schedule.ts';
import { Timeline } from './timeline.ts';
import type { Versionless } from './versionless.ts';
import { Versions } from './versions.ts';
import { Waits } from './waits.ts';
import { reasonOf, type ProblemReason } from './watch-error.ts';
import { WatchSession } from './watch-session.ts';

/** Maximum time between two looks at an open stream. After a longer gap, earlier evidence does not count. */
const MAX_LOOK_GAP_MS = 10_000;
/** Minimum pause between two requests of which the first failed. */
const MIN_PAUSE_MS = 1_000;
/** Time for which a list confirms the stream that follows it. */
const FRESH_LIST_MS = 3_000;

/** The current activity of the reflector. */
export type ReflectorState =
  | { readonly kind: 'idle' | 'stopped' }
  | { readonly kind: 'listing'; readonly received: number }
  | { readonly kind: 'watching' | 'polling'; readonly resourceVersion: string }
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
  readonly path: StreamingPath;
  readonly applied: () => Applied;
  /** Called for the first failure of each kind, and then sparsely. */
  readonly onFailure: (failure: ReportedFailure) => void;
  /** Called when the judgement about the cache may have changed. */
  readonly onChange: () => void;
}

/** The reason for polling, and when it began. */
export interface PollingMode<T> {
  /** Start of polling, on the ElapsedClock. */
  readonly since: number;
  readonly error: unknown;
  /** Whether the path delivers small events and stops large ones in the middle. */
  readonly isPartial: boolean;
  readonly schedule: PollSchedule;
  readonly trial: PollTrial<T>;
}

/** Minimum lifetime to request for a watch. The server or the network may end it sooner. */
const MIN_WATCH_TIMEOUT_MS = 5 * 60_000;

/**
 * The state that the steps of a reflector (list, watch-list, watch, resync, probe)
 * share: versions, evidence, the current watch and the current problem.
 */
export class ReflectorContext<T> {
  readonly options: ContextOptions<T>;
  readonly versions: Versions = new Versions();
  readonly timeline: Timeline;
  readonly book: EvidenceBook;
  readonly path: StreamingPath;
  readonly server: KnownServer;
  /** Facts that the last watches have in common; updated by `decide`. */
  streak: Streak = NO_STREAK;
  readonly waits: Waits;
  readonly #failures: FailureReporter;
  readonly #unmeasured: boolean;
  #state: ReflectorState = { kind: 'idle' };
  /** The current problem. Its start is a reading of the ElapsedClock: the wall clock may be moved meanwhile. */
  #problem: Problem | undefined;
  #polling: PollingMode<T> | undefined;
  #clusterId: string | undefined;
  #isForeign = false;
  #versionless: Versionless<T> | undefined;
  #session: WatchSession<T> | undefined;
  /** Time of the last look at the open stream, on the ElapsedClock. */
  #attendedAt: number | undefined;
  #list: { readonly endedAt: number; readonly tookMs: number; readonly usualMs: number } | undefined;
  #listIsFresh = false;
  /** The reason why the next watch must end as soon as it is read. */
  #interruption: { readonly reason: unknown } | undefined;

  constructor(options: ContextOptions<T>) {
    const { env, backoff, onFailure, onChange, applied, path, expected } = options;
    this.options = options;
    this.path = path;
    this.book = new EvidenceBook({ applied, onChange, reported: () => path.reportedVersions(expected) });
    this.server = new KnownServer(env);
    this.timeline = new Timeline(env);
    this.waits = new Waits(env, this.timeline, backoff);
    this.#failures = new FailureReporter(env, onFailure);
    this.#unmeasured = isNoMetric(options.metrics.lastResourceVersion);
  }

  get state(): ReflectorState {
    // Derived here, so that the hot path creates no object per event.
    const { kind } = this.#state;
    return kind === 'watching' || kind === 'polling' ? { kind, resourceVersion: this.versions.last } : this.#state;
  }

  set state(state: ReflectorState) {
    this.#state = state;
  }

  get problem(): Problem | undefined {
    if (this.#problem === undefined) return undefined;
    const since = this.options.env.wallNow() - (this.path.clock.read() - this.#problem.since);
    return { ...this.#problem, since };
  }

  // — evidence —

  /** The evidence as of now, and the time it was read at. */
  evidence(): { readonly evidence: Evidence; readonly now: number } {
    const now = this.path.clock.read();
    // An open stream is looked at every few seconds. After a longer gap, the process did not run.
    if (this.#attendedAt !== undefined && now - this.#attendedAt > MAX_LOOK_GAP_MS) this.attended(now);
    return { evidence: this.book.read(), now };
  }

  /** Records a look at the open stream. */
  attended(now: number): void {
    const before = this.#attendedAt;
    this.#attendedAt = now;
    if (before !== undefined && now - before > MAX_LOOK_GAP_MS) this.book.slept(now);
  }

  /** Records that the stream delivered `version` at `now` on the monotonic clock. Returns whether it counts. */
  heard(version: string, now: number, isBookmark: boolean): boolean {
    this.#problem = undefined;
    // A bookmark below a version that the server has reported is not a sign of a current server.
    if (isBookmark && !this.server.bookmarkReached(version)) return false;
    return this.book.heard(version, this.path.clock.at(now), isBookmark);
  }

  /** Records the version that the server reported in response to a request sent at `askedAt` on the ElapsedClock. */
  answered(version: string, askedAt: number): void {
    this.server.answered();
    this.book.answered(version, askedAt);
  }

  /** Records that the new stream was opened well. The server has `version`, if that is known. */
  opened(version: string): void {
    this.#problem = undefined;
    this.book.streamOpened(version);
  }

  /** Time since the server was last known to have nothing newer than was received, applied or not. */
  get unprovenMs(): number {
    return this.path.clock.read() - this.book.shownAt;
  }

  /** Time since the streams had delivered everything that the server had. */
  get unreachedMs(): number {
    return this.path.clock.read() - this.book.reachedAt;
  }

  /** Records that at `askedAt` on the ElapsedClock the server had nothing newer than the stream has delivered. */
  witnessed(askedAt: number): void {
    this.#problem = undefined;
    this.book.witnessed(askedAt);
  }

  /** Records that the sink has accepted a complete list, which was requested at `askedAt` on the ElapsedClock. */
  listed(version: string, askedAt: number, consistent: boolean): void {
    const now = this.options.env.now();
    const elapsed = this.path.clock.read();
    const tookMs = elapsed - askedAt;
    this.#list = { endedAt: now, tookMs, usualMs: Math.min(tookMs, this.#list?.tookMs ?? tookMs) };
    this.#listIsFresh = consistent;
    this.#isForeign = false;
    this.waits.current();
    this.#problem = undefined;
    if (consistent) this.server.answered();
    this.book.listed(version, askedAt, consistent, elapsed);
    if (this.#polling !== undefined && consistent) this.book.polled(askedAt);
    this.advanced();
  }

  /**
   * Whether the newest state was listed just now, so that an echo could show nothing more about the stream
   * that follows. True only for the first stream after a list.
   */
  takeFreshList(): boolean {
    const isFresh = this.#listIsFresh && this.sinceListMs < FRESH_LIST_MS;
    this.#listIsFresh = false;
    return isFresh && (this.options.source.echo === undefined || !this.server.allowsEcho);
  }

  /**
   * Duration of a list, including storing it: the shorter of the last two, because a single delay says
   * nothing about the cost for the server.
   */
  get listMs(): number {
    return this.#list?.usualMs ?? 0;
  }

  get sinceListMs(): number {
    return this.#list === undefined ? Number.POSITIVE_INFINITY : this.options.env.now() - this.#list.endedAt;
  }

  /** Records that the cache, or its server, is behind or differs. */
  contradicted(error: unknown, refutedBy: RefutedBy): void {
    this.failed(error);
    this.book.contradicted(error, refutedBy, this.path.clock.read());
  }

  // — polling —

  get polling(): PollingMode<T> | undefined {
    return this.#polling;
  }

  startPolling(error: unknown): void {
    this.failed(error);
    this.log('warn', 'watches do not work here; the server is polled', { because: errorMessageOf(error) });
    const since = this.path.clock.read();
    const isPartial = hasCode(error, 'WATCH_DEAF');
    const schedule = new PollSchedule(this.options.env.now(), isPartial);
    this.#polling = { since, error, isPartial, schedule, trial: { session: undefined, isProved: false } };
    this.pollEvery(this.path.pollPeriodMs);
  }

  pollEvery(periodMs: number): void {
    if (this.#polling === undefined) return;
    this.state = { kind: 'polling', resourceVersion: this.versions.last };
    this.book.poll({ since: this.#polling.since, error: this.#polling.error, periodMs });
  }

  /** Records the end of a whole round of polling. */
  polled(): void {
    this.#problem = undefined;
    this.book.polled(this.path.clock.read());
  }

  stopPolling(): void {
    this.#polling = undefined;
    this.book.poll(undefined);
    this.log('info', 'a watch delivers again; polling ends');
  }

  // — problems —

  /** Records a problem. Keeps the start of an earlier one and replaces its reason. */
  noteProblem(error: unknown): void {
    this.#problem = { since: this.#problem?.since ?? this.path.clock.read(), reason: reasonOf(error), error };
    this.options.onChange();
  }

  /** Records a problem, and reports it if it is the first of its kind for some time. */
  failed(error: unknown): void {
    this.noteProblem(error);
    this.#failures.failed(error);
  }

  /** Records the problem and waits: for the backoff, or for Retry-After if that is longer. Ends early when stopped. */
  async wait(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.failed(error);
    await this.#sleep(error, signal);
  }

  /** Waits before the next list, because of the current problem. */
  async waitToList(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const error = this.#problem?.error;
    // Polling bounds the rate of its lists itself.
    if (this.#polling !== undefined)
      await this.waits.sleep(Math.max(retryAfterOf(error) ?? 0, MIN_PAUSE_MS), error, signal);
    else await this.#sleep(error, signal);
  }

  async #sleep(error: unknown, signal: AbortSignal): Promise<void> {
    const ms = this.waits.next(error);
    this.state = { kind: 'waiting', ms, error };
    await this.waits.sleep(ms, error, signal);
  }

  /** Lifetime of the next watch: random, so that the watches of many clients do not all end at once. */
  timeoutSeconds(): number {
    const { minWatchTimeoutMs, env } = this.options;
    const min = Math.max(minWatchTimeoutMs, MIN_WATCH_TIMEOUT_MS);
    return Math.floor((min + env.random() * min) / 1_000);
  }

  openWatch(options: WatchOptions, signal: AbortSignal): WatchSession<T> {
    const { source, env, metrics } = this.options;
    metrics.watches.inc();
    return new WatchSession(source, options, signal, env);
  }

  /** A watch that resumes from the last version and lives as long as the server allows. */
  openLongWatch(signal: AbortSignal): WatchSession<T> {
    const { versions } = this;
    return this.openWatch(
      { resourceVersion: versions.last, timeoutSeconds: this.timeoutSeconds(), allowWatchBookmarks: true },
      signal,
    );
  }

  /** Sets the watch that is being read. `interrupt` ends it; an interruption that came earlier ends it at once. */
  attend(session: WatchSession<T> | undefined): void {
    if (session === undefined && this.#session !== undefined) this.book.streamEnded(this.path.clock.read());
    this.#session = session;
    this.#attendedAt = undefined;
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
    const value = versionMetric(this.versions.last);
    if (value !== undefined) this.options.metrics.lastResourceVersion.set(value);
  }

  /**
   * Whether the address now leads to another cluster; stays true until a list of that cluster has been
   * accepted. Always false for sources without `clusterId`.
   */
  async isForeign(signal: AbortSignal): Promise<boolean> {
    const { source, env } = this.options;
    if (source.clusterId === undefined || signal.aborted) return this.#isForeign;
    try {
      // Bounded: no list may wait for a response that never comes.
      const now = await echoWithinSeconds(env, signal, 'name its cluster', async (until) => source.clusterId?.(until));
      if (this.#clusterId !== undefined && this.#clusterId !== now) this.#isForeign = true;
      this.#clusterId = now;
    } catch (error) {
      this.log('debug', 'clusterId() failed; assuming that the cluster is still the same', {
        error: errorMessageOf(error),
      });
    }
    return this.#isForeign;
  }

  /** Set while the accepted list has no version to watch from. */
  get versionless(): Versionless<T> | undefined {
    return this.#versionless;
  }

  /** Sets the book after a list without a version; undefined once a watch has shown that every change has an event. */
  setVersionless(book: Versionless<T> | undefined): void {
    this.#versionless = book;
  }

  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields: Record<string, unknown> = {}): void {
    const { env, name, typeDescription } = this.options;
    env.log(level, message, { reflector: name, type: typeDescription, ...fields });
  }
}
