// index.d.ts
/**
 * kube-informer: a local copy of a cluster's objects that never lies and never stops.
 *
 * The front door; `kube-informer/client`, `/informer`, `/core` and `/testing` hold the parts.
 */
export type { ChangesOptions, Overflow } from './cluster/change-stream.ts';
export type { ClusterHealth, HealthOptions } from './cluster/cluster-health.ts';
export type { ClusterInformer } from './cluster/cluster-informer.ts';
export { Cluster, type ClusterCache, type ClusterConnectOptions, type ClusterInformerOptions, type ClusterOptions, type InformerDefaults, } from './cluster/cluster.ts';
export { InformerSet, type InformerSetHealth } from './cluster/informer-set.ts';
export type { InformerRequest, InformerSetOptions, ResourceTransform, SourceFactory, } from './cluster/informer-set-options.ts';
export { Lister, type ListerOptions, type ListQuery } from './cluster/lister.ts';
export type { Scope } from './cluster/scope.ts';
export { type Env, type Log, systemEnv } from './core/env.ts';
export { type ErrorCode, hasCode, KubeError, type Status } from './core/errors.ts';
export { type Key, keyOf, splitKey } from './core/key.ts';
export type { ListOptions, WatchOptions } from './core/list-options.ts';
export type { KubeList, KubeObject, ObjectMeta } from './core/object.ts';
export type { Metrics } from './core/metrics.ts';
export { FieldSelector, type FieldSelectorLike, LabelSelector, type LabelSelectorLike } from './core/selector.ts';
export type { WatchEvent } from './core/watch-event.ts';
export { type AddEvent, type DeleteEvent, filtered, type Handler, type InformerEvent, type UpdateEvent, } from './informer/handlers.ts';
export type { InformerHealth } from './informer/informer-health.ts';
export type { SharedInformerOptions } from './informer/informer-options.ts';
export type { Differences } from './informer/consistency.ts';
export type { InformerState, ReadOptions, SyncedOptions } from './informer/informer-state.ts';
export type { ListWatch } from './informer/list-watch.ts';
export type { HandlerOptions } from './informer/processor.ts';
export type { Registration } from './informer/registration.ts';
export { SharedInformer } from './informer/shared-informer.ts';
export type { TransformFn } from './informer/transform.ts';
export type { IndexFn, ReadonlyStore } from './store/store.ts';
// cluster/change-stream.d.ts
import type { Handler, InformerEvent } from '../informer/handlers.ts';
import type { HandlerOptions } from '../informer/processor.ts';
export interface ChangesOptions extends HandlerOptions {
    /** Ends the iteration, without an error. */
    readonly signal?: AbortSignal;
}
/** Policy `detach`: changes were dropped; forget what you know, everything follows as initial adds. */
export interface Overflow {
    readonly type: 'overflow';
}
/**
 * A handler that is read instead of called.
 *
 * A change counts as handled when the reader asks for the next one, so a slow reader is a slow handler: what happens then
 * is the policy's business, and nothing piles up here. Ends when its signal aborts, when it is ended, or when it is left.
 */
