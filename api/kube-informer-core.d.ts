// 96 names

class Backoff {
    constructor(env: Env, options?: BackoffOptions);
    reset(): void;
    next(): number;
}

interface BackoffOptions {
    readonly initialMs?: number;
    readonly maxMs?: number;
    readonly factor?: number;
    readonly jitter?: number;
    readonly resetAfterMs?: number;
}

interface Counter {
    inc(by?: number): void;
}

type Defined<T> = {
    [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

class ElapsedClock {
    constructor(env: Env);
    read(): number;
    at(monotonic: number): number;
}

interface Env {
    now(): number;
    wallNow(): number;
    bootNow?(): number | undefined;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    yield(): Promise<void>;
    random(): number;
    readonly log: Log;
}

type ErrorCode = 'API_STATUS' | 'API_WARNING' | 'TRANSPORT' | 'WATCH_DECODE' | 'WATCH_ENDED' | 'WATCH_BUFFERED' | 'WATCH_DEAF' | 'WATCH_LIST' | 'LIST_INVALID' | 'STALE_SERVER' | 'CONTINUITY_LOST' | 'SYNC_FAILED' | 'STALE_CACHE' | 'INVALID_KEY' | 'INDEX_FAILED' | 'TRANSFORM_FAILED' | 'QUEUE_CLOSED' | 'NOT_FOUND' | 'CACHE_MUTATED' | 'INVALID_CONFIG' | 'CREDENTIALS' | 'LEASE_LOST' | 'RUN_ABORTED' | 'NOT_FRESH' | 'OWNER_INVALID' | 'TERMINAL' | 'INVALID_OPTION' | 'ILLEGAL_STATE' | 'ABORTED';

class FieldSelector {
    static readonly everything: FieldSelector;
    readonly requirements: readonly FieldRequirement[];
    private constructor();
    static parse(text: string): FieldSelector;
    static of(input: FieldSelectorLike): FieldSelector;
    get isEverything(): boolean;
    matches(fields: FieldValues): boolean;
    toString(): string;
}

type FieldSelectorLike = FieldSelector | Readonly<Record<string, string>> | string;

interface Gauge {
    set(value: number): void;
}

interface GetOptions {
    readonly resourceVersion?: string;
}

interface Histogram {
    observe(value: number): void;
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

type Key = string;

type KeyFn<T> = (object: T) => Key;

type KnownOptions<O> = Readonly<Record<keyof O, true>>;

class KubeError extends Error {
    readonly name = "KubeError";
    readonly code: ErrorCode;
    readonly status: Status | undefined;
    readonly retryAfterMs: number | undefined;
    constructor(code: ErrorCode, message: string, options?: KubeErrorOptions);
}

interface KubeErrorOptions {
    readonly cause?: unknown;
    readonly status?: Status;
    readonly retryAfterMs?: number;
}

interface KubeList<T> {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: {
        readonly resourceVersion?: string;
        readonly continue?: string;
        readonly remainingItemCount?: number;
    };
    readonly items: readonly T[];
}

interface KubeObject {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: ObjectMeta;
}

class LabelSelector {
    static readonly everything: LabelSelector;
    static readonly nothing: LabelSelector;
    readonly requirements: readonly LabelRequirement[];
    private constructor();
    static parse(text: string): LabelSelector;
    static of(input: LabelSelectorLike): LabelSelector;
    static from(spec: LabelSelectorSpec | null | undefined): LabelSelector;
    get isEverything(): boolean;
    get isNothing(): boolean;
    matches(labels: Labels | undefined): boolean;
    toString(): string;
}

type LabelSelectorLike = LabelSelector | Labels | string;

interface LabelSelectorSpec {
    readonly matchLabels?: Labels;
    readonly matchExpressions?: readonly LabelExpression[];
}

type Labels = Readonly<Record<string, string>>;

class Latch {
    get isOpen(): boolean;
    open(): void;
    onOpen(callback: () => void): () => void;
    wait(signal?: AbortSignal): Promise<boolean>;
}

interface LinkedAbort extends Disposable {
    readonly signal: AbortSignal;
    abort(reason?: unknown): void;
}

interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}

type Live<T extends object> = T & {
    readonly metadata: {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
    };
} & Created<T>;

type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface ManagedFields {
    readonly manager?: string;
    readonly operation?: string;
    readonly apiVersion?: string;
    readonly time?: string;
    readonly fieldsType?: string;
    readonly fieldsV1?: object;
    readonly subresource?: string;
}

type MetricLabels = Readonly<Record<string, string>>;

interface Metrics {
    counter(name: string, labels: MetricLabels): Counter;
    gauge(name: string, labels: MetricLabels): Gauge;
    histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
}

interface ObjectAccess<T> {
    name(object: T): string | undefined;
    namespace(object: T): string | undefined;
    uid(object: T): string | undefined;
    resourceVersion(object: T): string | undefined;
    labels(object: T): Readonly<Record<string, string>>;
    annotations(object: T): Readonly<Record<string, string>>;
    type(object: T): TypeRef;
    hasSameContent?(one: T, other: T): boolean;
}

interface ObjectMeta {
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
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly ManagedFields[];
}

interface ObjectName {
    readonly namespace: string;
    readonly name: string;
}

interface OwnerReference {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
}

type PathOf<T, Depth extends number = 6> = [Depth] extends [0] ? never : T extends readonly (infer E)[] ? PathOf<E, Depth> : T extends object ? IsOpen<T> extends true ? never : {
    [K in keyof T & string]: K | `${K}.${PathOf<NonNullable<T[K]>, Shallower[Depth]>}`;
}[keyof T & string] : never;

class RetryWithDeadline {
    constructor(env: Env, matches: (error: unknown) => boolean, maxMs: number, minResetMs?: number);
    after(error: unknown): void;
    shouldRetry(): boolean;
}

type Selected<T, P extends string> = Picked<T, P | Identity>;

interface Status {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly status?: string;
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

interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}

interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}

const UNPRINTABLE: RegExp;

type UserCode<C> = C | Unguarded;

type WatchEvent<T> = {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
    readonly object: T;
}
 | {
    readonly type: 'BOOKMARK';
    readonly object: KubeObject;
} | {
    readonly type: 'ERROR';
    readonly object: Status;
};

interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}

