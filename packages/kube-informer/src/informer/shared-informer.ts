import { guardedCallback, type UserCode } from '../core/guarded.ts';
import { linkedAbort } from '../core/async/abort.ts';
import { Latch } from '../core/async/latch.ts';
import { defined } from '../core/defined.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import type { Key } from '../core/object/key.ts';
import { reductionOf } from '../core/object/reduction.ts';
import { describeObjectType, type KubeObject, type ObjectAccess } from '../core/object/object.ts';
import { isVersionPlaceInHistory } from '../core/object/resource-version.ts';
import type { Index, Indexers, ReadonlyStore } from '../store/store.ts';
import { freshnessStaleForMs } from './freshness/freshness.ts';
import { readOptionsNameVersion, type ReadOptions, checkReadOptions } from './read-options.ts';
import { checkHandlerOptions, type HandlerOptions } from './handlers/handler-options.ts';
import type { Handler } from './handlers/handlers.ts';
import { untilHandlersStop } from './handlers/stop-handlers.ts';
import type { SyncChecker } from './handlers/wait-for-sync.ts';
import { informerHealth, type InformerHealth } from './informer-health.ts';
import {
  checkInformerOptions,
  DEFAULT_STOP_GRACE_MS,
  type SharedInformerOptions,
  packedInformerOptionError,
} from './informer-options.ts';
import type { InformerState } from './informer-state.ts';
import { judgeHeldBackState, judgeState, judgeStateAgainInMs } from './judge-state.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { plainHolding } from './holding.ts';
import { packedHolding } from './packed-holding.ts';
import { type InformerPipeline, Pipeline, type PipelineHooks } from './pipeline.ts';
import type { TransformFn } from './queue/transform.ts';
import type { Problem } from './reflector/reflector-context.ts';
import type { Step } from './reflector/timeline.ts';
import type { WatchErrorHandler } from './reflector/watch-error.ts';
import { type StateCallback, StateListeners } from './state-listeners.ts';
import { createRegistration, type Registration } from './registration.ts';
import { type SyncedOptions, untilSynced, type WaitContext } from './until-synced.ts';
import type { Differences } from './verify/consistency.ts';
import { VersionWaiters } from './version-waiters.ts';

/**
 * One cache of one collection, shared by any number of handlers.
 *
 *   ListWatch ─► Reflector ─► Queue ─► Indexer ─► Processor ─► handlers
 *
 * Promises: the cache is written before a handler is called; a handler gets the
 * events of one object in the order the server changed it; a handler added late
 * first gets everything already in the cache; a handler that fails affects no
 * other; only the caller stops the informer.
 *
 * Not promised: every intermediate state. Two quick changes may arrive as one.
 *
 * @example
 * const pods = new SharedInformer(source);
 * pods.on({ add: ({ key }) => console.log('new', key) });
 * pods.start();
 * await pods.synced({ timeoutMs: 30_000 });
 */