export declare class ChangeStream<T> implements AsyncIterableIterator<InformerEvent<T> | Overflow, undefined> {
    #private;
    /** What is to be registered. Several informers may share it. */
    readonly handler: Handler<T>;
    /** `onEnd` is called once, and is where the handler is removed. */
    constructor(signal: AbortSignal | undefined, onEnd: () => void);
    [Symbol.asyncIterator](): this;
    next(): Promise<IteratorResult<InformerEvent<T> | Overflow, undefined>>;
    return(): Promise<IteratorReturnResult<undefined>>;
    /** Idempotent. What was not read yet is dropped. */
    readonly end: () => void;
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
// cluster/cluster-health.d.ts
import type { InformerSetHealth } from './informer-set.ts';
export interface ClusterHealth {
    /** Every cache is complete, and none has been out of date for longer than allowed. */
    readonly ready: boolean;
    /** No cache has ended by itself. */
    readonly live: boolean;
    /** Why it is not ready or not alive, a sentence each. */
    readonly reasons: readonly string[];
    readonly informers: readonly InformerSetHealth[];
}
export interface HealthOptions {
    /** A cache that has been stale for longer is not ready. @default 300_000 */
    readonly maxStaleMs?: number;
}
/** What one look at all informers says. `now` is the wall clock. */
export declare function clusterHealth(informers: readonly InformerSetHealth[], now: number, { maxStaleMs }?: HealthOptions): ClusterHealth;
/** The parts of Node's request and response that a probe needs. */
export interface ProbeRequest {
    readonly url?: string | undefined;
    readonly method?: string | undefined;
}
export interface ProbeResponse {
    writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
    end(text?: string): unknown;
}
/** Answers `/livez` and `/readyz` (and below any prefix) with 200 or 503 and a line for each reason; 404 for the rest. */
export declare function probeHandler(look: () => ClusterHealth): (request: ProbeRequest, response: ProbeResponse) => void;
// cluster/informer-set.d.ts
import type { KubeObject } from '../core/object.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import type { SyncedOptions } from '../informer/informer-state.ts';
import { SharedInformer } from '../informer/shared-informer.ts';
import { type InformerRequest, type InformerSetOptions } from './informer-set-options.ts';
import { Lister } from './lister.ts';
import { type Scope } from './scope.ts';
/** How one informer of a set is doing. */
export interface InformerSetHealth {
    readonly resource: string;
    readonly scope: Scope;
    readonly health: InformerHealth;
}
/** One cache of a set, whoever asked for it. */
export interface CacheEntry {
    readonly resource: string;
    readonly scope: Scope;
    readonly informer: SharedInformer<object, string>;
}
/**
 * The informers of an application: one per resource and scope, however often it is asked for.
 *
 * Promises: asking for an informer, or for its lister, is what makes `start` start it;
 * whoever asks again gets the same one, or an error if it was made with other options;
 * `shutdown` leaves nothing running and gives the name back.
 *
 * Does not start by itself what is asked for after `start`: call `start` again.
 *
 * Room rule: makes, names and holds informers; what an informer does is its own business.
 *
 * @example
 * const informers = new InformerSet({ source });
 * const pods = informers.informer<Pod>('v1/pods', { namespace: 'web' });
 * const nodes = informers.lister<Node>('v1/nodes');
 * informers.start();
 * await informers.synced({ timeoutMs: 30_000 });
 */
export declare class InformerSet implements AsyncDisposable {
    #private;
    constructor(options: InformerSetOptions);
    /**
     * The informer of this resource and scope, made on the first request. Later requests may add
     * indexes; other options they may leave out, but not change.
     */
    informer<T extends object = KubeObject, I extends string = string>(resource: string, request?: InformerRequest<T, I>): SharedInformer<T, I>;
    /** Throws what `informer` would throw, and makes nothing. */
    check<T extends object = KubeObject, I extends string = string>(resource: string, request?: InformerRequest<T, I>): void;
    /** Questions to the cache of that informer, in the words of the API. */
    lister<T extends object = KubeObject>(resource: string, request?: InformerRequest<T>): Lister<T>;
    /** Stops one informer and forgets it; the next request makes a new one. Resolves when it has ended. */
    release(resource: string, scope?: Scope): Promise<void>;
    /**
     * Starts what was asked for and is not started yet. May be called again, also with another signal: each
     * informer ends with the signal it was started with, or with the set. Does nothing after `shutdown`.
     */
    start(signal?: AbortSignal): void;
    /**
     * Resolves when every *started* informer is complete, with the names of those it waited for. Rejects
     * SYNC_FAILED with the names of those that are not complete, and why; it stops none of them.
     */
    synced(options?: SyncedOptions): Promise<ReadonlyMap<string, boolean>>;
    /**
     * Stops every informer, waits until all have ended, then releases the name. Nothing starts afterwards.
     * May be called many times; not to be awaited inside a handler, which it would wait for.
     */
    shutdown(cause?: unknown): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    /** How every informer asked for so far is doing, started or not. */
    health(): InformerSetHealth[];
    /** Every cache asked for and not released. */
    caches(): CacheEntry[];
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
// cluster/informer-set-options.d.ts
import type { Env } from '../core/env.ts';
import type { Metrics } from '../core/metrics.ts';
import type { KubeObject } from '../core/object.ts';
import type { InformerNames } from '../informer/identity.ts';
import type { SharedInformerOptions } from '../informer/informer-options.ts';
import type { ListWatch, OptionsModifier } from '../informer/list-watch.ts';
import type { Scope } from './scope.ts';
/**
 * Where the objects of a resource come from. Throws for a resource it does not know.
 *
 * The namespace is the factory's to apply, or to leave out where a resource has
 * none; the selectors come again in the options of every list and watch.
 */
export type SourceFactory = (resource: string, scope: Scope) => ListWatch<object>;
/** A transform for a resource known by its name only: give the object the type you know it to have. */
export type ResourceTransform = {
    transform(object: KubeObject): KubeObject;
}['transform'];
/** What the set gives to every informer itself. */
type FromTheSet = 'name' | 'identity' | 'env' | 'metrics';
/** What only makes sense for one resource. */
type OfOneResource = 'expected' | 'typeDescription' | 'indexers' | 'transform';
/** What one user of an informer asks for: a scope, and options as for a SharedInformer. */
export interface InformerRequest<T extends object = KubeObject, I extends string = string> extends Scope, Omit<SharedInformerOptions<T, I>, FromTheSet> {
}
/** Everything a SharedInformer can be told is here as a default for all of them. */
export interface InformerSetOptions extends Omit<SharedInformerOptions<KubeObject>, FromTheSet | OfOneResource> {
    readonly source: SourceFactory;
    /** For requests that name none. @default "", all of them */
    readonly namespace?: string;
    /** Stronger than `resyncMs`, weaker than a request. */
    readonly resyncMsByResource?: Readonly<Record<string, number>>;
    readonly transform?: ResourceTransform;
    /** Stronger than `transform`, weaker than a request. */
    readonly transformByResource?: Readonly<Record<string, ResourceTransform>>;
    /** Changes the query of every list and watch, on a copy. */
    readonly modify?: OptionsModifier;
    /** Turns the informer metrics on, under this name. Nobody else can have it until `shutdown`. */
    readonly name?: string;
    /** Where the name is reserved. @default the names of this process */
    readonly names?: InformerNames;
    readonly env?: Env;
    readonly metrics?: Metrics;
}
/** What was really said: an explicit `undefined` must not undo a default. */
export declare function defined(options: object): Record<string, unknown>;
/** Two users cannot share an informer and disagree about it; the second one is told, not ignored. */
export declare function requireSame(what: string, held: Readonly<Record<string, unknown>>, asked: object): void;
export {};
// cluster/scope.d.ts
/** Which part of a resource is meant. */
export interface Scope {
    /** "" means all. @default all */
    readonly namespace?: string;
    /** @default everything */
    readonly labelSelector?: string;
    /** @default everything */
    readonly fieldSelector?: string;
}
/** `v1/pods`, `apps/v1/deployments`: what a source can be asked for. */
export declare function requireResource(resource: string): void;
/**
 * The one way to write a scope, so that two texts with the same meaning are the same
 * scope: selectors in their printed order, and nothing for what does not narrow.
 */
export declare function normalScope({ namespace, labelSelector, fieldSelector }: Scope): Scope;
/** `v1/pods in web (labels app=shop)`: for messages and metrics, and different for different scopes. */
export declare function describeScope(resource: string, { namespace, labelSelector, fieldSelector }: Scope): string;
// cluster/lister.d.ts
import { type Env } from '../core/env.ts';
import { type Key } from '../core/key.ts';
import { type KnownOptions } from '../core/known-options.ts';
import { type KubeObject, type ObjectAccess } from '../core/object.ts';
import { type LabelSelectorLike } from '../core/selector.ts';
import type { ReadonlyStore } from '../store/store.ts';
export interface ListerOptions<T> {
    /** What the store holds, for messages: `v1/pods`, `apps/v1/deployments`. */
    readonly resource: string;
    /** Answers for this namespace only; "" means all. @default "" */
    readonly namespace?: string;
    /** How metadata is read. @default plain decoded JSON */
    readonly access?: ObjectAccess<T>;
    /** @default the platform */
    readonly env?: Env;
}
export interface ListQuery {
    /** A text, a map of labels or a LabelSelector. @default everything */
    readonly labels?: LabelSelectorLike;
    /** "" means all. @default "" */
    readonly namespace?: string;
}
export declare const LIST_QUERY: KnownOptions<ListQuery>;
/**
 * Questions to a cache in the words of the API: list by labels and namespace, get by name.
 *
 * Promises: one class serves typed objects, untyped ones and any other
 * representation; a selector that matches nothing costs nothing, one that matches
 * everything reads no labels; arrays are the caller's own, without gaps.
 *
 * Does not promise an order, and does not copy: objects are shared and must not be changed.
 *
 * Room rule: reads a store, never a server; what is not in the cache does not exist.
 */
export declare class Lister<T extends object = KubeObject> {
    #private;
    constructor(store: ReadonlyStore<T>, options: ListerOptions<T>);
    list(query?: ListQuery): T[];
    /** The same questions about one namespace; "" means all. */
    namespace(namespace: string): Lister<T>;
    /** The object, or NOT_FOUND with the Status a server would answer. See `find` for the key. */
    get(key: Key): T;
    /** By `name` if cluster-scoped, by `namespace/name` otherwise; in the lister of one namespace, by `name` too. */
    find(key: Key): T | undefined;
}
// core/selector.d.ts
import { type FieldRequirement, type LabelOperator, type LabelRequirement } from './selector-syntax.ts';
export type { FieldRequirement, LabelOperator, LabelRequirement };
export type Labels = Readonly<Record<string, string>>;
/** The selector inside API objects, such as `spec.selector` of a Deployment. */
export interface LabelSelectorSpec {
    readonly matchLabels?: Labels;
    readonly matchExpressions?: readonly LabelExpression[];
}
export interface LabelExpression {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
}
/** What a caller may write where a label selector is asked for. */
export type LabelSelectorLike = LabelSelector | Labels | string;
/**
 * A condition on labels, in the language of the API: `app=shop,tier in (a,b),!legacy`.
 *
 * Promises: what was accepted here, the server accepts as printed; `toString` gives
 * the same text for the same requirements in any order, and parsing that text gives
 * the same selector back. Bad input is INVALID_OPTION. Immutable.
 *
 * Does not promise to notice that requirements contradict each other.
 *
 * Room rule: looks at labels and nothing else; never at an object.
 */
export declare class LabelSelector {
    #private;
    static readonly everything: LabelSelector;
    /**
     * Matches no labels. The language has no word for that, and an empty text means
     * everything, so it prints as a demand nobody can meet.
     */
    static readonly nothing: LabelSelector;
    /** All of them must hold. Sorted by key. */
    readonly requirements: readonly LabelRequirement[];
    private constructor();
    static parse(text: string): LabelSelector;
    /** From a selector, a text, or a map of labels that all have to be there. */
    static of(input: LabelSelectorLike): LabelSelector;
    /** From the form inside API objects, where an empty selector means everything and a missing one nothing. */
    static from(spec: LabelSelectorSpec | null | undefined): LabelSelector;
    get isEverything(): boolean;
    /** Whether this is `nothing`, so that no object needs to be asked. */
    get isNothing(): boolean;
    matches(labels: Labels | undefined): boolean;
    toString(): string;
}
/** The fields of one object, by path. A field that is missing has the value "". */
export type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);
/** What a caller may write where a field selector is asked for. */
export type FieldSelectorLike = FieldSelector | Readonly<Record<string, string>> | string;
/**
 * A condition on fields: `metadata.name=shop,status.phase!=Running`. In values, `\`
 * stands before `\`, `,` and `=`.
 *
 * Promises: `toString` and parsing go together as in `LabelSelector`. Bad input is
 * INVALID_OPTION. Immutable.
 *
 * Does not promise that a server can select by these fields: only it knows.
 *
 * Room rule: compares values; how to find a field in an object is the caller's business.
 */
export declare class FieldSelector {
    #private;
    static readonly everything: FieldSelector;
    /** All of them must hold. Sorted as printed. */
    readonly requirements: readonly FieldRequirement[];
    private constructor();
    static parse(text: string): FieldSelector;
    /** From a selector, a text, or a map of fields and the values they have to have. */
    static of(input: FieldSelectorLike): FieldSelector;
    get isEverything(): boolean;
    matches(fields: FieldValues): boolean;
    toString(): string;
}
// core/selector-syntax.d.ts
/**
 * How selectors are written: reading, checking and printing requirements.
 *
 * Everything here goes over a text from left to right by hand and never goes
 * back, so the work grows with the length of the text and with nothing else.
 * What was refused is quoted in part, however long it is.
 *
 * Room rule: knows texts, not what they select; `selector.ts` gives them a meaning.
 */
/** How a label stands to the values of a requirement. The text `==` is read as `=`. */
export type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '<' | '>';
export interface LabelRequirement {
    readonly key: string;
    readonly operator: LabelOperator;
    /** Sorted. None for `exists` and `!`, at least one for `in` and `notin`, one for the rest. */
    readonly values: ReadonlySet<string>;
}
export interface FieldRequirement {
    readonly field: string;
    readonly operator: '=' | '!=';
    readonly value: string;
}
export declare const A_KEY: string;
export declare const A_VALUE: string;
export declare const A_FIELD: string;
export declare function printLabel({ key, operator, values }: LabelRequirement): string;
export declare function printField({ field, operator, value }: FieldRequirement): string;
export declare function compareText(a: string, b: string): number;
export declare function labelRequirement(key: string, operator: LabelOperator, values: Iterable<string>): LabelRequirement;
export declare function isLabelKey(key: string): boolean;
export declare function isLabelValue(value: string): boolean;
export declare function isFieldPath(field: string): boolean;
/** The number a text stands for, if it is one the server can hold: it may have more digits than a double. */
export declare function int64(text: string): bigint | undefined;
export declare function parseLabels(text: string): LabelRequirement[];
export declare function parseFields(text: string): FieldRequirement[];
// cluster/cluster-informer.d.ts
import { type Key } from '../core/key.ts';
import type { Env } from '../core/env.ts';
import type { KubeObject } from '../core/object.ts';
import type { Differences } from '../informer/consistency.ts';
import type { Handler, InformerEvent } from '../informer/handlers.ts';
import type { InformerHealth } from '../informer/informer-health.ts';
import { type InformerState, type ReadOptions, type SyncedOptions } from '../informer/informer-state.ts';
import type { HandlerOptions } from '../informer/processor.ts';
import type { Registration } from '../informer/registration.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { type ChangesOptions, type Overflow } from './change-stream.ts';
import { type ListQuery } from './lister.ts';
/** One namespace's part of an informer; the namespace is empty where there is only one part. */
export interface Part<T extends object, I extends string> {
    readonly namespace: string;
    readonly informer: SharedInformer<T, I>;
}
export interface ClusterInformerParts<T extends object, I extends string> {
    readonly resource: string;
    readonly env: Env;
    readonly parts: readonly Part<T, I>[];
    /** Gives the parts back. */
    readonly release: () => Promise<void>;
}
/**
 * One user's hold on the cache of a resource, shared with everybody in the process who asks for the same.
 *
 * It runs from the moment it is asked for. `close` removes what was added through this hold, and when the last one is
 * closed the cache stops. With several namespaces it is one view over one cache for each.
 *
 * Promises of handlers, reads and states: see SharedInformer.
 */
export declare class ClusterInformer<T extends object = KubeObject, I extends string = never> implements AsyncDisposable {
    #private;
    readonly resource: string;
    constructor({ resource, env, parts, release }: ClusterInformerParts<T, I>);
    /** Adds a handler. It is first told of everything already in the cache, as initial adds. */
    on(handler: Handler<T>, options?: HandlerOptions): Registration;
    /**
     * Changes as they come, first everything that is there as initial adds. A change counts as handled when the next one is
     * asked for; a reader that is too slow is treated as the policy says. Ends when `signal` aborts or this hold is closed.
     */
    changes(options: ChangesOptions & {
        readonly policy: 'detach';
    }): AsyncIterableIterator<InformerEvent<T> | Overflow>;
    changes(options?: ChangesOptions): AsyncIterableIterator<InformerEvent<T>>;
    /** Resolves when the cache is complete. Rejects SYNC_FAILED with the reason (forbidden, not found, unreachable …), or ABORTED. */
    synced(options?: SyncedOptions): Promise<void>;
    get hasSynced(): boolean;
    get(key: Key, options?: ReadOptions): T | undefined;
    /** Everything, or what a label selector or a namespace picks. In no order. */
    list(query?: ListQuery & ReadOptions): T[];
    byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[];
    /**
     * Resolves with the object as soon as `holds` says so, which is asked now and at every change; undefined stands for an
     * object that is not there. Rejects SYNC_FAILED when `timeoutMs` is over, or ABORTED.
     */
    waitFor(key: Key, holds: (object: T | undefined) => boolean, options?: SyncedOptions): Promise<T | undefined>;
    /** Of several namespaces: the worst of them. */
    get state(): InformerState;
    /** One for each namespace that was asked for. */
    health(): readonly InformerHealth[];
    /** Compares the cache with the server. Reads the whole collection: for audits and tests. */
    verify(signal?: AbortSignal): Promise<readonly Differences[]>;
    /**
     * Ends this hold: its handlers hear nothing more and its reads throw. Resolves when its running callbacks have ended, so
     * it is not to be awaited inside one of them. Idempotent.
     */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
// cluster/cluster.d.ts
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import { type BuiltInResource, Client, type ClientConnectOptions, type CreateOnlyClient } from '../client/client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import { type Env } from '../core/env.ts';
import type { KubeObject } from '../core/object.ts';
import { type FieldSelectorLike, type LabelSelectorLike } from '../core/selector.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { type ClusterHealth, type HealthOptions, type ProbeRequest, type ProbeResponse } from './cluster-health.ts';
import { ClusterInformer } from './cluster-informer.ts';
import type { InformerRequest, InformerSetOptions } from './informer-set-options.ts';
/** Defaults for every informer of a cluster. */
export type InformerDefaults = Omit<InformerSetOptions, 'source' | 'env' | 'namespace'>;
export interface ClusterOptions {
    readonly client: Client;
    readonly informers?: InformerDefaults;
    readonly env?: Env;
}
export interface ClusterConnectOptions extends ClientConnectOptions {
    readonly informers?: InformerDefaults;
}
/** What one informer is to hold, and options as for a SharedInformer. */
export interface ClusterInformerOptions<T extends object, I extends string> extends Omit<InformerRequest<T, I>, 'namespace' | 'labelSelector' | 'fieldSelector'> {
    /** Several make one view over one cache for each. @default all of them */
    readonly namespace?: string | readonly string[];
    /** A text, a map of labels or a LabelSelector. @default everything */
    readonly labels?: LabelSelectorLike;
    /** A text, a map of fields or a FieldSelector. @default everything */
    readonly fields?: FieldSelectorLike;
}
/** One cache of a cluster. Undefined scopes stand for everything. */
export interface ClusterCache {
    readonly resource: string;
    readonly namespace: string | undefined;
    readonly labelSelector: string | undefined;
    readonly fieldSelector: string | undefined;
    readonly metadataOnly: boolean;
    readonly informer: SharedInformer<KubeObject, string>;
}
/** Names, labels and owners only: a fraction of the bytes. */
export interface MetadataOnly {
    readonly metadataOnly: true;
}
/**
 * A cluster and the caches of it that this process keeps.
 *
 * Promises: an informer is made on the first request, runs at once, is shared by all who ask for the same resource and scope,
 * and ends with the last of them; `close` leaves no socket, timer or promise behind.
 *
 * @example
 * await using cluster = await Cluster.connect();
 * const pods = cluster.informer('v1/pods', { namespace: 'web', labels: { app: 'shop' } });
 * pods.on({ add: ({ key, object }) => console.log(key, object.status?.phase) });
 * await pods.synced({ timeoutMs: 30_000 });
 */
export declare class Cluster implements AsyncDisposable {
    #private;
    readonly client: Client;
    /** Finds the cluster as `Client.connect` does. Asks the server nothing yet. */
    static connect({ informers, ...options }?: ClusterConnectOptions): Promise<Cluster>;
    constructor({ client, informers, env }: ClusterOptions);
    /**
     * The cache of a resource. Built-in names give the type of their objects; a custom resource brings its own:
     * `cluster.informer<Widget>('example.com/v1/widgets')`.
     */
    informer<K extends BuiltInResource, I extends string = never>(resource: K, options: ClusterInformerOptions<KubeObject, I> & MetadataOnly): ClusterInformer<KubeObject, I>;
    informer<K extends BuiltInResource, I extends string = never>(resource: K, options?: ClusterInformerOptions<Resources[K], I>): ClusterInformer<Resources[K], I>;
    informer<_T extends KubeObject, I extends string = string>(resource: string, options: ClusterInformerOptions<KubeObject, I> & MetadataOnly): ClusterInformer<KubeObject, I>;
    informer<T extends KubeObject = never, I extends string = string>(resource: [T] extends [never] ? BuiltInResource : string, options?: ClusterInformerOptions<T, I>): ClusterInformer<T, I>;
    /** For reads and writes that go to the server. */
    resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
    resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? BuiltInResource : string): ResourceClient<T>;
    /** Every cache this process keeps of the cluster, whoever asked for it: for tools that look at them. */
    caches(): ClusterCache[];
    /** How all caches are doing. */
    health(options?: HealthOptions): ClusterHealth;
    /** For Kubernetes' probes: `createServer(cluster.probes())` answers `/livez` and `/readyz`. */
    probes(options?: HealthOptions): (request: ProbeRequest, response: ProbeResponse) => void;
    /**
     * Stops all informers, waits for running callbacks, so not to be awaited inside one of them, then ends all connections.
     * Idempotent.
     */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
// client/client.d.ts
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import { type Env } from '../core/env.ts';
import type { KubeObject } from '../core/object.ts';
import { type ConnectOptions } from './connect-options.ts';
import type { Connection } from './connection.ts';
import { type TransportOptions } from './create-transport.ts';
import { Discovery } from './discovery.ts';
import { type Limiter, type RateLimitOptions } from './rate-limit.ts';
import { type ApiRequest, type CallOptions } from './request.ts';
import { ResourceClient } from './resource-client.ts';
import type { Transport } from './transport.ts';
import type { WarningPolicy } from './warnings.ts';
/** Resources every cluster has, by the name that gives their type. */
export type BuiltInResource = keyof Resources;
/** A resource whose objects are only made, never kept: reviews, bindings. */
export type CreateOnlyClient<T extends KubeObject> = Pick<ResourceClient<T>, 'name' | 'create'>;
export interface ClientOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env?: Env;
    /** @default `kube-informer/<version> (<platform>)` */
    readonly userAgent?: string;
    /** Off unless asked for; the server has its own fairness. Watches are never limited. @default none */
    readonly rateLimit?: RateLimitOptions | Limiter;
    /** @default 'log' */
    readonly onWarning?: WarningPolicy;
    /** Largest object that is read, in bytes of JSON. @default 33_554_432 (32 MB) */
    readonly maxObjectBytes?: number;
    /** Longest Retry-After that is honoured: nobody may park a client. @default 60_000 */
    readonly maxRetryAfterMs?: number;
}
/** Of a client that finds its cluster itself: where it is, who we are, how it is spoken to. */
export interface ClientConnectOptions extends ConnectOptions, Omit<ClientOptions, 'connection' | 'transport'>, Omit<TransportOptions, 'env'> {
    /** Instead of the platform's own. */
    readonly transport?: Transport;
}
/** Of a raw request. */
export interface RawRequest extends CallOptions {
    /** @default GET */
    readonly method?: ApiRequest['method'];
    /** Path and query as they go on the wire. */
    readonly path: string;
    /** Text and bytes are sent as they are, anything else as JSON. */
    readonly body?: unknown;
    /** Win over all others, those of the credentials included. */
    readonly headers?: Readonly<Record<string, string>>;
}
export interface LogOptions extends Omit<CallOptions, 'timeoutMs'> {
    /** @default the only one */
    readonly container?: string;
    /** Go on until the container ends. */
    readonly follow?: boolean;
    /** Of the container that ran before. */
    readonly previous?: boolean;
    readonly sinceSeconds?: number;
    /** RFC 3339. */
    readonly sinceTime?: string;
    readonly tailLines?: number;
    readonly timestamps?: boolean;
    readonly limitBytes?: number;
    /** @default All */
    readonly stream?: 'All' | 'Stdout' | 'Stderr';
}
/**
 * A cluster's API: resources by name, everything else by path. `Client.connect()` makes one.
 *
 * Opens nothing before the first call. One client shares transport, limiter, warnings and what it knows of the server
 * with all its resources. Printing it shows the server and nothing secret.
 *
 * @example
 * await using client = await Client.connect();                          // KUBECONFIG, the pod's account, ~/.kube/config
 * const pods = client.resource('v1/pods');                              // ResourceClient<Pod>
 * const widgets = client.resource<Widget>('example.com/v1/widgets');    // a custom resource brings its type
 */
export declare class Client implements AsyncDisposable {
    #private;
    readonly connection: Connection;
    readonly discovery: Discovery;
    /**
     * Finds the cluster and its credentials as ConnectOptions say, and picks the transport of the platform. Asks the server
     * nothing: a server that is down is told by the first call. Rejects as `resolveConnection` does.
     */
    static connect(options?: ClientConnectOptions): Promise<Client>;
    constructor(options: ClientOptions);
    /**
     * A resource by name. Built-in names give their type; a custom resource, a kind or a short name is given together with
     * its own (`resource<Widget>('example.com/v1/widgets')`), so that a typo in a built-in name does not compile.
     */
    resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
    resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? BuiltInResource : string): ResourceClient<T>;
    /** Any path. Resolves with the value where the answer is JSON, with its text otherwise. */
    request<R = unknown>(request: RawRequest): Promise<R>;
    /**
     * A pod's log as it comes: bytes, not lines. With `follow` it goes on until the container ends. Leaving the loop closes
     * the stream.
     */
    logs(key: string, options?: LogOptions): AsyncIterableIterator<Uint8Array, undefined>;
    /** Ends every connection and the work of getting credentials. Idempotent. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
// client/connect-options.d.ts
import type { KnownOptions } from '../core/known-options.ts';
import type { Impersonation } from './connection.ts';
import type { HttpExchange, OidcTokens } from './oidc.ts';
/** A place to look for a cluster when nothing was said. */
export type ConfigSource = 'KUBECONFIG' | 'in-cluster' | 'home';
/**
 * How to find and enter a cluster. With no options at all the first of these that is there is used:
 *
 * 1. the files named by `KUBECONFIG`, merged;
 * 2. the pod's service account;
 * 3. `~/.kube/config`, unless `KUBECONFIG` is set.
 *
 * `order` changes this list (kubectl asks for the service account last). Anything said in code comes before it:
 * `url`, then `kubeconfig`, then `kubeconfigFile`. With `context`, `cluster` or `user` the service account is not asked.
 *
 * The remaining options are laid over what was found.
 */
export interface ConnectOptions {
    /** The server: alone, with the other options here, or in place of the one in a kubeconfig that is named too. */
    readonly url?: string | URL;
    /** YAML or JSON text, or the object itself. Relative paths in it are refused: it has no directory. */
    readonly kubeconfig?: string | object;
    /** One file, used alone. It must exist. */
    readonly kubeconfigFile?: string;
    /** @default ['KUBECONFIG', 'in-cluster', 'home'] */
    readonly order?: readonly ConfigSource[];
    readonly context?: string;
    readonly cluster?: string;
    readonly user?: string;
    /** @default the context's, the pod's, or `default` */
    readonly namespace?: string;
    /** A bearer token. Replaces all credentials that were found. */
    readonly token?: string;
    /** A file with a token that somebody rotates. Replaces all credentials that were found. */
    readonly tokenFile?: string;
    /** Together with `password`. Replaces all credentials that were found. */
    readonly username?: string;
    readonly password?: string;
    /** PEM. Replaces, like `caFile` and `insecureSkipTlsVerify`, everything that was found about trust. */
    readonly ca?: string;
    readonly caFile?: string;
    /** The client certificate, PEM. Replaces all credentials that were found. */
    readonly cert?: string;
    readonly certFile?: string;
    readonly key?: string;
    readonly keyFile?: string;
    /** The name the server's certificate must carry. @default the host of the server's URL */
    readonly serverName?: string;
    /** Trust whoever answers. Said aloud in the log. @default false */
    readonly insecureSkipTlsVerify?: boolean;
    readonly impersonate?: Impersonation;
    /**
     * On the way to the cluster. `false`: none at all, whatever the environment says.
     * @default the kubeconfig's, then HTTPS_PROXY and NO_PROXY
     */
    readonly proxy?: string | URL | false;
    /** Refuse a configuration that switches off the check of the server's certificate. @default false */
    readonly strictTls?: boolean;
    /**
     * Send credentials over plain http. To loopback only, for tests; elsewhere they are never sent unencrypted.
     * @default false
     */
    readonly allowCredentialsOverHttp?: boolean;
    /**
     * The kubeconfig was written by somebody who is not trusted: no programs, no files, no identity provider, no proxy,
     * https to a public address only. Needs `kubeconfig` or `kubeconfigFile`. @default false
     */
    readonly untrusted?: boolean;
    /**
     * Which credential plugins may run: names found on PATH, or absolute paths. With a list, variables in the kubeconfig's
     * `exec.env` that make a program load other code (PATH, LD_PRELOAD, BASH_ENV, NODE_OPTIONS …) are refused. What a
     * listed program does with its arguments and its own variables is its own business: list no shells or interpreters.
     * @default 'allow'
     */
    readonly execPolicy?: 'allow' | 'deny' | {
        readonly allow: readonly string[];
    };
    /** Longest run of a credential plugin that asks nobody. @default 60_000 */
    readonly execTimeoutMs?: number;
    /** Stdin belongs to the program itself: a plugin may not ask there. @default false */
    readonly isStdinReserved?: boolean;
    /** How an OIDC identity provider is asked. @default Node's https, through the proxy of HTTPS_PROXY and NO_PROXY */
    readonly oidcExchange?: HttpExchange;
    /** Told about each renewed pair, so that it can be kept for the next start. */
    readonly onOidcRenewed?: (tokens: OidcTokens) => void;
    /** Variables of the process. @default process.env */
    readonly environment?: Readonly<Record<string, string | undefined>>;
    /** @default /var/run/secrets/kubernetes.io/serviceaccount */
    readonly serviceAccountDirectory?: string;
}
export declare const CONNECT_OPTIONS: KnownOptions<ConnectOptions>;
// client/connection.d.ts
import type { ClientCertificate, CredentialSource } from './credentials.ts';
/** How the server is trusted and reached. */
export interface TlsSettings {
    /** PEM, one or more certificates. Undefined: the platform's roots. */
    readonly ca?: string;
    readonly serverName?: string;
    /** Honoured, but said aloud. */
    readonly insecureSkipVerify?: boolean;
    readonly certificate?: ClientCertificate;
}
/** Files behind the settings: read again when asked, so that rotation needs no restart. */
export interface TlsSource {
    /** The settings as they are now. */
    current(): TlsSettings;
    /** Reads the files again. Resolves true when something changed and connections must be made anew. */
    refresh(): Promise<boolean>;
}
export interface Impersonation {
    readonly user: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}
/**
 * Everything needed to talk to one cluster, resolved from a kubeconfig, the pod's service account, or options.
 *
 * Printing it (`util.inspect`, JSON) shows the server, the context and the kinds of credentials, nothing secret.
 */
export interface Connection {
    /** May carry a path prefix, which every request keeps; query and fragment are dropped. */
    readonly server: URL;
    readonly tls: TlsSource;
    readonly credentials: CredentialSource;
    /** Of the context, or `default`. */
    readonly namespace: string;
    /** http, https or socks5; undefined: none. Already decided against NO_PROXY. */
    readonly proxy?: URL;
    readonly impersonate?: Impersonation;
    readonly disableCompression?: boolean;
    /**
     * Somebody else's configuration: connect to addresses only that `isPublicAddress` accepts, after the name was
     * resolved, at each connect.
     */
    readonly publicAddressesOnly?: boolean;
    /** Where this came from, for messages: "kubeconfig /home/me/.kube/config, context dev". */
    readonly origin: string;
}
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
// client/oidc.d.ts
import { type Env } from '../core/env.ts';
import type { CredentialSource } from './credentials.ts';
/** One HTTPS request to an identity provider. */
export interface ExchangeRequest {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** PEM; undefined: the platform's roots. */
    readonly ca?: string;
    readonly signal: AbortSignal;
}
/**
 * Sends it, follows no redirect, and resolves whatever the status; rejects when there is no answer. `signal` aborts after
 * 30 seconds, and when the client is closed; not when a caller gives up: a refresh token may be good for one use only.
 */
export type HttpExchange = (request: ExchangeRequest) => Promise<{
    readonly status: number;
    readonly body: string;
}>;
/** What a renewal brought. Providers that rotate refresh tokens accept each only once: keep the new one. */
export interface OidcTokens {
    readonly idToken: string;
    readonly refreshToken: string;
}
export interface OidcOptions {
    /** As in the kubeconfig: idp-issuer-url, client-id, client-secret, id-token, refresh-token. */
    readonly config: ReadonlyMap<string, string>;
    /** For messages. */
    readonly where: string;
    readonly exchange: HttpExchange;
    /** The provider's certificate authority, PEM. */
    readonly ca?: string;
    readonly onRenewed?: (tokens: OidcTokens) => void;
    readonly env?: Env;
}
/**
 * An ID token, renewed at the identity provider with a refresh token (auth-provider `oidc`).
 *
 * Promises: the token in the configuration is used while it lasts; renewed ten seconds before it expires and after a
 * 401, one renewal at a time, which is not cut off when those who wait for it give up; each request to the provider has
 * 30 seconds; a refresh token the provider does not replace stays in use; secrets go over https only and never into an
 * error. Does not write to the kubeconfig: `onRenewed` is told instead.
 */
export declare function oidcSource(options: OidcOptions): CredentialSource;
// client/create-transport.d.ts
import { type Env } from '../core/env.ts';
import type { Connection } from './connection.ts';
import { type FetchLike } from './fetch-transport.ts';
import type { NodeTransportLimits } from './node-transport-limits.ts';
import type { Transport } from './transport.ts';
export interface TransportOptions {
    readonly env?: Env;
    /** False: HTTP/1.1 only. Node decides; elsewhere the platform does. @default true */
    readonly http2?: boolean;
    /** Time and size limits of the Node transport. */
    readonly limits?: Partial<NodeTransportLimits>;
    /** Send through this instead of sockets. @default sockets on Node, the platform's fetch elsewhere */
    readonly fetch?: FetchLike;
}
/** The transport that fits the platform, for one connection. Opens nothing yet. */
export declare function createTransport(connection: Connection, options?: TransportOptions): Promise<Transport>;
// client/fetch-transport.d.ts
import { type Env } from '../core/env.ts';
import type { Transport } from './transport.ts';
/** The part of the platform's `fetch` that is used; all of them fit. */
export interface FetchLike {
    (url: string, init: FetchInit): Promise<FetchAnswer>;
    /** Called when the transport is closed, if it is there. */
    readonly close?: () => void;
}
export interface FetchInit {
    readonly method: string;
    readonly headers: [string, string][];
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
    readonly redirect: 'manual';
    readonly cache: 'no-store';
    readonly credentials: 'omit' | 'same-origin' | 'include';
    readonly referrerPolicy: 'no-referrer';
}
export interface FetchAnswer {
    readonly status: number;
    readonly type: string;
    readonly headers: {
        forEach(each: (value: string, name: string) => void): void;
    };
    readonly body: {
        getReader(): ChunkReader;
    } | null;
}
export interface ChunkReader {
    read(): Promise<{
        readonly done: boolean;
        readonly value?: Uint8Array | undefined;
    }>;
    cancel(reason?: unknown): Promise<void>;
}
export interface FetchTransportOptions {
    /** Scheme, host and port count; the path belongs to the requests. */
    readonly server: URL;
    /** @default the platform's */
    readonly fetch?: FetchLike;
    readonly env?: Env;
    /** Whether the platform adds cookies of its own. @default 'same-origin' */
    readonly credentials?: FetchInit['credentials'];
    /** @default 60_000 */
    readonly headersTimeoutMs?: number;
    /** @default 30_000 */
    readonly longLivedHeadersTimeoutMs?: number;
    /** No byte for this long while the reader waits for one ends a body. @default 75_000 */
    readonly silenceMs?: number;
    /** Most bytes of a body after decompression; not for long-lived ones. 0: no limit. @default 1 GiB */
    readonly maxResponseBytes?: number;
}
/**
 * The transport for browsers, Deno and Bun: the platform's `fetch`.
 *
 * What it cannot do, because `fetch` cannot: client certificates, an authority of its own, a proxy, leaving
 * certificates unverified, pings (dead connections are found by silence on every HTTP version), several headers of one
 * name, a connect timeout apart from that for headers. A browser also hides redirects: they are refused without their
 * target. Compression is the platform's affair.
 */
export declare function createFetchTransport(options: FetchTransportOptions): Transport;
// client/transport.d.ts
/**
 * Bytes to and from one server: the only thing in this package that knows sockets.
 *
 * Implemented by the Node transport (HTTP/2 where the server offers it, HTTP/1.1 otherwise) and by the fetch
 * transport (browsers, Deno, Bun). A user may bring another one.
 *
 * Room rule: no meaning. Knows nothing of Kubernetes, Status, retries, tokens or resource versions. Never follows a
 * redirect. Fails with KubeError TRANSPORT and the system error as `cause`.
 */
export interface Transport {
    /** Resolves with status and headers; the body is read by the caller. Rejects TRANSPORT, or ABORTED when `signal` aborts. */
    send(request: TransportRequest): Promise<TransportResponse>;
    /** Ends every connection. Idempotent; later requests are refused. */
    close(): Promise<void>;
}
export interface TransportRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
    /** Path and query, as they go on the wire; the origin belongs to the transport. */
    readonly path: string;
    /** Several values of one name go out as several headers. */
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string | Uint8Array;
    readonly signal: AbortSignal;
    /**
     * The answer goes on for minutes and may be silent: no body timeout, watched for dead connections instead, and
     * never in the way of other requests.
     */
    readonly longLived?: boolean;
    /**
     * Silence is no sign of trouble: a log nobody writes to, a watch without bookmarks. It never ends the body; TCP
     * keep-alive and, on HTTP/2, pings still find a connection that is dead. @default false
     */
    readonly mayBeSilent?: boolean;
    /** Longest wait for status and headers. @default 60_000, for long-lived requests 30_000 */
    readonly headersTimeoutMs?: number;
}
export interface TransportResponse {
    readonly status: number;
    /** Lower-case names; several headers of one name are joined with ", ". */
    readonly headers: ReadonlyMap<string, string>;
    /**
     * Decompressed bytes as they arrive. Throws TRANSPORT when the connection breaks before the end. Leaving the
     * iteration early closes the stream (HTTP/2) or the connection (HTTP/1.1).
     */
    readonly body: AsyncIterable<Uint8Array>;
}
// client/node-transport-limits.d.ts
import type { Env } from '../core/env.ts';
/** Times and sizes. The defaults are for production; tests use shorter ones. */
export interface NodeTransportLimits {
    /** For TCP, the proxy, TLS and HTTP/2's first frame together. @default 10_000 */
    readonly connectTimeoutMs: number;
    /** For status and headers, where the request does not say. @default 60_000 */
    readonly headersTimeoutMs: number;
    /** The same for long-lived requests. @default 30_000 */
    readonly longLivedHeadersTimeoutMs: number;
    /**
     * No byte for this long while the reader waits for one ends a body. Not used for long-lived requests on HTTP/2, where
     * pings find dead connections and silence is nobody's fault, nor for requests that may be silent. @default 75_000
     */
    readonly silenceMs: number;
    /** HTTP/2: a connection that was quiet for this long is pinged while it is used, and before a write. @default 30_000 */
    readonly pingAfterMs: number;
    /** HTTP/2: longest wait for the answer to a ping. @default 15_000 */
    readonly pingTimeoutMs: number;
    /** First TCP keep-alive probe after this much quiet; the system sends the others. @default 30_000 */
    readonly tcpKeepAliveMs: number;
    /** A connection unused for longer than this is not used again. kube-apiserver ends them after 90 s. @default 60_000 */
    readonly idleSocketMs: number;
    /** HTTP/1.1: unused connections kept. There is no limit for connections in use. @default 16 */
    readonly maxIdleSockets: number;
    /** While requests run, certificate files are looked at this often. 0: never. @default 60_000 */
    readonly tlsRefreshMs: number;
    /**
     * Most bytes of one body, counted after decompression; long-lived bodies have no such limit, their frames do.
     * 0: no limit. @default 1 GiB
     */
    readonly maxResponseBytes: number;
}
export declare function limitsFrom(given: Partial<NodeTransportLimits>): NodeTransportLimits;
/** Calls `fire` after `ms`, unless the returned function is called before. */
export declare function after(env: Env, ms: number, fire: () => void): () => void;
// client/discovery.d.ts
import type { Env } from '../core/env.ts';
import { type ApiResource } from './discovery-documents.ts';
import type { CallOptions, Requester } from './request.ts';
/** How a question for a resource is asked when the answer is not known. */
export type LookupOptions = Pick<CallOptions, 'signal' | 'attempts'>;
/**
 * What the server serves: asked once, kept, and asked again when a name is not found (a CRD may have come).
 *
 * Two requests where the server aggregates, one per group and version where it does not. A group whose own server is
 * down is left out rather than failing everything; the error about a name that is missing then says so.
 *
 * Room rule: knows what there is. Nothing of objects.
 */
