// 74 names

interface AddEvent<T> {
    readonly type: 'add';
    readonly key: Key;
    readonly object: T;
    readonly initial: boolean;
}

type CacheStateCallback = (change: CacheStateChange) => void;

interface CacheStateChange {
    readonly resource: string;
    readonly scope: Scope;
    readonly now: InformerState;
    readonly before: InformerState;
}

type ChangeFor<T, O extends ChangesOptions> = InformerEvent<T> | (O extends {
    readonly policy: 'detach';
} ? Overflow : never) | (O extends {
    readonly synced: true;
} ? Synced : never);

interface ChangesOptions extends HandlerOptions {
    readonly signal?: AbortSignal;
    readonly synced?: boolean;
}

class Cluster implements AsyncDisposable {
    readonly client: Client;
    readonly env: Env;
    static connect({ informers, ...options }?: ClusterConnectOptions): Promise<Cluster>;
    constructor({ client, informers, env }: ClusterOptions);
    informer<K extends BuiltInResource, const P extends PathOf<Resources[K]>, I extends string = never>(resource: K, options: Omit<ClusterInformerOptions<Selected<Resources[K], P>, I>, 'select'> & {
        readonly select: readonly P[];
    }): ClusterInformer<Selected<Resources[K], P>, I>;
    informer<T extends KubeObject, P extends PathOf<T>, I extends string = string>(resource: string, options: Omit<ClusterInformerOptions<Selected<T, P>, I>, 'select'> & {
        readonly select: readonly P[];
    }): ClusterInformer<Selected<T, P>, I>;
    informer<K extends BuiltInResource, I extends string = never>(resource: K, options: Omit<ClusterInformerOptions<KubeObject, I>, 'metadataOnly'> & MetadataOnly): ClusterInformer<KubeObject, I>;
    informer<K extends BuiltInResource, I extends string = never>(resource: K, options?: ClusterInformerOptions<Resources[K], I>): ClusterInformer<Resources[K], I>;
    informer<_T extends KubeObject, I extends string = string>(resource: string, options: Omit<ClusterInformerOptions<KubeObject, I>, 'metadataOnly'> & MetadataOnly): ClusterInformer<KubeObject, I>;
    informer<T extends KubeObject = never, I extends string = string, N extends string = string>(resource: ResourceNameFor<T, N>, options?: ClusterInformerOptions<ObjectNamed<T, N>, I>): ClusterInformer<T, I>;
    resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
    resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): ResourceClient<T>;
    caches(): ClusterCache[];
    get isClosed(): boolean;
    health(options?: HealthOptions): ClusterHealth;
    onState(callback: UserCode<CacheStateCallback>): () => void;
    probes(options?: HealthOptions): (request: ProbeRequest, response: ProbeResponse) => void;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ClusterCache {
    readonly resource: string;
    readonly namespace: string | undefined;
    readonly labelSelector: string | undefined;
    readonly fieldSelector: string | undefined;
    readonly metadataOnly: boolean;
    readonly informer: SharedInformer<KubeObject, string>;
}

interface ClusterConnectOptions extends ClientConnectOptions {
    readonly informers?: InformerDefaults;
}

interface ClusterHealth {
    readonly ready: boolean;
    readonly live: boolean;
    readonly reasons: readonly string[];
    readonly informers: readonly InformerSetHealth[];
}