export class SharedInformer<T extends object = KubeObject, I extends string = never>
  implements SyncChecker, AsyncDisposable
{
  readonly name: string;
  /** The cache, read-only. Its objects are shared: never change them. */
  readonly store: ReadonlyStore<T, I>;
  readonly #env: Env;
  readonly #pipeline: InformerPipeline<T, I>;
  readonly #isPacked: boolean;
  readonly #stopGraceMs: number;
  readonly #registrations = new WeakSet<Registration>();
  readonly #waiters = new VersionWaiters();
  readonly #synced = new Latch();
  readonly #stopped = new Latch();
  readonly #stop = new AbortController();
  readonly #waitContext: WaitContext;
  readonly #listeners: StateListeners;
  /** Pending waits, which are told when the problem may have changed. */
  readonly #onChange = new Set<() => void>();
  #ended: Promise<void> | undefined;
  #cause: unknown;

  constructor(source: ListWatch<T>, options: SharedInformerOptions<T, I> = {}) {
    checkInformerOptions(options);
    const { env = systemEnv, stopGraceMs = DEFAULT_STOP_GRACE_MS } = options;
    this.name = `SharedInformer ${options.name ?? describeObjectType(options.expected)}`;
    this.#env = guardedEnv(env);
    this.#stopGraceMs = stopGraceMs;
    this.#isPacked = options.hold === 'packed';
    const reduction = reductionOf(options);
    this.#pipeline = this.#isPacked
      ? new Pipeline(this.name, packedHolding(source, options, this.#env, reduction), options, this.#env)
      : new Pipeline(this.name, plainHolding(source, options, reduction), options, this.#env);
    this.store = this.#pipeline.store;
    this.#waitContext = {
      env: this.#env,
      ended: [this.#stopped],
      problem: () => this.#problem(),
      onChange: (callback) => {
        this.#onChange.add(callback);
        return () => void this.#onChange.delete(callback);
      },
      missing: () => (this.hasStarted ? 'the server has not sent everything yet' : 'it has not been started'),
    };
    this.#listeners = new StateListeners(
      this.#env,
      () => this.state,
      () => judgeStateAgainInMs(this.#pipeline.reflector?.evidence()),
    );
  }

  /** Access to the metadata of the objects that this informer shows. */
  get access(): ObjectAccess<T> {
    return this.#pipeline.access;
  }

  // — handlers ———————————————————————————————————————————————————————————

  /** Adds a handler. Its first events are initial adds for everything already in the cache. */
  on(handler: Handler<T>, options: HandlerOptions = {}): Registration {
    if (this.isStopped)
      throw new KubeError('ILLEGAL_STATE', `${this.name} is stopped: a handler added now would never be called`);
    checkHandlerOptions(handler, options);
    const { processor, resync } = this.#pipeline;
    const period = resync.join(options.resyncMs, this.hasStarted);
    // Snapshot and registration are one turn, so no event is lost between them and none is delivered twice.
    const listener = processor.add(handler, period, () => this.#pipeline.snapshot(), options);
    if (this.#synced.isOpen) listener.tracker.upstreamSynced();
    const registration = createRegistration(processor, listener, {
      name: this.name,
      graceMs: this.#stopGraceMs,
      ...this.#waitContext,
    });
    this.#registrations.add(registration);
    return registration;
  }

  /** Removes a handler; the same as `registration.remove()`. Ignores the registration of another informer. */
  off(registration: Registration): void {
    requireOption(typeof registration?.remove === 'function', 'registration', 'the result of on()', registration);
    if (this.#registrations.has(registration)) registration.remove();
  }

  /** Adds indexes, also while running. Returns the same informer, typed with the new index names. */
  addIndexers<J extends string>(indexers: Readonly<Record<J, Index<T>>>): SharedInformer<T, I | J> {
    if (this.isStopped) throw new KubeError('ILLEGAL_STATE', `${this.name} is stopped: indexes can no longer be added`);
    this.#pipeline.addIndexers(indexers as Indexers<T>);
    return this as unknown as SharedInformer<T, I | J>;
  }

  /** Sets the transform, replacing the one before. Throws ILLEGAL_STATE after the start. */
  setTransform(transform: UserCode<TransformFn<T>>): void {
    this.#requireNotStarted('setTransform');
    if (this.#isPacked) throw packedInformerOptionError();
    this.#pipeline.transform = transform;
  }

  /** Sets the watch error handler, replacing the one before. Throws ILLEGAL_STATE after the start. */
  setWatchErrorHandler(handler: UserCode<WatchErrorHandler>): void {
    this.#requireNotStarted('setWatchErrorHandler');
    this.#pipeline.onWatchError = handler;
  }

  // — life ———————————————————————————————————————————————————————————————

  /**
   * Runs until `signal` aborts or `stop` is called, then waits for running callbacks and resolves.
   * An informer runs once: a second call logs a warning and returns.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#ended !== undefined || this.isStopped) {
      this.#env.log('warn', 'an informer runs once; this second run does nothing', { name: this.name });
      return;
    }
    const follow = (): void => this.#abort(signal.reason);
    if (signal.aborted) follow();
    signal.addEventListener('abort', follow, { once: true });
    this.#ended = this.#run();
    await this.#ended;
    signal.removeEventListener('abort', follow);
  }

  /** Like `run`, without waiting for the end. */
  start(): this {
    void this.run(this.#stop.signal);
    return this;
  }

  /**
   * Stops the informer: no callback starts afterwards, and its connections, timers and promises are gone. Idempotent.
   * Must not be awaited inside a callback: it waits for that callback, at most `stopGraceMs`.
   */
  async stop(cause?: unknown): Promise<void> {
    this.#abort(cause);
    if (this.#ended === undefined) {
      this.#stopped.open();
      this.#listeners.changed();
    }
    await (this.#ended ?? this.#pipeline.processor.stop());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get hasStarted(): boolean {
    return this.#ended !== undefined;
  }

  /** True once no more changes reach the cache; from then on `on` throws. */
  get isStopped(): boolean {
    return this.#stopped.isOpen;
  }

  /** Whether the cache has held one complete list. Stays true. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  onSynced(callback: UserCode<() => unknown>): () => void {
    return this.#synced.onOpen(guardedCallback(this.#env, 'onSynced', callback));
  }

  /** Resolves when the cache is complete. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
  synced(options: SyncedOptions = {}): Promise<void> {
    return untilSynced(this.#synced, this.name, options, this.#waitContext);
  }

  // — reading ————————————————————————————————————————————————————————————

  get(key: Key, options?: ReadOptions): T | undefined {
    this.requireFresh(options);
    return this.store.get(key);
  }

  list(options?: ReadOptions): T[] {
    this.requireFresh(options);
    return this.store.list();
  }

  byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[] {
    this.requireFresh(options);
    return this.store.byIndex(name, value);
  }

  /** Throws STALE_CACHE when the cache is not as fresh as `options` require. */
  requireFresh(options?: ReadOptions): void {
    if (options === undefined) return;
    const { resourceVersion } = this.store;
    checkReadOptions(this.name, { staleForMs: this.staleFor(), resourceVersion }, options);
  }

  /** The newest version received; the cache may be a little behind it, see `store.resourceVersion`. Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#pipeline.reflector?.lastSyncResourceVersion ?? '';
  }

  get state(): InformerState {
    if (this.isStopped) return { kind: 'stopped', cause: this.#cause };
    const { reflector } = this.#pipeline;
    if (reflector === undefined) return { kind: 'idle' };
    const problem = this.#problem();
    if (!this.hasSynced) return { kind: 'starting', ...defined({ problem }) };
    return judgeState(reflector.evidence(), problem, this.#env.wallNow());
  }

  #problem(): Problem | undefined {
    const { reflector } = this.#pipeline;
    if (reflector === undefined || reflector.problem !== undefined || this.hasSynced) return reflector?.problem;
    return judgeHeldBackState(reflector.evidence(), this.#env.wallNow());
  }

  /**
   * Calls `callback` whenever the state has changed: for readiness, dashboards and alarms. Returns a function
   * that ends it.
   */
  onState(callback: UserCode<StateCallback>): () => void {
    return this.#listeners.on(callback);
  }

  /**
   * Calls `callback` when the server's storage went back in time or was replaced: earlier versions can no
   * longer be compared. The cache already holds the new state; events for the differences follow. Returns a
   * function that ends it.
   */
  onEpochReset(callback: UserCode<() => void>): () => void {
    return this.#pipeline.onEpochReset(callback);
  }

  /** Milliseconds since the cache was last known to be current; Infinity before the first list. */
  staleFor(): number {
    const { reflector } = this.#pipeline;
    if (reflector === undefined) return Number.POSITIVE_INFINITY;
    const { evidence, now } = reflector.evidence();
    return freshnessStaleForMs(evidence, now);
  }

  /** State, counters and handlers as plain data, for dashboards and probes. */
  health(): InformerHealth {
    return informerHealth(this.state, this.#pipeline);
  }

  /** The last lists, watches, waits and their reasons, oldest first. */
  get timeline(): readonly Step[] {
    return this.#pipeline.reflector?.timeline ?? [];
  }

  /** Resolves when the cache contains all changes up to `resourceVersion`, for example your own write. */
  async waitForVersion(resourceVersion: string, options: SyncedOptions = {}): Promise<void> {
    // Without this check, waiting for a version that no cache ever reaches would never end.
    const isVersion = typeof resourceVersion === 'string' && isVersionPlaceInHistory(resourceVersion);
    requireOption(isVersion, 'resourceVersion', 'the metadata.resourceVersion of an object', resourceVersion);
    if (readOptionsNameVersion(this.store.resourceVersion, resourceVersion)) return;
    await this.#waiters.wait(resourceVersion, this.name, options, this.#waitContext);
  }

  /** Compares the cache with what the server had at the same version. Reads the whole collection: for audits and tests. A stop ends it with ABORTED. */
  async verify(signal?: AbortSignal): Promise<Differences> {
    if (!this.hasSynced)
      throw new KubeError('ILLEGAL_STATE', `${this.name} has not synced yet: there is nothing to verify`);
    const end = linkedAbort(this.#stop.signal);
    const follow = (): void => end.abort(signal?.reason);
    if (signal?.aborted === true) follow();
    signal?.addEventListener('abort', follow, { once: true });
    try {
      return await this.#pipeline.verify(end.signal);
    } finally {
      signal?.removeEventListener('abort', follow);
      end[Symbol.dispose]();
    }
  }

  // — inside —————————————————————————————————————————————————————————————

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const { processor } = this.#pipeline;
    const hooks: PipelineHooks = {
      onApplied: () => this.#waiters.advancedTo(this.store.resourceVersion),
      onSynced: () => {
        this.#synced.open();
        processor.upstreamSynced();
        this.#listeners.changed();
      },
      onEvidence: () => {
        this.#listeners.changed();
        for (const callback of this.#onChange) callback();
      },
    };
    const running = this.#pipeline.run(hooks, signal);
    const checks = this.#pipeline.runChecks(this, signal);
    await running;
    // Not earlier: until here a handler may still be added and gets the remaining events.
    this.#stopped.open();
    this.#listeners.changed();
    await untilHandlersStop(processor.stop(), { env: this.#env, name: this.name, graceMs: this.#stopGraceMs });
    await checks;
  }

  #requireNotStarted(what: string): void {
    if (this.hasStarted) throw new KubeError('ILLEGAL_STATE', `${what}: the informer has already started`);
  }

  #abort(cause: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#cause = cause;
    // Now, not when the reflector has ended: many callbacks fit into one turn of the event loop.
    this.#pipeline.processor.halt();
    this.#stop.abort(cause);
  }
}