export declare class Discovery {
    #private;
    constructor(requester: Requester, env: Env);
    /** Every resource of every group, as the server prefers them. */
    resources(options?: LookupOptions): Promise<readonly ApiResource[]>;
    /** Forgets what is known; the next question asks the server. */
    refresh(): void;
    /** What a name means, if that is known already. */
    peek(name: string): ApiResource | undefined;
    /**
     * The resource a name means: `v1/pods`, `apps/v1/deployments`, `apps/v1/Deployment`, a kind (`Deployment`), `deployments.apps`,
     * a plural, a singular or a short name. Rejects NOT_FOUND, after having asked again, and says what is near.
     */
    find(name: string, options?: LookupOptions): Promise<ApiResource>;
}
// client/discovery-documents.d.ts
/** One resource a server serves, in one version. */
export interface ApiResource {
    /** Empty for the core group. */
    readonly group: string;
    readonly version: string;
    /** Plural, as in paths. */
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly shortNames: readonly string[];
    readonly verbs: readonly string[];
    readonly subresources: readonly string[];
}
export type GroupVersion = Pick<ApiResource, 'group' | 'version'>;
export interface Catalogue {
    readonly resources: readonly ApiResource[];
    /** Groups with their versions that could not be asked. */
    readonly silent: readonly string[];
}
/** `v1/pods`, `apps/v1/deployments`. */
export declare function fullName({ group, version, resource }: Pick<ApiResource, 'group' | 'version' | 'resource'>): string;
/**
 * Reading what servers say about themselves: the aggregated document (one for all groups) and the older ones.
 *
 * What does not have the expected shape is left out, so a strange extension does not hide the rest.
 */
