import { guardedEnv, systemEnv } from '../../core/env.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import { guardedCallback } from '../../core/guarded.ts';
import { guardedKey, type KeyFn } from '../../core/object/key.ts';
import { guardedMetrics, noMetrics } from '../../core/metrics.ts';
import { reflectorMetrics } from './reflector-metrics.ts';
import { callSite } from '../../core/call-site.ts';
import { describeObjectType, type KubeObject, plainAccess } from '../../core/object/object.ts';
import { isVersionPlaceInHistory } from '../../core/object/resource-version.ts';
import { unreadableCause } from '../../core/object/unreadable.ts';
import { Slices } from '../../core/async/slices.ts';
import { Trace } from '../../core/trace.ts';
import { streamedConsistency } from '../verify/consistency.ts';
import { readItem } from '../list-watch/item-reader.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { PageSizes } from '../list-watch/pager.ts';
import { plainList } from './plain-list.ts';
import type { Applied, Evidence } from '../freshness/evidence.ts';
import { freshnessStaleForMs } from '../freshness/freshness.ts';
import { StreamingPath } from '../freshness/streaming-path.ts';
import type { ReportedFailure } from './failure-reporter.ts';
import { watchErrorCode, defaultWatchErrorHandler, type WatchErrorHandler } from './watch-error.ts';
import type { Sink } from '../queue/queue.ts';
import { ReflectorContext, type ReflectorState, type Problem } from './reflector-context.ts';
import {
  checkReflectorOptions,
  DEFAULT_MARKER_TIMEOUT_MS,
  type ReflectorHooks,
  type ReflectorOptions,
} from './reflector-options.ts';
import { startResyncTimer } from './resync-timer.ts';
import type { Step } from './timeline.ts';
import { Versionless } from './versionless.ts';
import { ListOrder } from './versions.ts';
import { SLOW_LIST_MS, type StreamedList, watchList } from './watch-list.ts';
import { followWatchLoop } from './watch-loop.ts';
import type { WatchSession } from './watch-session.ts';

/** A complete list on its way to the sink. */
interface CompleteList<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  /** Time of the request, on the ElapsedClock. */
  readonly askedAt: number;
  /** Whether the newest state was requested, not one from a cache of the server. */
  readonly isConsistent: boolean;
}

/** The state of a sink that applies changes at once. */
const APPLIED: Applied = { pending: 0, resourceVersion: '' };

/**
 * Keeps a sink equal to a server collection.
 *
 *   watch-list ──────────┐
 *      │ unsupported     ▼
 *      └────► list ──► watch ──closed, broken──► watch     same version, no list
 *               ▲        │ ▲
 *               │        ▼ │ a watch delivers again
 *               │       poll        watches do not work here: short ones do, or lists
 *               └────────┘ expired, continuity lost: wait, then list
 *
 * Promises: the sink gets nothing older than what it got before (G1, G2), except after
 * the storage went back, which is reported (G3); the version to resume from moves only
 * after the sink has the change (G8); every wait ends at once when stopped; a server
 * that is down is a state, not an exception (G16).
 *
 * Room rule: the only loop that calls the server. Knows no indexes and no handlers.
 */
export class Reflector<T extends object = KubeObject> {
  readonly name: string;
  readonly typeDescription: string;
  readonly #options: ReflectorOptions<T>;
  readonly #sink: Sink<T>;
  readonly #context: ReflectorContext<T>;
  readonly #key: KeyFn<T>;
  readonly #onWatchError: WatchErrorHandler;
  #watchList: boolean;
  readonly #pages: PageSizes;
  #unnamed = 0;
  #started = false;
  /** The signal of the run, or of a call of `listAndWatch` alone. */
  #signal: AbortSignal = new AbortController().signal;

