// 46 names

interface AddEvent<T> {
    readonly type: 'add';
    readonly key: Key;
    readonly object: T;
    readonly initial: boolean;
}

class Controller<T extends object = KubeObject> {
    readonly reflector: Reflector<T>;
    constructor(config: ControllerConfig<T> & ReflectorHooks);
    get hasStarted(): boolean;
    get hasSynced(): boolean;
    get lastSyncResourceVersion(): string;
    run(signal: AbortSignal): Promise<void>;
}

interface ControllerConfig<T extends object> extends ReflectorOptions<T> {
    readonly queue: Queue<T>;
    readonly source: ListWatch<T>;
    readonly process: ProcessFn<T>;
    readonly processBatch?: ProcessFn<T>;
    readonly room?: () => Promise<unknown> | undefined;
    readonly onProcessError?: UserCode<(error: unknown, entry: Deltas<T> | undefined) => void>;
}

interface DeleteEvent<T> {
    readonly type: 'delete';
    readonly key: Key;
    readonly object: T;
    readonly finalStateUnknown: boolean;
}

interface Differences {
    readonly resourceVersion: string;
    readonly checked: number;
    readonly missing: readonly Key[];
    readonly extra: readonly Key[];
    readonly different: readonly Key[];
    readonly consistent: boolean;
}

interface FailedCycle {
    readonly name: string;
    readonly type: string;
    readonly env: Env;
    readonly reason: ProblemReason;
    readonly leftOut: number;
    readonly reflector: FailedReflector;
    readonly signal: AbortSignal;
}

interface Handler<T> {
    add?(event: AddEvent<T>): unknown;
    update?(event: UpdateEvent<T>): unknown;
    delete?(event: DeleteEvent<T>): unknown;
    overflow?(): unknown;
}

interface HandlerOptions {
    readonly resyncMs?: number;
    readonly policy?: BacklogPolicy;
    readonly limit?: number;
    readonly initial?: boolean;
    readonly errorPauseMs?: number;
    readonly name?: string;
}

type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

interface InformerHealth {
    readonly state: InformerState;
    readonly reflector: ReflectorState;
    readonly lastContactAt: number | undefined;
    readonly resourceVersion: string;
    readonly objects: number;
    readonly pending: number;
    readonly poisoned: readonly {
        readonly key: Key;
        readonly error: string;
    }[];
    readonly unnamed: number;
    readonly staleDropped: number;
    readonly unknownDeletes: number;
    readonly outsideSelection: number;
    readonly epochs: number;
    readonly versions: 'ordered' | 'opaque';
    readonly usesWatchList: boolean;
    readonly bytes?: HeldBytes;
    readonly handlers: readonly HandlerHealth[];
}

class InformerName {
    readonly name: string;
    constructor(name: string, release: () => void);
    withResource(resource: string, env?: UserCode<Env>): InformerIdentifier;
    release(): void;
}

class InformerNames {
    reserve(name: string): InformerName;
}

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

class KeyedSyncTracker<K> {
    readonly synced: Latch;
    get hasSynced(): boolean;
    start(key: K): void;
    finished(key: K): void;
    upstreamSynced(): void;
}

class Lazy<R> {
    constructor(evaluate: () => Promise<R> | R);
    notify(): void;
    get(): Promise<R>;
}

type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;

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

type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;

interface Problem {
    readonly since: number;
    readonly reason: ProblemReason;
    readonly error: unknown;
}

type ProblemReason = 'forbidden' | 'unauthorized' | 'not-found' | 'throttled' | 'expired' | 'server-error' | 'unreachable' | 'tls' | 'dns' | 'credentials' | 'undecodable' | 'watch-list' | 'stale-server' | 'silent' | 'buffered' | 'withheld' | 'inconsistent' | 'backlog' | 'other';

interface ReadOptions {
    readonly maxStalenessMs?: number;
    readonly notOlderThan?: string;
}

class Reflector<T extends object = KubeObject> {
    readonly name: string;
    readonly typeDescription: string;
    constructor(source: ListWatch<T>, sink: Sink<T>, options?: ReflectorOptions<T> & ReflectorHooks);
    get state(): ReflectorState;
    get lastSyncResourceVersion(): string;
    get usesWatchList(): boolean;
    get problem(): Problem | undefined;
    get timeline(): readonly Step[];
    get lastContactAt(): number | undefined;
    evidence(): {
        readonly evidence: Evidence;
        readonly now: number;
    };
    get versionsAreOrdered(): boolean;
    get unnamed(): number;
    get epochs(): number;
    run(signal: AbortSignal): Promise<void>;
    listAndWatch(signal: AbortSignal): Promise<void>;
    requestRelist(error: unknown): void;
    countMissed(count: number): void;
}