export declare function isAggregated(document: unknown): boolean;
export declare function fromAggregated(document: unknown): Catalogue;
/** What there is to ask about, from the documents at `/api` (APIVersions) and `/apis` (APIGroupList). */
export declare function groupVersions(document: unknown): GroupVersion[];
/** The document of one group and version (APIResourceList); subresources are entries of their own there. */
export declare function fromLegacy({ group, version }: GroupVersion, document: unknown): ApiResource[];
// client/request.d.ts
import type { Env } from '../core/env.ts';
import type { Connection } from './connection.ts';
import type { Limiter } from './rate-limit.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { type WarningPolicy } from './warnings.ts';
/** Of every call. */
export interface CallOptions {
    readonly signal?: AbortSignal;
    /** For the whole call, retries included; waiting for the client's own rate limit comes before. @default none */
    readonly timeoutMs?: number;
    /** `once`: somebody above owns the retries and wants to hear of every failure. @default as the retry table says */
    readonly attempts?: 'once';
    /** @default the client's */
    readonly onWarning?: WarningPolicy;
    /** @default the client's */
    readonly limiter?: Limiter | 'none';
}
/** One call of the API. `path` is built and checked by `url.ts`; the server's own path prefix is added here. */
export interface ApiRequest extends CallOptions {
    readonly method: TransportRequest['method'];
    readonly path: string;
    /** @default application/json */
    readonly accept?: string;
    readonly contentType?: string;
    readonly body?: string | Uint8Array;
    /** Win over all others, those of the credentials included. */
    readonly headers?: Readonly<Record<string, string>>;
    /** A watch or a followed log: never limited. */
    readonly longLived?: boolean;
    /** Silence does not end it. */
    readonly mayBeSilent?: boolean;
}
export interface RequesterOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env: Env;
    readonly userAgent: string;
    readonly onWarning: WarningPolicy;
    readonly limiter?: Limiter | undefined;
    /** Longest Retry-After that is honoured. @default 60_000 */
    readonly mostRetryAfterMs?: number | undefined;
}
/**
 * Sends one call as the connection's user and gives back a good answer, or throws what the server said.
 *
 * Promises: tries again as the retry table says, honours `signal` and `timeoutMs` at every point, renews credentials
 * once on 401 and replays once, hands warnings on, closes the body of every answer it does not give back. Never
 * follows a redirect. Refuses headers that would be two.
 *
 * Room rule: knows HTTP and Status. Nothing of resources, lists or watches.
 */
