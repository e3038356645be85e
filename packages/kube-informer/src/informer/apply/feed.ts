import type { UserCode } from '../../core/guarded.ts';
import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import type { Key, KeyFn } from '../../core/object/key.ts';
import { type Gauge, guardedMetrics, type Metrics, versionMetric } from '../../core/metrics.ts';
import { type InformerMetrics, informerMetrics } from './informer-metrics.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import type { Indexer } from '../../store/indexer.ts';
import { Controller } from './delta-controller.ts';
import type { InformerIdentifier } from './informer-name.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { OrderedFifo } from '../queue/ordered-fifo.ts';
import type { ProcessFn, Queue, QueueOptions } from '../queue/queue.ts';
import type { PoisonedState } from '../verify/consistency.ts';
import type { KnownObjects } from '../queue/known-objects.ts';
import type { ReflectorHooks, ReflectorOptions } from '../reflector/reflector-options.ts';
import type { TransformFn } from '../queue/transform.ts';
import { VersionedDeltaFifo } from '../queue/versioned-delta-fifo.ts';

/** The part that changes the cache: a Process for any representation of objects. */
interface AppliesDeltas<T> {
  readonly process: ProcessFn<T>;
  readonly processBatch: ProcessFn<T>;
  readonly poisoned: ReadonlyMap<Key, PoisonedState>;
  readonly deleted: { has(key: Key, object: T): boolean; clear(): void };
}

export interface FeedOptions<T extends object> {
  /** Name of the informer, for log lines. */
  readonly name: string;
  readonly source: ListWatch<T>;
  readonly indexer: Indexer<T>;
  readonly process: AppliesDeltas<T>;
  readonly reflector: ReflectorOptions<T> & ReflectorHooks;
  readonly env: Env;
  readonly access: ObjectAccess<T>;
  readonly key: KeyFn<T>;
  readonly queue: 'ordered' | 'delta';
  readonly batch: boolean;
  readonly transform: UserCode<TransformFn<T>> | undefined;
  /** Whether the user set a transform; freezing does not count. */
  readonly isTransformed: boolean;
  readonly metrics: UserCode<Metrics>;
  readonly identifier: InformerIdentifier | undefined;
  /** Settles when handlers with the policy `block` have caught up. */
  readonly room: () => Promise<unknown> | undefined;
  /** Called after every applied entry, in the same turn. */
  readonly onApplied: () => void;
  /** Called by the queue `delta` only, which applies a replace object by object: after the last of them. */
  readonly onEpochReset: () => void;
}

/** The parts that fill one cache: a reflector and a queue, and the controller that runs both. */
export interface Feed<T extends object> {
  readonly queue: Queue<T>;
  readonly controller: Controller<T>;
}

/** Wires source, queue and cache. Nothing runs before `controller.run`. */
export function createFeed<T extends object>(options: FeedOptions<T>): Feed<T> {
  const { env, key, transform, identifier, metrics, process } = options;
  // Only with a reserved name: otherwise two informers could write to the same series.
  const gauges =
    identifier?.reserved === true
      ? informerMetrics(guardedMetrics(env, metrics), { name: identifier.name, resource: identifier.resource })
      : undefined;
  const queueOptions = {
    name: options.name,
    key,
    env,
    ...(gauges === undefined ? {} : { queuedItems: gaugeFeedWhileReserved(gauges.queuedItems, identifier) }),
    ...defined({ transform }),
  };
  const { queue, onApplied } =
    options.queue === 'ordered' ? feedOrdered(queueOptions, options) : feedWithDeltas(queueOptions, options);
  const applied = (apply: ProcessFn<T>): ProcessFn<T> => measureFeed(apply, { ...options, onApplied }, gauges);
  const controller = new Controller<T>({
    ...options.reflector,
    queue,
    source: options.source,
    process: applied(process.process),
    ...(options.batch ? { processBatch: applied(process.processBatch) } : {}),
    room: options.room,
    metrics,
    env,
  });
  return { queue, controller };
}

/** A queue, and the function to call after each applied entry. */
type WiredQueue<T> = { readonly queue: Queue<T>; readonly onApplied: () => void };

function feedOrdered<T extends object>(
  queueOptions: QueueOptions<T>,
  { access, onApplied, indexer, key, isTransformed }: FeedOptions<T>,
): WiredQueue<T> {
  const queue = new OrderedFifo<T>({
    ...queueOptions,
    resourceVersion: (object) => access.resourceVersion(object),
    // A transformed object in the cache is never equal to what the server sent.
    ...(isTransformed ? {} : { recall: (object) => recallForFeed(indexer, access, key, object) }),
  });
  return { queue, onApplied };
}

/** Compares contents too, where possible: a storage that went back assigns its versions again, to other contents. */
function recallForFeed<T extends object>(indexer: Indexer<T>, access: ObjectAccess<T>, key: KeyFn<T>, object: T): T {
  const held = indexer.get(key(object));
  if (held === object) return object;
  if (held === undefined || access.resourceVersion(held) !== access.resourceVersion(object)) return object;
  if (access.hasSameContent?.(held, object) !== true) return object;
  indexer.discard(object);
  return held;
}

function feedWithDeltas<T extends object>(queueOptions: QueueOptions<T>, options: FeedOptions<T>): WiredQueue<T> {
  const { indexer, process, onApplied, onEpochReset } = options;
  // Pending waitForVersion calls are checked whenever the version of the cache moves.
  const onVersion = (version: string): void => {
    indexer.bookmark(version);
    onApplied();
  };
  const queue = new VersionedDeltaFifo<T>({
    ...queueOptions,
    access: options.access,
    knownObjects: knownToFeed(options),
    // The old state of a poisoned key may be from a past epoch.
    applied: (one) => (process.poisoned.has(one) ? undefined : indexer.get(one)),
    wasDeleted: (one, object) => process.deleted.has(one, object),
    onVersion,
    onEpochReset: () => {
      process.deleted.clear();
      onEpochReset();
    },
  });
  return { queue, onApplied: () => queue.updateProgress() };
}

/** The cached keys and the poisoned keys: the delete of a poisoned key must be queued too. */
function knownToFeed<T extends object>({ indexer, process }: FeedOptions<T>): KnownObjects<T> {
  return {
    *keys() {
      yield* indexer.keys();
      for (const key of process.poisoned.keys()) if (!indexer.has(key)) yield key;
    },
    get: (key) => indexer.get(key),
    has: (key) => indexer.has(key) || process.poisoned.has(key),
  };
}

/** A gauge that ignores values once the informer's name is released. */
function gaugeFeedWhileReserved(gauge: Gauge, identifier: InformerIdentifier | undefined): Gauge {
  return { set: (value) => identifier?.reserved === true && gauge.set(value) };
}

/** Wraps `apply`: measures it and calls `onApplied` afterwards. */
function measureFeed<T extends object>(
  apply: ProcessFn<T>,
  { env, identifier, indexer, onApplied }: FeedOptions<T>,
  gauges: InformerMetrics | undefined,
): ProcessFn<T> {
  const after = (startedAt: number): void => {
    onApplied();
    // Checked each time: the name may have been released.
    if (gauges === undefined || identifier?.reserved !== true) return;
    gauges.processingLatency.observe((env.now() - startedAt) / 1_000);
    const version = versionMetric(indexer.resourceVersion);
    if (version !== undefined) gauges.storeResourceVersion.set(version);
  };
  return (deltas, initial) => {
    const startedAt = gauges === undefined ? 0 : env.now();
    const running = apply(deltas, initial);
    if (running !== undefined) return running.then(() => after(startedAt));
    after(startedAt);
  };
}