interface ReflectorOptions<T> {
    readonly name?: string;
    readonly typeDescription?: string;
    readonly expected?: ExpectedType;
    readonly resyncMs?: number;
    readonly shouldResync?: UserCode<() => boolean>;
    readonly pageSize?: number;
    readonly minWatchTimeoutMs?: number;
    readonly maxInternalErrorRetryMs?: number;
    readonly watchList?: boolean;
    readonly markerTimeoutMs?: number;
    readonly verifyWatchList?: boolean;
    readonly allowStaleFirstList?: boolean;
    readonly backoff?: BackoffOptions;
    readonly onWatchError?: UserCode<WatchErrorHandler>;
    readonly env?: UserCode<Env>;
    readonly metrics?: UserCode<Metrics>;
    readonly metricLabels?: Readonly<Record<string, string>>;
    readonly access?: ObjectAccess<T>;
    readonly key?: UserCode<KeyFn<T>>;
    readonly path?: StreamingPath;
}

type ReflectorState = {
    readonly kind: 'idle' | 'stopped';
} | {
    readonly kind: 'listing';
    readonly received: number;
} | {
    readonly kind: 'watching' | 'polling';
    readonly resourceVersion: string;
} | {
    readonly kind: 'waiting';
    readonly ms: number;
    readonly error: unknown;
};

interface Registration extends SyncChecker, AsyncDisposable {
    readonly name: string;
    readonly pending: number;
    readonly hasSynced: boolean;
    onSynced(callback: UserCode<() => unknown>): () => void;
    synced(options?: SyncedOptions): Promise<void>;
    remove(): void;
    shutdown(): Promise<void>;
}

class SharedInformer<T extends object = KubeObject, I extends string = never> implements SyncChecker, AsyncDisposable {
    readonly name: string;
    readonly store: ReadonlyStore<T, I>;
    constructor(source: ListWatch<T>, options?: SharedInformerOptions<T, I>);
    get access(): ObjectAccess<T>;
    on(handler: Handler<T>, options?: HandlerOptions): Registration;
    off(registration: Registration): void;
    addIndexers<J extends string>(indexers: Readonly<Record<J, Index<T>>>): SharedInformer<T, I | J>;
    setTransform(transform: UserCode<TransformFn<T>>): void;
    setWatchErrorHandler(handler: UserCode<WatchErrorHandler>): void;
    run(signal: AbortSignal): Promise<void>;
    start(): this;
    stop(cause?: unknown): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    get hasStarted(): boolean;
    get isStopped(): boolean;
    get hasSynced(): boolean;
    onSynced(callback: UserCode<() => unknown>): () => void;
    synced(options?: SyncedOptions): Promise<void>;
    get(key: Key, options?: ReadOptions): T | undefined;
    list(options?: ReadOptions): T[];
    byIndex(name: I | 'namespace', value: string, options?: ReadOptions): T[];
    requireFresh(options?: ReadOptions): void;
    get lastSyncResourceVersion(): string;
    get state(): InformerState;
    onState(callback: UserCode<StateCallback>): () => void;
    onEpochReset(callback: UserCode<() => void>): () => void;
    staleFor(): number;
    health(): InformerHealth;
    get timeline(): readonly Step[];
    waitForVersion(resourceVersion: string, options?: SyncedOptions): Promise<void>;
    verify(signal?: AbortSignal): Promise<Differences>;
}

interface SharedInformerOptions<T extends object, I extends string = never> extends Omit<ReflectorOptions<T>, 'shouldResync' | 'key'> {
    readonly indexers?: Readonly<Record<I, Index<T>>>;
    readonly transform?: UserCode<TransformFn<T>>;
    readonly hold?: 'packed' | 'plain';
    readonly select?: readonly string[];
    readonly omit?: readonly string[];
    readonly decoded?: DecodedBudget;
    readonly queue?: 'ordered' | 'delta';
    readonly batch?: boolean;
    readonly uidChange?: 'flag' | 'split';
    readonly freeze?: boolean;
    readonly detectMutations?: boolean;
    readonly onMutation?: UserCode<MutationHandler>;
    readonly audit?: {
        readonly everyMs: number;
    };
    readonly onEpochReset?: UserCode<() => void>;
    readonly stopGraceMs?: number;
    readonly identifier?: InformerIdentifier;
    readonly parity?: 'client-go';
}