export declare class Requester {
    #private;
    constructor(options: RequesterOptions);
    /** Ends every wait for another attempt; calls that are under way end with the transport. */
    close(): void;
    /** A long answer: the caller reads the body and ends it. Tried again only until the headers are here. */
    open(request: ApiRequest): Promise<TransportResponse>;
    /** A whole call: the answer is read by `read`, and a read that breaks counts as a failed attempt. */
    call<R>(request: ApiRequest, read: (answer: TransportResponse) => Promise<R>): Promise<R>;
}
/** Errors of the attempts that were made, oldest first, on an error of a call that was tried more than once. */
export declare function attemptsOf(error: unknown): readonly unknown[];
// client/rate-limit.d.ts
import type { Env } from '../core/env.ts';
/** Decides when a request may go out. */
export interface Limiter {
    /** Resolves when it may. Rejects ABORTED when `signal` aborts before. */
    take(signal: AbortSignal): Promise<void>;
}
export interface RateLimitOptions {
    /** Requests per second in the long run. */
    readonly perSecond: number;
    /** Requests that may go out at once after a quiet time. @default twice `perSecond`, at least 1 */
    readonly burst?: number;
}
/**
 * A token bucket: requests beyond the rate wait, in order of asking. Who gives up leaves the line, and those behind
 * move up. Off unless asked for; watches never pass it.
 */
