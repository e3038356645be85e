// compat/index.d.ts
/**
 * `makeInformer` and `ListWatch` of @kubernetes/client-node, over this engine: change one import, keep the program.
 *
 * Takes the KubeConfig of that package (1.x and 2.x) by its shape; does not depend on it.
 */
export type { CallbackInformer } from './callback-informer.ts';
export type { KubeConfigLike, KubeConfigCluster, KubeConfigUser } from './kube-config.ts';
export { ListWatch, makeInformer, type WatchLike } from './make-informer.ts';
export { ADD, CHANGE, CONNECT, DELETE, ERROR, type ErrorCallback, type Informer, type InformerError, type ListPromise, type ObjectCache, type ObjectCallback, UPDATE, } from './shapes.ts';
// compat/callback-informer.d.ts
import { type Env } from '../core/env.ts';
import type { InformerState } from '../informer/informer-state.ts';
import type { ListWatch as Source } from '../informer/list-watch.ts';
import type { ADD, CHANGE, CONNECT, DELETE, ERROR, ErrorCallback, Informer, ObjectCache, ObjectCallback, UPDATE } from './shapes.ts';
/** A way to the server, for one run. */
export interface Opened<T> {
    readonly source: Source<T>;
    close(): Promise<void>;
}
export interface CallbackInformerOptions<T> {
    /** For messages. */
    readonly name: string;
    /** Asked at each start. `connected` is to be called whenever a watch was opened. */
    readonly open: (connected: () => void) => Promise<Opened<T>>;
    /** Starts in the next turn, when the callbacks are there; what `start` would reject with is told to those of `error`. @default false */
    readonly autoStart?: boolean;
    readonly env?: Env;
}
/**
 * An informer with the manners of client-node's: callbacks by verb, start and stop as often as one likes.
 *
 * Kept from there: callbacks run at once, in the order of their registration, and nobody waits for the promise of one;
 * what is registered after the start hears only what follows; the cache stays readable after a stop, and the next start
 * tells only differences.
 *
 * Not kept: it does not end by itself. `error` says that a request failed and will be tried again; `start` on a running
 * informer does nothing, so programs that start again on every error go on working. `start` resolves when the cache is
 * complete, not before. A callback that fails is logged and touches nobody else. `stop` is no error.
 *
 * Room rule: manners only; what is true about a cluster is the SharedInformer's business.
 */
