import { safeEnv, systemEnv } from '../../core/env.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import { type KeyFn, keyFn } from '../../core/object/key.ts';
import { noMetrics } from '../../core/metrics.ts';
import { reflectorMetrics } from './reflector-metrics.ts';
import { callSite } from '../../core/call-site.ts';
import { describeObjectType, type KubeObject, type ObjectAccess, plainAccess } from '../../core/object/object.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import { Slices } from '../../core/async/slices.ts';
import { Trace } from '../../core/trace.ts';
import { checkStreamedConsistency } from '../verify/consistency.ts';
import { isExpectedEventType } from '../list-watch/event-reader.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { plainList } from './plain-list.ts';
import { watchErrorCode, defaultWatchErrorHandler } from './watch-error.ts';
import type { Sink } from '../queue/queue.ts';
import { ReflectorContext, type ReflectorState, type Problem } from './reflector-context.ts';
import { checkReflectorOptions, DEFAULT_MARKER_TIMEOUT_MS, type ReflectorOptions } from './reflector-options.ts';
import { startResyncTimer } from './resync-timer.ts';
import type { Step } from './timeline.ts';
import { Versionless } from './versionless.ts';
import { SLOW_LIST_MS, watchList } from './watch-list.ts';
import { followWatchLoop } from './watch-loop.ts';
import type { WatchSession } from './watch-session.ts';