export declare class RateLimiter implements Limiter {
    #private;
    constructor(env: Env, options: RateLimitOptions);
    /** Requests that wait now. */
    get pending(): number;
    take(signal: AbortSignal): Promise<void>;
}
// client/warnings.d.ts
import type { Env } from '../core/env.ts';
/** A deprecation or another word of caution the server sent along with an answer. */
export interface ApiWarning {
    readonly code: number;
    readonly agent: string;
    readonly text: string;
    readonly method: string;
    /** Without the query. */
    readonly path: string;
}
export type WarningHandler = (warning: ApiWarning) => void;
/**
 * What becomes of warnings. `log`: each text once. A function: called once for each text, or with `{ each }` for each
 * warning; one given with a single call hears all of that call. `throw`: the call fails with API_WARNING, although the server did
 * what it was asked; for tests and for tools that must not get old.
 */
export type WarningPolicy = 'log' | 'none' | 'throw' | WarningHandler | {
    readonly each: WarningHandler;
};
/** One handler for a policy. It throws only API_WARNING: a handler of the user that throws is reported and no more. */
export declare function warningHandler(policy: WarningPolicy, log: WarningLog, env: Env, { once }?: {
    readonly once?: boolean;
}): WarningHandler;
/** Logs each text once and counts the rest. Forgets the texts that were heard longest ago. */
export declare class WarningLog {
    #private;
    constructor(env: Env);
    /** How often each text came, least recent first. */
    get counts(): ReadonlyMap<string, number>;
    readonly handle: WarningHandler;
    /** Counts a text; true when it was not remembered. */
    isNew(text: string): boolean;
}
/**
 * Reads the `299 - "text"` entries of a Warning header. What does not parse ends the reading; other codes and texts
 * with control characters are left out. Texts are redacted and bounded.
 */