type StateCallback = (now: InformerState, before: InformerState) => void;

interface Step {
    readonly kind: StepKind;
    readonly startedAt: number;
    readonly endedAt: number | undefined;
    readonly objects: number;
    readonly resourceVersion: string | undefined;
    readonly because: string | undefined;
    readonly failed: boolean;
}

class StreamingPath {
    readonly clock: ElapsedClock;
    constructor(env: Env);
    get delivery(): Delivery | undefined;
    found(delivery: Delivery): void;
    reportedVersions({ apiVersion, kind }?: TypeRef): ReportedVersions | undefined;
    joinPolling(): () => void;
    get pollPeriodMs(): number;
}

interface SyncedOptions {
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    readonly failFast?: boolean;
}

type TransformFn<T> = (object: T) => T;

interface UpdateEvent<T> {
    readonly type: 'update';
    readonly key: Key;
    readonly object: T;
    readonly old: T;
    readonly replaced: boolean;
    readonly resync: boolean;
}

type WatchErrorHandler = (error: unknown, about: FailedCycle) => void;

type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => WatchStream<T>;

interface WatchStream<T> extends AsyncIterable<WatchEvent<T>> {
    readonly progress?: WatchProgress;
}

const defaultWatchErrorHandler: (error: unknown, { name, type, env, leftOut }: Pick<FailedCycle, 'name' | 'type' | 'env'> & Partial<FailedCycle>) => void;

function eachListItem<T>(source: ListWatch<T>, options: ListOptions, each: EachItemOptions): AsyncGenerator<T, void, undefined>;

function filtered<T>(filter: UserCode<(object: T) => boolean>, handler: Handler<T>): Handler<T>;

function listPages<T>(source: ListWatch<T>, options: ListOptions, pager: PagerOptions): Promise<ListResult<T>>;

function namespaceKeyedIndexerAndReflector<T extends object = KubeObject>(source: ListWatch<T>, options?: ReflectorOptions<T>): {
    readonly indexer: Indexer<T>;
    readonly reflector: Reflector<T>;
};

const processNames: InformerNames;

function reasonOf(error: unknown): ProblemReason;

function simpleInformer<T extends object = KubeObject>(source: ListWatch<T>, given: Handler<T>, options?: SimpleInformerOptions<T>): {
    readonly store: ReadonlyStore<T>;
    readonly controller: Controller<T>;
};

function waitForSync(checkers: readonly SyncChecker[], options?: WaitForSyncOptions): Promise<boolean>;

function withOptions<T>(source: ListWatch<T>, modifier: UserCode<OptionsModifier>): ListWatch<T>;

// — reachable through them, not exported —

interface Applied {
    readonly pending: number;
    readonly resourceVersion: string;
}

type BacklogPolicy = 'coalesce' | 'block' | 'detach';

interface BackoffOptions {
    readonly initialMs?: number;
    readonly maxMs?: number;
    readonly factor?: number;
    readonly jitter?: number;
    readonly resetAfterMs?: number;
}

interface BookmarkDelta {
    readonly type: 'bookmark';
    readonly resourceVersion: string;
}

type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

interface Contradiction {
    readonly since: number;
    readonly error: unknown;
    readonly refutedBy: RefutedBy;
}

interface Counter {
    inc(by?: number): void;
}

class DecodedBudget {
    used: number;
    constructor(maxBytes?: number);
    get maxBytes(): number;
    set maxBytes(maxBytes: number);
    take(bytes: number): boolean;
    give(bytes: number): void;
}

interface DeletedDelta<T> {
    readonly type: 'deleted';
    readonly key: Key;
    readonly object: T | undefined;
    readonly finalStateUnknown: boolean;
    readonly onlyIfHeld?: boolean;
}

class DeletedFinalStateUnknown<T> {
    readonly tag: 'kube-informer.tombstone';
    readonly key: Key;
    readonly object: T | undefined;
    constructor(key: Key, object: T | undefined);
}

type Delivery = 'streams' | 'buffers';

type Delta<T> = ObjectDelta<T> | DeletedDelta<T> | PoisonedDelta<T> | ReplacedAllDelta<T> | SyncAllDelta | BookmarkDelta;

