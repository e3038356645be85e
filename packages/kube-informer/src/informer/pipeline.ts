import { guardedCallback } from '../core/async/guarded-callback.ts';
import { defined } from '../core/defined.ts';
import type { Env } from '../core/env.ts';
import { KubeError } from '../core/errors.ts';
import { noMetrics } from '../core/metrics.ts';
import { type KeyFn, keyFn } from '../core/object/key.ts';
import { type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { Indexer } from '../store/indexer.ts';
import type { Indexers } from '../store/store.ts';
import { createFeed, type Feed } from './apply/feed.ts';
import {
  guardFreezesByDefault,
  MutationDetector,
  detectMutationsByDefault,
  mutationFreezingTransform,
} from './apply/mutation-guard.ts';
import { Process } from './apply/process.ts';
import { Processor } from './handlers/processor.ts';
import { ResyncPlan } from './handlers/resync-period.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import type { TransformFn } from './queue/transform.ts';
import type { Reflector } from './reflector/reflector.ts';
import { checkReflectorOptions } from './reflector/reflector-options.ts';
import type { WatchErrorHandler } from './reflector/watch-error.ts';
import { type Audited, runAudit } from './verify/audit.ts';
import { type Differences, verifyStoreConsistency } from './verify/consistency.ts';

/** How the informer follows its pipeline. Both are called in the turn that changed the cache. */
export interface PipelineHooks {
  /** Called after each applied queue entry. */
  readonly onApplied: () => void;
  /** Called once, when the first complete list has been applied. */
  readonly onSynced: () => void;
}

/**
 * The parts of one informer, wired:
 *
 *   ListWatch ─► Reflector ─► Queue ─► Process ─► Indexer
 *                                         └─────► Processor ─► handlers
 *
 * Cache and handlers exist from the beginning; reflector and queue exist after `connect`.
 */
export class Pipeline<T extends object, I extends string> {
  readonly indexer: Indexer<T, I>;
  readonly processor: Processor<T>;
  readonly process: Process<T>;
  readonly resync: ResyncPlan;
  /** Used by `connect`, as is `onWatchError`. */
  transform: TransformFn<T> | undefined;
  onWatchError: WatchErrorHandler | undefined;
  readonly #name: string;
  readonly #source: ListWatch<T>;
  readonly #options: SharedInformerOptions<T, I>;
  readonly #env: Env;
  readonly #access: ObjectAccess<T>;
  readonly #key: KeyFn<T>;
  readonly #detector: MutationDetector<T> | undefined;
  readonly #onEpochReset: () => void;
  #feed: Feed<T> | undefined;

  constructor(name: string, source: ListWatch<T>, options: SharedInformerOptions<T, I>, env: Env) {
    const { access = plainAccess as unknown as ObjectAccess<T>, resyncMs = 0, indexers } = options;
    this.#name = name;
    this.#source = source;
    this.#options = options;
    this.#env = env;
    this.#access = access;
    this.#key = keyFn(access);
    this.transform = options.transform;
    this.onWatchError = options.onWatchError;
    this.resync = new ResyncPlan(env, name, resyncMs);
    this.indexer = new Indexer<T, I>({
      access,
      ...(indexers === undefined ? {} : { indexers: indexers as Indexers<T> }),
    });
    checkReflectorOptions(source, options);
    this.processor = new Processor(env);
    const { detectMutations = detectMutationsByDefault(), onMutation, uidChange, parity, onEpochReset } = options;
    this.#onEpochReset = guardedCallback(env, 'onEpochReset', onEpochReset ?? (() => {}));
    const detector = detectMutations ? new MutationDetector(env, this.#key, onMutation) : undefined;
    this.#detector = detector;
    this.process = new Process<T>({
      store: this.indexer,
      access,
      env,
      ...defined({ uidChange, parity }),
      versionsAreOrdered: () => this.reflector?.versionsAreOrdered !== false,
      audience: {
        event: (event, sync) => this.processor.distribute(event, sync),
        bulk: (bulk, initialAdds, sync) => this.processor.distributeBulk(bulk, initialAdds, sync),
        ...(detector === undefined ? {} : { stored: (object) => detector.add(object) }),
        epochReset: this.#onEpochReset,
      },
    });
  }

  /** Undefined before `connect`. */
  get reflector(): Reflector<T> | undefined {
    return this.#feed?.controller.reflector;
  }

  /** Changes received and not yet applied. */
  get pending(): number {
    return this.#feed?.queue.pending ?? 0;
  }

  get usesWatchList(): boolean {
    return this.reflector?.usesWatchList ?? this.#options.watchList ?? true;
  }

  /** Creates reflector and queue. Nothing runs before `controller.run`. */
  connect({ onApplied, onSynced }: PipelineHooks): Feed<T> {
    const { metrics = noMetrics, queue = 'ordered', batch = false, freeze = guardFreezesByDefault() } = this.#options;
    const { transform, onWatchError } = this;
    const feed = createFeed<T>({
      name: this.#name,
      source: this.#source,
      indexer: this.indexer,
      process: this.process,
      env: this.#env,
      access: this.#access,
      key: this.#key,
      queue,
      batch,
      metrics,
      identifier: this.#options.identifier,
      transform: freeze ? mutationFreezingTransform(transform) : transform,
      isTransformed: transform !== undefined,
      room: () => this.processor.room(),
      onApplied,
      onEpochReset: this.#onEpochReset,
      reflector: {
        ...this.#options,
        resyncMs: this.resync.checkMs,
        shouldResync: () => this.processor.shouldResync(),
        ...defined({ onWatchError }),
      },
    });
    feed.queue.synced.onOpen(onSynced);
    this.#feed = feed;
    return feed;
  }

  /** Runs the mutation detector and the audit, where they are switched on, until `signal` aborts. */
  async runChecks(informer: Audited, { controller }: Feed<T>, signal: AbortSignal): Promise<void> {
    const { everyMs } = this.#options.audit ?? {};
    const options = { env: this.#env, reflector: controller.reflector };
    await Promise.all([
      this.#detector?.run(signal),
      everyMs === undefined ? undefined : runAudit(informer, { everyMs, ...options }, signal),
    ]);
  }

  /** Compares the cache with what the server had at the same version. */
  async verify(signal: AbortSignal): Promise<Differences> {
    // A delta queue applies changes out of order, so its cache shows no single version while changes wait.
    if (this.#options.queue === 'delta' && this.pending > 0)
      throw new KubeError('STALE_CACHE', `${this.#name}: changes are waiting to be applied; call verify() again later`);
    const { expected } = this.#options;
    const side = { source: this.#source, access: this.#access, env: this.#env, expected };
    return verifyStoreConsistency(side, this.#key, this.indexer, this.process.poisoned, signal);
  }
}
