// 19 names

const ADD = "add";
type ADD = typeof ADD;

const CHANGE = "change";
type CHANGE = typeof CHANGE;

const CONNECT = "connect";
type CONNECT = typeof CONNECT;

class CallbackInformer<T extends object> implements Informer<T>, ObjectCache<T> {
    constructor(options: CallbackInformerOptions<T>);
    on(verb: ADD | UPDATE | DELETE | CHANGE, callback: UserCode<ObjectCallback<T>>): void;
    on(verb: ERROR | CONNECT, callback: UserCode<ErrorCallback>): void;
    off(verb: ADD | UPDATE | DELETE | CHANGE, callback: UserCode<ObjectCallback<T>>): void;
    off(verb: ERROR | CONNECT, callback: UserCode<ErrorCallback>): void;
    start(): Promise<void>;
    stop(): Promise<void>;
    get(name: string, namespace?: string): T | undefined;
    list(namespace?: string): readonly T[];
    latestResourceVersion(): string;
    get state(): InformerState;
}

const DELETE = "delete";
type DELETE = typeof DELETE;

const ERROR = "error";
type ERROR = typeof ERROR;

type ErrorCallback = (error?: any) => void;

interface Informer<T> {
    on(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    on(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    off(verb: ADD | UPDATE | DELETE | CHANGE, callback: ObjectCallback<T>): void;
    off(verb: ERROR | CONNECT, callback: ErrorCallback): void;
    start(): Promise<void>;
    stop(): Promise<void>;
}

interface InformerError extends KubeError {
    readonly statusCode?: number;
}

interface KubeConfigCluster {
    readonly server: string;
    readonly caData?: Text;
    readonly caFile?: Text;
    readonly tlsServerName?: Text;
    readonly skipTLSVerify?: boolean | null;
    readonly proxyUrl?: Text;
}

interface KubeConfigLike {
    getCurrentCluster(): KubeConfigCluster | null;
    getCurrentUser(): KubeConfigUser | null;
    applyToHTTPSOptions(options: object): Promise<void>;
}

interface KubeConfigUser {
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

type ListPromise<T> = () => Promise<{
    readonly items: T[];
}>;

class ListWatch<T extends object> extends CallbackInformer<T> {
    constructor(path: string, watch: WatchLike, _listFn?: ListPromise<T>, autoStart?: boolean, labelSelector?: string, fieldSelector?: string);
}

interface ObjectCache<T> {
    get(name: string, namespace?: string): T | undefined;
    list(namespace?: string): readonly T[];
}

type ObjectCallback<T> = (object: T) => void;

const UPDATE = "update";
type UPDATE = typeof UPDATE;

interface WatchLike {
    readonly config: KubeConfigLike;
}

function makeInformer<T extends object>(kubeconfig: KubeConfigLike, path: string, _listPromiseFn?: ListPromise<T>, labelSelector?: string): CallbackInformer<T>;

// — reachable through them, not exported —

type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

interface CallbackInformerOptions<T> {
    readonly name: string;
    readonly open: UserCode<(connected: () => void) => Promise<OpenedSource<T>>>;
    readonly autoStart?: boolean;
    readonly env?: UserCode<Env>;
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

type FieldTree = ReadonlyMap<string, FieldTree | true>;

type InformerState = {
    readonly kind: 'idle';
} | {
    readonly kind: 'starting';
    readonly problem?: Problem;
} | {
    readonly kind: 'synced';
} | ({
    readonly kind: 'polling';
    readonly periodMs: number;
} & Problem) | ({
    readonly kind: 'stale';
} & Problem) | {
    readonly kind: 'stopped';
    readonly cause: unknown;
};

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

type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;

interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}

interface ListWatch<T> {
    readonly list: ListFn<T>;
    readonly watch: WatchFn<T>;
    readonly echo?: (options: {
        readonly timeoutSeconds: number;
    }, signal: AbortSignal) => AsyncIterable<WatchEvent<unknown>>;
    readonly watchListUnsupported?: boolean;
    readonly expected?: TypeRef;
    readonly building?: <R>(build: BuildObject<R>) => ListWatch<R>;
    readonly clusterId?: (signal: AbortSignal) => Promise<string>;
}

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

interface ObjectCodec {
    readonly format: 'json' | 'protobuf';
    check(bytes: Uint8Array, at: number, end: number): UnknownField | undefined;
    identity(bytes: Uint8Array, at: number, end: number): ObjectIdentity;
    outline(bytes: Uint8Array, at: number, end: number): ObjectOutline;
    decodeField(name: string, bytes: Uint8Array, at: number, end: number): unknown;
    decode(bytes: Uint8Array, at: number, end: number): object;
    read(bytes: Uint8Array, at: number, end: number, path: readonly string[]): readonly Scalar[];
    readMap(bytes: Uint8Array, at: number, end: number, path: readonly string[]): Readonly<Record<string, string>> | undefined;
    reduced(reduction: Reduction): ReducedObjects;
}

interface ObjectIdentity {
    readonly name: string | undefined;
    readonly namespace: string | undefined;
    readonly uid: string | undefined;
    readonly resourceVersion: string | undefined;
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

interface ObjectOutline {
    readonly names: readonly string[];
    readonly type: TypeRef;
    readonly identity: ObjectIdentity;
}

interface OpenedSource<T> {
    readonly source: Source<T>;
    readonly transform?: UserCode<(object: T) => T>;
    close(): Promise<void>;
}

interface OwnerReference {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
}

interface Problem {
    readonly since: number;
    readonly reason: ProblemReason;
    readonly error: unknown;
}

type ProblemReason = 'forbidden' | 'unauthorized' | 'not-found' | 'throttled' | 'expired' | 'server-error' | 'unreachable' | 'tls' | 'dns' | 'credentials' | 'undecodable' | 'watch-list' | 'stale-server' | 'silent' | 'buffered' | 'withheld' | 'inconsistent' | 'backlog' | 'other';

interface ReducedObjects {
    readonly codec: ObjectCodec;
    cut(bytes: Uint8Array, at: number, end: number): Uint8Array;
}

interface Reduction {
    readonly keeps: 'named' | 'others';
    readonly fields: FieldTree;
}

type Scalar = string | number | boolean;

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

type Text = string | null | undefined;

interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}

interface Unguarded {
    readonly [ONLY_GUARDED]: never;
}

interface UnknownField {
    readonly message: string;
    readonly field: number;
}

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

type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => WatchStream<T>;

interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}

interface WatchProgress {
    readonly opened: boolean;
    readonly unfinished: boolean;
}

interface WatchStream<T> extends AsyncIterable<WatchEvent<T>> {
    readonly progress?: WatchProgress;
}
