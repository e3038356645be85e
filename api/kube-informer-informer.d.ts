// informer/index.d.ts
export { Controller, type ControllerConfig } from './controller.ts';
export type { Differences } from './consistency.ts';
export { type BookmarkDelta, type DeletedDelta, type Delta, DeletedFinalStateUnknown, type ObjectDelta, type Indigestible, type PoisonedDelta, type ReplacedAllDelta, type SyncAllDelta, type Deltas, isTombstone, keyOfMaybeDeleted, } from './delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from './delta-fifo.ts';
export type { ExpectedType } from './event-reader.ts';
export { type AddEvent, type DeleteEvent, filtered, type Handler, type InformerEvent, type UpdateEvent, } from './handlers.ts';
export { type InformerIdentity, InformerName, InformerNames, processNames } from './identity.ts';
export type { SlowCall } from './call-log.ts';
export type { HandlerHealth, InformerHealth } from './informer-health.ts';
export type { SharedInformerOptions } from './informer-options.ts';
export type { InformerState, ReadOptions, SyncedOptions } from './informer-state.ts';
export { type ListFn, type ListWatch, type OptionsModifier, type WatchFn, withOptions } from './list-watch.ts';
export type { BacklogPolicy } from './listener.ts';
export type { MutationHandler } from './mutation-guard.ts';
export { OrderedFifo, type OrderedFifoOptions } from './ordered-fifo.ts';
export { eachListItem, type EachItemOptions, listPages, type ListResult, type PagerOptions } from './pager.ts';
export type { HandlerOptions } from './processor.ts';
export type { KnownObjects, ProcessFn, Queue, QueueOptions, ReplaceInfo, Sink } from './queue.ts';
export { Reflector, type ReflectorOptions } from './reflector.ts';
export type { ReflectorState, Trouble } from './reflector-context.ts';
export type { Registration } from './registration.ts';
export { SharedInformer } from './shared-informer.ts';
export type { Step, StepKind } from './timeline.ts';
export { namespaceKeyedIndexerAndReflector, simpleInformer, type SimpleInformerOptions } from './simple-informer.ts';
export { KeyedSyncTracker, Lazy, type SyncChecker, waitForSync, type WaitForSyncOptions } from './sync.ts';
export type { TransformFn } from './transform.ts';
export { defaultWatchErrorHandler, reasonOf, type TroubleReason, type WatchErrorHandler } from './watch-error.ts';
export { ExpirationCache, type ExpirationCacheOptions } from '../store/expiration-cache.ts';
export { Fifo, type FifoOptions, type FifoProcess } from '../store/fifo.ts';
export { Heap, type HeapOptions } from '../store/heap.ts';
export { Indexer, type IndexerOptions, NAMESPACE_INDEX } from '../store/indexer.ts';
export { MutationCache, type MutationCacheOptions } from '../store/mutation-cache.ts';
export type { Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from '../store/store.ts';
export { UndeltaStore, type UndeltaStoreOptions } from '../store/undelta-store.ts';
// informer/controller.d.ts
import type { KubeObject } from '../core/object.ts';
import type { ListWatch } from './list-watch.ts';
import type { ProcessFn, Queue } from './queue.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
/** Everything a Controller needs. Reflector options (expected type, resync, page size, error handler …) are passed on. */
export interface ControllerConfig<T extends object> extends ReflectorOptions<T> {
    readonly queue: Queue<T>;
    readonly source: ListWatch<T>;
    readonly process: ProcessFn<T>;
    /** Applies many entries at once; used when the queue can pop batches. */
    readonly processBatch?: ProcessFn<T>;
    /** Asked before each entry: a promise makes the loop wait, and with it the queue and the reflector. */
    readonly room?: () => Promise<unknown> | undefined;
    /** Told of an entry that could not be processed; the entry is dropped. @default logs */
    readonly onProcessError?: (error: unknown) => void;
}
/**
 * A reflector that fills a queue, and a loop that empties it.
 *
 * Usable on its own, with a queue and a process function of your own; the shared
 * informer is one user of it. `run` returns when both have ended.
 */
export declare class Controller<T extends object = KubeObject> {
    #private;
    readonly reflector: Reflector<T>;
    constructor(config: ControllerConfig<T>);
    get hasStarted(): boolean;
    get hasSynced(): boolean;
    /** Empty before the first list. */
    get lastSyncResourceVersion(): string;
    run(signal: AbortSignal): Promise<void>;
}
// core/object.d.ts
/**
 * The metadata this project relies on. Everything else in an object belongs to the user.
 *
 * Fields are optional because a server, a transform or a test may leave them out;
 * `keyOf` is where a missing name becomes an error.
 */
export interface ObjectMeta {
    readonly name?: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
}
/** The part every Kubernetes object has. */
export interface KubeObject {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: ObjectMeta;
}
/** What a LIST answers. `metadata.continue` is set when there are more pages. */
export interface KubeList<T> {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: {
        readonly resourceVersion?: string;
        readonly continue?: string;
        readonly remainingItemCount?: number;
    };
    readonly items: readonly T[];
}
/** What an object claims to be. */
export interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}
/**
 * How the engine sees an object: through its metadata and nothing else.
 *
 * One engine serves every representation that can answer these questions: the
 * decoded JSON value (`plainAccess`), or bytes that are decoded on demand.
 *
 * Room rule: never decodes a body, never keeps a reference.
 */
export interface ObjectAccess<T> {
    name(object: T): string | undefined;
    namespace(object: T): string | undefined;
    uid(object: T): string | undefined;
    resourceVersion(object: T): string | undefined;
    labels(object: T): Readonly<Record<string, string>>;
    annotations(object: T): Readonly<Record<string, string>>;
    type(object: T): TypeRef;
}
export declare const plainAccess: ObjectAccess<KubeObject>;
/** `apps/v1, Kind=Deployment`: how messages name a type. */
export declare function describeType(type: TypeRef | undefined): string;
/** Whether the server answered with a printable table instead of objects; a cache cannot live on rows. */
export declare function isTable(type: TypeRef): boolean;
// informer/list-watch.d.ts
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import type { KubeList } from '../core/object.ts';
import type { WatchEvent } from '../core/watch-event.ts';
export type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
export type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;
/**
 * What the informer needs from a server: pages and a stream.
 *
 * The informer owns this interface and imports no client. The client of this
 * package fits it, a FakeSource in a test fits it, and so does anything else that
 * can list and watch.
 */
export interface ListWatch<T> {
    /** One page; never follows `continue` itself. Rejects when `signal` aborts. */
    readonly list: ListFn<T>;
    /**
     * Events after `options.resourceVersion`, until the server ends the stream.
     * Failing to open is the first `next()` rejecting; a source that rejects has
     * already cleaned up. Returning early from the iteration closes the connection.
     */
    readonly watch: WatchFn<T>;
    /** True when the server behind cannot stream its initial list; only `true` counts. */
    readonly watchListUnsupported?: boolean;
    /**
     * Something that differs between two clusters (the UID of `kube-system`, say). Asked at the
     * first list, at every relist and after every reopened watch; a change is a new epoch.
     */
    readonly identity?: (signal: AbortSignal) => Promise<string>;
}
/** Changes the query of every list and watch, on a copy. */
export type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;
/** The same source, narrowed: `modify` sees a copy of the options of each call. Markers are carried over. */
export declare function withOptions<T>(source: ListWatch<T>, modify: OptionsModifier): ListWatch<T>;
// core/list-options.d.ts
/** The query of a LIST or WATCH, with the API's own names. Unset fields are not sent. */
export interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}
export interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}
/** The query of a GET. */
export interface GetOptions {
    readonly resourceVersion?: string;
}
// core/watch-event.d.ts
import type { Status } from './errors.ts';
import type { KubeObject } from './object.ts';
/** One frame of a watch, decoded and not yet interpreted. */
export type WatchEvent<T> = {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
    readonly object: T;
}
/** Only kind, resourceVersion and annotations mean something. */
 | {
    readonly type: 'BOOKMARK';
    readonly object: KubeObject;
} | {
    readonly type: 'ERROR';
    readonly object: Status;
};
/** On the bookmark that ends the initial events of a watch-list; only the value "true" counts. */
export declare const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
// core/errors.d.ts
/** Names a caller may compare with. Adding one is a minor release, changing one a major. */
export type ErrorCode = 'API_STATUS' | 'API_WARNING' | 'TRANSPORT' | 'WATCH_DECODE' | 'WATCH_ENDED' | 'WATCH_LIST' | 'LIST_INVALID' | 'STALE_SERVER' | 'CONTINUITY_LOST' | 'SYNC_FAILED' | 'STALE_CACHE' | 'INVALID_KEY' | 'INDEX_FAILED' | 'TRANSFORM_FAILED' | 'QUEUE_CLOSED' | 'NOT_FOUND' | 'CACHE_MUTATED' | 'INVALID_CONFIG' | 'CREDENTIALS' | 'INVALID_OPTION' | 'ILLEGAL_STATE' | 'ABORTED';
/** One reason behind a Status, machine-readable. */
export interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}
/** The body Kubernetes sends with a failure (`kind: Status`). */
export interface Status {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: {
        readonly name?: string;
        readonly group?: string;
        readonly kind?: string;
        readonly retryAfterSeconds?: number;
        readonly causes?: readonly StatusCause[];
    };
}
export interface KubeErrorOptions {
    readonly cause?: unknown;
    readonly status?: Status;
    /** What a `Retry-After` header or Status asked for. */
    readonly retryAfterMs?: number;
}
/**
 * The only error class this project throws.
 *
 * Match on `code`, or better with the predicates of `status.ts`: both survive two
 * copies of this package in one process, which `instanceof` does not. What went
 * wrong underneath is always in `cause`.
 */
export declare class KubeError extends Error {
    readonly name = "KubeError";
    readonly code: ErrorCode;
    /** The server's own answer, when there was one. */
    readonly status: Status | undefined;
    readonly retryAfterMs: number | undefined;
    constructor(code: ErrorCode, message: string, options?: KubeErrorOptions);
}
/** Throws INVALID_OPTION unless `ok`. Messages say what was expected and what came. */
export declare function requireOption(ok: boolean, name: string, expected: string, got: unknown): void;
/** The error with `code`, if `error` or something in its chain of causes has it. */
export declare function findCause(error: unknown, matches: (candidate: object) => boolean): object | undefined;
export declare function hasCode(error: unknown, code: ErrorCode): boolean;
/** One line about anything that was thrown. */
export declare function messageOf(error: unknown): string;
/** The error to hand on when a signal ended the work. */
export declare function abortError(signal: AbortSignal, what: string): KubeError;
// informer/queue.d.ts
import type { Env } from '../core/env.ts';
import type { Key, KeyFn } from '../core/key.ts';
import { Latch } from '../core/latch.ts';
import { type Gauge } from '../core/metrics.ts';
import type { DeletedFinalStateUnknown, Deltas } from './delta.ts';
import type { TransformFn } from './transform.ts';
/** Says where a replace came from. */
export interface ReplaceInfo {
    /** The server's storage went back in time; what it says is older than the cache and still the truth. */
    readonly newEpoch?: boolean;
}
/** Where a Reflector puts what it learns: a queue, or a store of the user's own. */
export interface Sink<T> {
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): void | Promise<void>;
    resync?(): void;
    /** Nothing changed up to here. */
    bookmark?(resourceVersion: string): void;
    /** Called after each accepted event, bookmarks included. */
    updateResourceVersion?(resourceVersion: string): void;
    /**
     * The object the sink holds, if it is the same to the last field; otherwise the one given. A streamed list then needs
     * no second copy of what has not changed.
     */
    recall?(object: T): T;
    /** When the sink is full: a promise that settles when there is room again. */
    room?(): Promise<void> | undefined;
}
/** The queue's view of what the consumer already holds. The Indexer fits. */
export interface KnownObjects<T> {
    keys(): Iterable<Key>;
    get(key: Key): T | undefined;
    /** Whether a delete of `key` matters, also without a state to show. @default whether `get` finds one */
    has?(key: Key): boolean;
}
/** What is known of `key`. A lookup that fails finds nothing: what is certain must not wait for it. */
export declare function lookUp<T>(known: KnownObjects<T>, key: Key): T | undefined;
/** The same for a resync, where finding nothing is worth a line: the key was there a moment ago. */
export declare function lookUpForResync<T>(known: KnownObjects<T>, key: Key, env: Env): T | undefined;
/**
 * Applies one entry of the queue. `initial` is true while the first list is being worked off.
 * Synchronous except for a whole replacement, which may be applied in slices.
 */