  constructor(source: ListWatch<T>, sink: Sink<T>, options: ReflectorOptions<T> & ReflectorHooks = {}) {
    checkReflectorOptions(source, options);
    const {
      env: given = systemEnv,
      metrics = noMetrics,
      access = plainAccess,
      expected = source.expected,
      minWatchTimeoutMs = 0,
      name = callSite(),
      typeDescription = describeObjectType(options.expected),
      metricLabels = {},
    } = options;
    this.name = name;
    this.typeDescription = typeDescription;
    this.#options = options;
    this.#sink = sink;
    const env = guardedEnv(given);
    this.#key = guardedKey(options.key, access);
    this.#onWatchError = guardedCallback(env, 'onWatchError', options.onWatchError ?? defaultWatchErrorHandler);
    this.#pages = new PageSizes(options.pageSize);
    this.#watchList = (options.watchList ?? true) && source.watchListUnsupported !== true;
    this.#context = new ReflectorContext<T>({
      name,
      typeDescription,
      source,
      sink,
      env,
      access,
      expected,
      metrics: reflectorMetrics(guardedMetrics(env, metrics), { name, ...metricLabels }),
      backoff: options.backoff,
      minWatchTimeoutMs,
      path: options.path ?? new StreamingPath(env),
      applied: options.applied ?? (() => APPLIED),
      onFailure: (failure) => this.#report(failure),
      onChange: options.onEvidence ?? (() => {}),
    });
  }

  get state(): ReflectorState {
    return this.#context.state;
  }

  /** The newest version given to the sink; the cache behind a queue may still be older. */
  get lastSyncResourceVersion(): string {
    return this.#context.versions.last;
  }

  /** Whether the initial state is fetched as a streaming list. Turns false for good when the server does not support it. */
  get usesWatchList(): boolean {
    return this.#watchList;
  }

  /** The reason why the sink may be stale, if there is one. */
  get problem(): Problem | undefined {
    return this.#context.problem;
  }

  /** The last steps, oldest first. */
  get timeline(): readonly Step[] {
    return this.#context.timeline.steps;
  }

  /** Wall clock time at which the sink was last known to be current. */
  get lastContactAt(): number | undefined {
    const { evidence, now } = this.#context.evidence();
    const agoMs = freshnessStaleForMs(evidence, now);
    return agoMs === Number.POSITIVE_INFINITY ? undefined : this.#context.options.env.wallNow() - agoMs;
  }

  /** The evidence that the sink is current, and the time it was read at. */
  evidence(): { readonly evidence: Evidence; readonly now: number } {
    return this.#context.evidence();
  }

  /** False when this server's versions cannot be ordered; older states are then not recognized. */
  get versionsAreOrdered(): boolean {
    return this.#context.versions.ordered;
  }

  /** Objects of the last list of which not even the name could be decoded. */
  get unnamed(): number {
    return this.#unnamed;
  }

  /** Number of times the server's storage went back in time or was replaced. */
  get epochs(): number {
    return this.#context.versions.epochs;
  }

  /** Lists and watches until `signal` aborts, then resolves. Never rejects for anything a server does. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new KubeError('ILLEGAL_STATE', 'a Reflector runs once; create a new one to run again');
    this.#started = true;
    const context = this.#context;
    context.log('debug', 'starting', { resyncMs: this.#options.resyncMs ?? 0 });
    while (!signal.aborted) {
      try {
        await this.listAndWatch(signal);
        await context.waitToList(signal);
      } catch (error) {
        await context.wait(error, signal);
      }
    }
    context.polling?.trial.session?.close();
    context.state = { kind: 'stopped' };
    context.log('debug', 'stopping');
  }

  /** One cycle: fetches the initial state, then watches for as long as the watch can be resumed. */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    this.#signal = signal;
    context.log('debug', 'listing and watching');
    context.startOver();
    const session = await this.#initialState(signal);
    if (signal.aborted) return session?.close();
    context.log('debug', 'caches populated');
    const { resyncMs = 0, shouldResync, maxInternalErrorRetryMs = 0 } = this.#options;
    const resync = startResyncTimer(context, { periodMs: resyncMs, shouldResync }, signal);
    try {
      await followWatchLoop(context, session, maxInternalErrorRetryMs, signal);
    } finally {
      await resync.stop();
    }
  }

  /** Ends the running watch and relists, because the cache was found to differ from the server. */
  requestRelist(error: unknown): void {
    this.#context.contradicted(error, 'list');
    this.#context.interrupt(
      new KubeError('CONTINUITY_LOST', `a relist was requested: ${errorMessageOf(error)}`, { cause: error }),
    );
  }

  countMissed(count: number): void {
    this.#context.options.metrics.missedEvents.inc(count);
  }

  #report({ error, reason, leftOut }: ReportedFailure): void {
    const { env } = this.#context.options;
    const about = { name: this.name, type: this.typeDescription, env, reason, leftOut };
    this.#onWatchError(error, { ...about, reflector: this, signal: this.#signal });
  }

  /** Fetches the initial state. Returns the open watch of a streaming list, undefined after a plain list. */
  async #initialState(signal: AbortSignal): Promise<WatchSession<T> | undefined> {
    // If watches are held back, a streaming list would be, too.
    if (this.#watchList && this.#context.polling === undefined) {
      const { markerTimeoutMs = DEFAULT_MARKER_TIMEOUT_MS } = this.#options;
      const accept = (list: StreamedList<T>): Promise<void> => this.#acceptStreamed(list, signal);
      const outcome = await watchList(this.#context, { key: this.#key, markerTimeoutMs, accept }, signal);
      if (outcome.use === 'session') return outcome.session;
      if (outcome.use === 'stopped') return undefined;
      if (outcome.next === 'list-for-good') this.#watchList = false;
      if (outcome.next === 'poll') this.#context.startPolling(outcome.error);
    }
    await this.#list(signal);
    return undefined;
  }

  async #acceptStreamed(list: StreamedList<T>, signal: AbortSignal): Promise<void> {
    const { versions } = this.#context;
    const { items, resourceVersion, askedFor, askedAt } = list;
    if (this.#options.verifyWatchList === true) {
      await streamedConsistency(this.#context.options, this.#key, items, resourceVersion, signal);
    }
    // Older than the requested minimum: this server is behind. Older although the newest was requested: the storage
    // went back.
    if (versions.isStale(resourceVersion) && askedFor !== '')
      throw new KubeError('STALE_SERVER', `requested a state not older than ${askedFor}, got ${resourceVersion}`);
    await this.#giveToSink({ items, resourceVersion, askedAt, isConsistent: askedFor === '' }, signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { env, metrics } = this.#context.options;
    const trace = new Trace(env, 'Reflector ListAndWatch', { reflector: this.name });
    const [startedAt, askedAt] = [env.now(), this.#context.path.clock.read()];
    metrics.lists.inc();
    const received = (): number => (this.state.kind === 'listing' ? this.state.received : 0);
    const end = this.#context.timeline.begin('list', { count: received });
    try {
      const { allowStaleFirstList } = this.#options;
      const first = allowStaleFirstList === true ? '0' : '';
      const list = await plainList(this.#context, { first, pages: this.#pages }, trace, signal);
      metrics.listDuration.observe((env.now() - startedAt) / 1_000);
      metrics.itemsPerList.observe(list.items.length);
      end({ objects: list.items.length, resourceVersion: list.resourceVersion });
      if (list.firstAsked === '0' && list.paginated) this.#pages.cacheIsOff = true;
      await this.#giveToSink({ ...list, askedAt }, signal);
      trace.step('sync done');
    } catch (error) {
      end({ because: errorMessageOf(error), failed: true });
      // After a stop the result does not matter.
      if (!signal.aborted) throw error;
    } finally {
      trace.logIfLong(SLOW_LIST_MS);
    }
  }

  /** Gives a complete list to the sink, and only then moves the version the watch starts from. */
  async #giveToSink(list: CompleteList<T>, signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { versions } = context;
    const { items, resourceVersion, askedAt, isConsistent } = list;
    // Before the items, which may show that versions have no order: the server's current state is adopted either way.
    const newEpoch = (await context.isForeign(signal)) || versions.isStale(resourceVersion);
    const accepted = await this.#expectedItems(items, resourceVersion);
    if (signal.aborted) return;
    if (newEpoch) {
      context.timeline.mark('epoch', { resourceVersion, because: `had seen ${versions.high}` });
      context.options.metrics.epochResets.inc();
      context.log('warn', "the server's storage went back in time or was replaced; the cache follows it", {
        had: versions.high,
        now: resourceVersion,
      });
    }
    try {
      await this.#sink.replace(accepted, resourceVersion, { newEpoch });
    } catch (error) {
      const message = `unable to store the list of ${this.typeDescription}: ${errorMessageOf(error)}`;
      throw new KubeError(watchErrorCode(error, 'SYNC_FAILED'), message, { cause: error });
    }
    context.setVersionless(isVersionPlaceInHistory(resourceVersion) ? undefined : new Versionless(accepted, this.#key));
    versions.unavailable = false;
    versions.replaced(resourceVersion, newEpoch);
    context.listed(resourceVersion, askedAt, isConsistent);
  }

  /** The items of the expected type. Also detects whether this server's versions can be ordered. */
  async #expectedItems(items: T[], listVersionSeen: string): Promise<T[]> {
    const { access, expected, env } = this.#context.options;
    const report = (message: string, fields: Record<string, unknown>): void =>
      this.#context.log('error', message, fields);
    const order = new ListOrder(listVersionSeen);
    const slices = new Slices(env);
    const accepted: T[] = [];
    let unnamed = 0;
    for (const item of items) {
      const read = readItem(item, access, expected, report);
      if (read !== undefined) {
        accepted.push(read);
        order.observe(access.resourceVersion(read));
        const cause = unreadableCause(read);
        if (cause !== undefined && !this.#isNamed(read, cause)) unnamed += 1;
      }
      if (slices.due()) await slices.pause();
    }
    if (unnamed > 0 && unnamed === items.length)
      throw new KubeError('LIST_INVALID', `no object of the list of ${this.typeDescription} can be decoded`);
    this.#unnamed = unnamed;
    this.#context.versions.judge(order);
    return accepted;
  }

  /** Whether the key of an object that could not be decoded is known. Throws if the sink cannot keep its old state. */
  #isNamed(object: T, cause: KubeError): boolean {
    if (this.#sink.keepsUnreadable !== true) throw cause;
    try {
      this.#key(object);
      return true;
    } catch {
      this.#context.log('error', 'an object of the list could not be decoded, not even its name', {
        error: cause.message,
      });
      return false;
    }
  }
}