class ClusterInformer<T extends object = KubeObject, I extends string = never> implements AsyncDisposable {
    readonly resource: string;
    constructor({ resource, env, namespace, parts, release }: ClusterInformerInit<T, I>);
    on(handler: Handler<Live<T>>, options?: HandlerOptions): Registration;
    changes<const O extends ChangesOptions>(options?: O): AsyncIterableIterator<ChangeFor<Live<T>, O>, undefined>;
    synced(options?: SyncedOptions): Promise<void>;
    get hasSynced(): boolean;
    get(key: Key, options?: ReadOptions): Live<T> | undefined;
    list(query?: ListQuery & ReadOptions): Live<T>[];
    byIndex(name: I | 'namespace', value: string, options?: ReadOptions): Live<T>[];
    waitFor(key: Key, condition: UserCode<(object: Live<T> | undefined) => boolean>, options?: SyncedOptions): Promise<Live<T> | undefined>;
    waitForVersion(resourceVersion: string, options?: WaitForVersionOptions): Promise<void>;
    hasReached(resourceVersion: string, namespace?: string): boolean;
    staleFor(): number;
    get state(): InformerState;
    onState(callback: UserCode<StateCallback>): () => void;
    onEpochReset(callback: UserCode<() => void>): () => void;
    health(): readonly InformerHealth[];
    verify(signal?: AbortSignal): Promise<readonly Differences[]>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ClusterInformerOptions<T extends object, I extends string> extends Omit<InformerRequest<Live<T>, I>, 'namespace' | 'labelSelector' | 'fieldSelector' | 'select' | 'omit' | 'transform'> {
    readonly select?: undefined;
    readonly metadataOnly?: [KubeObject] extends [T] ? boolean : false;
    readonly omit?: readonly PathOf<T>[];
    readonly transform?: UserCode<(object: Live<T>) => T>;
    readonly namespace?: string | readonly string[];
    readonly labels?: LabelSelectorLike;
    readonly fields?: FieldSelectorLike;
}

interface ClusterOptions {
    readonly client: Client;
    readonly informers?: InformerDefaults;
    readonly env?: UserCode<Env>;
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

interface HealthOptions {
    readonly maxStaleMs?: number;
}

type Index<T> = UserCode<IndexFn<T>> | string;

type IndexFn<T> = (object: T) => readonly string[];

type InformerDefaults = Omit<InformerSetOptions, 'source' | 'env' | 'namespace'>;

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

interface InformerRequest<T extends object = KubeObject, I extends string = string> extends Scope, SourceOptions, Omit<SharedInformerOptions<T, I>, SetByInformerSet> {
}

class InformerSet implements AsyncDisposable {
    constructor(options: InformerSetOptions);
    informer<T extends object = KubeObject, I extends string = string>(resource: string, request?: InformerRequest<T, I>): SharedInformer<T, I>;
    check<T extends object = KubeObject, I extends string = string>(resource: string, request?: InformerRequest<T, I>): void;
    lister<T extends object = KubeObject>(resource: string, request?: InformerRequest<T>): Lister<Live<T>>;
    release(resource: string, scope?: Scope): Promise<void>;
    start(signal?: AbortSignal): void;
    synced(options?: SyncedOptions): Promise<ReadonlyMap<string, boolean>>;
    shutdown(cause?: unknown): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
    health(): InformerSetHealth[];
    caches(): CacheEntry[];
}

interface InformerSetHealth {
    readonly resource: string;
    readonly scope: Scope;
    readonly health: InformerHealth;
}

interface InformerSetOptions extends SourceOptions, Omit<SharedInformerOptions<KubeObject>, SetByInformerSet | OfOneResource> {
    readonly source: UserCode<SourceFactory>;
    readonly namespace?: string;
    readonly resyncMsByResource?: Readonly<Record<string, number>>;
    readonly transform?: UserCode<ResourceTransform>;
    readonly transformByResource?: Readonly<Record<string, UserCode<ResourceTransform>>>;
    readonly modify?: UserCode<OptionsModifier>;
    readonly name?: string;
    readonly names?: InformerNames;
    readonly env?: UserCode<Env>;
    readonly metrics?: UserCode<Metrics>;
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

type Key = string;

class KubeError extends Error {
    readonly name = "KubeError";
    readonly code: ErrorCode;
    readonly status: Status | undefined;
    readonly retryAfterMs: number | undefined;
    constructor(code: ErrorCode, message: string, options?: KubeErrorOptions);
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

interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}

interface ListQuery {
    readonly labels?: LabelSelectorLike;
    readonly namespace?: string;
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

class Lister<T extends object = KubeObject> {
    constructor(store: ReadonlyStore<T>, options: ListerOptions<T>);
    list(query?: ListQuery & ReadOptions): T[];
    namespace(namespace: string): Lister<T>;
    get(key: Key, options?: ReadOptions): T;
    find(key: Key, options?: ReadOptions): T | undefined;
}

interface ListerOptions<T> {
    readonly resource: string;
    readonly namespace?: string;
    readonly access?: ObjectAccess<T>;
    readonly requireFresh?: UserCode<(options: ReadOptions) => void>;
    readonly env?: UserCode<Env>;
}

type Live<T extends object> = T & {
    readonly metadata: {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
    };
} & Created<T>;

type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

interface ManagedFields {
    readonly manager?: string;
    readonly operation?: string;
    readonly apiVersion?: string;
    readonly time?: string;
    readonly fieldsType?: string;
    readonly fieldsV1?: object;
    readonly subresource?: string;
}

interface Metrics {
    counter(name: string, labels: MetricLabels): Counter;
    gauge(name: string, labels: MetricLabels): Gauge;
    histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
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

interface Overflow {
    readonly type: 'overflow';
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

interface ReadOptions {
    readonly maxStalenessMs?: number;
    readonly notOlderThan?: string;
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

interface Registration extends SyncChecker, AsyncDisposable {
    readonly name: string;
    readonly pending: number;
    readonly hasSynced: boolean;
    onSynced(callback: UserCode<() => unknown>): () => void;
    synced(options?: SyncedOptions): Promise<void>;
    remove(): void;
    shutdown(): Promise<void>;
}

type ResourceTransform = {
    transform(object: KubeObject): KubeObject;
}['transform'];

interface Scope {
    readonly namespace?: string;
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
}

type Selected<T, P extends string> = Picked<T, P | Identity>;

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

type SourceFactory = (resource: string, scope: Scope, options: SourceOptions) => ListWatch<object>;

type StateCallback = (now: InformerState, before: InformerState) => void;

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

interface Synced {
    readonly type: 'synced';
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

type UserCode<C> = C | Unguarded;

interface WaitForVersionOptions extends SyncedOptions {
    readonly namespace?: string;
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

function filtered<T>(filter: UserCode<(object: T) => boolean>, handler: Handler<T>): Handler<T>;

function hasCode(error: unknown, code: ErrorCode): boolean;

function keyOf(object: KubeObject): Key;

function splitKey(key: Key): ObjectName;

const systemEnv: Env;

// — reachable through them, not exported —

interface Accept {
    readonly list: string;
    readonly one: string;
}

interface ApiRequest extends CallOptions {
    readonly method: TransportRequest['method'];
    readonly path: string;
    readonly accept?: string;
    readonly contentType?: string;
    readonly body?: string | Uint8Array;
    readonly headers?: Readonly<Record<string, string>>;
    readonly longLived?: boolean;
    readonly mayBeSilent?: boolean;
}

interface ApiResource {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly shortNames: readonly string[];
    readonly verbs: readonly string[];
    readonly subresources: readonly string[];
}

interface ApiWarning {
    readonly code: number;
    readonly agent: string;
    readonly text: string;
    readonly method: string;
    readonly path: string;
}

interface Applied {
    readonly pending: number;
    readonly resourceVersion: string;
}

interface ApplyOptions extends ReplaceOptions {
    readonly fieldManager: string;
    readonly force?: boolean;
}

type BacklogPolicy = 'coalesce' | 'block' | 'detach';

interface BackoffOptions {
    readonly initialMs?: number;
    readonly maxMs?: number;
    readonly factor?: number;
    readonly jitter?: number;
    readonly resetAfterMs?: number;
}

type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

type BuiltInResource = keyof Resources;

interface CacheEntry {
    readonly resource: string;
    readonly scope: Scope;
    readonly informer: SharedInformer<object, string>;
}

interface CallOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly attempts?: 'once';
    readonly onWarning?: WarningPolicy;
    readonly limiter?: Limiter | 'none';
}

interface ChunkReader {
    read(): Promise<{
        readonly done: boolean;
        readonly value?: Uint8Array | undefined;
    }>;
    cancel(reason?: unknown): Promise<void>;
}

class Client implements AsyncDisposable {
    readonly connection: Connection;
    readonly discovery: Discovery;
    readonly limiter: Limiter | undefined;
    static connect(options?: ClientConnectOptions): Promise<Client>;
    constructor(options: ClientOptions);
    resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
    resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): ResourceClient<T>;
    request<R = unknown>(request: RawRequest): Promise<R>;
    logs(key: string, options?: LogOptions): AsyncIterableIterator<Uint8Array, undefined>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ClientCertificate {
    readonly cert: string;
    readonly key: string;
}

interface ClientConnectOptions extends ConnectOptions, Omit<ClientOptions, 'connection' | 'transport'>, Omit<TransportOptions, 'env'> {
    readonly transport?: Transport;
}

interface ClientOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env?: UserCode<Env>;
    readonly userAgent?: string;
    readonly rateLimit?: RateLimitOptions | Limiter;
    readonly onWarning?: WarningPolicy;
    readonly maxObjectBytes?: number;
    readonly maxRetryAfterMs?: number;
}

interface ClusterInformerInit<T extends object, I extends string> {
    readonly resource: string;
    readonly env: Env;
    readonly namespace: () => string;
    readonly parts: readonly NamespaceInformer<T, I>[];
    readonly release: () => Promise<void>;
}

type ConfigSource = 'KUBECONFIG' | 'in-cluster' | 'home';

interface ConnectOptions {
    readonly url?: string | URL;
    readonly kubeconfig?: string | object;
    readonly kubeconfigFile?: string;
    readonly order?: readonly ConfigSource[];
    readonly context?: string;
    readonly cluster?: string;
    readonly user?: string;
    readonly namespace?: string;
    readonly token?: string;
    readonly tokenFile?: string;
    readonly username?: string;
    readonly password?: string;
    readonly ca?: string;
    readonly caFile?: string;
    readonly cert?: string;
    readonly certFile?: string;
    readonly key?: string;
    readonly keyFile?: string;
    readonly serverName?: string;
    readonly insecureSkipTlsVerify?: boolean;
    readonly impersonate?: Impersonation;
    readonly proxy?: string | URL | false;
    readonly strictTls?: boolean;
    readonly allowCredentialsOverHttp?: boolean;
    readonly untrusted?: boolean;
    readonly execPolicy?: 'allow' | 'deny' | {
        readonly allow: readonly string[];
        readonly env?: readonly string[];
    };
    readonly execTimeoutMs?: number;
    readonly isStdinReserved?: boolean;
    readonly oidcExchange?: UserCode<HttpExchange>;
    readonly onOidcRenewed?: UserCode<(tokens: OidcTokens) => void>;
    readonly environment?: Readonly<Record<string, string | undefined>>;
    readonly serviceAccountDirectory?: string;
}

interface Connection {
    readonly server: URL;
    readonly tls: TlsSource;
    readonly credentials: CredentialSource;
    readonly secrets?: KnownSecrets;
    readonly credentialsOverHttp?: boolean;
    readonly namespace: string;
    readonly proxy?: URL;
    readonly impersonate?: Impersonation;
    readonly disableCompression?: boolean;
    readonly publicAddressesOnly?: boolean;
    readonly origin: string;
}

interface Contradiction {
    readonly since: number;
    readonly error: unknown;
    readonly refutedBy: RefutedBy;
}

interface Counter {
    inc(by?: number): void;
}

interface CreateOnlyClient<T extends KubeObject> {
    readonly name: string;
    create(object: T, options?: WriteOptions): Promise<T>;
}

type Created<T> = T extends {
    readonly metadata?: infer M;
} ? 'creationTimestamp' extends keyof NonNullable<M> ? {
    readonly metadata: {
        readonly creationTimestamp: string;
    };
} : unknown : unknown;

interface CredentialSource {
    readonly kind: string;
    current(signal: AbortSignal): Promise<Credentials>;
    rejected(credentials: Credentials): boolean;
    close?(): void;
}

interface Credentials {
    readonly authorization?: string;
    readonly certificate?: ClientCertificate;
}

class DecodedBudget {
    used: number;
    constructor(maxBytes?: number);
    get maxBytes(): number;
    set maxBytes(maxBytes: number);
    take(bytes: number): boolean;
    give(bytes: number): void;
}

type DeleteCollectionOptions = DeleteOptions & Selection & Pick<ListOptions, 'resourceVersion' | 'limit'>;

interface DeleteOptions extends CallOptions {
    readonly dryRun?: boolean;
    readonly gracePeriodSeconds?: number;
    readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
    readonly preconditions?: {
        readonly uid?: string;
        readonly resourceVersion?: string;
    };
}

type Delivery = 'streams' | 'buffers';

class Discovery {
    constructor(requester: Requester, env: Env);
    resources(options?: LookupOptions): Promise<readonly ApiResource[]>;
    refresh(): void;
    peek(name: string): ApiResource | undefined;
    find(name: string, options?: LookupOptions): Promise<ApiResource>;
}

class ElapsedClock {
    constructor(env: Env);
    read(): number;
    at(monotonic: number): number;
}

interface Evidence {
    readonly provenAt: number;
    readonly validUntil: number;
    readonly unfinishedSince: number | undefined;
    readonly contradiction: Contradiction | undefined;
    readonly backlogSince: number | undefined;
    readonly polling: Polling | undefined;
}

interface ExchangeRequest {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly ca?: string;
    readonly signal: AbortSignal;
}

type ExpectedType = TypeRef;

interface FailedCall {
    readonly key: Key;
    readonly error: string;
    readonly at: number;
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

type FailedReflector = Pick<Reflector, 'name' | 'typeDescription' | 'state' | 'problem' | 'timeline' | 'lastSyncResourceVersion' | 'usesWatchList'>;

interface FetchInit {
    readonly method: string;
    readonly headers: [string, string][];
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
    readonly redirect: 'manual';
    readonly cache: 'no-store';
    readonly credentials: 'omit' | 'same-origin' | 'include';
    readonly referrerPolicy: 'no-referrer';
}

interface FetchLike {
    (url: string, init: FetchInit): Promise<FetchResponse>;
    readonly close?: () => void;
}

interface FetchResponse {
    readonly status: number;
    readonly type: string;
    readonly headers: {
        forEach(each: (value: string, name: string) => void): void;
    };
    readonly body: {
        getReader(): ChunkReader;
    } | null;
}

interface FieldRequirement {
    readonly field: string;
    readonly operator: '=' | '!=';
    readonly value: string;
}

type FieldTree = ReadonlyMap<string, FieldTree | true>;

type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);

interface Gauge {
    set(value: number): void;
}

interface GetOptions {
    readonly resourceVersion?: string;
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

type Head<P extends string> = P extends `${infer First}.${string}` ? First : P;

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

type HttpExchange = (request: ExchangeRequest) => Promise<{
    readonly status: number;
    readonly body: string;
}>;

type Identity = 'apiVersion' | 'kind' | 'metadata.name' | 'metadata.namespace' | 'metadata.uid' | 'metadata.resourceVersion';

interface Impersonation {
    readonly user: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface InformerIdentifier {
    readonly name: string;
    readonly resource: string;
    readonly reserved: boolean;
    release?(): void;
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

type IsOpen<T> = string extends keyof T ? true : false;

type KeyFn<T> = (object: T) => Key;

class KnownSecrets {
    remember(...secrets: readonly (string | undefined)[]): void;
    clear(): void;
    findIn(text: string, found: string[]): void;
}

interface KubeErrorOptions {
    readonly cause?: unknown;
    readonly status?: Status;
    readonly retryAfterMs?: number;
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

interface LabelSelectorSpec {
    readonly matchLabels?: Labels;
    readonly matchExpressions?: readonly LabelExpression[];
}

type Labels = Readonly<Record<string, string>>;

interface Limiter {
    take(signal: AbortSignal): Promise<void>;
}

type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions & WireOption;

type ListFn<T> = (options: ListOptions, signal: AbortSignal) => Promise<KubeList<T>>;

interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
    readonly wire?: Wire;
    readonly modify?: UserCode<(options: WatchOptions, verb: 'list' | 'watch') => WatchOptions>;
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error';

interface LogOptions extends Omit<CallOptions, 'timeoutMs'> {
    readonly container?: string;
    readonly follow?: boolean;
    readonly previous?: boolean;
    readonly sinceSeconds?: number;
    readonly sinceTime?: string;
    readonly tailLines?: number;
    readonly timestamps?: boolean;
    readonly limitBytes?: number;
    readonly stream?: 'All' | 'Stdout' | 'Stderr';
}

type LookupOptions = Pick<CallOptions, 'signal' | 'attempts'>;

type MetadataClient = Pick<ResourceClient, 'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'>;

interface MetadataOnly {
    readonly metadataOnly: true;
}

type MetricLabels = Readonly<Record<string, string>>;

type MutationHandler = (error: KubeError, key: Key) => void;

interface NamespaceInformer<T extends object, I extends string> {
    readonly namespace: string;
    readonly informer: SharedInformer<Live<T>, I>;
}

type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;

interface NodeTransportLimits {
    readonly connectTimeoutMs: number;
    readonly headersTimeoutMs: number;
    readonly longLivedHeadersTimeoutMs: number;
    readonly silenceMs: number;
    readonly pingAfterMs: number;
    readonly pingTimeoutMs: number;
    readonly tcpKeepAliveMs: number;
    readonly idleSocketMs: number;
    readonly maxIdleSockets: number;
    readonly tlsRefreshMs: number;
    readonly maxResponseBytes: number;
}

interface NotBuiltIn<Hint = "for a custom resource pass its type: <Widget>('example.com/v1/widgets')"> {
    readonly hint: Hint;
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

interface ObjectName {
    readonly namespace: string;
    readonly name: string;
}

type ObjectNamed<T, N extends string> = [T] extends [never] ? (N extends BuiltInResource ? Resources[N] : T) : T;

interface ObjectOutline {
    readonly names: readonly string[];
    readonly type: TypeRef;
    readonly identity: ObjectIdentity;
}

type OfOneResource = 'expected' | 'typeDescription' | 'indexers' | 'transform' | 'select';

interface OidcTokens {
    readonly idToken: string;
    readonly refreshToken: string;
}

type OptionsModifier = (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;

type Partially<T> = {
    readonly [K in keyof T]?: Partially<T[K]> | undefined;
};

interface PatchOptions extends ReplaceOptions {
    readonly type?: PatchType;
    readonly force?: boolean;
}

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

type Picked<T, P extends string> = T extends readonly (infer E)[] ? readonly Picked<E, P>[] : T extends object ? {
    readonly [K in keyof T as K extends Head<P> ? K : never]: K extends P ? T[K] : Picked<T[K], Tail<P, K & string>>;
} : T;

interface Polling {
    readonly since: number;
    readonly error: unknown;
    readonly periodMs: number;
}

interface ProbeRequest {
    readonly url?: string | undefined;
    readonly method?: string | undefined;
}

interface ProbeResponse {
    writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
    end(text?: string): unknown;
}

interface Problem {
    readonly since: number;
    readonly reason: ProblemReason;
    readonly error: unknown;
}

type ProblemReason = 'forbidden' | 'unauthorized' | 'not-found' | 'throttled' | 'expired' | 'server-error' | 'unreachable' | 'tls' | 'dns' | 'credentials' | 'undecodable' | 'watch-list' | 'stale-server' | 'silent' | 'buffered' | 'withheld' | 'inconsistent' | 'backlog' | 'other';

interface RateLimitOptions {
    readonly perSecond: number;
    readonly burst?: number;
}

interface RawRequest extends CallOptions {
    readonly method?: ApiRequest['method'];
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
}

interface ReducedObjects {
    readonly codec: ObjectCodec;
    cut(bytes: Uint8Array, at: number, end: number): Uint8Array;
}

interface Reduction {
    readonly keeps: 'named' | 'others';
    readonly fields: FieldTree;
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

interface ReflectorHooks {
    readonly applied?: () => Applied;
    readonly onEvidence?: () => void;
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

type RefutedBy = 'event' | 'list' | 'echo';

interface ReplaceInfo {
    readonly newEpoch?: boolean;
}

interface ReplaceOptions extends WriteOptions {
    readonly subresource?: string;
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

type Representation = 'full' | 'metadata';

class Requester {
    constructor(options: RequesterOptions);
    close(): void;
    forgetSecrets(): void;
    open(request: ApiRequest): Promise<TransportResponse>;
    call<R>(request: ApiRequest, read: (response: TransportResponse) => Promise<R>): Promise<R>;
}

interface RequesterOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env: Env;
    readonly userAgent: string;
    readonly onWarning: WarningPolicy;
    readonly limiter?: Limiter | undefined;
    readonly maxRetryAfterMs?: number | undefined;
}

class ResourceClient<T extends KubeObject = KubeObject> {
    constructor(parts: ResourceParts);
    get name(): string;
    metadataOnly(): MetadataClient;
    get(key: string, options?: GetOptions & CallOptions): Promise<Live<T>>;
    list(options?: ListCallOptions): Promise<KubeList<Live<T>>>;
    watch(options?: WatchCallOptions): AsyncIterableIterator<WatchEvent<Live<T>>, undefined>;
    create(object: T, options?: WriteOptions): Promise<Live<T>>;
    replace(object: T, options?: ReplaceOptions): Promise<Live<T>>;
    patch(key: string, patch: Partially<T> | object, options?: PatchOptions): Promise<Live<T>>;
    apply(object: Partially<T>, options: ApplyOptions): Promise<Live<T>>;
    delete(key: string, options?: DeleteOptions): Promise<Live<T> | Status>;
    deleteCollection(options?: DeleteCollectionOptions): Promise<void>;
    subresource<R = unknown>(key: string, subresource: string, options?: SubresourceOptions): Promise<R>;
    getScale(key: string, options?: CallOptions): Promise<Scale>;
    scale(key: string, replicas: number, options?: WriteOptions): Promise<Scale>;
    listWatch(options?: ListWatchOptions): ResourceSource<Live<T>>;
}

class ResourceLocator {
    readonly name: string;
    constructor(name: string, discovery: Discovery, defaultNamespace: string);
    collection(namespace: string, options: LookupOptions): Promise<string>;
    creation(namespace: string | undefined, options: LookupOptions): Promise<string>;
    oneCollection(namespace: string | undefined, options: LookupOptions): Promise<string>;
    object(key: string, options: LookupOptions, subresource?: string): Promise<string>;
    isKnownNamespaced(): Promise<boolean>;
    similar(): Promise<readonly string[]>;
    get isLookedUp(): boolean;
    forget(): void;
    type(): Promise<TypeRef>;
    fullType(options: LookupOptions): Promise<Pick<ApiResource, 'group' | 'version' | 'kind'>>;
    isStableBuiltIn(): Promise<boolean>;
    builtIn(): Promise<Pick<ApiResource, 'group' | 'version' | 'kind' | 'namespaced'> | undefined>;
}

type ResourceNameFor<T, N extends string> = N & ([T] extends [never] ? (N extends BuiltInResource ? string : NotBuiltIn) : string);

interface ResourceParts {
    readonly requester: Requester;
    readonly locator: ResourceLocator;
    readonly env: Env;
    readonly wires: WireChoice;
    readonly representation?: Representation;
    readonly maxObjectBytes?: number;
}

interface ResourceSource<T> {
    list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
    watch(options: WatchOptions, signal: AbortSignal): ResourceWatch<T>;
    readonly expected: TypeRef;
    echo(options: {
        readonly timeoutSeconds: number;
    }, signal: AbortSignal): ResourceWatch<T>;
    building?<S>(build: BuildObject<S>): ResourceSource<S>;
}

interface ResourceWatch<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
    readonly progress: {
        readonly opened: boolean;
        readonly unfinished: boolean;
    };
}

type Scalar = string | number | boolean;

interface Selection {
    readonly namespace?: string;
    readonly labels?: LabelSelectorLike;
    readonly fields?: FieldSelectorLike;
    readonly labelSelector?: LabelSelectorLike;
    readonly fieldSelector?: FieldSelectorLike;
}

type SetByInformerSet = 'name' | 'identifier' | 'env' | 'metrics';

type Shallower = [never, 0, 1, 2, 3, 4, 5];

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

interface SourceOptions {
    readonly wire?: 'auto' | 'json';
}

interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}

interface Step {
    readonly kind: StepKind;
    readonly startedAt: number;
    readonly endedAt: number | undefined;
    readonly objects: number;
    readonly resourceVersion: string | undefined;
    readonly because: string | undefined;
    readonly failed: boolean;
}

type StepKind = 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';

class StreamingPath {
    readonly clock: ElapsedClock;
    constructor(env: Env);
    get delivery(): Delivery | undefined;
    found(delivery: Delivery): void;
    reportedVersions({ apiVersion, kind }?: TypeRef): ReportedVersions | undefined;
    joinPolling(): () => void;
    get pollPeriodMs(): number;
}

interface SubresourceOptions extends WriteOptions {
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly body?: object;
    readonly type?: PatchType;
}

interface SyncChecker {
    readonly name: string;
    readonly hasSynced: boolean;
    onSynced(callback: () => void): () => void;
}

type Tail<P extends string, K extends string> = P extends `${K}.${infer Rest}` ? Rest : never;

interface TlsSettings {
    readonly ca?: string;
    readonly serverName?: string;
    readonly insecureSkipVerify?: boolean;
    readonly certificate?: ClientCertificate;
}

interface TlsSource {
    current(): TlsSettings;
    refresh(): Promise<boolean>;
}

interface Transport {
    send(request: TransportRequest): Promise<TransportResponse>;
    close(): Promise<void>;
}

interface TransportOptions {
    readonly env?: UserCode<Env>;
    readonly http2?: boolean;
    readonly limits?: Partial<NodeTransportLimits>;
    readonly fetch?: UserCode<FetchLike>;
}

interface TransportRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
    readonly path: string;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string | Uint8Array;
    readonly signal: AbortSignal;
    readonly longLived?: boolean;
    readonly mayBeSilent?: boolean;
    readonly headersTimeoutMs?: number;
}

interface TransportResponse {
    readonly status: number;
    readonly headers: ReadonlyMap<string, string>;
    readonly body: AsyncIterable<Uint8Array>;
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

type WarningHandler = (warning: ApiWarning) => void;

type WarningPolicy = 'log' | 'none' | 'throw' | UserCode<WarningHandler> | {
    readonly each: UserCode<WarningHandler>;
};

type WatchCallOptions = Narrowed<WatchOptions> & Selection & Omit<CallOptions, 'timeoutMs' | 'limiter'> & WireOption;

type WatchErrorHandler = (error: unknown, about: FailedCycle) => void;

type WatchFn<T> = (options: WatchOptions, signal: AbortSignal) => WatchStream<T>;

interface WatchProgress {
    readonly opened: boolean;
    readonly unfinished: boolean;
}

interface WatchStream<T> extends AsyncIterable<WatchEvent<T>> {
    readonly progress?: WatchProgress;
}

type Wire = 'auto' | 'json';

class WireChoice {
    constructor(env: Env);
    usesProtobuf(resource: string, wire: Wire): boolean;
    accept(representation: Representation, isProtobuf: boolean): Accept;
    fallBack(resource: string, type: TypeRef, field: UnknownField | undefined): void;
}

interface WireOption {
    readonly wire?: Wire;
}

interface WriteOptions extends CallOptions {
    readonly dryRun?: boolean;
    readonly fieldManager?: string;
    readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}
