// core/index.d.ts
export { type LinkedAbort, linkedAbort, untilAborted } from './abort.ts';
export { Backoff, type BackoffOptions, RetryWithDeadline } from './backoff.ts';
export { type Env, type Log, type LogLevel, systemEnv } from './env.ts';
export { type ErrorCode, hasCode, KubeError, type KubeErrorOptions, type Status, type StatusCause } from './errors.ts';
export { joinKey, type Key, type KeyFn, keyFn, keyOf, type ObjectName, splitKey } from './key.ts';
export { type KnownOptions, requireKnown } from './known-options.ts';
export { Latch } from './latch.ts';
export type { GetOptions, ListOptions, WatchOptions } from './list-options.ts';
export { type Counter, type Gauge, type Histogram, type MetricLabels, type Metrics, noMetrics } from './metrics.ts';
export { type KubeList, type KubeObject, type ObjectAccess, type ObjectMeta, plainAccess, type TypeRef, } from './object.ts';
export { compareVersions, isOlder } from './resource-version.ts';
export { FieldSelector, type FieldSelectorLike, type Labels, LabelSelector, type LabelSelectorLike, type LabelSelectorSpec, } from './selector.ts';
export { isAlreadyExists, isBadRequest, isConflict, isConnectionRefused, isExpired, isForbidden, isGone, isInternalError, isInvalid, isNotFound, isResourceExpired, isServerFailure, isTimeout, isTooLargeResourceVersion, isTooManyRequests, isUnauthorized, retryAfterOf, statusError, statusOf, } from './status.ts';
export { INITIAL_EVENTS_END, type WatchEvent } from './watch-event.ts';
// core/abort.d.ts
/**
 * Settles like `work`, or rejects ABORTED as soon as `signal` aborts. A late result is ignored.
 *
 * A server that never answers, or a source that ignores its signal, must not keep anybody from stopping.
 */
export declare function untilAborted<R>(work: Promise<R>, signal: AbortSignal, what: string): Promise<R>;
/** A controller that aborts with `parent` and can be taken off it again. */
export interface LinkedAbort extends Disposable {
    readonly signal: AbortSignal;
    abort(reason?: unknown): void;
}
/** A child of `parent`: one long-lived signal must not collect the listeners of every request made under it. */
export declare function linkedAbort(parent: AbortSignal): LinkedAbort;
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
// core/resource-version.d.ts
/**
 * resourceVersions are opaque strings, except that since Kubernetes 1.35 those of
 * one resource type may be compared when both are digit strings (KEP-5504).
 *
 * They are compared by length, then text, never as numbers: they may have more
 * digits than a double can hold.
 */
/** Negative, zero or positive as `a` is older, the same or newer; undefined when nobody can tell. */
export declare function compareVersions(a: string | undefined, b: string | undefined): number | undefined;
/** Whether `a` is known to be older than `b`. Unknown order is not older. */
export declare function isOlder(a: string | undefined, b: string | undefined): boolean;
/** The newer of two; `b`, the later arrival, where nobody can tell. */
export declare function newerVersion(a: string, b: string): string;
/** A digit string without leading zeros, other than the wire's special "0". */
export declare function isOrdered(version: string): boolean;
/** "" asks for the newest state, "0" for any: neither is a place in history to continue from. */
export declare function isPlaceInHistory(version: string): boolean;
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
// core/status.d.ts
import { KubeError, type Status } from './errors.ts';
/** The server's Status behind an error, if it spoke. */
export declare function statusOf(error: unknown): Status | undefined;
/**
 * An error from the object of a watch `ERROR` event or a failed response body.
 *
 * Anything that is not a Status becomes an error that matches no class, so it is never retried as if it were one.
 */
export declare function statusError(object: unknown, context?: string): KubeError;
/** The resourceVersion or continue token is too old to go on from: list again. */
export declare const isExpired: (error: unknown) => boolean;
export declare const isGone: (error: unknown) => boolean;
/** Only the reason `Expired`, which a pager answers with a full list; a plain Gone is not its business. */
export declare const isResourceExpired: (error: unknown) => boolean;
export declare const isNotFound: (error: unknown) => boolean;
export declare const isForbidden: (error: unknown) => boolean;
export declare const isUnauthorized: (error: unknown) => boolean;
export declare const isConflict: (error: unknown) => boolean;
export declare const isAlreadyExists: (error: unknown) => boolean;
export declare const isInvalid: (error: unknown) => boolean;
export declare const isBadRequest: (error: unknown) => boolean;
export declare const isTimeout: (error: unknown) => boolean;
export declare const isInternalError: (error: unknown) => boolean;
/** 429 counts whatever the reason says: proxies answer it without a Status of their own. */
export declare const isTooManyRequests: (error: unknown) => boolean;
/** The server has not reached the asked resourceVersion yet, or never will (a restored storage). */
export declare function isTooLargeResourceVersion(error: unknown): boolean;
/** Nobody listens at the address: ECONNREFUSED anywhere in the chain of causes. */
export declare function isConnectionRefused(error: unknown): boolean;
/** The answer came from a server, or something between, that is itself in trouble. */
export declare function isServerFailure(error: unknown): boolean;
/** The server answered and the answer was no (4xx): asking the same again changes nothing soon. */
export declare function isRefusal(error: unknown): boolean;
/** What the server asked us to wait, in milliseconds. */
export declare function retryAfterOf(error: unknown): number | undefined;
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