export declare function parseWarnings(header: string): Pick<ApiWarning, 'code' | 'agent' | 'text'>[];
// client/resource-client.d.ts
import type { Scale } from '@kube-informer/kubernetes';
import type { Env } from '../core/env.ts';
import { type Status } from '../core/errors.ts';
import type { GetOptions, ListOptions, WatchOptions } from '../core/list-options.ts';
import type { KubeList, KubeObject } from '../core/object.ts';
import type { WatchEvent } from '../core/watch-event.ts';
import { type Selection } from './list-query.ts';
import type { CallOptions, Requester } from './request.ts';
import type { ResourceLocator } from './resource-locator.ts';
import { type ApplyOptions, type DeleteCollectionOptions, type DeleteOptions, type ListCallOptions, type Partially, type PatchOptions, type ReplaceOptions, type SubresourceOptions, type WatchCallOptions, type WriteOptions } from './resource-options.ts';
/** Objects as they are, or only their metadata: a fraction of the bytes for who needs names and labels. */
type Representation = 'full' | 'metadata';
/** Of a source for informers. */
export interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
    /** Changes the query of every list and watch; sees a copy, with the selectors in it. */
    readonly modify?: (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;
}
/** Fits the informer's ListWatch. */
export interface ResourceSource<T> {
    list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
    watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
}
/** A client for objects without bodies: reads, and what can be done by name. */
export type MetadataClient = Pick<ResourceClient, 'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'>;
export interface ResourceParts {
    readonly requester: Requester;
    readonly locator: ResourceLocator;
    readonly env: Env;
    readonly representation?: Representation;
    readonly maxObjectBytes?: number;
}
/**
 * All verbs on one resource. Objects are named by key: `namespace/name`, or `name` for cluster-scoped ones and in the
 * connection's own namespace.
 *
 * Promises: what cannot be sent as it was meant is refused (INVALID_OPTION, INVALID_KEY) before any request; what the
 * server refuses is API_STATUS, for the predicates; objects come as the server sent them.
 *
 * `listWatch()` gives the informer what it needs: one attempt per call, because the reflector owns the retries.
 *
 * Room rule: knows verbs and their options. Paths are the locator's business, retries the requester's.
 */
export declare class ResourceClient<T extends KubeObject = KubeObject> {
    #private;
    constructor(parts: ResourceParts);
    /** As it was asked for: `apps/v1/deployments`. */
    get name(): string;
    /** The same resource, without bodies: `PartialObjectMetadata` with metadata and nothing else. */
    metadataOnly(): MetadataClient;
    get(key: string, options?: GetOptions & CallOptions): Promise<T>;
    /** One page, or everything when no `limit` is given. */
    list(options?: ListCallOptions): Promise<KubeList<T>>;
    /** Events from `resourceVersion` on; ends when the server ends it. Leaving the loop closes the stream. */
    watch(options?: WatchCallOptions): AsyncIterableIterator<WatchEvent<T>, undefined>;
    /** Without a namespace in its metadata the object is made in the connection's. */
    create(object: T, options?: WriteOptions): Promise<T>;
    /** Puts the object in place of the one with its name; fails with a conflict when its resourceVersion is not the newest. */
    replace(object: T, options?: ReplaceOptions): Promise<T>;
    /** The type of the patch helps to write it; nothing is checked, as a patch also removes fields (null) and lists changes. */
    patch(key: string, patch: Partially<T> | object, options?: PatchOptions): Promise<T>;
    /**
     * Server-side apply: makes the given fields so, and leaves all others alone. See `applyConflictsOf` about failures.
     * apiVersion and kind may be left out for what is built in and asked for by its full name.
     */
    apply(object: Partially<T>, options: ApplyOptions): Promise<T>;
    /** The object, when it is still there (finalizers, grace period), or the Status of its deletion. */
    delete(key: string, options?: DeleteOptions): Promise<T | Status>;
    /** Deletes everything that is selected, in one namespace, which has to be named. */
    deleteCollection(options?: DeleteCollectionOptions): Promise<void>;
    /** Another face of one object: `status`, `scale`, `eviction`, `token` … */
    subresource<R = unknown>(key: string, subresource: string, options?: SubresourceOptions): Promise<R>;
    getScale(key: string, options?: CallOptions): Promise<Scale>;
    /** Asks for so many replicas, whatever kind of object makes them. */
    scale(key: string, replicas: number, options?: WriteOptions): Promise<Scale>;
    /** What a reflector needs. Namespace and selectors are fixed; everything else comes with each call. */
    listWatch(options?: ListWatchOptions): ResourceSource<T>;
}
export {};
// client/list-query.d.ts
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import { type FieldSelectorLike, type LabelSelectorLike } from '../core/selector.ts';
import type { Query } from './url.ts';
/** What narrows a collection. */
export interface Selection {
    /** Empty or absent: all namespaces. */
    readonly namespace?: string;
    /** A text, a map of labels or a LabelSelector. @default everything */
    readonly labels?: LabelSelectorLike;
    /** A text, a map of fields or a FieldSelector. @default everything */
    readonly fields?: FieldSelectorLike;
    /** The API's own word for `labels`. */
    readonly labelSelector?: LabelSelectorLike;
    /** The API's own word for `fields`. */
    readonly fieldSelector?: FieldSelectorLike;
}
/** The options of a list or a watch, with selectors in any form. */
export type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;
/** Selectors as the server reads them. Throws INVALID_OPTION. */
export declare function selectors(selection: Selection): Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
/**
 * The query of a list or a watch. Empty values mean "not asked" and are left out, except for `timeoutSeconds` and
 * `sendInitialEvents`: there 0 and false say something.
 */