/**
 * Keeps a sink equal to a server collection.
 *
 *   watch-list ──────────┐
 *      │ unsupported     ▼
 *      └────► list ──► watch ──closed, broken──► watch     same version, no list
 *               ▲        │
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
  #watchList: boolean;
  /** A list at version 0 was paged, so the server does not serve lists from a watch cache. */
  #cacheIsOff = false;
  #started = false;

  constructor(source: ListWatch<T>, sink: Sink<T>, options: ReflectorOptions<T> = {}) {
    checkReflectorOptions(source, options);
    const {
      env = systemEnv,
      metrics = noMetrics,
      access = plainAccess as unknown as ObjectAccess<T>,
      expected,
      minWatchTimeoutMs = 0,
      name = callSite(),
      typeDescription = describeObjectType(expected),
      metricLabels = {},
    } = options;
    this.name = name;
    this.typeDescription = typeDescription;
    this.#options = options;
    this.#sink = sink;
    this.#key = options.key ?? keyFn(access);
    this.#watchList = (options.watchList ?? true) && source.watchListUnsupported !== true;
    this.#context = new ReflectorContext({
      name,
      typeDescription,
      source,
      sink,
      env: safeEnv(env),
      access,
      expected,
      metrics: reflectorMetrics(metrics, { name, ...metricLabels }),
      backoff: options.backoff,
      minWatchTimeoutMs,
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

  get lastContactAt(): number | undefined {
    return this.#context.lastContactAt;
  }

  /** False when this server's versions cannot be ordered; older states are then not recognized. */
  get versionsAreOrdered(): boolean {
    return this.#context.versions.ordered;
  }

  /** How often the server's storage went back in time or was replaced. */
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
        if (!signal.aborted) this.#report(error);
        await context.wait(error, signal);
      }
    }
    context.state = { kind: 'stopped' };
    context.log('debug', 'stopping');
  }

  /** One cycle: fetches the initial state, then watches for as long as the watch can be resumed. */
  async listAndWatch(signal: AbortSignal): Promise<void> {
    const context = this.#context;
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
    this.#context.noteProblem(error);
    this.#context.interrupt(
      new KubeError('CONTINUITY_LOST', `a relist was requested: ${errorMessageOf(error)}`, { cause: error }),
    );
  }

  countMissed(count: number): void {
    this.#context.options.metrics.missedEvents.inc(count);
  }

  #report(error: unknown): void {
    const { onWatchError = defaultWatchErrorHandler } = this.#options;
    const { env } = this.#context.options;
    try {
      onWatchError(error, { name: this.name, type: this.typeDescription, env });
    } catch (failed) {
      this.#context.log('error', 'onWatchError threw', { error: errorMessageOf(failed) });
    }
  }

  /** Fetches the initial state. Returns the open watch of a streaming list, undefined after a plain list. */
  async #initialState(signal: AbortSignal): Promise<WatchSession<T> | undefined> {
    if (this.#watchList) {
      const { markerTimeoutMs = DEFAULT_MARKER_TIMEOUT_MS } = this.#options;
      const accept = (items: T[], resourceVersion: string, askedFor: string): Promise<void> =>
        this.#acceptStreamed(items, resourceVersion, askedFor, signal);
      const outcome = await watchList(this.#context, { key: this.#key, markerTimeoutMs, accept }, signal);
      if (outcome.use === 'session') return outcome.session;
      if (outcome.use === 'stopped') return undefined;
      if (outcome.forGood) this.#watchList = false;
    }
    await this.#list(signal);
    return undefined;
  }

  async #acceptStreamed(items: T[], resourceVersion: string, askedFor: string, signal: AbortSignal): Promise<void> {
    const { versions } = this.#context;
    if (this.#options.verifyWatchList === true) {
      await checkStreamedConsistency(this.#context.options, this.#key, items, resourceVersion, signal);
    }
    const older = versions.isStale(resourceVersion);
    // Older than the requested minimum: this server is behind. Older although the newest was requested: the storage went back.
    if (older && askedFor !== '')
      throw new KubeError('STALE_SERVER', `requested a state not older than ${askedFor}, got ${resourceVersion}`);
    await this.#giveToSink(items, resourceVersion, older, signal);
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { env, metrics } = this.#context.options;
    const trace = new Trace(env, 'Reflector ListAndWatch', { reflector: this.name });
    const startedAt = env.now();
    metrics.lists.inc();
    const received = (): number => (this.state.kind === 'listing' ? this.state.received : 0);
    const end = this.#context.timeline.begin('list', { count: received });
    try {
      const { pageSize, allowStaleFirstList } = this.#options;
      const first = allowStaleFirstList === true ? '0' : '';
      const list = await plainList(this.#context, { first, pageSize, cacheIsOff: this.#cacheIsOff }, trace, signal);
      metrics.listDuration.observe((env.now() - startedAt) / 1_000);
      metrics.itemsPerList.observe(list.items.length);
      end({ objects: list.items.length, resourceVersion: list.resourceVersion });
      if (list.firstAsked === '0' && list.paginated) this.#cacheIsOff = true;
      await this.#giveToSink(list.items, list.resourceVersion, list.older, signal);
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
  async #giveToSink(items: T[], resourceVersion: string, older: boolean, signal: AbortSignal): Promise<void> {
    const context = this.#context;
    const { versions } = context;
    const newEpoch = (await context.isForeign(signal)) || older;
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
    context.versionless = isPlaceInHistory(resourceVersion) ? undefined : new Versionless(accepted, this.#key);
    versions.unavailable = false;
    versions.replaced(resourceVersion, newEpoch);
    context.caughtUp();
  }

  /** The items of the expected type. Also detects whether this server's versions can be ordered. */
  async #expectedItems(items: T[], listVersionSeen: string): Promise<T[]> {
    const { access, expected, env } = this.#context.options;
    const { versions } = this.#context;
    versions.observeList(listVersionSeen);
    const slices = new Slices(env);
    const accepted: T[] = [];
    for (const item of items) {
      if (typeof item !== 'object' || item === null)
        throw new KubeError(
          'LIST_INVALID',
          `the list of ${this.typeDescription} contains an item that is not an object`,
        );
      const type = access.type(item);
      if (isExpectedEventType(expected, type)) accepted.push(item);
      else
        this.#context.log('error', 'the list contains an object of another type; it is skipped', {
          expected: describeObjectType(expected),
          got: describeObjectType(type),
        });
      versions.observeItem(listVersionSeen, access.resourceVersion(item));
      if (slices.due()) await slices.pause();
    }
    return accepted;
  }
}
