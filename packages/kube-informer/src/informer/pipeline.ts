import { guardedCallback, type UserCode } from '../core/guarded.ts';
import { defined } from '../core/defined.ts';
import type { Env } from '../core/env.ts';
import { KubeError } from '../core/errors.ts';
import { noMetrics } from '../core/metrics.ts';
import { type KeyFn, keyFn } from '../core/object/key.ts';
import type { ObjectAccess } from '../core/object/object.ts';
import type { HeldBytes } from '../core/object/representation.ts';
import { Indexer } from '../store/indexer.ts';
import { readonlyStore } from '../store/readonly-store.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { createFeed, type Feed } from './apply/feed.ts';
import { MutationDetector, guardMutationsByDefault } from './apply/mutation-guard.ts';
import { Process } from './apply/process.ts';
import { type Bulk, bulkOfStore } from './handlers/bulk.ts';
import { Processor } from './handlers/processor.ts';
import { ResyncPlan } from './handlers/resync-period.ts';
import type { Holding, Readers } from './holding.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import { guardedTransform, type TransformFn } from './queue/transform.ts';
import type { Reflector } from './reflector/reflector.ts';
import { checkReflectorOptions } from './reflector/reflector-options.ts';
import type { WatchErrorHandler } from './reflector/watch-error.ts';
import { type Audited, runAudit } from './verify/audit.ts';
import { type Differences, verifyStoreConsistency } from './verify/consistency.ts';

/**
 * Callbacks by which a pipeline reports to its informer. The first two are called in the turn that changed
 * the cache.
 */
export interface PipelineHooks {
  /** Called after each applied queue entry. */
  readonly onApplied: () => void;
  /** Called once, when the first complete list has been applied. */
  readonly onSynced: () => void;
  /** Called when the judgement about the cache may have changed. */
  readonly onEvidence: () => void;
}

/** The part of a pipeline that an informer uses, whatever form its objects are held in. */
export interface InformerPipeline<T extends object, I extends string> {
  /** The cache as readers see it. */
  readonly store: ReadonlyStore<T, I>;
  /** Access to the objects that the store shows. */
  readonly access: ObjectAccess<T>;
  readonly processor: Processor<T>;
  readonly process: Pick<
    Process<never>,
    'poisoned' | 'staleDropped' | 'unknownDeletes' | 'contradictions' | 'outsideSelection'
  >;
  readonly resync: ResyncPlan;
  /** The reflector; undefined before `run`. */
  readonly reflector: InformerReflector | undefined;
  /** Number of changes received and not yet applied. */
  readonly pending: number;
  readonly usesWatchList: boolean;
  /** The memory behind the cache; undefined for plain objects, which are not counted. */
  readonly bytes: HeldBytes | undefined;
  /** The transform that `run` uses, as it does `onWatchError`. */
  transform: UserCode<TransformFn<T>> | undefined;
  onWatchError: UserCode<WatchErrorHandler> | undefined;
  onEpochReset(callback: UserCode<() => void>): () => void;
  addIndexers(indexers: Indexers<T>): void;
  /** Initial adds for everything in the cache now. */
  snapshot(): Bulk<T>;
  /** Fills the cache until `signal` aborts. Resolves when nothing changes it any more. */
  run(hooks: PipelineHooks, signal: AbortSignal): Promise<void>;
  /** Runs the mutation detector, the audit and the work of the cache on its memory, until `signal` aborts. */
  runChecks(informer: Audited, signal: AbortSignal): Promise<void>;
  /** Compares the cache with what the server had at the same version. */
  verify(signal: AbortSignal): Promise<Differences>;
}

type InformerReflector = Omit<Reflector<never>, 'run' | 'listAndWatch'>;

/**
 * The parts of one informer, wired:
 *
 *   ListWatch ─► Reflector ─► Queue ─► Process ─► Indexer ─► readers
 *                                         └─────► Processor ─► handlers
 *
 * Up to the cache, the parts handle objects in stored form; readers and handlers see them through the
 * representation. Cache and handlers exist from the beginning; reflector and queue exist after `run`.
 */
export class Pipeline<Stored extends object, T extends object, I extends string> implements InformerPipeline<T, I> {
  readonly store: ReadonlyStore<T, I>;
  readonly processor: Processor<T>;
  readonly process: Process<Stored, T>;
  readonly resync: ResyncPlan;
  transform: UserCode<TransformFn<T>> | undefined;
  onWatchError: UserCode<WatchErrorHandler> | undefined;
  readonly #name: string;
  readonly #holding: Holding<Stored, T>;
  readonly #options: SharedInformerOptions<T, I>;
  readonly #env: Env;
  readonly #key: KeyFn<Stored>;
  readonly #indexer: Indexer<Stored>;
  readonly #readers: Readers<T>;
  readonly #detector: MutationDetector<Stored> | undefined;
  readonly #onEpochReset: () => void;
  readonly #epochCallbacks = new Set<() => void>();
  #feed: Feed<Stored> | undefined;

