// testing/index.d.ts
export { type FakeEnv, type FakeEnvOptions, FakeClock, fakeEnv, type LogLine, seededRandom, settle, } from './fake-clock.ts';
export { EventPipe } from './event-pipe.ts';
export { expired, FakeSource, type FakeSourceOptions, type SourceCall, statusFailure, tooLarge, } from './fake-source.ts';
export { Recorder } from './recorder.ts';
// testing/fake-clock.d.ts
import type { Env, Log, LogLevel } from '../core/env.ts';
/**
 * A clock that moves only when told. Sleepers wake in order of deadline, and each
 * one's continuation runs before the next wakes.
 */
export declare class FakeClock {
    #private;
    now(): number;
    wallNow(): number;
    /** Moves the wall clock only, as an administrator or NTP would. Deadlines must not notice. */
    jumpWall(ms: number): void;
    /** How many are asleep. A stopped informer leaves none behind. */
    get sleeping(): number;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    /** Moves time forward, waking everybody whose time comes on the way. */
    advance(ms: number): Promise<void>;
    /**
     * Moves time without letting anybody run, as a stopped process or a blocked event loop
     * does; who overslept wakes at the next `advance`.
     */
    freeze(ms: number): void;
}
/** Lets every promise job that is already queued, and those they queue, run. */
export declare function settle(): Promise<void>;
export interface LogLine {
    readonly level: LogLevel;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
}
/** An Env on a FakeClock that keeps its log and draws repeatable random numbers. */
export interface FakeEnv extends Env {
    readonly clock: FakeClock;
    readonly lines: LogLine[];
}
export interface FakeEnvOptions {
    readonly clock?: FakeClock;
    /** Random numbers: a fixed value, a seed's sequence, or your own function. @default always 0 */
    readonly random?: number | (() => number);
    readonly log?: Log;
}
export declare function fakeEnv(options?: FakeEnvOptions): FakeEnv;
/** A repeatable sequence of numbers in [0, 1): the same seed gives the same run. (mulberry32) */
export declare function seededRandom(seed: number): () => number;
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
// testing/event-pipe.d.ts
/**
 * An async iterable that is fed from outside: what a fake server writes a watch into.
 * Ends when told, when its consumer leaves, or when the signal aborts.
 */
export declare class EventPipe<E> implements AsyncIterable<E>, AsyncIterator<E> {
    #private;
    constructor(signal: AbortSignal, onEnd?: () => void);
    get isEnded(): boolean;
    push(event: E): void;
    /** What was pushed before is still delivered; then the end, or the error. Idempotent. */
    end(error?: unknown): void;
    next(): Promise<IteratorResult<E>>;
    return(): Promise<IteratorResult<E>>;
    [Symbol.asyncIterator](): AsyncIterator<E>;
}
// testing/fake-source.d.ts
import { KubeError, type Status } from '../core/errors.ts';
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import type { KubeList, KubeObject } from '../core/object.ts';
import { type WatchEvent } from '../core/watch-event.ts';
import type { ListWatch } from '../informer/list-watch.ts';
/** A request the source has seen. */
export type SourceCall = {
    readonly verb: 'list';
    readonly options: ListOptions;
} | {
    readonly verb: 'watch';
    readonly options: WatchOptions;
};
export interface FakeSourceOptions {
    /** First version given out. @default 1 */
    readonly startVersion?: number;
    /** Whether a watch may start with the whole state. @default true */
    readonly watchList?: boolean;
}
/**
 * A server in memory: objects, a history, lists in pages, watches that resume,
 * and everything that goes wrong with real ones, on request.
 *
 * Its versions are one rising counter; a delete has a version of its own; a watch
 * from a version that is no longer in the history is answered with 410.
 *
 * @example
 * const source = new FakeSource<Pod>();
 * source.create({ metadata: { namespace: 'web', name: 'a' } });
 * const pods = new SharedInformer(source).start();
 * source.cut();             // every open watch breaks; the informer resumes
 * source.expireHistory();   // the next resume is answered with 410; it lists again
 */
export declare class FakeSource<T extends KubeObject = KubeObject> implements ListWatch<T> {
    #private;
    readonly calls: SourceCall[];
    constructor(options?: FakeSourceOptions);
    get resourceVersion(): string;
    /** Watches that are open right now. */
    get openWatches(): number;
    get objects(): T[];
    get(key: string): T | undefined;
    create(object: T): T;
    /** Changes an object that exists; creates it otherwise. */
    update(object: T): T;
    delete(key: string): void;
    /** Time passes and nothing changes: tells open watches so. */
    bookmark(annotations?: Record<string, string>): void;
    /** Every open watch breaks. Without an error it ends as if the server had closed it. */
    cut(error?: unknown): void;
    /** Sends a frame to every open watch as it is: a duplicate, an ERROR, nonsense. */
    send(event: WatchEvent<T>): void;
    /** Sends the last `count` changes again. */
    repeat(count: number): void;
    /** The next `count` changes reach no watch, now or later: the server loses them. */
    loseNext(count: number): void;
    /** Forgets the history: watches and continue tokens from before are answered with 410. */
    expireHistory(): void;
    /** The next `times` requests of this kind fail with `error`. */
    failNext(verb: 'list' | 'watch', error: unknown, times?: number): void;
    /** Lists are not answered before `until` settles. */
    delayLists(until: Promise<void> | undefined): void;
    /** The storage is restored from a backup: the version goes back, and the world with it. */
    restore(objects: readonly T[], version: number): void;
    readonly list: (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
    readonly watch: (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;
    get watchListUnsupported(): boolean;
}
/** An answer as the API server would give it. */
export declare function statusFailure(code: number, reason: string, message: string, more?: Pick<Status, 'details'>): KubeError;
export declare function expired(message: string): KubeError;
export declare function tooLarge(asked: string, current: string): KubeError;
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
// testing/recorder.d.ts
import type { KubeObject } from '../core/object.ts';
import type { Handler, InformerEvent } from '../informer/handlers.ts';
/**
 * A handler that remembers what it was told, and complains when it is told nonsense:
 * an add of something it has, an update or delete of something it has not, or an
 * update whose `old` is not what it was told last.
 */
export declare class Recorder<T extends KubeObject = KubeObject> implements Handler<T> {
    readonly events: InformerEvent<T>[];
    readonly violations: string[];
    /** What the handler must believe to be there now. */
    readonly view: Map<string, T>;
    overflows: number;
    /** `add web/a@2`, `update web/a@2→3`, `delete web/a`: easy to compare with. */
    get lines(): string[];
    readonly add: (event: InformerEvent<T> & {
        type: 'add';
    }) => void;
    readonly update: (event: InformerEvent<T> & {
        type: 'update';
    }) => void;
    readonly delete: (event: InformerEvent<T> & {
        type: 'delete';
    }) => void;
    readonly overflow: () => void;
    clear(): void;
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
