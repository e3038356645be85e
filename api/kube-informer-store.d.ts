// 36 names

class DecodedBudget {
    used: number;
    constructor(maxBytes?: number);
    get maxBytes(): number;
    set maxBytes(maxBytes: number);
    take(bytes: number): boolean;
    give(bytes: number): void;
}

class DeletedFinalStateUnknown<T> {
    readonly tag: 'kube-informer.tombstone';
    readonly key: Key;
    readonly object: T | undefined;
    constructor(key: Key, object: T | undefined);
}

type Delta<T> = ObjectDelta<T> | DeletedDelta<T> | PoisonedDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta;

class DeltaFifo<T> implements Queue<T> {
    readonly keepsUnreadable = true;
    constructor(options: DeltaFifoOptions<T>);
    get pending(): number;
    get hasSynced(): boolean;
    get synced(): Latch;
    add(object: T): void;
    update(object: T): void;
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    deleteIfHeld(object: T): void;
    replace(items: readonly T[], _resourceVersion: string, info?: ReplaceInfo): void;
    resync(): void;
    bookmark(): void;
    room(): Promise<void> | undefined;
    pop(process: ProcessFn<T>): Promise<void>;
    close(): void;
}

interface DeltaFifoOptions<T> extends QueueOptions<T> {
    readonly knownObjects?: KnownObjects<T>;
    readonly emitReplaced?: boolean;
}

type Deltas<T> = readonly [Delta<T>, ...Delta<T>[]];

