import { defined } from '../core/defined.ts';
import { type Env, safeEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type Key, type KeyFn, keyFn } from '../core/object/key.ts';
import { Latch } from '../core/async/latch.ts';
import { noMetrics } from '../core/metrics.ts';
import { describeType, type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { Indexer } from '../store/indexer.ts';
import { readonlyStore } from '../store/readonly-store.ts';
import type { Indexers, IndexFn, ReadonlyStore } from '../store/store.ts';
import { runAudit } from './verify/audit.ts';
import { type Differences, verifyStore } from './verify/consistency.ts';
import { createFeed, type Feed } from './apply/feed.ts';
import { guardedCallback } from '../core/async/guarded-callback.ts';
import { bulkOfStore } from './handlers/handler-queue.ts';
import type { Handler } from './handlers/handlers.ts';
import { type InformerHealth, healthOf } from './informer-health.ts';
import {
  hasReached,
  type InformerState,
  type ReadOptions,
  requireFresh,
  type SyncedOptions,
  untilSynced,
  type WaitContext,
} from './informer-state.ts';
import { checkInformerOptions, type SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { detectByDefault, freezeByDefault, freezing, MutationDetector } from './apply/mutation-guard.ts';
import { Process } from './apply/process.ts';
import { type HandlerOptions, Processor } from './handlers/processor.ts';
import { Reflector } from './reflector/reflector.ts';
import { checkHandler, type Registration, register } from './registration.ts';
import { ResyncPlan } from './handlers/resync-period.ts';
import type { SyncChecker } from './handlers/sync.ts';
import type { Step } from './reflector/timeline.ts';
import type { TransformFn } from './queue/transform.ts';
import { VersionWaiters } from './version-waiters.ts';
import type { WatchErrorHandler } from './reflector/watch-error.ts';

/**
 * One cache of one collection, shared by any number of handlers.
 *
 *   ListWatch ─► Reflector ─► Queue ─► Indexer ─► Processor ─► handlers
 *
 * Promises: the cache is written before a handler hears of it; one handler hears
 * of one object in the order the server changed it; a handler added late first
 * hears of everything already there; a handler that fails touches nobody else;
 * only the caller stops it.
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
  readonly #options: SharedInformerOptions<T, I>;
  readonly #source: ListWatch<T>;
  readonly #access: ObjectAccess<T>;
  readonly #key: KeyFn<T>;
  readonly #indexer: Indexer<T, I>;
  readonly #processor: Processor<T>;
  readonly #process: Process<T>;
  readonly #detector: MutationDetector<T> | undefined;
  readonly #resync: ResyncPlan;
  readonly #epochReset: () => void;
  readonly #registrations = new WeakSet<Registration>();
  readonly #waiters = new VersionWaiters();
  readonly #synced = new Latch();
  readonly #stopped = new Latch();
  readonly #stop = new AbortController();
  /** What those who wait for this informer have to know. */
  readonly #around: WaitContext;
  #transform: TransformFn<T> | undefined;
  #onWatchError: WatchErrorHandler | undefined;
  #feed: Feed<T> | undefined;
  #ended: Promise<void> | undefined;
  #cause: unknown;

  constructor(source: ListWatch<T>, options: SharedInformerOptions<T, I> = {}) {
    checkInformerOptions(options);
    const {
      env: given = systemEnv,
      access = plainAccess as unknown as ObjectAccess<T>,
      resyncMs = 0,
      indexers,
    } = options;
    const env = safeEnv(given);
    this.name = `SharedInformer ${options.name ?? describeType(options.expected)}`;
    this.#env = env;
    this.#source = source;
    this.#options = options;
    this.#access = access;
    this.#key = keyFn(access);
    this.#transform = options.transform;
    this.#onWatchError = options.onWatchError;
    this.#resync = new ResyncPlan(env, this.name, resyncMs);
    this.#indexer = new Indexer<T, I>({
      access,
      ...(indexers === undefined ? {} : { indexers: indexers as Indexers<T> }),
    });
    this.store = readonlyStore(this.#indexer);
    // Made anew at the start; this one only refuses impossible options while somebody is there to hear it.
    void new Reflector<T>(source, this.#indexer, { ...options, metrics: noMetrics });
    this.#processor = new Processor(env);
    this.#around = {
      env,
      ended: [this.#stopped],
      trouble: () => this.#reflector?.trouble,
      missing: () => (this.hasStarted ? 'the server has not sent everything yet' : 'it has not been started'),
    };
    const { detectMutations = detectByDefault(), onMutation, identityChange, parity, onEpochReset } = options;
    this.#epochReset = guardedCallback(env, 'onEpochReset', onEpochReset ?? (() => {}));
    this.#detector = detectMutations ? new MutationDetector(env, this.#key, onMutation) : undefined;
    const detector = this.#detector;
    this.#process = new Process<T>({
      store: this.#indexer,
      access,
      env,
      ...defined({ identityChange, parity }),
      versionsAreOrdered: () => this.#reflector?.versionsAreOrdered !== false,
      audience: {
        event: (event, sync) => this.#processor.distribute(event, sync),
        bulk: (bulk, initialAdds, sync) => this.#processor.distributeBulk(bulk, initialAdds, sync),
        ...(detector === undefined ? {} : { stored: (object) => detector.add(object) }),
        epochReset: this.#epochReset,
      },
    });
  }

  // — handlers ———————————————————————————————————————————————————————————

  /** Adds a handler. It is first told of everything already in the cache, as initial adds. */
  on(handler: Handler<T>, options: HandlerOptions = {}): Registration {
    if (this.isStopped)
      throw new KubeError('ILLEGAL_STATE', `${this.name} is stopped: a handler added now would never hear anything`);
    checkHandler(handler, options);
    const period = this.#resync.join(options.resyncMs, this.hasStarted);
    // Snapshot and registration are one turn: no event is lost between them, and none told twice.
    const listener = this.#processor.add(handler, period, () => bulkOfStore(this.#indexer), options);
    if (this.#synced.isOpen) listener.tracker.upstreamSynced();
    const registration = register(this.#processor, listener, { name: this.name, ...this.#around });
    this.#registrations.add(registration);
    return registration;
  }

  /** Removes a handler; the same as `registration.remove()`. The registration of another informer is left alone. */
  off(registration: Registration): void {
    requireOption(typeof registration?.remove === 'function', 'registration', 'what `on` returned', registration);
    if (this.#registrations.has(registration)) registration.remove();
  }

  /** Adds ways to look objects up, also while running. Returns the same informer, typed with the new names. */
  addIndexers<J extends string>(indexers: Readonly<Record<J, IndexFn<T>>>): SharedInformer<T, I | J> {
    if (this.isStopped) throw new KubeError('ILLEGAL_STATE', `${this.name} is stopped: indexes can no longer be added`);
    this.#indexer.addIndexers(indexers as Indexers<T>);
    return this as unknown as SharedInformer<T, I | J>;
  }

  /** Before the start; the last one set counts. */
  setTransform(transform: TransformFn<T>): void {
    this.#transform = this.#beforeStart('setTransform', transform);
  }

  /** Before the start; the last one set counts. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#onWatchError = this.#beforeStart('setWatchErrorHandler', handler);
  }

  // — life ———————————————————————————————————————————————————————————————

  /** Runs until `signal` aborts or `stop` is called, then waits for running callbacks and resolves. Once; a second call says so and returns. */
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
   * Ends everything: no callback starts afterwards, and no socket, timer or promise of ours is left. Idempotent.
   * Not to be awaited inside a callback: it waits for that callback, at most `stopGraceMs`. */
  async stop(cause?: unknown): Promise<void> {
    this.#abort(cause);
    if (this.#ended === undefined) this.#stopped.open();
    await (this.#ended ?? this.#processor.stop());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get hasStarted(): boolean {
    return this.#ended !== undefined;
  }

  /** True once the loop that feeds the cache has ended; a handler added after this would hear nothing. */
  get isStopped(): boolean {
    return this.#stopped.isOpen;
  }

  /** Whether the cache has held one complete list. Stays true. */
  get hasSynced(): boolean {
    return this.#synced.isOpen;
  }

  onSynced(callback: () => void): () => void {
    return this.#synced.onOpen(guardedCallback(this.#env, 'onSynced', callback));
  }

  /** Resolves when the cache is complete. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
  synced(options: SyncedOptions = {}): Promise<void> {
    return untilSynced(this.#synced, this.name, options, this.#around);
  }

  // — reading ————————————————————————————————————————————————————————————

  get(key: Key, options?: ReadOptions): T | undefined {
    if (options !== undefined) this.#requireFresh(options);
    return this.#indexer.get(key);
  }

  list(options?: ReadOptions): T[] {
    if (options !== undefined) this.#requireFresh(options);
    return this.#indexer.list();
  }

  byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[] {
    if (options !== undefined) this.#requireFresh(options);
    return this.#indexer.byIndex(name, value);
  }

  /** Throws STALE_CACHE unless the cache is as fresh as `options` ask for. */
  requireFresh(options: ReadOptions): void {
    this.#requireFresh(options);
  }

  /** The newest version received; the cache may be a little behind it, see `store.resourceVersion`. Empty before the first list. */
  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? '';
  }

  get state(): InformerState {
    if (this.isStopped) return { kind: 'stopped', cause: this.#cause };
    const trouble = this.#reflector?.trouble;
    if (this.#ended === undefined) return { kind: 'idle' };
    if (!this.hasSynced) return { kind: 'starting', ...defined({ trouble }) };
    return trouble === undefined ? { kind: 'synced' } : { kind: 'stale', ...trouble };
  }

  /** Milliseconds since the server was last heard from; infinite before the first answer. */
  staleFor(): number {
    const at = this.#reflector?.lastContactAt;
    return at === undefined ? Number.POSITIVE_INFINITY : this.#env.wallNow() - at;
  }

  /** Everything a person or a probe may want to know, as plain data. */
  health(): InformerHealth {
    const { watchList = true } = this.#options;
    return healthOf({
      state: this.state,
      feed: this.#feed,
      indexer: this.#indexer,
      process: this.#process,
      processor: this.#processor,
      watchList,
    });
  }

  /** What kept the cache right, or from it: lists, watches, waits and why; the last of them, oldest first. */
  get timeline(): readonly Step[] {
    return this.#reflector?.timeline ?? [];
  }

  /** Resolves when the cache contains everything up to `resourceVersion`: your own write, say. */
  async waitFor(resourceVersion: string, options: SyncedOptions = {}): Promise<void> {
    const reached = new Latch();
    if (hasReached(this.#indexer.resourceVersion, resourceVersion)) return;
    const forget = this.#waiters.add(resourceVersion, () => reached.open());
    try {
      await untilSynced(reached, `${this.name} at version ${resourceVersion}`, options, this.#around);
    } finally {
      forget();
    }
  }

  /** Compares the cache with what the server had at the same version. Reads the whole collection: for audits and tests. */
  async verify(signal: AbortSignal = this.#stop.signal): Promise<Differences> {
    if (!this.hasSynced)
      throw new KubeError('ILLEGAL_STATE', `${this.name} has not synced yet: there is nothing to verify`);
    if (this.#options.queue === 'delta' && this.health().pending > 0)
      throw new KubeError('STALE_CACHE', `${this.name}: changes are waiting to be applied; verify again in a moment`);
    const { expected } = this.#options;
    const side = { source: this.#source, access: this.#access, env: this.#env, expected };
    return verifyStore(side, this.#key, this.#indexer, this.#process.poisoned, signal);
  }

  // — inside —————————————————————————————————————————————————————————————

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const feed = this.#connect();
    const helpers = Promise.all([this.#detector?.run(signal), this.#audit(feed, signal)]);
    await feed.controller.run(signal);
    // Only now: until here a handler may still be added and will hear the rest.
    this.#stopped.open();
    await this.#stopHandlers();
    await helpers;
  }

  /** A callback that never settles is waited for, but not for ever. */
  async #stopHandlers(): Promise<void> {
    const { stopGraceMs = 30_000 } = this.#options;
    const idle = new AbortController();
    const stopped = this.#processor.stop().then(() => idle.abort());
    await this.#env.sleep(stopGraceMs, idle.signal);
    if (idle.signal.aborted) return stopped;
    this.#env.log('warn', 'a callback is still running; it is not waited for any longer', { name: this.name });
  }

  #connect(): Feed<T> {
    const { metrics = noMetrics, queue = 'ordered', batch = false, freeze = freezeByDefault() } = this.#options;
    const onWatchError = this.#onWatchError;
    const feed = createFeed<T>({
      name: this.name,
      source: this.#source,
      indexer: this.#indexer,
      process: this.#process,
      env: this.#env,
      access: this.#access,
      key: this.#key,
      queue,
      batch,
      metrics,
      identity: this.#options.identity,
      transform: freeze ? freezing(this.#transform) : this.#transform,
      isTransformed: this.#transform !== undefined,
      room: () => this.#processor.room(),
      onApplied: () => {
        if (this.#waiters.size > 0) this.#waiters.advancedTo(this.#indexer.resourceVersion);
      },
      onEpochReset: this.#epochReset,
      reflector: {
        ...this.#options,
        resyncMs: this.#resync.checkMs,
        shouldResync: () => this.#processor.shouldResync(),
        ...defined({ onWatchError }),
      },
    });
    feed.queue.synced.onOpen(() => {
      this.#synced.open();
      this.#processor.upstreamSynced();
    });
    this.#feed = feed;
    return feed;
  }

  #audit({ controller }: Feed<T>, signal: AbortSignal): Promise<void> | undefined {
    const { everyMs } = this.#options.audit ?? {};
    if (everyMs === undefined) return undefined;
    return runAudit(this, { everyMs, env: this.#env, reflector: controller.reflector }, signal);
  }

  get #reflector(): Reflector<T> | undefined {
    return this.#feed?.controller.reflector;
  }

  #requireFresh(options: ReadOptions): void {
    requireFresh(this.name, { staleForMs: this.staleFor(), resourceVersion: this.#indexer.resourceVersion }, options);
  }

  #beforeStart<V>(what: string, value: V): V {
    if (this.hasStarted) throw new KubeError('ILLEGAL_STATE', `${what}: the informer has already started`);
    return value;
  }

  #abort(cause: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#cause = cause;
    this.#stop.abort(cause);
  }
}