function compareVersions(a: string | undefined, b: string | undefined): number | undefined;

function defined<const T extends object>(fields: T): Defined<T>;

function errorMessageOf(error: unknown): string;

function guardedAnswer<A extends readonly unknown[], R>(name: string, question: UserCode<(...args: A) => R>): (...args: A) => R;

function guardedCallback<A extends readonly unknown[]>(env: Env, name: string, callback: UserCode<(...args: A) => unknown>, failed?: (error: unknown, ...args: A) => void): (...args: A) => void;

function guardedEnv(env: UserCode<Env>): Env;

function guardedMetrics(env: Env, metrics: UserCode<Metrics>): Metrics;

function guardedPromise<A extends readonly unknown[], R>(request: UserCode<(...args: A) => R | Promise<R>>): (...args: A) => Promise<R>;

function hasCode(error: unknown, code: ErrorCode): boolean;

const isAlreadyExists: (error: unknown) => boolean;

const isBadRequest: (error: unknown) => boolean;

const isConflict: (error: unknown) => boolean;

function isConnectionRefused(error: unknown): boolean;

function isEqual(one: unknown, other: unknown): boolean;

const isExpired: (error: unknown) => boolean;

const isForbidden: (error: unknown) => boolean;

const isGone: (error: unknown) => boolean;

const isInternalError: (error: unknown) => boolean;

const isInvalid: (error: unknown) => boolean;

const isNotFound: (error: unknown) => boolean;

function isOlder(a: string | undefined, b: string | undefined): boolean;

const isResourceExpired: (error: unknown) => boolean;

function isServerFailure(error: unknown): boolean;

const isTimeout: (error: unknown) => boolean;

function isTooLargeResourceVersion(error: unknown): boolean;

const isTooManyRequests: (error: unknown) => boolean;

const isUnauthorized: (error: unknown) => boolean;

function isUnparsableVersion(error: unknown): boolean;

function joinKey({ namespace, name }: ObjectName): Key;

function keyFn<T>(access: ObjectAccess<T>): KeyFn<T>;

function keyOf(object: KubeObject): Key;

function linkedAbort(parent: AbortSignal): LinkedAbort;

function microTimestamp(ms: number): string;

const noMetrics: Metrics;

function parseTimestamp(text: string): number | undefined;

const plainAccess: ObjectAccess<unknown>;

function printableText(text: string): string;

function requireKnown<O extends object>(where: string, options: O, known: KnownOptions<O>): void;

function requireOption(ok: boolean, name: string, expected: string, got: unknown): void;

function retryAfterOf(error: unknown): number | undefined;

function safeText(text: string, max: number): string;

function splitKey(key: Key): ObjectName;

function statusError(object: unknown, context?: string, about?: {
    readonly isSecret?: boolean;
}): KubeError;

function statusOf(error: unknown): Status | undefined;

const systemEnv: Env;

function timestamp(ms: number): string;

function unreadableCause(object: unknown): KubeError | undefined;

function unreadableObject<T extends KubeObject>(known: T, error: KubeError): T;

function untilAborted<R>(work: Promise<R>, signal: AbortSignal, what: string): Promise<R>;

// — reachable through them, not exported —

type Created<T> = T extends {
    readonly metadata?: infer M;
} ? 'creationTimestamp' extends keyof NonNullable<M> ? {
    readonly metadata: {
        readonly creationTimestamp: string;
    };
} : unknown : unknown;

interface FieldRequirement {
    readonly field: string;
    readonly operator: '=' | '!=';
    readonly value: string;
}

type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);

type Head<P extends string> = P extends `${infer First}.${string}` ? First : P;

type Identity = 'apiVersion' | 'kind' | 'metadata.name' | 'metadata.namespace' | 'metadata.uid' | 'metadata.resourceVersion';

type IsOpen<T> = string extends keyof T ? true : false;

interface LabelExpression {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
}

type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '<' | '>';

interface LabelRequirement {
    readonly key: string;
    readonly operator: LabelOperator;
    readonly values: ReadonlySet<string>;
}

type Picked<T, P extends string> = T extends readonly (infer E)[] ? readonly Picked<E, P>[] : T extends object ? {
    readonly [K in keyof T as K extends Head<P> ? K : never]: K extends P ? T[K] : Picked<T[K], Tail<P, K & string>>;
} : T;

type Shallower = [never, 0, 1, 2, 3, 4, 5];

type Tail<P extends string, K extends string> = P extends `${K}.${infer Rest}` ? Rest : never;

interface Unguarded {
    readonly [ONLY_GUARDED]: never;
}