export type ProcessFn<T> = (deltas: Deltas<T>, initial: boolean) => void | Promise<void>;
/** Changes waiting to be applied. One producer, one consumer. */
export interface Queue<T> extends Sink<T> {
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    resync(): void;
    bookmark(resourceVersion: string): void;
    /** Waits for work, applies the oldest entry and removes it. Rejects QUEUE_CLOSED once closed and empty. */
    pop(process: ProcessFn<T>): Promise<void>;
    /** Like `pop`, with up to `BATCH_SIZE` entries of different objects at once where the queue can. */
    popBatch?(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
    close(): void;
    readonly pending: number;
    readonly hasSynced: boolean;
    /** Opens when the first complete list has been applied. */
    readonly synced: Latch;
}
export interface QueueOptions<T> {
    readonly key: KeyFn<T>;
    readonly env: Env;
    readonly transform?: TransformFn<T>;
    /** Entries after which the producer should wait. @default 2000 */
    readonly pendingLimit?: number;
    readonly queuedItems?: Gauge;
    /** Whose queue it is, in messages. */
    readonly name?: string;
}
export declare const BATCH_SIZE = 1000;
type CoreOptions = Pick<QueueOptions<never>, 'env' | 'pendingLimit' | 'queuedItems' | 'name'>;
/**
 * The part both queues share: waiting, closing, back-pressure, and what "synced" means.
 *
 * Synced: the first list has been *applied*, its invented deletes included. A first
 * event before any list counts as synced too: nobody promised a list.
 *
 * Room rule: no network, no cache, no handlers.
 */
export declare class QueueCore {
    #private;
    readonly synced: Latch;
    constructor(kind: string, pending: () => number, options: CoreOptions);
    get closed(): boolean;
    get initialLeft(): number;
    /** First write of any kind. `initial` counts the entries of a first list, 0 for anything else. */
    populate(initial: number): void;
    /** Something is in the queue: wakes one consumer. */
    wake(): void;
    /** Resolves when there may be work; rejects once closed. Ask again afterwards: another consumer may have been quicker. */
    ready(): Promise<void>;
    room(): Promise<void> | undefined;
    /**
     * Applies deltas through `process`, in the same turn unless it asks for more time, and only then
     * counts them: "synced" is never visible before the last initial entry was handled.
     */
    apply<T>(process: ProcessFn<T>, deltas: Deltas<T>, entries: number): void | Promise<void>;
    close(): void;
}
export {};
// core/env.d.ts
/** One structured line. `message` never holds a value; `fields` are the facts. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/**
 * Everything the code takes from the world besides its inputs.
 *
 * Given the same Env and the same server replies, a run is the same run. That is
 * what lets a failing simulation be reported as one seed. Only this file may
 * touch the platform's timers, clocks and random numbers; lint holds the rest of
 * the code to that.
 */
export interface Env {
    /** Milliseconds on a clock that never jumps. Only differences have meaning. */
    now(): number;
    /** Milliseconds since 1970, for people to read. Never used for deadlines. */
    wallNow(): number;
    /**
     * Resolves after `ms`, or as soon as `signal` aborts. Never rejects: a loop
     * asks `signal.aborted` itself, so stopping needs no try/catch.
     */
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    /** Lets timers, sockets and other turns run before the caller goes on. */
    yield(): Promise<void>;
    /** Uniform in [0, 1). */
    random(): number;
    readonly log: Log;
}
export declare const systemEnv: Env;
/** A switch from the platform's environment, where there is one: browsers have none. */
export declare function platformFlag(name: string): string | undefined;
/**
 * The same Env with a log that cannot hurt: a logger that throws must not end the loop that wanted to tell it
 * something. Whoever takes an Env from a user takes it through here.
 */
export declare function safeEnv(env: Env): Env;
// core/key.d.ts
import { type KubeObject, type ObjectAccess } from './object.ts';
/** `namespace/name`, or `name` when the object has no namespace. */
export type Key = string;
/** How a store or queue finds an object's key. */
export type KeyFn<T> = (object: T) => Key;
/**
 * The key of an object; INVALID_KEY when it has no name.
 *
 * The UID is not part of it: an object deleted and created again under the same
 * name is the same entry, and the change of UID is announced instead.
 */
export declare function keyOf(object: KubeObject): Key;
/** A key function over any representation. */
export declare function keyFn<T>(access: ObjectAccess<T>): KeyFn<T>;
export interface ObjectName {
    readonly namespace: string;
    readonly name: string;
}
/** The two parts of a key. A key with more than one slash was not made by `keyOf`. */
export declare function splitKey(key: Key): ObjectName;
export declare function joinKey({ namespace, name }: ObjectName): Key;
// core/latch.d.ts
/**
 * Something that becomes true once and stays so: readable at any time, awaitable by many.
 *
 * Room rule: holds no timer and no signal; who waits with a deadline brings it along.
 */
export declare class Latch {
    #private;
    get isOpen(): boolean;
    open(): void;
    /** Calls back once open, at once if it already is. The returned function forgets the callback. */
    onOpen(callback: () => void): () => void;
    /** Resolves true once open, false if `signal` aborts first. Leaves no listener behind. */
    wait(signal?: AbortSignal): Promise<boolean>;
}
// core/metrics.d.ts
/**
 * Where numbers go. The default keeps nothing, so call sites need no checks and
 * no metrics library is needed. Durations are seconds, as Prometheus wants them.
 *
 * Room rule: the meaning of a metric lives with whoever counts; this file only names them.
 */
export interface Metrics {
    counter(name: string, labels: MetricLabels): Counter;
    gauge(name: string, labels: MetricLabels): Gauge;
    histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
}
export type MetricLabels = Readonly<Record<string, string>>;
export interface Counter {
    inc(by?: number): void;
}
export interface Gauge {
    set(value: number): void;
}
export interface Histogram {
    observe(value: number): void;
}
export declare const noMetrics: Metrics;
/** Whether nobody listens: what costs something to compute need not be computed. */
export declare function isNoMetric(metric: object | undefined): boolean;
/**
 * A resourceVersion as a number a gauge can hold: its last 15 digits, which a
 * double keeps exactly. Empty is 0; what is not digits is not a number.
 */
export declare function versionGauge(version: string): number | undefined;
/** The eight metrics of a reflector, by the names the first informers gave them. */
export interface ReflectorMetrics {
    readonly lists: Counter;
    readonly listDuration: Histogram;
    readonly itemsPerList: Histogram;
    readonly watches: Counter;
    readonly shortWatches: Counter;
    readonly watchDuration: Histogram;
    readonly itemsPerWatch: Histogram;
    readonly lastResourceVersion: Gauge;
    /** Ours: states that were older than what had been seen, and were dropped. */
    readonly staleEvents: Counter;
    /** Ours: events the audit found missing. */
    readonly missedEvents: Counter;
    /** Ours: how often the server's storage was found to have gone back. */
    readonly epochResets: Counter;
    /** Ours: seconds the event loop was blocked longer than it should be, as a sleeping watchdog notices. */
    readonly stalls: Histogram;
}
export declare function reflectorMetrics(provider: Metrics, labels: MetricLabels): ReflectorMetrics;
/** Buckets of `informer_processing_latency_seconds`, 1 ms to 10 s. */
export declare const LATENCY_BUCKETS: readonly number[];
export interface InformerMetrics {
    readonly queuedItems: Gauge;
    readonly processingLatency: Histogram;
    readonly storeResourceVersion: Gauge;
}
export declare function informerMetrics(provider: Metrics, labels: MetricLabels): InformerMetrics;
// informer/delta.d.ts
import type { Key } from '../core/key.ts';
/**
 * What happened to one object, or to all of them at once.
 *
 * `replaced` and `sync` say where a state came from, not what it does: whether
 * an object is new is decided by the cache when the delta is applied.
 */
export type Delta<T> = ObjectDelta<T> | DeletedDelta<T> | PoisonedDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta;
export interface ObjectDelta<T> {
    readonly type: 'added' | 'updated' | 'replaced' | 'sync';
    readonly key: Key;
    readonly object: T;
    /** From a storage that went back in time: older than the cache and still the truth. */
    readonly newEpoch?: boolean;
}
export interface DeletedDelta<T> {
    readonly type: 'deleted';
    readonly key: Key;
    /** The last state, if anybody saw it. */
    readonly object: T | undefined;
    /** The delete itself was missed and found by a list; `object` may be old. */
    readonly finalStateUnknown: boolean;
}
/** A state that user code could not digest, as it arrived, and why. */
export interface Indigestible<T> {
    readonly object: T;
    readonly error: unknown;
}
/** A state arrived for `key` that user code could not digest: the old state stays, and the key is named. */
export interface PoisonedDelta<T> extends Indigestible<T> {
    readonly type: 'poisoned';
    readonly key: Key;
    /** As of an ObjectDelta: the old state that stays is of another epoch. */
    readonly newEpoch?: boolean;
}
/** The whole truth at once. Parallel arrays: 100,000 pairs would cost as much as the objects' keys. */
export interface ReplacedAllDelta<T> {
    readonly type: 'replacedAll';
    readonly keys: readonly Key[];
    readonly objects: readonly T[];
    readonly resourceVersion: string;
    /** Listed, but not digestible. */
    readonly poisoned: ReadonlyMap<Key, Indigestible<T>>;
    readonly newEpoch: boolean;
}
/** Announce everything in the cache again, as it is when this is applied. */
export interface SyncAllDelta {
    readonly type: 'syncAll';
}
export interface BookmarkDelta {
    readonly type: 'bookmark';
    readonly resourceVersion: string;
}
export type Deltas<T> = readonly [Delta<T>, ...Delta<T>[]];
/** Stands for a deleted object whose delete was not seen. `object` is the last state known, maybe an old one, maybe none. */
export declare class DeletedFinalStateUnknown<T> {
    readonly tag: 'kube-informer.tombstone';
    readonly key: Key;
    readonly object: T | undefined;
    constructor(key: Key, object: T | undefined);
}
export declare function isTombstone<T>(value: unknown): value is DeletedFinalStateUnknown<T>;
/** A key function that also takes a tombstone. */
export declare function keyOfMaybeDeleted<T>(keyOf: (object: T) => Key, value: T | DeletedFinalStateUnknown<T>): Key;
// informer/transform.d.ts
import type { Key, KeyFn } from '../core/key.ts';
/**
 * Shrinks or reshapes an object before anybody sees it: before the queue, the
 * cache and every handler. Runs once per state, never for tombstones or resyncs.
 * May change the object in place; must be synchronous, fast, and keep namespace and name.
 */
export type TransformFn<T> = (object: T) => T;
/** Runs the user's transform and holds it to its rules. Throws TRANSFORM_FAILED, which poisons the key and nothing else. */
export declare function applyTransform<T>(transform: TransformFn<T>, keyOf: KeyFn<T>, key: Key, object: T): T;
// informer/reflector.d.ts
import type { BackoffOptions } from '../core/backoff.ts';
import { type Env } from '../core/env.ts';
import { type KeyFn } from '../core/key.ts';
import { type Metrics } from '../core/metrics.ts';
import { type KubeObject, type ObjectAccess } from '../core/object.ts';
import { type ExpectedType } from './event-reader.ts';
import type { ListWatch } from './list-watch.ts';
import type { Sink } from './queue.ts';
import { type ReflectorState, type Trouble } from './reflector-context.ts';
import type { Step } from './timeline.ts';
import { type WatchErrorHandler } from './watch-error.ts';
export interface ReflectorOptions<T> {
    /** For messages and metrics. @default the place in the code that made the reflector */
    readonly name?: string;
    /** What is reflected, in words. @default from `expected` */
    readonly typeDescription?: string;
    /** What the server should send; anything else is reported and left out. */
    readonly expected?: ExpectedType;
    /** How often the sink is asked to announce again what it holds; 0 never. @default 0 */
    readonly resyncMs?: number;
    /** Asked before each resync. @default always */
    readonly shouldResync?: () => boolean;
    /** Objects per list page. @default 500, or everything at once where the server's cache can answer */
    readonly pageSize?: number;
    /** Shortest lifetime asked of a watch; below 5 minutes it has no effect. The real one is up to twice as long. */
    readonly minWatchTimeoutMs?: number;
    /** How long internal errors of a running watch are retried without a list. @default 0: three in a row */
    readonly maxInternalErrorRetryMs?: number;
    /** Get the initial state as a stream. @default true, unless the source says it cannot */
    readonly watchList?: boolean;
    /** Longest wait for the next new object, or the end, of a streamed initial state. @default 30_000 */
    readonly markerTimeoutMs?: number;
    /** Compare every streamed initial state with a list of the same moment before using it. For tests. @default false */
    readonly verifyWatchList?: boolean;
    /** Accept any cached state for the very first list, maybe an old one. Cheap for the server. @default false */
    readonly allowStaleFirstList?: boolean;
    readonly backoff?: BackoffOptions;
    /** Told of every failed cycle. @default logs by class */
    readonly onWatchError?: WatchErrorHandler;
    readonly env?: Env;
    readonly metrics?: Metrics;
    readonly metricLabels?: Readonly<Record<string, string>>;
    readonly access?: ObjectAccess<T>;
    readonly key?: KeyFn<T>;
}
/**
 * Keeps a sink equal to a server collection.
 *
 *   watch-list ──────────┐
 *      │ unsupported     ▼
 *      └────► list ──► watch ──closed, broken──► watch     same place, no list
 *               ▲        │
 *               └────────┘ expired, continuity lost: wait, then list
 *
 * Promises: nothing older than what was seen is handed on (G1, G2), except after a
 * storage went back, which is said (G3); the place to resume moves only after the
 * sink has the change (G8); every wait ends at once when stopped; a server that is
 * down is a state, not an exception (G16).
 *
 * Room rule: the only loop that calls the server. Knows no indexes and no handlers.
 */
export declare class Reflector<T extends object = KubeObject> {
    #private;
    readonly name: string;
    readonly typeDescription: string;
    constructor(source: ListWatch<T>, sink: Sink<T>, options?: ReflectorOptions<T>);
    get state(): ReflectorState;
    /** The version the sink has been told of; a query's cache may still be a little behind it. */
    get lastSyncResourceVersion(): string;
    /** Whether the initial state is fetched as a stream. Turns false for good when the server cannot. */
    get usesWatchList(): boolean;
    /** What keeps the sink from being up to date, if anything. */
    get trouble(): Trouble | undefined;
    /** What it did last, oldest first. */
    get timeline(): readonly Step[];
    get lastContactAt(): number | undefined;
    /** False when this server's versions cannot be ordered; older states are then not recognised as such. */
    get versionsAreOrdered(): boolean;
    /** How often the server's storage was found to have gone back in time. */
    get epochs(): number;
    /** Lists and watches until `signal` aborts, then resolves. Never rejects for anything a server does. */
    run(signal: AbortSignal): Promise<void>;
    /** One cycle: the initial state, then the watch for as long as it can be followed. */
    listAndWatch(signal: AbortSignal): Promise<void>;
    /** Ends the running watch and lists again: somebody found that the cache does not match the server. */
    requestRelist(error: unknown): void;
    countMissed(count: number): void;
}
// core/backoff.d.ts
import type { Env } from './env.ts';
export interface BackoffOptions {
    /** First delay. @default 800 */
    readonly initialMs?: number;
    /** Delay that growth stops at; jitter comes on top. @default 30_000 */
    readonly maxMs?: number;
    /** Growth per failure; 0 disables growth and reset. @default 2 */
    readonly factor?: number;
    /** Share of the delay that is added at random, 0 to 1. @default 1 */
    readonly jitter?: number;
    /** Quiet time after which the next failure counts as the first. @default 120_000 */
    readonly resetAfterMs?: number;
}
/**
 * Growing, jittered delays that start over after a quiet period.
 *
 * Quiet means: nobody asked for a delay. A window counted from the last reset
 * would let the delay fall back every two minutes in the middle of an outage.
 */
export declare class Backoff {
    #private;
    constructor(env: Env, options?: BackoffOptions);
    /** The next failure counts as the first. */
    reset(): void;
    /** The delay to wait now. Each call counts as one more failure. */
    next(): number;
}
/**
 * Whether an error that is usually short may be tried again without a relist.
 *
 * The first matching error opens a window of `maxMs`; matching errors inside it
 * are retried, the first one after it is not and closes the window. A gap of
 * `minResetMs` between matching errors opens a new window. Other errors leave it alone.
 */
export declare class RetryWithDeadline {
    #private;
    constructor(env: Env, matches: (error: unknown) => boolean, maxMs: number, minResetMs?: number);
    /** Records how a stream ended. */
    after(error: unknown): void;
    shouldRetry(): boolean;
}
// informer/event-reader.d.ts
import { type ObjectAccess, type TypeRef } from '../core/object.ts';
import { type WatchEvent } from '../core/watch-event.ts';
/** A watch event that may be applied. `marker` is the bookmark that ends the initial events. */
export interface ReadEvent<T> {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
    readonly object: T;
    readonly resourceVersion: string;
    readonly marker: boolean;
}
/** What an informer accepts. A field that is not given is not checked. */
export type ExpectedType = TypeRef;
/** Whether an object is what was expected. Built-in list items carry no type of their own and are taken at their word. */
export declare function isExpectedType(expected: ExpectedType | undefined, type: TypeRef): boolean;
/**
 * Reads one frame. Returns undefined for an event to skip: an object of another
 * type changes nothing, not even the version. Throws when the stream cannot be
 * trusted any more: an ERROR, an unknown type, an object without metadata.
 *
 * Room rule: pure. No store, no version bookkeeping, no retry.
 */
export declare function readEvent<T>(event: WatchEvent<T>, access: ObjectAccess<T>, expected: ExpectedType | undefined, report: (message: string, fields: Record<string, unknown>) => void): ReadEvent<T> | undefined;
/** Whether an error means "this stream delivered something that is no event". */
export declare function isUndecodable(error: unknown): boolean;
// informer/reflector-context.d.ts
import { type BackoffOptions } from '../core/backoff.ts';
import type { Env } from '../core/env.ts';
import type { WatchOptions } from '../core/list-options.ts';
import { type ReflectorMetrics } from '../core/metrics.ts';
import type { ObjectAccess } from '../core/object.ts';
import type { ExpectedType } from './event-reader.ts';
import type { ListWatch } from './list-watch.ts';
import type { Sink } from './queue.ts';
import { Timeline } from './timeline.ts';
import type { Versionless } from './versionless.ts';
import { Versions } from './versions.ts';
import { type TroubleReason } from './watch-error.ts';
import { WatchSession } from './watch-session.ts';
/** Where the loop stands. The inspector prints it; tests wait for it. */
export type ReflectorState = {
    readonly kind: 'idle' | 'stopped';
} | {
    readonly kind: 'listing';
    readonly received: number;
} | {
    readonly kind: 'watching';
    readonly resourceVersion: string;
} | {
    readonly kind: 'waiting';
    readonly ms: number;
    readonly error: unknown;
};
/** What keeps the cache from being up to date. */
export interface Trouble {
    /** Wall clock, for people. */
    readonly since: number;
    readonly reason: TroubleReason;
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
/**
 * What the steps of a reflector (list, watch-list, watch, resync, probe) share:
 * its position in history, its one backoff, and what it knows about the server's health.
 *
 * Room rule: the only place that waits between two requests.
 */
export declare class ReflectorContext<T> {
    #private;
    readonly options: ContextOptions<T>;
    readonly versions: Versions;
    readonly timeline: Timeline;
    /** This server has sent bookmarks, so their absence means something. */
    bookmarksSeen: boolean;
    /** Another cluster has been seen, and nothing of it is in the cache yet. */
    foreign: boolean;
    /** Kept while what was handed on has no place in history. */
    versionless: Versionless<T> | undefined;
    constructor(options: ContextOptions<T>);
    get state(): ReflectorState;
    set state(state: ReflectorState);
    get trouble(): Trouble | undefined;
    /** Wall clock of the last good answer, as the wall clock counts now. */
    get lastContactAt(): number | undefined;
    /** The server answered as it should, at `now` on the monotonic clock. */
    contact(now?: number): void;
    /** A whole state has been handed on. */
    caughtUp(): void;
    /** The cache may be falling behind. Keeps when it began, takes the newest reason. */
    inTrouble(error: unknown): void;
    /** One step of the shared backoff, or what the server asked for if that is longer. Ends early when stopped. */
    wait(error: unknown, signal: AbortSignal): Promise<void>;
    /** The pause before the next list, because of the trouble there is. */
    waitToList(signal: AbortSignal): Promise<void>;
    /** Drawn anew for every request, so that watches of many clients do not all end at once. */
    timeoutSeconds(): number;
    openWatch(options: WatchOptions, signal: AbortSignal): WatchSession<T>;
    /** `session` is the one being read: interruptions go to it, also one that was waiting. */
    attend(session: WatchSession<T> | undefined): void;
    /** Ends the running stream, or the next one as soon as it is read. Never interrupts a wait. */
    interrupt(reason: unknown): void;
    /** A list is about to begin: whoever asked for one gets it. */
    startOver(): void;
    /** Called after versions moved. */
    advanced(): void;
    /**
     * Whether another cluster answers under the same address; stays true until a list of that cluster has
     * been handed on. Sources without an identity never change.
     */
    isForeign(signal: AbortSignal): Promise<boolean>;
    log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>): void;
}
// informer/timeline.d.ts
import type { Env } from '../core/env.ts';
/**
 * What a reflector did, for people who ask why something was late:
 *  - `stream`: the initial state as a streaming list; `list`: as a plain list;
 *  - `watch`: one open watch; `wait`: the pause before the next try;
 *  - `resync`: what is held was announced again; `epoch`: the storage behind the server went back, or is another one.
 */
export type StepKind = 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';
export interface Step {
    readonly kind: StepKind;
    /** Wall clock. */
    readonly startedAt: number;
    /** Wall clock; undefined while it goes on. */
    readonly endedAt: number | undefined;
    /** Objects of a list, events of a watch, so far. */
    readonly objects: number;
    /** Where a watch was opened, or what a list came to. */
    readonly resourceVersion: string | undefined;
    /** Why a wait is needed, or how the step ended. */
    readonly because: string | undefined;
    /** Whether it ended otherwise than it should have. A watch whose time is over has not failed. */
    readonly failed: boolean;
}
/** What is known at the end; what is left out stays as it was at the beginning. */
export interface StepEnd {
    readonly objects?: number;
    readonly resourceVersion?: string;
    readonly because?: string;
    readonly failed?: boolean;
}
export interface StepStart extends Omit<StepEnd, 'objects' | 'failed'> {
    /** Asked whenever somebody looks while the step goes on. */
    readonly count?: () => number;
}
/**
 * The last steps of one reflector, oldest first. Costs nothing per event.
 *
 * Room rule: only remembers. Nobody decides anything by it.
 */
export declare class Timeline {
    #private;
    constructor(env: Env);
    get steps(): readonly Step[];
    /** A step begins; the function that comes back ends it. Only its first call counts. */
    begin(kind: StepKind, start?: StepStart): (end?: StepEnd) => void;
    /** Something that takes no time. */
    mark(kind: StepKind, start?: StepStart): void;
}
// informer/versionless.d.ts
import type { Key, KeyFn } from '../core/key.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';
/**
 * What has been handed on from a server whose lists have no version.
 *
 * Its watches begin with everything there is and never say what is not there any
 * more. So whatever the cache holds when such a stream is opened is in doubt until
 * the stream has spoken of it.
 *
 * Room rule: a book of keys. Asks nobody.
 */
export declare class Versionless<T> {
    #private;
    constructor(items: Iterable<T>, keyOf: KeyFn<T>);
    get inDoubt(): number;
    /** A stream begins that cannot say what happened before it. */
    opened(): void;
    heard(type: string, object: T): void;
    /** What is in doubt and not among `items`. */
    missingFrom(items: Iterable<T>): Key[];
    isDoubted(key: Key): boolean;
    settle(): void;
}
/**
 * Finds what was deleted between a list without a version and its watch: a second list, taken while the stream is open,
 * does not have it. Then a whole new list heals it. A server that speaks of everything, as kube-apiserver does, is not
 * asked. One that says nothing is asked again, each time after twice the pause: maybe the stream was not yet open.
 */
export declare function probeVersionlessWatch<T>(context: ReflectorContext<T>, session: WatchSession<T>, book: Versionless<T>): Promise<void>;
// informer/watch-session.d.ts
import type { Env } from '../core/env.ts';
import type { WatchOptions } from '../core/list-options.ts';
import type { WatchEvent } from '../core/watch-event.ts';
import type { ListWatch } from './list-watch.ts';
export type NextEvent<T> = {
    readonly kind: 'event';
    readonly event: WatchEvent<T>;
} | {
    readonly kind: 'end';
} | {
    readonly kind: 'interrupted';
    readonly reason: unknown;
};
/**
 * One open watch: pulls events, can be interrupted at any moment, and is closed exactly once.
 *
 * A source that ignores its signal, or a connection that hangs in mid-event, cannot
 * keep the reflector: `interrupt` answers the pending `next` itself.
 *
 * Room rule: knows streams and deadlines. Interprets no event.
 */
export declare class WatchSession<T> {
    #private;
    readonly openedWith: WatchOptions;
    readonly startedAt: number;
    /** Events the caller accepted. */
    accepted: number;
    /** A probe has shown that the server behind it is not older than where it was opened. */
    probed: boolean;
    lastEventAt: number;
    constructor(source: ListWatch<T>, options: WatchOptions, parent: AbortSignal, env: Env, onStall?: (lateMs: number) => void);
    /** Aborts when the session is closed. */
    get signal(): AbortSignal;
    get isInterrupted(): boolean;
    /** The next event, or why there is none. Rejects when the stream fails. */
    next(): Promise<NextEvent<T>>;
    /** Ends the session from outside; the pending `next` is answered at once. */
    interrupt(reason: unknown): void;
    /** Settles with `work`, or as soon as the session is interrupted or closed. */
    orInterrupted(work: Promise<unknown>): Promise<void>;
    /** Idempotent. Does not wait: a source that hangs while closing must not hold anybody up. */
    close(): void;
    /**
     * Interrupts the session with `overdue()` when it gives a reason, until `signal` aborts. It is asked
     * whenever `nextLook()` milliseconds have passed, and once more after a turn of the event loop before it
     * counts: after a pause of the whole process, events that are already here must be read first.
     */
    watchdog(nextLook: () => number, overdue: () => unknown, signal?: AbortSignal): Promise<void>;
    /** When the server should long have closed the stream by itself. */
    get deadlineAt(): number;
}
// informer/versions.d.ts
/** The resourceVersion a list should ask for. */
export interface ListVersion {
    readonly resourceVersion: string;
    readonly resourceVersionMatch?: 'NotOlderThan';
}
/**
 * Which version a list asks for: at least the newest state seen, so that no server can take us back;
 * the newest there is when that one cannot be had, and at the very first.
 */
export declare function listVersion(high: string, unavailable: boolean, first: '' | '0'): ListVersion;
/** Which version a watch-list starts from: like a list, but never "0" by itself. */
export declare function watchListVersion(high: string, unavailable: boolean): string;
/**
 * Where a reflector stands in the server's history.
 *
 *  last   the newest version that has been handed on; a broken watch resumes here
 *  high   the highest of this epoch; no list or event may be older
 *
 * Versions are compared only while the server's are known to be ordered. A list
 * whose items are newer than itself shows that they are counted per object; from
 * then on only equality means anything, and `ordered` says so.
 *
 * Room rule: pure bookkeeping. Decides nothing.
 */
export declare class Versions {
    #private;
    /** The server cannot serve `high`: ask for the newest instead. */
    unavailable: boolean;
    get last(): string;
    get high(): string;
    get ordered(): boolean;
    /** How often the storage was found to have gone back. */
    get epochs(): number;
    /** A whole list at `version` was handed on. */
    replaced(version: string, newEpoch: boolean): void;
    /** An event or bookmark at `version` was handed on. */
    advance(version: string): void;
    /** Whether `version` is known to be older than what has been seen. */
    isStale(version: string): boolean;
    /** Looks at one listed item: a list older than its own items has versions that cannot be ordered. */
    observeItem(listVersion: string, itemVersion: string | undefined): void;
    observeList(version: string): void;
}
// informer/watch-error.d.ts
import type { Env } from '../core/env.ts';
/** Why a cache is behind, in one word a dashboard can group by. */
export type TroubleReason = 'forbidden' | 'unauthorized' | 'not-found' | 'throttled' | 'expired' | 'server-error' | 'unreachable' | 'tls' | 'dns' | 'undecodable' | 'watch-list' | 'stale-server' | 'silent' | 'inconsistent' | 'backlog' | 'other';
/** Told of every failed cycle of list and watch. Must be quick; it cannot change what happens next. */
export type WatchErrorHandler = (error: unknown, about: {
    readonly name: string;
    readonly type: string;
    readonly env: Env;
}) => void;
export declare function reasonOf(error: unknown): TroubleReason;
/** The connection ended as connections do: nothing to report. */
export declare function isCleanEnd(error: unknown): boolean;
/** Logs by class: what heals by itself quietly, what a person should know as an error. */
export declare const defaultWatchErrorHandler: WatchErrorHandler;
/** The network's word: the server itself said nothing. */
export declare function isCut(error: unknown): boolean;
/** Not our server's word about this stream, but the network's or a gateway's: trying for ever is right. */
export declare function isOutside(error: unknown): boolean;
// informer/consistency.d.ts
import type { Env } from '../core/env.ts';
import type { Key, KeyFn } from '../core/key.ts';
import type { ObjectAccess } from '../core/object.ts';
import { type ExpectedType } from './event-reader.ts';
import type { ListWatch } from './list-watch.ts';
/** How a cache differs from the server at one version. All lists are sorted. */
export interface Differences {
    readonly resourceVersion: string;
    readonly checked: number;
    /** On the server, not in the cache. */
    readonly missing: readonly Key[];
    /** In the cache, not on the server. */
    readonly extra: readonly Key[];
    /** In both, with another version or another UID. */
    readonly different: readonly Key[];
    readonly consistent: boolean;
}
interface Side<T> {
    readonly source: ListWatch<T>;
    readonly access: ObjectAccess<T>;
    readonly env: Env;
    readonly expected?: ExpectedType | undefined;
}
/** A state that user code could not digest: which one, and why. */
export interface Poison {
    readonly error: unknown;
    /** Its fingerprint. */
    readonly state: string;
}
/** The fingerprint of an object whose version is gone. */
export declare const UNKNOWN_STATE = "";
/** What identifies one state of one object: enough to find a lost event without comparing bodies. */
export declare function fingerprint<T>(access: ObjectAccess<T>, object: T): string;
/**
 * Compares a cache, as it is right now, with what the server had at the version the cache has reached. A poisoned key is
 * left out while the server has the very state that could not be digested: another list would not heal it.
 */
export declare function verifyStore<T>(side: Side<T>, keyOf: KeyFn<T>, store: {
    readonly resourceVersion: string;
    entries(): Iterable<[Key, T]>;
}, poisoned: ReadonlyMap<Key, Poison>, signal: AbortSignal): Promise<Differences>;
/**
 * Compares a streamed initial state with a list of the same moment. Tries the list
 * every second until it answers. Throws WATCH_LIST on a difference, so that the
 * plain list is used instead, and STALE_SERVER when the server has not reached that moment.
 */
export declare function checkStreamedList<T>(side: Side<T>, keyOf: KeyFn<T>, items: readonly T[], resourceVersion: string, signal: AbortSignal): Promise<void>;
export {};
// informer/delta-fifo.d.ts
import type { Latch } from '../core/latch.ts';
import { type DeletedFinalStateUnknown, type Delta } from './delta.ts';
import { type KnownObjects, type ProcessFn, type Queue, type QueueOptions, type ReplaceInfo } from './queue.ts';
/** Deltas about one object. */
export type KeyedDelta<T> = Exclude<Delta<T>, {
    type: 'replacedAll' | 'syncAll' | 'bookmark';
}>;
export interface DeltaFifoOptions<T> extends QueueOptions<T> {
    /** What the consumer holds. Without it only queued objects can be found missing from a list. */
    readonly knownObjects?: KnownObjects<T>;
    /** Marks listed objects `replaced`; false calls them `sync`, as the first informers did. @default true */
    readonly emitReplaced?: boolean;
}
/**
 * Changes waiting to be applied, grouped by object, in order of first arrival.
 *
 * Invariants (docs/SPEC.md):
 *  Q1  a key is queued exactly when it has at least one delta, and keeps its place while it waits
 *  Q2  two deletes in a row for a key are one delete; the better-known state wins
 *  Q3  after `replace`, every known key missing from the list has a `deleted` delta
 *  Q4  `hasSynced` turns true once, when the first list has been applied whole
 *
 * Removing from the queue and applying are one turn, so `replace` can never run
 * between them and miss an object that is in neither place. `process` must be
 * synchronous for that.
 *
 * Room rule: no network, no time, no handlers; only `pop` waits, and only for work.
 */
export declare class DeltaFifo<T> implements Queue<T> {
    #private;
    constructor(options: DeltaFifoOptions<T>);
    get pending(): number;
    get hasSynced(): boolean;
    get synced(): Latch;
    add(object: T): void;
    update(object: T): void;
    /** Ignored for an object that is neither queued nor known: there is nothing to delete. */
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    /** Takes `items` as the whole truth. Keys are computed first: one unusable key refuses the list and queues nothing. */
    replace(items: readonly T[], _resourceVersion: string, info?: ReplaceInfo): void;
    /** Queues every known object that has nothing waiting: a waiting change is newer than what is known. */
    resync(): void;
    /** Grouping by object loses the order a bookmark would stand in. */
    bookmark(): void;
    room(): Promise<void> | undefined;
    pop(process: ProcessFn<T>): Promise<void>;
    close(): void;
}
// informer/handlers.d.ts
import type { Key } from '../core/key.ts';
/**
 * What a handler is told. One object per event; `object` and `old` may be
 * getters that decode on demand, so take only what you need. `key` costs nothing.
 *
 * The objects are shared with the cache and with every other handler: read them, never change them.
 */
export type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;
export interface AddEvent<T> {
    readonly type: 'add';
    readonly key: Key;
    readonly object: T;
    /** Part of the first list, or of what was already there when the handler joined. */
    readonly initial: boolean;
}
export interface UpdateEvent<T> {
    readonly type: 'update';
    readonly key: Key;
    readonly object: T;
    /** The state this handler was told last. States in between may have been skipped. */
    readonly old: T;
    /** Another object under the same name: the old one was deleted and its delete was not seen. */
    readonly replaced: boolean;
    /** Nothing changed; the handler asked to be told again from time to time. */
    readonly resync: boolean;
}
export interface DeleteEvent<T> {
    readonly type: 'delete';
    readonly key: Key;
    /** The last state; its resourceVersion is one at which the object was already gone. */
    readonly object: T;
    /** The delete was found by a list: `object` is the last state seen, maybe not the last there was. */
    readonly finalStateUnknown: boolean;
}
/** Every callback is optional. A returned promise is awaited before the next event. */
export interface Handler<T> {
    add?(event: AddEvent<T>): void | Promise<void>;
    update?(event: UpdateEvent<T>): void | Promise<void>;
    delete?(event: DeleteEvent<T>): void | Promise<void>;
    /** Policy `detach`: events were dropped; forget what you know, everything follows as initial adds. */
    overflow?(): void | Promise<void>;
}
/** Calls the callback that fits. */
export declare function deliver<T>(handler: Handler<T>, event: InformerEvent<T>): void | Promise<void>;
/**
 * A handler that sees only what `accepts` lets through: an object that starts to
 * match is an add, one that stops matching is a delete.
 */
export declare function filtered<T>(accepts: (object: T) => boolean, handler: Handler<T>): Handler<T>;
/** What messages call a handler: its class, or its callbacks' common name. */
export declare function handlerName(handler: Handler<never>): string;
/** Whether a handler failed because the cache's objects are frozen. */
export declare function isMutationAttempt(error: unknown): boolean;
// informer/identity.d.ts
import type { Env } from '../core/env.ts';
/** Which informer a metric belongs to. Only a reserved one reports: two informers never write to the same series. */
export interface InformerIdentity {
    readonly name: string;
    readonly resource: string;
    readonly reserved: boolean;
}
/** The names in use. One per process unless a test wants its own. */
export declare class InformerNames {
    #private;
    /** Throws INVALID_OPTION for an empty or taken name. */
    reserve(name: string): InformerName;
}
export declare const processNames: InformerNames;
/** A reserved name and the resources reported under it. */
export declare class InformerName {
    #private;
    readonly name: string;
    constructor(name: string, release: () => void);
    /** The first informer of a resource reports under this name; a second one is logged and does not. */
    withResource(resource: string, env?: Env): InformerIdentity;
    /** Frees the name and all its resources. Idempotent. */
    release(): void;
}
// informer/call-log.d.ts
import type { Env } from '../core/env.ts';
import type { Key } from '../core/key.ts';
/** One call of a handler that took long. */
export interface SlowCall {
    readonly key: Key;
    readonly ms: number;
    /** Wall clock of its end. */
    readonly at: number;
}
/** How the calls of one handler went: how many, how many failed, and which took longest. */
export declare class CallLog {
    #private;
    calls: number;
    failures: number;
    get slowest(): readonly SlowCall[];
    /** Not every call is timed. */
    took(key: Key, ms: number, clock: Pick<Env, 'wallNow'>): void;
}
// informer/informer-health.d.ts
import type { Key } from '../core/key.ts';
import type { ReadonlyStore } from '../store/store.ts';
import type { SlowCall } from './call-log.ts';
import type { Feed } from './feed.ts';
import type { InformerState } from './informer-state.ts';
import type { Process } from './process.ts';
import type { Processor } from './processor.ts';
import type { ReflectorState } from './reflector-context.ts';
/** Everything a person or a probe may want to know, as plain data. */
export interface InformerHealth {
    readonly state: InformerState;
    readonly reflector: ReflectorState;
    /** Wall clock of the last good answer of the server. */
    readonly lastContactAt: number | undefined;
    /** The version the cache has reached. */
    readonly resourceVersion: string;
    readonly objects: number;
    /** Changes received and not yet applied. */
    readonly pending: number;
    /** Keys whose newest state user code could not digest, and why. */
    readonly poisoned: readonly {
        readonly key: Key;
        readonly error: string;
    }[];
    readonly staleDropped: number;
    readonly unknownDeletes: number;
    /** How often the server's storage went back in time. */
    readonly epochs: number;
    /** `opaque`: this server's versions cannot be ordered, so older states cannot be recognised. */
    readonly versions: 'ordered' | 'opaque';
    readonly usesWatchList: boolean;
    readonly handlers: readonly HandlerHealth[];
}
export interface HandlerHealth {
    readonly name: string;
    readonly pending: number;
    readonly synced: boolean;
    /** Callbacks that have ended. */
    readonly calls: number;
    /** Of these, how many threw or rejected. */
    readonly failures: number;
    /** The slowest callbacks seen, longest first: of those that return a promise all are timed, of the others one in 16. */
    readonly slowest: readonly SlowCall[];
    /** How long the running callback has been running. */
    readonly busyForMs: number | undefined;
}
export interface HealthParts<T extends object> {
    readonly state: InformerState;
    /** Undefined before the start. */
    readonly feed: Feed<T> | undefined;
    readonly indexer: ReadonlyStore<T>;
    readonly process: Process<T>;
    readonly processor: Processor<T>;
    readonly watchList: boolean;
}
export declare function healthOf<T extends object>({ state, feed, indexer, process, processor, watchList, }: HealthParts<T>): InformerHealth;
// store/store.d.ts
import type { Key } from '../core/key.ts';
/** One index: the values an object is filed under. Must be synchronous and must not change the object. */
export type IndexFn<T> = (object: T) => readonly string[];
export type Indexers<T> = Readonly<Record<string, IndexFn<T>>>;
/**
 * What handlers, listers and reconcilers get to see. They cannot write, so they cannot lie.
 *
 * Every call is answered from one state of the cache; returned arrays are the
 * caller's own, returned objects are shared and must not be changed.
 */
export interface ReadonlyStore<T, I extends string = string> {
    readonly size: number;
    /** The resourceVersion the whole store has reached, bookmarks included. Empty before the first write. */
    readonly resourceVersion: string;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    /** Objects filed under `value`. Throws INVALID_OPTION when there is no index `name`. */
    byIndex(name: I | 'namespace', value: string): T[];
    /** Keys filed under `value`, sorted. */
    indexKeys(name: I | 'namespace', value: string): Key[];
    /** All values of an index; none when there is no such index. */
    indexValues(name: I | 'namespace'): string[];
    /** Objects that share at least one value of the index with `object`, each once. */
    index(name: I | 'namespace', object: T): T[];
    hasIndex(name: string): boolean;
    /** `namespace` and all that were added. */
    indexNames(): string[];
}
/**
 * A place for objects, by key: what a Reflector can write into.
 *
 * `add` and `update` do the same; deleting what is not there is fine.
 */
export interface Store<T> {
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    /** Takes `items` as the whole truth, in one step. */
    replace(items: readonly T[], resourceVersion: string): void;
    /** Announces again what is held, where announcing has a meaning. */
    resync?(): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}
/** One write of a transaction. */
export type StoreWrite<T> = {
    readonly type: 'set';
    readonly key?: Key;
    readonly object: T;
} | {
    readonly type: 'delete';
    readonly key: Key;
    readonly object?: T;
};
/** What a transaction did: every write that failed, by its place; the others are applied. */
export interface TransactionResult {
    readonly total: number;
    readonly failures: readonly {
        readonly at: number;
        readonly error: unknown;
    }[];
}
// informer/feed.d.ts
import type { Env } from '../core/env.ts';
import type { KeyFn } from '../core/key.ts';
import { type Metrics } from '../core/metrics.ts';
import type { ObjectAccess } from '../core/object.ts';
import type { Indexer } from '../store/indexer.ts';
import { Controller } from './controller.ts';
import type { InformerIdentity } from './identity.ts';
import type { ListWatch } from './list-watch.ts';
import type { Process } from './process.ts';
import type { Queue } from './queue.ts';
import type { ReflectorOptions } from './reflector.ts';
import type { TransformFn } from './transform.ts';
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
    readonly identity: InformerIdentity | undefined;
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
export declare function createFeed<T extends object>(options: FeedOptions<T>): Feed<T>;
// store/indexer.d.ts
import { type Key, type KeyFn } from '../core/key.ts';
import { type KubeObject, type ObjectAccess } from '../core/object.ts';
import type { Indexers, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';
/** Files every object under its namespace; cluster-scoped ones under "". */
export declare const NAMESPACE_INDEX = "namespace";
export interface IndexerOptions<T> {
    /** Extra ways to look objects up; the index `namespace` is always there. */
    readonly indexers?: Indexers<T>;
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
    /** How metadata is read. @default plain decoded JSON */
    readonly access?: ObjectAccess<T>;
}
/** Half of a replace: a new generation of the cache, filled aside and swapped in by `commit`. */
export interface StagedReplace<T> {
    /** Throws INDEX_FAILED and leaves the stage without this object. */
    set(key: Key, object: T): void;
    has(key: Key): boolean;
    commit(resourceVersion: string): void;
}
/**
 * The cache: objects by key, and by whatever else was asked for.
 *
 * Promises: a write either happens in the items and in every index, or nowhere
 * (G7); a replace is prepared aside and becomes visible in one step; `keys`,
 * `list` and `byIndex` give arrays of the caller's own.
 *
 * Room rule: never waits, never logs, knows nothing of events or handlers.
 */
export declare class Indexer<T extends object = KubeObject, I extends string = string> implements Store<T>, ReadonlyStore<T, I> {
    #private;
    readonly keyOf: KeyFn<T>;
    constructor(options?: IndexerOptions<T>);
    get size(): number;
    get resourceVersion(): string;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    /** Stores `object` and returns what it replaced. */
    set(key: Key, object: T): T | undefined;
    /** Removes an object and returns it. Says nothing about time: the store's resourceVersion stays. */
    deleteKey(key: Key): T | undefined;
    /** All keys are computed before anything changes: one bad object rejects the whole list and loses nothing. */
    replace(items: readonly T[], resourceVersion: string): void;
    /** One stage at a time: opening another abandons the first. */
    stageReplace(): StagedReplace<T>;
    /** Everything up to `resourceVersion` has been seen, though no object changed. */
    bookmark(resourceVersion: string): void;
    /** Applies all writes in one step; those that fail are named and skipped. */
    transaction(writes: readonly StoreWrite<T>[]): TransactionResult;
    /** Adds ways to look objects up, also while running: what is held is indexed at once, or nothing is added. */
    addIndexers(indexers: Indexers<T>): void;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    byIndex(name: I | 'namespace', value: string): T[];
    indexKeys(name: I | 'namespace', value: string): Key[];
    indexValues(name: I | 'namespace'): string[];
    index(name: I | 'namespace', object: T): T[];
    hasIndex(name: string): boolean;
    indexNames(): string[];
    /** The live entries: read them in one turn. A replace makes a new map, so a reader never sees half of one. */
    entries(): IterableIterator<[Key, T]>;
}
/** The face for users: the same answers, and no way to write, also not from JavaScript. */
export declare function readonlyStore<T extends object, I extends string>(store: ReadonlyStore<T, I>): ReadonlyStore<T, I>;
// informer/process.d.ts
import type { Env } from '../core/env.ts';
import type { Key } from '../core/key.ts';
import type { ObjectAccess } from '../core/object.ts';
import type { Indexer } from '../store/indexer.ts';
import { type Poison } from './consistency.ts';
import type { Deltas } from './delta.ts';
import { type Bulk } from './handler-queue.ts';
import type { InformerEvent } from './handlers.ts';
/** Who hears what the cache has just learned. */
export interface Audience<T> {
    /** `sync`: nothing changed, only those who asked to be told again want it. */
    event(event: InformerEvent<T>, sync: boolean): void;
    bulk(bulk: Bulk<T>, initialAdds: number, sync: boolean): void;
    /** Before an added or updated object is announced. */
    stored?(object: T): void;
    epochReset?(): void;
}
export interface ProcessOptions<T> {
    readonly store: Indexer<T & object>;
    readonly audience: Audience<T>;
    readonly access: ObjectAccess<T>;
    readonly env: Env;
    /** Another UID under the same name: one update marked `replaced`, or a delete and an add. @default 'flag' */
    readonly identityChange?: 'flag' | 'split';
    /** Tells the sequence client-go would tell, for comparing the two: unchanged states and unknown deletes included. */
    readonly parity?: 'client-go';
    /** False for a server whose versions count per object: a new object may then start below the old one. */
    readonly versionsAreOrdered?: () => boolean;
}
/**
 * Turns deltas into a changed cache and events about it.
 *
 * Promises: the cache and its indexes are written before anybody hears (G12); the
 * state of a key never goes back inside an epoch (G1); a key that was announced
 * and is gone is announced deleted once (G5); unchanged states are not announced
 * (G18); a failing index or transform poisons its key and touches no other (G9).
 *
 * Room rule: one turn, no awaits, except for a whole replacement, which is
 * prepared aside in slices and swapped in one turn.
 */
export declare class Process<T> {
    #private;
    constructor(options: ProcessOptions<T>);
    /** Keys whose newest state could not be digested, and why. Their old state, if any, is still in the cache. */
    get poisoned(): ReadonlyMap<Key, Poison>;
    /** States older than the cache that were not applied. */
    get staleDropped(): number;
    /** Deletes of objects that were never announced. */
    get unknownDeletes(): number;
    /** Lists that were newer than the cache and held older states: history was replaced, and the cache has followed. */
    get contradictions(): number;
    readonly process: (deltas: Deltas<T>, initial: boolean) => void | Promise<void>;
    /** The same for many objects at once: one transaction, then the events in order. */
    readonly processBatch: (deltas: Deltas<T>, initial: boolean) => void;
}
// informer/handler-queue.d.ts
import type { Key } from '../core/key.ts';
import type { InformerEvent } from './handlers.ts';
/** Many events at once, made one by one when their turn comes: nothing is held per handler but a position. */
export interface Bulk<T> {
    readonly size: number;
    at(i: number): InformerEvent<T>;
}
/** Adds for a whole snapshot. The arrays are shared by all handlers and never changed. */
export declare function bulkOfAdds<T>(keys: readonly Key[], objects: readonly T[], initial: boolean): Bulk<T>;
/** Adds for everything in a store right now. */
export declare function bulkOfStore<T>(store: {
    entries(): Iterable<[Key, T]>;
}): Bulk<T>;
/** A resync of everything in a store right now: each object told again as it is. */
export declare function bulkOfResync<T>(store: {
    entries(): Iterable<[Key, T]>;
}): Bulk<T>;
export declare function bulkOf<T>(events: readonly InformerEvent<T>[]): Bulk<T>;
/**
 * The events one handler has not been told yet.
 *
 *   exact:   every state, in order                      until `limit` wait
 *   merged:  per key the newest state, adds and deletes true, until it is empty again
 *
 * Invariants (docs/SPEC.md):
 *  H1  per key the handler sees a legal life: add, update*, delete, and again
 *  H2  `old` of an update is the state delivered before it
 *  H3  a delete of something announced is never merged away; an add that was
 *      never delivered disappears together with its delete
 *  H4  merged, at most two events per key wait
 *
 * Room rule: pure data. Knows nothing of handlers, promises or time.
 */
export declare class HandlerQueue<T> {
    #private;
    /** `dropped` is told of initial adds that disappear, so that somebody keeps counting them. */
    constructor(limit: number, dropped?: (event: InformerEvent<T>) => void);
    /** Events waiting, the undrawn rest of a snapshot included. */
    get length(): number;
    /** Events that are held one by one, which is what the limit is about. */
    get held(): number;
    get isMerging(): boolean;
    push(event: InformerEvent<T>): void;
    /** A snapshot costs nothing while it waits alone; behind other events it is spelled out. */
    pushBulk(bulk: Bulk<T>): void;
    shift(): InformerEvent<T> | undefined;
    /** Forgets everything; each event is reported as dropped. */
    clear(): void;
}
// informer/informer-state.d.ts
import type { Env } from '../core/env.ts';
import { type KnownOptions } from '../core/known-options.ts';
import type { Latch } from '../core/latch.ts';
import type { Trouble } from './reflector-context.ts';
import type { TroubleReason } from './watch-error.ts';
/**
 * Where an informer stands.
 *
 *   idle ──► starting ──► synced ◄──► stale
 *                │           │          │
 *                └───────────┴──────────┴──► stopped
 *
 * `starting` and `stale` say why, when there is a reason; a stale cache still answers.
 */
export type InformerState = {
    readonly kind: 'idle';
} | {
    readonly kind: 'starting';
    readonly trouble?: Trouble;
} | {
    readonly kind: 'synced';
} | {
    readonly kind: 'stale';
    readonly since: number;
    readonly reason: TroubleReason;
    readonly error: unknown;
} | {
    readonly kind: 'stopped';
    readonly cause: unknown;
};
export interface SyncedOptions {
    /** Gives up after this, with the reason. @default waits for ever */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}
/** What a wait looks at besides the latch it is for. */
export interface WaitContext {
    readonly env: Env;
    /** Any of these ends the wait. */
    readonly ended: readonly Latch[];
    readonly trouble: () => Trouble | undefined;
    /** What is still missing when nothing is wrong. */
    readonly missing: () => string;
    /** What did not happen. @default "did not sync" */
    readonly failure?: string;
    /** The timeout the user named, when part of it is gone already. @default `timeoutMs` */
    readonly askedMs?: number | undefined;
}
/** Waits for a latch with a deadline, and fails with what was in the way. */
export declare function untilSynced(latch: Latch, what: string, options: SyncedOptions, { env, ended, trouble, missing, failure, askedMs }: WaitContext): Promise<void>;
/** What a read may ask of the cache. */
export interface ReadOptions {
    /** The server must have been heard from within this time. */
    readonly maxStalenessMs?: number;
    /** The cache must contain everything up to this version. */
    readonly notOlderThan?: string;
}
export declare const READ_OPTIONS: KnownOptions<ReadOptions>;
/** Throws STALE_CACHE when the cache is not as fresh as the reader asks. */
export declare function requireFresh(name: string, cache: {
    readonly staleForMs: number;
    readonly resourceVersion: string;
}, options: ReadOptions): void;
/** Whether a cache at `current` contains everything up to `wanted`. Versions without an order must be equal. */
export declare function hasReached(current: string, wanted: string): boolean;
// core/known-options.d.ts
/** Every name that options of type `O` may have: the compiler sees to it that none is missing and none too many. */
export type KnownOptions<O> = Readonly<Record<keyof O, true>>;
/**
 * Throws INVALID_OPTION for a name that nobody reads. Types find most of them, but not in JavaScript and not in objects
 * that were made before: `deleteCollection` with a selector that is spelled wrongly would delete everything.
 */
export declare function requireKnown<O extends object>(where: string, options: O, known: KnownOptions<O>): void;
// informer/processor.d.ts
import type { Env } from '../core/env.ts';
import type { Bulk } from './handler-queue.ts';
import { type Handler, type InformerEvent } from './handlers.ts';
import { type BacklogPolicy, Listener } from './listener.ts';
import type { ResyncPeriod } from './resync-period.ts';
export interface HandlerOptions {
    /** How often this handler wants to be told again of unchanged objects; 0 never. @default the informer's */
    readonly resyncMs?: number;
    /** What happens when the handler is slower than its events. @default 'coalesce' */
    readonly policy?: BacklogPolicy;
    /** Events that may wait before the policy acts. @default 1024 */
    readonly limit?: number;
    /** False: nothing is told of what is in the cache already, only what changes from now on. @default true */
    readonly initial?: boolean;
    /** Pause after a callback that failed. @default 1000 */
    readonly errorPauseMs?: number;
    /** For messages. @default the handler's class or function names */
    readonly name?: string;
}
/**
 * Hands each event to every handler's own queue, in the turn that changed the cache.
 *
 * Room rule: knows queues and periods. No deltas, no lists, no server.
 */
export declare class Processor<T> {
    #private;
    constructor(env: Env);
    get listeners(): Listener<T>[];
    /** Adds a handler and gives it everything that is already there, before any later event. */
    add(handler: Handler<T>, period: ResyncPeriod, snapshot: () => Bulk<T>, options: HandlerOptions): Listener<T>;
    /** Idempotent; false for a listener that is not here. */
    remove(listener: Listener<T>): boolean;
    /** To everybody, or with `sync` only to those whose resync is due. */
    distribute(event: InformerEvent<T>, sync?: boolean): void;
    distributeBulk(bulk: Bulk<T>, initialAdds: number, sync?: boolean): void;
    /** Decides for every handler whether it is due now. Has side effects, so it must run on every tick. */
    shouldResync(): boolean;
    /** Policy `block`: settles when every blocking handler has caught up; undefined when nobody has to wait. */
    room(): Promise<unknown> | undefined;
    upstreamSynced(): void;
    /** No callback starts after this call; resolves when the running ones have settled. */
    stop(): Promise<void>;
}
// informer/listener.d.ts
import type { Env } from '../core/env.ts';
import { CallLog } from './call-log.ts';
import { type Bulk } from './handler-queue.ts';
import { type Handler, type InformerEvent } from './handlers.ts';
import { SyncTracker } from './sync.ts';
/**
 * What happens when a handler is slower than its events:
 *  - `coalesce`: every state until the limit waits, then the newest per key, adds and deletes kept true;
 *  - `block`: the informer stops reading until this handler has caught up, for everybody;
 *  - `detach`: waiting events are dropped, the handler gets `overflow` and then everything as initial adds.
 */
export type BacklogPolicy = 'coalesce' | 'block' | 'detach';
export interface ListenerOptions {
    readonly name: string;
    readonly policy: BacklogPolicy;
    readonly limit: number;
    /** Pause after a callback that threw or rejected. */
    readonly errorPauseMs: number;
    readonly env: Env;
}
/**
 * One handler and the events it has not been told yet.
 *
 * Promises: one callback at a time, in order, each settled before the next; a
 * callback that throws, rejects or hangs touches nobody else; after `stop` no
 * callback starts.
 *
 * Room rule: sync in (`push`), async out. Knows no deltas, no cache.
 */
export declare class Listener<T> {
    #private;
    readonly name: string;
    readonly policy: BacklogPolicy;
    readonly tracker: SyncTracker;
    readonly log: CallLog;
    /** `snapshot` gives everything in the cache right now, for a handler that lost its place. */
    constructor(handler: Handler<T>, snapshot: () => Bulk<T>, options: ListenerOptions);
    /** Events accepted and not yet handled. */
    get pending(): number;
    get isStopped(): boolean;
    /** How long the running callback has been running; undefined between callbacks. */
    get busyForMs(): number | undefined;
    push(event: InformerEvent<T>): void;
    pushBulk(bulk: Bulk<T>, initialAdds: number): void;
    /** Policy `block`: a promise that settles when the handler has caught up; undefined when there is room. */
    room(): Promise<void> | undefined;
    /** No callback starts after this; the running one may finish. Waiting events are dropped. */
    stop(): void;
    /** Resolves when no callback is running. */
    idle(): Promise<void>;
}
// informer/sync.d.ts
import type { Env } from '../core/env.ts';
import { Latch } from '../core/latch.ts';
/**
 * Whether one handler has been told of everything that was there at the start.
 *
 * Counts initial adds when they are queued and again when their callback has
 * settled; synced means the upstream list is applied and nothing is left to tell.
 * The upstream latch is given only after the adds of a late join were counted.
 */
export declare class SyncTracker {
    #private;
    readonly synced: Latch;
    get hasSynced(): boolean;
    get waiting(): number;
    start(count?: number): void;
    finished(): void;
    /** Everything that counts as initial has been started. */
    upstreamSynced(): void;
}
/** The same for workers that finish in any order: a set of keys instead of a count. */
export declare class KeyedSyncTracker<K> {
    #private;
    readonly synced: Latch;
    get hasSynced(): boolean;
    start(key: K): void;
    /** Finishing what was never started is harmless. */
    finished(key: K): void;
    upstreamSynced(): void;
}
/**
 * A value computed at most once per `notify`.
 *
 * Concurrent readers share one evaluation; a slow evaluation that began before a
 * `notify` answers its own readers but is not kept; failures are not kept.
 */
export declare class Lazy<R> {
    #private;
    constructor(evaluate: () => Promise<R> | R);
    notify(): void;
    get(): Promise<R>;
}
/** Something that can be waited for, with a name for messages. */
export interface SyncChecker {
    readonly name: string;
    readonly hasSynced: boolean;
    onSynced(callback: () => void): () => void;
}
export interface WaitForSyncOptions {
    readonly signal?: AbortSignal;
    readonly env?: Env;
    /** What is waited for, in log lines; none are written without it. */
    readonly what?: string;
}
/** Resolves true when every checker has synced, false when `signal` aborts first. Polls nothing. */
export declare function waitForSync(checkers: readonly SyncChecker[], options?: WaitForSyncOptions): Promise<boolean>;
// informer/resync-period.d.ts
import type { Env } from '../core/env.ts';
/** A shorter period would make resync a load generator. */
export declare const MIN_RESYNC_MS = 1000;
/** Checks what a user asked for: 0 is never, anything below the minimum is raised with a warning. */
export declare function checkedResyncMs(env: Env, name: string, requestedMs: number): number;
/**
 * How often one handler is told again, and when next.
 *
 * The informer looks on every check tick, so a period shorter than the check
 * period becomes the check period, and an informer that never checks resyncs nobody.
 */
export declare class ResyncPeriod {
    #private;
    readonly requestedMs: number;
    constructor(requestedMs: number, checkMs: number, now: number);
    get effectiveMs(): number;
    /** The informer's check period changed before it started: start again from what was asked for. */
    recompute(checkMs: number, now: number): void;
    /** Whether a resync is due; if so, the next one is planned. */
    takeDue(now: number): boolean;
}
/**
 * The informer's own check period and those of its handlers.
 *
 * A handler that wants to hear more often than the informer looks: before the
 * start the informer looks more often, after it the handler has to wait.
 */
export declare class ResyncPlan {
    #private;
    constructor(env: Env, name: string, defaultMs: number);
    /** How often the informer looks; fixed once it runs. */
    get checkMs(): number;
    /** The period of one more handler; undefined asks for the informer's default. */
    join(requestedMs: number | undefined, hasStarted: boolean): ResyncPeriod;
}
// informer/informer-options.d.ts
import { type KnownOptions } from '../core/known-options.ts';
import type { IndexFn } from '../store/store.ts';
import type { InformerIdentity } from './identity.ts';
import type { MutationHandler } from './mutation-guard.ts';
import type { ReflectorOptions } from './reflector.ts';
import type { TransformFn } from './transform.ts';
export interface SharedInformerOptions<T extends object, I extends string = never> extends Omit<ReflectorOptions<T>, 'shouldResync' | 'key'> {
    /** Extra ways to look objects up; the index `namespace` is always there. */
    readonly indexers?: Readonly<Record<I, IndexFn<T>>>;
    /** Shrinks or reshapes each object before anybody sees it. */
    readonly transform?: TransformFn<T>;
    /** `ordered`: what the server said, as it said it. `delta`: grouped by object. @default 'ordered' */
    readonly queue?: 'ordered' | 'delta';
    /** Apply many changes in one transaction. @default false */
    readonly batch?: boolean;
    /** Another object under the same name: one update marked `replaced`, or a delete and an add. @default 'flag' */
    readonly identityChange?: 'flag' | 'split';
    /** Makes cached objects unchangeable. @default true when NODE_ENV is development or test */
    readonly freeze?: boolean;
    /** Looks for changed cached objects once a second. @default KUBE_CACHE_MUTATION_DETECTOR=true */
    readonly detectMutations?: boolean;
    readonly onMutation?: MutationHandler;
    /** Compares the cache with the server from time to time, and lists again if they differ. */
    readonly audit?: {
        readonly everyMs: number;
    };
    /** The server's storage went back in time or was exchanged; the cache has followed. */
    readonly onEpochReset?: () => void;
    /** Longest wait for running callbacks when stopping. @default 30_000 */
    readonly stopGraceMs?: number;
    /** Turns the informer metrics on, under this name. */
    readonly identity?: InformerIdentity;
    /** Tells handlers what client-go would tell them, for comparing the two. */
    readonly parity?: 'client-go';
}
export declare const INFORMER_OPTIONS: KnownOptions<SharedInformerOptions<object>>;
/** Throws INVALID_OPTION. What concerns the reflector is its own to check. */
export declare function checkInformerOptions<T extends object, I extends string>(options: SharedInformerOptions<T, I>): void;
// informer/mutation-guard.d.ts
import { type Env } from '../core/env.ts';
import { KubeError } from '../core/errors.ts';
import type { Key, KeyFn } from '../core/key.ts';
import type { TransformFn } from './transform.ts';
/** Cached objects are frozen where mistakes are made, and not where speed counts. */
export declare function freezeByDefault(): boolean;
export declare function detectByDefault(): boolean;
/** Makes an object and everything in it unchangeable. Iterative: objects nest deeper than the stack. */
export declare function deepFreeze<T>(root: T): T;
/** Freezing is the last step of a transform: the user's own may still change the object. */
export declare function freezing<T>(transform: TransformFn<T> | undefined): TransformFn<T>;
export type MutationHandler = (error: KubeError, key: Key) => void;
/**
 * Finds out who changes objects of the cache, for programs that cannot freeze them.
 *
 * Keeps a copy of every object that was stored and compares once a second. Objects
 * of the last two to four minutes are watched, so memory is held for that long:
 * a tool for tests and CI.
 */
export declare class MutationDetector<T extends object> {
    #private;
    constructor(env: Env, keyOf: KeyFn<T>, onMutation?: MutationHandler);
    add(object: T): void;
    run(signal: AbortSignal): Promise<void>;
    /** Compares everything that is held. A changed object is reported once. */
    compare(): void;
}
// informer/ordered-fifo.d.ts
import type { Latch } from '../core/latch.ts';
import { type DeletedFinalStateUnknown } from './delta.ts';
import { type KnownObjects, type ProcessFn, type Queue, type QueueOptions, type ReplaceInfo } from './queue.ts';
export interface OrderedFifoOptions<T> extends QueueOptions<T> {
    /**
     * A replace is one entry, compared with the cache when it is applied. When false, a replace
     * and a resync are spelled out object by object at once, which needs `knownObjects`. @default true
     */
    readonly atomic?: boolean;
    /** What the consumer holds; only for `atomic: false`. */
    readonly knownObjects?: KnownObjects<T>;
    /** Reads the resourceVersion, to choose between two states of one object in one list. */
    readonly resourceVersion?: (object: T) => string | undefined;
    /** See `Sink.recall`. @default holds nothing */
    readonly recall?: (object: T) => T;
}
/**
 * Changes in the order they arrived, nothing merged: what the server said, as it said it.
 *
 * Invariants (docs/SPEC.md):
 *  O1  entries leave in the order they came, across all objects
 *  O2  a replace is one entry (atomic), so nobody ever sees half of it
 *  O3  a list with an unusable key is refused whole, before anything is queued
 *  O4  `hasSynced` turns true once, after the first list has been applied
 *
 * Room rule: no network, no cache, no handlers; only `pop` and a large `replace` wait.
 */
export declare class OrderedFifo<T> implements Queue<T> {
    #private;
    constructor(options: OrderedFifoOptions<T>);
    get pending(): number;
    get hasSynced(): boolean;
    get synced(): Latch;
    recall(object: T): T;
    add(object: T): void;
    update(object: T): void;
    /** Always queued: whether anybody knew the object is for the consumer to say. */
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    /** Takes `items` as the whole truth. Large lists are prepared in slices; the queue changes at the end, in one step. */
    replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): Promise<void>;
    resync(): void;
    /** Kept in order with the changes. Outside atomic mode nobody could tell what it covers, so it leaves no trace. */
    bookmark(resourceVersion: string): void;
    room(): Promise<void> | undefined;
    pop(process: ProcessFn<T>): Promise<void>;
    /** Up to `BATCH_SIZE` changes of different objects; whole replacements and bookmarks go alone. */
    popBatch(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
    close(): void;
}
// informer/pager.d.ts
import type { ListOptions } from '../core/list-options.ts';
import { type TypeRef } from '../core/object.ts';
import type { ListWatch } from './list-watch.ts';
export declare const DEFAULT_PAGE_SIZE = 500;
/**
 * How many items to ask for at once; 0 asks for everything.
 *
 * A place in history is served by the server's watch cache only when no limit is
 * sent, so such lists are not paged, unless the cache turned out to be off
 * (`cacheIsOff`) or the user decided.
 */
export declare function pageSizeFor(resourceVersion: string, explicit: number | undefined, cacheIsOff: boolean): number;
export interface ListResult<T> {
    readonly items: T[];
    /** Of the first page: later pages show the same moment. */
    readonly resourceVersion: string;
    readonly paginated: boolean;
    readonly type: TypeRef;
}
export interface PagerOptions {
    readonly pageSize: number;
    readonly signal: AbortSignal;
    /** Told how many items have arrived after each page. */
    readonly onPage?: (received: number) => void;
}
/**
 * The whole collection, page by page, as one list of one moment.
 *
 * When the continue token expires on the way, everything is asked for again in
 * one piece: two moments are never mixed. Keeps no reference to a page, so
 * holding one object does not hold five hundred.
 */
export declare function listPages<T>(source: ListWatch<T>, options: ListOptions, pager: PagerOptions): Promise<ListResult<T>>;
export interface EachItemOptions {
    readonly signal: AbortSignal;
    /** @default 500 */
    readonly pageSize?: number;
    /** Pages fetched ahead of the consumer. @default 10 */
    readonly bufferPages?: number;
}
/**
 * Items as they come, with pages fetched ahead while the consumer works. Fetching ends when the consumer leaves.
 *
 * Does not start over when the continue token expires: the consumer has already seen part of the list.
 */
export declare function eachListItem<T>(source: ListWatch<T>, options: ListOptions, each: EachItemOptions): AsyncGenerator<T, void, undefined>;
// informer/registration.d.ts
import { type SyncedOptions, type WaitContext } from './informer-state.ts';
import type { Listener } from './listener.ts';
import type { HandlerOptions, Processor } from './processor.ts';
import type { SyncChecker } from './sync.ts';
/** A handler's place in an informer. */
export interface Registration extends SyncChecker, AsyncDisposable {
    readonly name: string;
    /** Events accepted and not yet handled. */
    readonly pending: number;
    /** Whether this handler has been told of everything that was there at the start. */
    readonly hasSynced: boolean;
    /** Resolves when it has; rejects SYNC_FAILED with the reason, or ABORTED. */
    synced(options?: SyncedOptions): Promise<void>;
    /** No callback starts after this; a running one may finish. Idempotent, also after a stop. */
    remove(): void;
    /** Removes, and waits for the running callback. Not to be awaited inside that callback. */
    shutdown(): Promise<void>;
}
/** Throws INVALID_OPTION for what would never be told anything, or would pile up without a bound. */
export declare function checkHandler(handler: unknown, options: HandlerOptions): void;
/** `informer` is the name and the surroundings of the informer the handler was given to. */
export declare function register<T>(processor: Processor<T>, listener: Listener<T>, informer: WaitContext & {
    readonly name: string;
}): Registration;
// informer/shared-informer.d.ts
import { type Key } from '../core/key.ts';
import { type KubeObject } from '../core/object.ts';
import type { IndexFn, ReadonlyStore } from '../store/store.ts';
import { type Differences } from './consistency.ts';
import type { Handler } from './handlers.ts';
import { type InformerHealth } from './informer-health.ts';
import { type InformerState, type ReadOptions, type SyncedOptions } from './informer-state.ts';
import { type SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch.ts';
import { type HandlerOptions } from './processor.ts';
import { type Registration } from './registration.ts';
import type { SyncChecker } from './sync.ts';
import type { Step } from './timeline.ts';
import type { TransformFn } from './transform.ts';
import type { WatchErrorHandler } from './watch-error.ts';
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
export declare class SharedInformer<T extends object = KubeObject, I extends string = never> implements SyncChecker, AsyncDisposable {
    #private;
    readonly name: string;
    /** The cache, read-only. Its objects are shared: never change them. */
    readonly store: ReadonlyStore<T, I>;
    constructor(source: ListWatch<T>, options?: SharedInformerOptions<T, I>);
    /** Adds a handler. It is first told of everything already in the cache, as initial adds. */
    on(handler: Handler<T>, options?: HandlerOptions): Registration;
    /** Removes a handler; the same as `registration.remove()`. The registration of another informer is left alone. */
    off(registration: Registration): void;
    /** Adds ways to look objects up, also while running. Returns the same informer, typed with the new names. */
    addIndexers<J extends string>(indexers: Readonly<Record<J, IndexFn<T>>>): SharedInformer<T, I | J>;
    /** Before the start; the last one set counts. */
    setTransform(transform: TransformFn<T>): void;
    /** Before the start; the last one set counts. */
    setWatchErrorHandler(handler: WatchErrorHandler): void;
    /** Runs until `signal` aborts or `stop` is called, then waits for running callbacks and resolves. Once; a second call says so and returns. */
    run(signal: AbortSignal): Promise<void>;
    /** Like `run`, without waiting for the end. */
    start(): this;
    /**
     * Ends everything: no callback starts afterwards, and no socket, timer or promise of ours is left. Idempotent.
     * Not to be awaited inside a callback: it waits for that callback, at most `stopGraceMs`. */
    stop(cause?: unknown): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    get hasStarted(): boolean;
    /** True once the loop that feeds the cache has ended; a handler added after this would hear nothing. */
    get isStopped(): boolean;
    /** Whether the cache has held one complete list. Stays true. */
    get hasSynced(): boolean;
    onSynced(callback: () => void): () => void;
    /** Resolves when the cache is complete. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
    synced(options?: SyncedOptions): Promise<void>;
    get(key: Key, options?: ReadOptions): T | undefined;
    list(options?: ReadOptions): T[];
    byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[];
    /** The newest version received; the cache may be a little behind it, see `store.resourceVersion`. Empty before the first list. */
    get lastSyncResourceVersion(): string;
    get state(): InformerState;
    /** Milliseconds since the server was last heard from; infinite before the first answer. */
    staleFor(): number;
    /** Everything a person or a probe may want to know, as plain data. */
    health(): InformerHealth;
    /** What kept the cache right, or from it: lists, watches, waits and why; the last of them, oldest first. */
    get timeline(): readonly Step[];
    /** Resolves when the cache contains everything up to `resourceVersion`: your own write, say. */
    waitFor(resourceVersion: string, options?: SyncedOptions): Promise<void>;
    /** Compares the cache with what the server had at the same version. Reads the whole collection: for audits and tests. */
    verify(signal?: AbortSignal): Promise<Differences>;
}
// informer/simple-informer.d.ts
import { type KubeObject } from '../core/object.ts';
import { Indexer } from '../store/indexer.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { Controller } from './controller.ts';
import { type Handler } from './handlers.ts';
import type { ListWatch } from './list-watch.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import type { TransformFn } from './transform.ts';
export interface SimpleInformerOptions<T extends object> extends ReflectorOptions<T> {
    readonly indexers?: Indexers<T>;
    readonly transform?: TransformFn<T>;
}
/**
 * A cache with one handler and nothing between: the handler is called inside the
 * turn that changes the cache, so it must be quick, and what it returns is not awaited.
 *
 * A handler that throws or rejects loses that event and no other; it is logged.
 * For everything else use SharedInformer.
 */
export declare function simpleInformer<T extends object = KubeObject>(source: ListWatch<T>, handler: Handler<T>, options?: SimpleInformerOptions<T>): {
    readonly store: ReadonlyStore<T>;
    readonly controller: Controller<T>;
};
/** A namespace-indexed store and a reflector that writes straight into it: no queue, no handlers. */
export declare function namespaceKeyedIndexerAndReflector<T extends object = KubeObject>(source: ListWatch<T>, options?: ReflectorOptions<T>): {
    readonly indexer: Indexer<T>;
    readonly reflector: Reflector<T>;
};
// store/expiration-cache.d.ts
import { type Env } from '../core/env.ts';
import { type Key, type KeyFn } from '../core/key.ts';
import { type KubeObject } from '../core/object.ts';
import type { Store } from './store.ts';
/** One object and when it was last written, on the clock of `Env.now`. */
export interface ExpirationEntry<T> {
    readonly object: T;
    readonly storedAt: number;
}
export interface ExpirationCacheOptions<T> {
    /** An object older than this is gone; 0 keeps objects for ever. @default 0 */
    readonly ttlMs?: number;
    /** Decides instead of `ttlMs` whether an entry is gone. Must be synchronous and must not write to the cache. */
    readonly policy?: (entry: ExpirationEntry<T>) => boolean;
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
    readonly env?: Env;
}
/**
 * A store that forgets what was not written again in time.
 *
 * Promises: `get` and `list` never give an expired object, and remove it when
 * they meet it; writing an object again starts its time anew; all objects of one
 * `replace` have the same age. An object exactly as old as `ttlMs` is still there.
 * Does not promise to free memory by itself, and `keys` may name expired objects:
 * nothing happens here without a call.
 *
 * Room rule: never waits and holds no timer; time is read from Env at each call.
 */
export declare class ExpirationCache<T extends object = KubeObject> implements Store<T> {
    #private;
    constructor(options?: ExpirationCacheOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    /** One bad key rejects the whole list and changes nothing. */
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    /** Also the keys of expired objects nobody has asked for since. */
    keys(): Key[];
    list(): T[];
}
// store/fifo.d.ts
import { type Key, type KeyFn } from '../core/key.ts';
import { type KubeObject } from '../core/object.ts';
import type { Store } from './store.ts';
export interface FifoOptions<T> {
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
}
/** Work for one object. `initial` says it belongs to the first list. */
export type FifoProcess<T> = (object: T, initial: boolean) => void | Promise<void>;
/**
 * Objects waiting to be worked on: each once, in its newest state, in order of first arrival.
 *
 * Promises: a queued object that changes keeps its place; one that comes back
 * after it was popped or deleted goes to the end; a delete takes it out and tells
 * nobody; a replace drops whatever waits. `hasSynced` turns true once: with the
 * first call if that is no replace, else when every object of the first list has been
 * *processed* (or deleted before). A second list that comes earlier takes the
 * first one's place. Does not promise that every state is seen: that is a delta queue.
 *
 * Room rule: no timers, no logging. Only `pop` waits, and only for work.
 */
export declare class Fifo<T extends object = KubeObject> implements Store<T> {
    #private;
    constructor(options?: FifoOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    get hasSynced(): boolean;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    /** One bad key rejects the whole list and changes nothing. */
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
    /**
     * Waits for work, takes the oldest object, processes it and resolves with it. Rejects with what
     * `process` threw, the object being dropped; rejects with QUEUE_CLOSED once closed and empty.
     */
    pop(process: FifoProcess<T>): Promise<T>;
    /** Lets poppers finish what waits and then releases them all. Writes are still accepted. */
    close(): void;
}
// store/heap.d.ts
import { type Key, type KeyFn } from '../core/key.ts';
import { type KubeObject } from '../core/object.ts';
export interface HeapOptions<T> {
    /** Whether `a` comes out before `b`. Must be synchronous and must not throw. */
    readonly less: (a: T, b: T) => boolean;
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
}
/**
 * A priority queue with one entry per key.
 *
 * Promises: `pop` gives an object before which no other comes, or waits for one;
 * adding a key again replaces its object and moves it to its new place; every
 * write is O(log n). After `close`, adding throws QUEUE_CLOSED and `pop` rejects
 * with it once nothing is left. Does not promise an order among equals, and
 * `list` and `listKeys` are in no order.
 *
 * Room rule: no timers, no logging. Only `pop` waits, and only for work.
 */
export declare class Heap<T extends object = KubeObject> {
    #private;
    constructor(options: HeapOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    add(object: T): void;
    update(object: T): void;
    /** Adds all before anybody pops. One bad key rejects the whole list and adds nothing. */
    bulkAdd(objects: readonly T[]): void;
    /** Keeps the entry that is there. Returns whether `object` was added. */
    addIfNotPresent(object: T): boolean;
    /** Returns whether it was there. */
    delete(object: T): boolean;
    /** Waits for an object and takes the first in order; rejects with QUEUE_CLOSED once closed and empty. */
    pop(): Promise<T>;
    /** Lets poppers take what is left and then releases them all. */
    close(): void;
    /** The entry with the key of `object`. */
    get(object: T): T | undefined;
    getByKey(key: Key): T | undefined;
    list(): T[];
    listKeys(): Key[];
}
// store/mutation-cache.d.ts
import { type Env } from '../core/env.ts';
import { type Key, type KeyFn } from '../core/key.ts';
import { type KubeObject, type ObjectAccess } from '../core/object.ts';
import type { Indexers, ReadonlyStore } from './store.ts';
export interface MutationCacheOptions<T> {
    /** How many written objects are remembered; the one unused for longest goes first. @default 100 */
    readonly maxEntries?: number;
    /** How long a written object is remembered. @default 300_000 */
    readonly ttlMs?: number;
    /** Whether objects the store does not have (yet) are found. Then wire `onDelete` too. @default false */
    readonly includeAdds?: boolean;
    /** The store's own index functions: with `includeAdds`, `byIndex` files by them what the store has not seen. */
    readonly indexers?: Indexers<T>;
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
    /** How metadata is read. @default plain decoded JSON */
    readonly access?: ObjectAccess<T>;
    readonly env?: Env;
}
/**
 * Read your own writes: a short memory of what the server answered to our own
 * requests, laid over a store that the watch has not brought up to date yet.
 *
 * Promises: a read gives the newer of the store's object and the remembered one,
 * by resourceVersion; an answer that arrives late never hides newer state, and
 * after `onDelete` never brings an object back. The store itself is never written.
 * Does not promise to remember: entries leave by age, by number, or when the
 * store has caught up. Objects whose resourceVersion is no number cannot be
 * ordered and are refused with INVALID_OPTION.
 *
 * Wire the informer's events to `onAddOrUpdate` and `onDelete` to drop entries early.
 *
 * Room rule: never waits and holds no timer; knows a store it can read, no client.
 */
export declare class MutationCache<T extends object = KubeObject, I extends string = string> {
    #private;
    constructor(store: ReadonlyStore<T, I>, options?: MutationCacheOptions<T>);
    get(key: Key): T | undefined;
    /**
     * The store's answer with each object in its newest state, even if that is filed elsewhere by now;
     * with `includeAdds`, also newer objects that belong here and the store has not filed here.
     */
    byIndex(name: I | 'namespace', value: string): T[];
    /** Remembers what the server answered to a create, update or patch, unless something newer is known. */
    mutation(object: T): void;
    /** The store has `object` now: what is not newer is no longer needed. */
    onAddOrUpdate(object: T): void;
    /** `object` is gone from the store: forgets it, and refuses late answers about it for `ttlMs`. */
    onDelete(object: T): void;
}
// store/undelta-store.d.ts
import type { Key, KeyFn } from '../core/key.ts';
import type { KubeObject } from '../core/object.ts';
import type { Store } from './store.ts';
export interface UndeltaStoreOptions<T> {
    /** @default `namespace/name` from the metadata */
    readonly key?: KeyFn<T>;
    /** Where objects are kept. @default an Indexer with `key` */
    readonly store?: Store<T>;
}
/**
 * A store for consumers that want the whole state after each change, not the change.
 *
 * Promises: after every write that succeeded, and only then, `push` gets the full
 * list, as an array of its own; reads never push. A write that threw changed and
 * pushed nothing. If `push` throws, the write has happened and the error goes to
 * the writer.
 *
 * Room rule: never waits; adds one call to a store and holds no objects itself.
 */
export declare class UndeltaStore<T extends object = KubeObject> implements Store<T> {
    #private;
    constructor(push: (objects: T[]) => void, options?: UndeltaStoreOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}
