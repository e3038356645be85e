// 15 names

class EventPipe<E> implements AsyncIterable<E>, AsyncIterator<E> {
    constructor(signal: AbortSignal, onEnd?: () => void);
    get isEnded(): boolean;
    push(event: E): void;
    end(error?: unknown): void;
    next(): Promise<IteratorResult<E>>;
    return(): Promise<IteratorResult<E>>;
    [Symbol.asyncIterator](): AsyncIterator<E>;
}

class FakeClock {
    now(): number;
    wallNow(): number;
    bootNow(): number;
    jumpWall(ms: number): void;
    get sleeping(): number;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    advance(ms: number): Promise<void>;
    freeze(ms: number): void;
    suspend(ms: number): void;
}

interface FakeEnv extends Env {
    readonly clock: FakeClock;
    bootNow?(): number;
    readonly lines: LogLine[];
}

interface FakeEnvOptions {
    readonly clock?: FakeClock;
    readonly random?: number | (() => number);
    readonly log?: Log;
    readonly bootClock?: boolean;
}

class FakeSource<T extends KubeObject = KubeObject> implements ListWatch<T> {
    readonly calls: SourceCall[];
    constructor(options?: FakeSourceOptions);
    get resourceVersion(): string;
    get openWatches(): number;
    get objects(): T[];
    get(key: string): T | undefined;
    create(object: T): T;
    update(object: T): T;
    delete(key: string): void;
    bookmark(annotations?: Record<string, string>): void;
    cut(error?: unknown): void;
    send(event: WatchEvent<T>): void;
    repeat(count: number): void;
    loseNext(count: number): void;
    expireHistory(): void;
    failNext(verb: 'list' | 'watch', error: unknown, times?: number): void;
    delayLists(until: Promise<void> | undefined): void;
    restore(objects: readonly T[], version: number): void;
    readonly list: (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;
    readonly watch: (options: WatchOptions, signal: AbortSignal) => AsyncIterable<WatchEvent<T>>;
    get watchListUnsupported(): boolean;
}

interface FakeSourceOptions {
    readonly startVersion?: number;
    readonly watchList?: boolean;
}

class HandlerRecorder<T extends KubeObject = KubeObject> implements Handler<T> {
    readonly events: InformerEvent<T>[];
    readonly violations: string[];
    readonly view: Map<string, T>;
    overflows: number;
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

interface LogLine {
    readonly level: LogLevel;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
}

type SourceCall = {
    readonly verb: 'list';
    readonly options: ListOptions;
} | {
    readonly verb: 'watch';
    readonly options: WatchOptions;
};

function expired(message: string): KubeError;

function fakeEnv(options?: FakeEnvOptions): FakeEnv;

function seededRandom(seed: number): () => number;

function settle(): Promise<void>;

function statusFailure(code: number, reason: string, message: string, more?: Pick<Status, 'details'>): KubeError;

function tooLarge(asked: string, current: string): KubeError;

// — reachable through them, not exported —

interface AddEvent<T> {
    readonly type: 'add';
    readonly key: Key;
    readonly object: T;
    readonly initial: boolean;
}

type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

interface DeleteEvent<T> {
    readonly type: 'delete';
    readonly key: Key;
    readonly object: T;
    readonly finalStateUnknown: boolean;
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

interface Handler<T> {
    add?(event: AddEvent<T>): unknown;
    update?(event: UpdateEvent<T>): unknown;
    delete?(event: DeleteEvent<T>): unknown;
    overflow?(): unknown;
}

type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

type Key = string;

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

interface OwnerReference {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
}

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

interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}

interface UnknownField {
    readonly message: string;
    readonly field: number;
}

interface UpdateEvent<T> {
    readonly type: 'update';
    readonly key: Key;
    readonly object: T;
    readonly old: T;
    readonly replaced: boolean;
    readonly resync: boolean;
}

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