export declare class CallbackInformer<T extends object> implements Informer<T>, ObjectCache<T> {
    #private;
    constructor(options: CallbackInformerOptions<T>);
    on(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    on(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    off(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    off(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    /** Resolves when the cache is complete and told, or when it is stopped before. Rejects when there is nothing to connect to. */
    start(): Promise<void>;
    /** No callback is called afterwards. Resolves when all connections are closed. */
    stop(): Promise<void>;
    get(name: string, namespace?: string): T | undefined;
    /** An empty namespace means all of them. The array is the caller's own. */
    list(namespace?: string): readonly T[];
    latestResourceVersion(): string;
    /** More than client-node says: whether the cache is complete, and since when and why it is behind. */
    get state(): InformerState;
}
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
// compat/shapes.d.ts
import type { KubeError } from '../core/errors.ts';
/**
 * The faces client-node gives its informer, so that annotations in existing programs go on compiling.
 *
 * Room rule: types and words; nothing happens here.
 */
export declare const ADD = "add";
export type ADD = typeof ADD;
export declare const UPDATE = "update";
export type UPDATE = typeof UPDATE;
/** Any of add, update and delete. */
export declare const CHANGE = "change";
export type CHANGE = typeof CHANGE;
export declare const DELETE = "delete";
export type DELETE = typeof DELETE;
/** A watch was opened, or opened again. */
export declare const CONNECT = "connect";
export type CONNECT = typeof CONNECT;
/** A request failed. It will be tried again. */
export declare const ERROR = "error";
export type ERROR = typeof ERROR;
export type ObjectCallback<T> = (object: T) => void;
/** In programs that exist the parameter is anything: `Error`, `V1Status`, a type of their own. What comes is an InformerError. */
export type ErrorCallback = (error?: any) => void;
/** What `error` callbacks are told: ours, with the HTTP status where client-node has it. */
export interface InformerError extends KubeError {
    /** Of the server's answer, if there was one. */
    readonly statusCode?: number;
}
export type ListPromise<T> = () => Promise<{
    readonly items: T[];
}>;
export interface Informer<T> {
    on(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    on(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    off(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    off(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    start(): Promise<void>;
    stop(): Promise<void>;
}
export interface ObjectCache<T> {
    get(name: string, namespace?: string): T | undefined;
    list(namespace?: string): readonly T[];
}
// compat/kube-config.d.ts
import type { CredentialSource } from '../client/credentials.ts';
type Text = string | null | undefined;
/** A cluster as client-node keeps it. */
export interface KubeConfigCluster {
    readonly server: string;
    readonly caData?: Text;
    readonly caFile?: Text;
    readonly tlsServerName?: Text;
    readonly skipTLSVerify?: boolean | null;
    readonly proxyUrl?: Text;
}
/** A user as client-node keeps it. */
export interface KubeConfigUser {
    readonly certData?: Text;
    readonly certFile?: Text;
    readonly keyData?: Text;
    readonly keyFile?: Text;
    readonly token?: Text;
    readonly username?: Text;
    readonly password?: Text;
    readonly impersonateUser?: Text;
    readonly exec?: unknown;
    readonly authProvider?: unknown;
}
/** The part of client-node's KubeConfig that is used. */
export interface KubeConfigLike {
    getCurrentCluster(): KubeConfigCluster | null;
    getCurrentUser(): KubeConfigUser | null;
    /** Puts credentials into options of Node's https; asked only where ours cannot do it. */
    applyToHTTPSOptions(options: object): Promise<void>;
}
/**
 * What a KubeConfig says now, as a kubeconfig for our own loader: so tokens are read again, programs run once at a time
 * and identity providers are asked as everywhere else in this package.
 *
 * Where that package is more lenient than ours (a file and data for the same thing, an authority that is not used, an
 * exec plugin that does not say whether it may ask), its reading is kept: the program worked before.
 */
export declare function kubeconfigOf(config: KubeConfigLike): object;
/** Credentials only that package can get: authenticators somebody added, providers of clouds from before exec plugins. */
export declare function usesOwnCredentials(config: KubeConfigLike): boolean;
/** Asks the KubeConfig itself, for each request. */
export declare function ownCredentials(config: KubeConfigLike): CredentialSource;
export {};
// client/credentials.d.ts
/** A client certificate and its key, PEM. */
export interface ClientCertificate {
    readonly cert: string;
    readonly key: string;
}
/** What one request carries to prove who sends it. */
export interface Credentials {
    /** The value of the Authorization header. Never logged, never printed. */
    readonly authorization?: string;
    readonly certificate?: ClientCertificate;
}
/**
 * Where credentials come from: a fixed token, a file that is rotated, a program, an identity provider.
 *
 * Promises: `current` is single flight; a credential that is about to expire is renewed before it is given out;
 * printing a source (`util.inspect`, JSON) shows its kind and nothing secret.
 */
export interface CredentialSource {
    /** For people: "token file", "exec aws". */
    readonly kind: string;
    current(signal: AbortSignal): Promise<Credentials>;
    /**
     * The server answered 401 to these. Returns whether asking again may give others: the caller then replays the request
     * once. Concurrent rejections of the same credentials cause one renewal.
     */
    rejected(credentials: Credentials): boolean;
    /** Ends timers and running programs. */
    close?(): void;
}
// compat/make-informer.d.ts
import { CallbackInformer } from './callback-informer.ts';
import { type KubeConfigLike } from './kube-config.ts';
import type { ListPromise } from './shapes.ts';
/** The part of client-node's Watch that is used. */
export interface WatchLike {
    readonly config: KubeConfigLike;
}
/**
 * As `makeInformer` of client-node: `path` says what is followed, `labelSelector` narrows it.
 *
 * `listPromiseFn` gives the objects their type and is not called: the collection at `path` is listed in pages by the same
 * code that watches it. So all objects have one shape, the server's JSON with `kind` and `apiVersion`, and what narrows
 * the list has to be in `labelSelector` or in the query of `path`.
 *
 * @example
 * import { KubeConfig } from '@kubernetes/client-node';
 * import { makeInformer } from 'kube-informer/compat';
 */
export declare function makeInformer<T extends object>(kubeconfig: KubeConfigLike, path: string, _listPromiseFn?: ListPromise<T>, labelSelector?: string): CallbackInformer<T>;
/** As `ListWatch` of client-node. See `makeInformer` about `listFn`. Starts at once unless `autoStart` is false. */
export declare class ListWatch<T extends object> extends CallbackInformer<T> {
    constructor(path: string, watch: WatchLike, _listFn?: ListPromise<T>, autoStart?: boolean, labelSelector?: string, fieldSelector?: string);
}