class ExpirationCache<T extends object = KubeObject> implements Store<T> {
    constructor(options?: ExpirationCacheOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

interface ExpirationCacheOptions<T> {
    readonly ttlMs?: number;
    readonly policy?: UserCode<(entry: ExpirationEntry<T>) => boolean>;
    readonly key?: UserCode<KeyFn<T>>;
    readonly env?: UserCode<Env>;
}

interface ExpirationEntry<T> {
    readonly object: T;
    readonly storedAt: number;
}

class Fifo<T extends object = KubeObject> implements Store<T> {
    constructor(options?: FifoOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    get hasSynced(): boolean;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], _resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
    pop(process: FifoProcess<T>): Promise<T>;
    close(): void;
}

interface FifoOptions<T> {
    readonly key?: UserCode<KeyFn<T>>;
}

type FifoProcess<T> = (object: T, initial: boolean) => void | Promise<void>;

class Heap<T extends object = KubeObject> {
    constructor(options: HeapOptions<T>);
    get length(): number;
    get isClosed(): boolean;
    add(object: T): void;
    update(object: T): void;
    bulkAdd(objects: readonly T[]): void;
    addIfNotPresent(object: T): boolean;
    delete(object: T): boolean;
    pop(): Promise<T>;
    close(): void;
    get(object: T): T | undefined;
    getByKey(key: Key): T | undefined;
    list(): T[];
    listKeys(): Key[];
}

interface HeapOptions<T> {
    readonly less: UserCode<(a: T, b: T) => boolean>;
    readonly key?: UserCode<KeyFn<T>>;
}

type Index<T> = UserCode<IndexFn<T>> | string;

type IndexFn<T> = (object: T) => readonly string[];

class Indexer<T extends object = KubeObject, I extends string = string> implements Store<T>, ReadonlyStore<T, I> {
    readonly keyOf: KeyFn<T>;
    constructor(options?: IndexerOptions<T>);
    get size(): number;
    get resourceVersion(): string;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    set(key: Key, object: T): T | undefined;
    deleteKey(key: Key): T | undefined;
    discard(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    stageReplace(): StagedReplace<T>;
    bookmark(resourceVersion: string): void;
    transaction(writes: readonly StoreWrite<T>[]): TransactionResult;
    addIndexers(indexers: Indexers<T>): void;
    addPosting(label: string, values: IndexFn<T>): void;
    postedKeys(label: string, value: string): ReadonlySet<Key>;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    byIndex(name: I | 'namespace', value: string): T[];
    indexKeys(name: I | 'namespace', value: string): Key[];
    indexValues(name: I | 'namespace'): string[];
    index(name: I | 'namespace', object: T): T[];
    byIndexValues(name: I | 'namespace', values: readonly string[]): T[];
    hasIndex(name: string): boolean;
    indexNames(): string[];
    entries(): IterableIterator<[Key, T]>;
}

interface IndexerOptions<T> {
    readonly indexers?: Indexers<T>;
    readonly key?: UserCode<KeyFn<T>>;
    readonly access?: ObjectAccess<T>;
    readonly holder?: StoreHolder<T>;
}

type Indexers<T> = Readonly<Record<string, Index<T>>>;

interface KnownObjects<T> {
    keys(): Iterable<Key>;
    get(key: Key): T | undefined;
    has?(key: Key): boolean;
}

class MutationCache<T extends object = KubeObject, I extends string = string> {
    constructor(store: ReadonlyStore<T, I>, options?: MutationCacheOptions<T>);
    get(key: Key): T | undefined;
    byIndex(name: I | 'namespace', value: string): T[];
    mutation(object: T): void;
    onAddOrUpdate(object: T): void;
    onDelete(object: T): void;
}

interface MutationCacheOptions<T> {
    readonly maxEntries?: number;
    readonly ttlMs?: number;
    readonly includeAdds?: boolean;
    readonly indexers?: Indexers<T>;
    readonly key?: UserCode<KeyFn<T>>;
    readonly access?: ObjectAccess<T>;
    readonly env?: UserCode<Env>;
}

const NAMESPACE_INDEX = "namespace";

class OrderedFifo<T> implements Queue<T> {
    readonly keepsUnreadable = true;
    constructor(options: OrderedFifoOptions<T>);
    get pending(): number;
    get hasSynced(): boolean;
    get synced(): Latch;
    recall(object: T): T;
    add(object: T): void;
    update(object: T): void;
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    deleteIfHeld(object: T): void;
    replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): Promise<void>;
    resync(): void;
    bookmark(resourceVersion: string): void;
    room(): Promise<void> | undefined;
    pop(process: ProcessFn<T>): Promise<void>;
    popNow(process: ProcessFn<T>): boolean | Promise<void>;
    popBatch(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
    close(): void;
}

interface OrderedFifoOptions<T> extends QueueOptions<T> {
    readonly atomic?: boolean;
    readonly knownObjects?: KnownObjects<T>;
    readonly resourceVersion?: UserCode<(object: T) => string | undefined>;
    readonly recall?: UserCode<(object: T) => T>;
}

type ProcessFn<T> = (deltas: Deltas<T>, initial: boolean) => void | Promise<void>;

interface Queue<T> extends Sink<T> {
    delete(object: T | DeletedFinalStateUnknown<T>): void;
    resync(): void;
    bookmark(resourceVersion: string): void;
    pop(process: ProcessFn<T>): Promise<void>;
    popNow?(process: ProcessFn<T>): boolean | Promise<void>;
    popBatch?(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
    close(): void;
    readonly pending: number;
    readonly hasSynced: boolean;
    readonly synced: Latch;
}

interface ReadonlyStore<T, I extends string = string> {
    readonly size: number;
    readonly resourceVersion: string;
    get(key: Key): T | undefined;
    has(key: Key): boolean;
    keys(): Key[];
    list(): T[];
    byIndex(name: I | 'namespace', value: string): T[];
    byLabels?(selector: LabelSelector, namespace: string): T[];
    indexKeys(name: I | 'namespace', value: string): Key[];
    indexValues(name: I | 'namespace'): string[];
    index(name: I | 'namespace', object: T): T[];
    hasIndex(name: string): boolean;
    indexNames(): string[];
}

interface Sink<T> {
    readonly keepsUnreadable?: boolean;
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    deleteIfHeld?(object: T): void;
    replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): void | Promise<void>;
    resync?(): void;
    bookmark?(resourceVersion: string): void;
    updateResourceVersion?(resourceVersion: string): void;
    recall?(object: T): T;
    room?(): Promise<void> | undefined;
}

interface Store<T> {
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    resync?(): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

type StoreWrite<T> = {
    readonly type: 'set';
    readonly key?: Key;
    readonly object: T;
} | {
    readonly type: 'delete';
    readonly key: Key;
    readonly object?: T;
};

interface TransactionResult {
    readonly total: number;
    readonly failures: readonly {
        readonly at: number;
        readonly error: unknown;
    }[];
}

class UndeltaStore<T extends object = KubeObject> implements Store<T> {
    constructor(push: UserCode<(objects: T[]) => void>, options?: UndeltaStoreOptions<T>);
    add(object: T): void;
    update(object: T): void;
    delete(object: T): void;
    replace(items: readonly T[], resourceVersion: string): void;
    get(key: Key): T | undefined;
    keys(): Key[];
    list(): T[];
}

interface UndeltaStoreOptions<T> {
    readonly key?: UserCode<KeyFn<T>>;
    readonly store?: Store<T>;
}

function isTombstone<T>(value: unknown): value is DeletedFinalStateUnknown<T>;

function keyOfMaybeDeleted<T>(keyOf: (object: T) => Key, value: T | DeletedFinalStateUnknown<T>): Key;

// — reachable through them, not exported —

interface BookmarkDelta {
    readonly type: 'bookmark';
    readonly resourceVersion: string;
}

interface DeletedDelta<T> {
    readonly type: 'deleted';
    readonly key: Key;
    readonly object: T | undefined;
    readonly finalStateUnknown: boolean;
    readonly onlyIfHeld?: boolean;
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

interface Gauge {
    set(value: number): void;
}

type Key = string;

type KeyFn<T> = (object: T) => Key;

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

interface KubeObject {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: ObjectMeta;
}

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

interface ObjectDelta<T> {
    readonly type: 'added' | 'updated' | 'replaced' | 'sync';
    readonly key: Key;
    readonly object: T;
    readonly newEpoch?: boolean;
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

interface OwnerReference {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
}

type Path = readonly string[];

interface PoisonedDelta<T> extends PoisonedObject<T> {
    readonly type: 'poisoned';
    readonly key: Key;
    readonly newEpoch?: boolean;
}

interface PoisonedObject<T> {
    readonly object: T;
    readonly error: unknown;
}

interface QueueOptions<T> {
    readonly key: UserCode<KeyFn<T>>;
    readonly env: UserCode<Env>;
    readonly transform?: UserCode<TransformFn<T>>;
    readonly pendingLimit?: number;
    readonly queuedItems?: Gauge;
    readonly name?: string;
}

interface ReplaceInfo {
    readonly newEpoch?: boolean;
}

interface ReplacedAllDelta<T> {
    readonly type: 'replacedAll';
    readonly keys: readonly Key[];
    readonly objects: readonly T[];
    readonly resourceVersion: string;
    readonly poisoned: ReadonlyMap<Key, PoisonedObject<T>>;
    readonly unnamed?: KubeError | undefined;
    readonly newEpoch: boolean;
}

type Scalar = string | number | boolean;

interface StagedReplace<T> {
    set(key: Key, object: T): void;
    has(key: Key): boolean;
    commit(resourceVersion: string): void;
}

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

interface StoreHolder<T> {
    keep?(object: T): void;
    drop?(object: T): void;
    read?(object: T, path: Path): readonly Scalar[];
    prepare?(path: Path): void;
}

interface SyncAllDelta {
    readonly type: 'syncAll';
}

type TransformFn<T> = (object: T) => T;

interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}

interface Unguarded {
    readonly [ONLY_GUARDED]: never;
}

type UserCode<C> = C | Unguarded;