type Deltas<T> = readonly [Delta<T>, ...Delta<T>[]];

interface EachItemOptions {
    readonly signal: AbortSignal;
    readonly pageSize?: number;
    readonly bufferPages?: number;
}

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

interface Evidence {
    readonly provenAt: number;
    readonly validUntil: number;
    readonly unfinishedSince: number | undefined;
    readonly contradiction: Contradiction | undefined;
    readonly backlogSince: number | undefined;
    readonly polling: Polling | undefined;
}

type ExpectedType = TypeRef;

interface FailedCall {
    readonly key: Key;
    readonly error: string;
    readonly at: number;
}

type FailedReflector = Pick<Reflector, 'name' | 'typeDescription' | 'state' | 'problem' | 'timeline' | 'lastSyncResourceVersion' | 'usesWatchList'>;

type FieldTree = ReadonlyMap<string, FieldTree | true>;

interface Gauge {
    set(value: number): void;
}

interface HandlerHealth {
    readonly name: string;
    readonly pending: number;
    readonly synced: boolean;
    readonly calls: number;
    readonly failures: number;
    readonly lastFailure: FailedCall | undefined;
    readonly slowest: readonly SlowCall[];
    readonly busyForMs: number | undefined;
}

interface HeldBytes {
    readonly wire: number;
    readonly held: number;
    readonly young: number;
    readonly pinned: number;
    readonly dictionary: number;
    readonly views: number;
}

interface Histogram {
    observe(value: number): void;
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

interface InformerIdentifier {
    readonly name: string;
    readonly resource: string;
    readonly reserved: boolean;
    release?(): void;
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

interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}

interface ListResult<T> {
    readonly items: T[];
    readonly resourceVersion: string;
    readonly paginated: boolean;
    readonly type: TypeRef;
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

type MetricLabels = Readonly<Record<string, string>>;

interface Metrics {
    counter(name: string, labels: MetricLabels): Counter;
    gauge(name: string, labels: MetricLabels): Gauge;
    histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
}

type MutationHandler = (error: KubeError, key: Key) => void;

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

interface ObjectDelta<T> {
    readonly type: 'added' | 'updated' | 'replaced' | 'sync';
    readonly key: Key;
    readonly object: T;
    readonly newEpoch?: boolean;
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

interface PagerOptions {
    readonly pageSize: number;
    readonly signal: AbortSignal;
    readonly onPage?: UserCode<(received: number) => void>;
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

interface Polling {
    readonly since: number;
    readonly error: unknown;
    readonly periodMs: number;
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

interface ReducedObjects {
    readonly codec: ObjectCodec;
    cut(bytes: Uint8Array, at: number, end: number): Uint8Array;
}

interface Reduction {
    readonly keeps: 'named' | 'others';
    readonly fields: FieldTree;
}

interface ReflectorHooks {
    readonly applied?: () => Applied;
    readonly onEvidence?: () => void;
}

type RefutedBy = 'event' | 'list' | 'echo';

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

interface ReportedVersion {
    readonly version: string;
    readonly at: number;
}

class ReportedVersions {
    add(version: string, at: number): void;
    get last(): ReportedVersion | undefined;
    atOf(version: string): number;
    takeQuestion(now: number): boolean;
}

type Scalar = string | number | boolean;

interface SimpleInformerOptions<T extends object> extends ReflectorOptions<T> {
    readonly indexers?: Indexers<T>;
    readonly transform?: UserCode<TransformFn<T>>;
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

interface SlowCall {
    readonly key: Key;
    readonly ms: number;
    readonly at: number;
}

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

type StepKind = 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';

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

interface StoreHolder<T> {
    keep?(object: T): void;
    drop?(object: T): void;
    read?(object: T, path: Path): readonly Scalar[];
    prepare?(path: Path): void;
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

interface SyncAllDelta {
    readonly type: 'syncAll';
}

interface SyncChecker {
    readonly name: string;
    readonly hasSynced: boolean;
    onSynced(callback: () => void): () => void;
}

interface TransactionResult {
    readonly total: number;
    readonly failures: readonly {
        readonly at: number;
        readonly error: unknown;
    }[];
}

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

interface WaitForSyncOptions {
    readonly signal?: AbortSignal;
    readonly env?: UserCode<Env>;
    readonly what?: string;
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

interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}

interface WatchProgress {
    readonly opened: boolean;
    readonly unfinished: boolean;
}
