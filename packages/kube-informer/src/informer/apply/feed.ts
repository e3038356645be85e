import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import type { KeyFn } from '../../core/object/key.ts';
import { type Gauge, type Metrics, versionGauge } from '../../core/metrics.ts';
import { type InformerMetrics, informerMetrics } from './informer-metrics.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import type { Indexer } from '../../store/indexer.ts';
import { Controller } from './controller.ts';
import type { InformerIdentifier } from './informer-name.ts';
import type { ListWatch } from '../list-watch/list-watch.ts';
import { isEqual } from './equal.ts';
import { OrderedFifo } from '../queue/ordered-fifo.ts';
import type { Process } from './process.ts';
import type { ProcessFn, Queue, QueueOptions } from '../queue/queue.ts';
import type { KnownObjects } from '../queue/known-objects.ts';
import type { ReflectorOptions } from '../reflector/reflector-options.ts';
import type { TransformFn } from '../queue/transform.ts';
import { VersionedDeltaFifo } from '../queue/versioned-delta-fifo.ts';

export interface FeedOptions<T extends object> {
  /** Of the informer, for messages. */
  readonly name: string;
  readonly source: ListWatch<T>;
  readonly indexer: Indexer<T>;
  readonly process: Process<T>;
  readonly reflector: ReflectorOptions<T>;
  readonly env: Env;
  readonly access: ObjectAccess<T>;
  readonly key: KeyFn<T>;
  readonly queue: 'ordered' | 'delta';
  readonly batch: boolean;
  readonly transform: TransformFn<T> | undefined;
  /** Whether the transform changes objects; freezing them does not count. */
  readonly isTransformed: boolean;
  readonly metrics: Metrics;
  readonly identifier: InformerIdentifier | undefined;
  /** Settles when handlers that block have caught up. */
  readonly room: () => Promise<unknown> | undefined;
  /** After every applied entry, in the same turn. */
  readonly onApplied: () => void;
  /** A grouping queue spells a replacement out, so nobody but the feed knows when it is through. */
  readonly onEpochReset: () => void;
}

/** What fills one cache: a reflector, a queue, and the loop between queue and cache. */
export interface Feed<T extends object> {
  readonly queue: Queue<T>;
  readonly controller: Controller<T>;
}

/** Wires server to cache. Nothing runs before `controller.run`. */
export function createFeed<T extends object>(options: FeedOptions<T>): Feed<T> {
  const { env, key, transform, identifier, metrics, process } = options;
  // Without a reserved name two informers could write to the same series, so there is none.
  const gauges =
    identifier?.reserved === true
      ? informerMetrics(metrics, { name: identifier.name, resource: identifier.resource })
      : undefined;
  const queueOptions = {
    name: options.name,
    key,
    env,
    ...(gauges === undefined ? {} : { queuedItems: gaugeWhileReserved(gauges.queuedItems, identifier) }),
    ...defined({ transform }),
  };
  const { queue, onApplied } =
    options.queue === 'ordered' ? wireOrderedQueue(queueOptions, options) : wireDeltaQueue(queueOptions, options);
  const applied = (apply: ProcessFn<T>): ProcessFn<T> => measureProcessing(apply, { ...options, onApplied }, gauges);
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

/** A queue, and what to call after each applied entry. */
type WiredQueue<T> = { readonly queue: Queue<T>; readonly onApplied: () => void };

function wireOrderedQueue<T extends object>(
  queueOptions: QueueOptions<T>,
  { access, onApplied, indexer, key, isTransformed }: FeedOptions<T>,
): WiredQueue<T> {
  const queue = new OrderedFifo<T>({
    ...queueOptions,
    resourceVersion: (object) => access.resourceVersion(object),
    // What is cached is not what the server sent, once a transform has been at it.
    ...(isTransformed ? {} : { recall: (object) => recall(indexer, access, key, object) }),
  });
  return { queue, onApplied };
}

/** Versions alone would not do: a storage that went back gives them out again, for other contents. */
function recall<T extends object>(indexer: Indexer<T>, access: ObjectAccess<T>, key: KeyFn<T>, object: T): T {
  const held = indexer.get(key(object));
  if (held === undefined || access.resourceVersion(held) !== access.resourceVersion(object)) return object;
  return isEqual(held, object) ? held : object;
}

function wireDeltaQueue<T extends object>(queueOptions: QueueOptions<T>, options: FeedOptions<T>): WiredQueue<T> {
  const { indexer, process, onApplied, onEpochReset } = options;
  // Those who wait for a version are asked whenever the cache is known to have come further.
  const onVersion = (version: string): void => {
    indexer.bookmark(version);
    onApplied();
  };
  const queue = new VersionedDeltaFifo<T>({
    ...queueOptions,
    access: options.access,
    knownObjects: knownObjectsOf(options),
    // The old state of a poisoned key may be of an epoch that is over.
    applied: (one) => (process.poisoned.has(one) ? undefined : indexer.get(one)),
    onVersion,
    onEpochReset,
  });
  return { queue, onApplied: () => queue.look() };
}

/** What is cached, and what should be: the delete of a poisoned key must find its way too. */
function knownObjectsOf<T extends object>({ indexer, process }: FeedOptions<T>): KnownObjects<T> {
  return {
    *keys() {
      yield* indexer.keys();
      for (const key of process.poisoned.keys()) if (!indexer.has(key)) yield key;
    },
    get: (key) => indexer.get(key),
    has: (key) => indexer.has(key) || process.poisoned.has(key),
  };
}

/** A released name stops reporting. */
function gaugeWhileReserved(gauge: Gauge, identifier: InformerIdentifier | undefined): Gauge {
  return { set: (value) => identifier?.reserved === true && gauge.set(value) };
}

function measureProcessing<T extends object>(
  apply: ProcessFn<T>,
  { env, identifier, indexer, onApplied }: FeedOptions<T>,
  gauges: InformerMetrics | undefined,
): ProcessFn<T> {
  const after = (startedAt: number): void => {
    onApplied();
    // Asked again each time: a released name stops reporting.
    if (gauges === undefined || identifier?.reserved !== true) return;
    gauges.processingLatency.observe((env.now() - startedAt) / 1_000);
    const version = versionGauge(indexer.resourceVersion);
    if (version !== undefined) gauges.storeResourceVersion.set(version);
  };
  return (deltas, initial) => {
    const startedAt = gauges === undefined ? 0 : env.now();
    const running = apply(deltas, initial);
    if (running !== undefined) return running.then(() => after(startedAt));
    after(startedAt);
  };
}