export declare function listQuery(options: Narrowed<WatchOptions>): Query;
/** Who changes fields, as the server keeps it: printable, up to 128 bytes. Throws INVALID_OPTION. */
export declare function checkFieldManager(fieldManager: string | undefined): void;
// client/url.d.ts
/** What a path names. An empty or absent namespace means all namespaces, or a cluster-scoped resource. */
export interface ResourcePath {
    /** Empty for the core group. */
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subresource?: string | undefined;
}
/** The parts of a path that come from whoever calls. */
export type Target = Pick<ResourcePath, 'namespace' | 'name' | 'subresource'>;
/** Values of a query; undefined ones are not sent, 0, false and "" are. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
/**
 * The only place where a path is put together.
 *
 * Every segment is checked before it becomes part of one: a name of `..` would reach another object, one with a
 * slash or a percent sign another resource. Nothing is escaped, because nothing that needs escaping is accepted.
 * Throws INVALID_OPTION.
 */
export declare function resourcePath(path: ResourcePath): string;
/** `/api/v1`, `/apis/apps/v1`. */
export declare function groupVersionPath({ group, version }: Pick<ResourcePath, 'group' | 'version'>): string;
/** Throws INVALID_OPTION unless these can be part of a path. For those who have to ask the server for the rest of it. */
export declare function checkTarget({ namespace, name, subresource }: Target): void;
/** `path?query`, every value encoded. */
export declare function withQuery(path: string, query: Query): string;
/** A path a user brings along. It must already be what goes on the wire. */
export declare function rawPath(path: string): string;
// client/resource-locator.d.ts
import type { ApiResource } from './discovery-documents.ts';
import type { Discovery, LookupOptions } from './discovery.ts';
/**
 * Where the objects of one resource are.
 *
 * A full name (`apps/v1/deployments`) is its own address: nothing is asked, so that an informer needs no discovery and a
 * server that is down is told by the request itself. Any other name, and whether a bare name needs the default namespace,
 * is looked up. Whatever the caller brings is checked before the first request.
 *
 * Room rule: names and paths; sends nothing itself.
 */
export declare class ResourceLocator {
    #private;
    readonly name: string;
    constructor(name: string, discovery: Discovery, defaultNamespace: string);
    /** An empty namespace means all of them. */
    collection(namespace: string, options: LookupOptions): Promise<string>;
    /** One namespace, or the cluster: where objects are made. A missing namespace is the default one. */
    home(namespace: string | undefined, options: LookupOptions): Promise<string>;
    /** As `home`, for who must say which namespace is meant. */
    chosenHome(namespace: string | undefined, options: LookupOptions): Promise<string>;
    /** `namespace/name`, or `name` in the default namespace or of a cluster-scoped resource. */
    object(key: string, options: LookupOptions, subresource?: string): Promise<string>;
    /** Whether the address comes from the server's own list, and may have changed since. */
    get isLookedUp(): boolean;
    /** The server says there is no such thing: what was looked up may be out of date. */
    forget(): void;
    /** Of what every cluster has nobody needs to be asked: not everybody may read the server's list. */
    builtIn(): Promise<Pick<ApiResource, 'group' | 'version' | 'kind' | 'namespaced'> | undefined>;
}
// client/resource-options.d.ts
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import { type Narrowed, type Selection } from './list-query.ts';
import type { CallOptions } from './request.ts';
import type { Query } from './url.ts';
/** Of every call that changes something. */
export interface WriteOptions extends CallOptions {
    /** Checks everything and stores nothing. */
    readonly dryRun?: boolean;
    /** Who changes it, as the server keeps it in managedFields. @default from the user agent, by the server */
    readonly fieldManager?: string;
    /** What the server does about unknown or duplicate fields. @default the server's: Warn */
    readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}
export interface ReplaceOptions extends WriteOptions {
    /** Only this part of the object: `status`. */
    readonly subresource?: string;
}
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';
export interface PatchOptions extends ReplaceOptions {
    /** `strategic` is for built-in kinds only. @default 'merge' for an object, 'json' for an array */
    readonly type?: PatchType;
    /** Server-side apply only: take over fields that others own. */
    readonly force?: boolean;
}
export interface ApplyOptions extends ReplaceOptions {
    readonly fieldManager: string;
    /** Take over fields that others own. @default false */
    readonly force?: boolean;
}
export interface DeleteOptions extends CallOptions {
    readonly dryRun?: boolean;
    readonly gracePeriodSeconds?: number;
    readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
    /** Delete only the object that was meant. */
    readonly preconditions?: {
        readonly uid?: string;
        readonly resourceVersion?: string;
    };
}
export interface SubresourceOptions extends WriteOptions {
    /** @default GET without a body, POST with one */
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly body?: object;
    /** Of a PATCH. @default 'merge' for an object, 'json' for an array */
    readonly type?: PatchType;
}
export type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions;
/** A watch has no end of its own, so `timeoutSeconds` is asked of the server instead of `timeoutMs`. */
export type WatchCallOptions = Narrowed<WatchOptions> & Selection & Omit<CallOptions, 'timeoutMs' | 'limiter'>;
export type DeleteCollectionOptions = DeleteOptions & Selection & Pick<ListOptions, 'resourceVersion' | 'limit'>;
/** A part of an object: only the fields that are meant. */
export type Partially<T> = {
    readonly [K in keyof T]?: Partially<T[K]>;
};
/** The body of a request and what it is. */
export interface Content {
    readonly body: string;
    readonly contentType: string;
}
/** Only what concerns the call as such. */
export declare function callOf({ signal, timeoutMs, attempts, onWarning, limiter }: CallOptions): CallOptions;
/** Throws INVALID_OPTION. */
export declare function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query;
/** Throws INVALID_OPTION for what is no object of JSON. */
export declare function json(object: object): Content;
/** `value` as JSON; `name` is for the error when it cannot be. */
export declare function encoded(value: unknown, name: string): string;
/** Types say so; whoever calls from JavaScript, or with what a parser gave, may not know. */
export declare function checkObject(value: unknown, name: string): void;
/** Throws INVALID_OPTION when options and type do not fit. */
export declare function patchContent(patch: object, options: PatchOptions): Content;
/** The parts of an object that server-side apply looks at. */
export type Applied = Partially<{
    apiVersion: string;
    kind: string;
    metadata: object;
}>;
/** `object` with the type of what it is applied to, where it does not say it itself. */
export declare function typed<O extends Applied>(object: O, { subresource }: ReplaceOptions, builtIn: () => Promise<{
    readonly group: string;
    readonly version: string;
    readonly kind: string;
} | undefined>): Promise<O>;
/** What server-side apply demands of an object, said before it is sent. */
export declare function checkApplied({ apiVersion, kind, metadata }: Applied): void;
/** The body of a delete; none when there is nothing to say. */
export declare function deletion({ gracePeriodSeconds, propagation, preconditions, dryRun, }: DeleteOptions): Content | undefined;