  constructor(name: string, holding: Holding<Stored, T>, options: SharedInformerOptions<T, I>, env: Env) {
    const { resyncMs = 0, indexers } = options;
    const { representation, events, source } = holding;
    this.#name = name;
    this.#holding = holding;
    this.#options = options;
    this.#env = env;
    this.#key = keyFn(representation);
    this.transform = options.transform;
    this.onWatchError = options.onWatchError;
    this.resync = new ResyncPlan(env, name, resyncMs);
    this.#indexer = new Indexer<Stored>({ access: representation, holder: representation });
    this.#readers = holding.readers(this.#indexer);
    this.store = readonlyStore(this.#readers);
    if (indexers !== undefined) this.addIndexers(indexers as Indexers<T>);
    checkReflectorOptions(source, { ...options, access: representation });
    this.processor = new Processor(env);
    const { detectMutations = guardMutationsByDefault(), onMutation, uidChange, parity, onEpochReset } = options;
    const announce = guardedCallback(env, 'onEpochReset', onEpochReset ?? (() => {}));
    this.#onEpochReset = () => {
      announce();
      // A callback may remove another one, or itself.
      for (const callback of Array.from(this.#epochCallbacks)) if (this.#epochCallbacks.has(callback)) callback();
    };
    const detector = detectMutations ? new MutationDetector(env, this.#key, onMutation, holding.inspect) : undefined;
    this.#detector = detector;
    this.process = new Process<Stored, T>({
      store: this.#indexer,
      access: representation,
      events,
      env,
      ...defined({ uidChange, parity, isUnseen: holding.isUnseen }),
      versionsAreOrdered: () => this.reflector?.versionsAreOrdered !== false,
      audience: {
        event: (event, sync) => this.processor.distribute(event, sync),
        bulk: (bulk, initialAdds, sync) => this.processor.distributeBulk(bulk, initialAdds, sync),
        ...(detector === undefined ? {} : { stored: (object) => detector.add(object) }),
        epochReset: this.#onEpochReset,
      },
    });
  }

  get access(): ObjectAccess<T> {
    return this.#holding.representation.seen;
  }

  get bytes(): HeldBytes | undefined {
    return this.#holding.representation.usage?.();
  }

  get reflector(): InformerReflector | undefined {
    return this.#feed?.controller.reflector;
  }

  get pending(): number {
    return this.#feed?.queue.pending ?? 0;
  }

  get usesWatchList(): boolean {
    return this.reflector?.usesWatchList ?? this.#options.watchList ?? true;
  }

  onEpochReset(callback: UserCode<() => void>): () => void {
    const guarded = guardedCallback(this.#env, 'onEpochReset', callback);
    this.#epochCallbacks.add(guarded);
    return () => void this.#epochCallbacks.delete(guarded);
  }

  addIndexers(indexers: Indexers<T>): void {
    this.#readers.addIndexers(indexers);
  }

  snapshot(): Bulk<T> {
    return bulkOfStore(this.#holding.events, this.#indexer);
  }

  async run({ onApplied, onSynced, onEvidence }: PipelineHooks, signal: AbortSignal): Promise<void> {
    const { metrics = noMetrics, queue = 'ordered', batch = false, access: _, ...options } = this.#options;
    const { transform, onWatchError } = this;
    const feed = createFeed<Stored>({
      name: this.#name,
      source: this.#holding.source,
      indexer: this.#indexer,
      process: this.process,
      env: this.#env,
      access: this.#holding.representation,
      key: this.#key,
      queue,
      batch,
      metrics,
      identifier: options.identifier,
      transform: this.#holding.transform(transform),
      isTransformed: transform !== undefined,
      room: () => this.processor.room(),
      onApplied,
      onEpochReset: this.#onEpochReset,
      reflector: {
        ...options,
        access: this.#holding.representation,
        resyncMs: this.resync.checkMs,
        shouldResync: () => this.processor.shouldResync(),
        applied: () => ({ pending: this.pending, resourceVersion: this.#indexer.resourceVersion }),
        onEvidence,
        ...defined({ onWatchError }),
      },
    });
    feed.queue.synced.onOpen(onSynced);
    this.#feed = feed;
    await feed.controller.run(signal);
  }

  async runChecks(informer: Audited, signal: AbortSignal): Promise<void> {
    const { everyMs } = this.#options.audit ?? {};
    const { reflector } = this;
    await Promise.all([
      this.#detector?.run(signal),
      this.#holding.run?.(signal),
      everyMs === undefined || reflector === undefined
        ? undefined
        : runAudit(informer, { everyMs, env: this.#env, reflector }, signal),
    ]);
  }

  async verify(signal: AbortSignal): Promise<Differences> {
    // A delta queue applies changes out of order, so its cache shows no single version while changes wait.
    if (this.#options.queue === 'delta' && this.pending > 0)
      throw new KubeError('STALE_CACHE', `${this.#name}: changes are waiting to be applied; call verify() again later`);
    const { source, representation } = this.#holding;
    const { expected = source.expected } = this.#options;
    const transform = guardedTransform(this.#holding.transform(this.transform));
    const side = { source, access: representation, env: this.#env, expected, transform };
    return verifyStoreConsistency(side, this.#key, this.#indexer, this.process.poisoned, signal);
  }
}
