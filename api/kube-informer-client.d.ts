// 69 names

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

interface ApplyConflict {
    readonly manager: string;
    readonly field: string;
}

interface ApplyOptions extends ReplaceOptions {
    readonly fieldManager: string;
    readonly force?: boolean;
}

type BuiltInResource = keyof Resources;

interface CallOptions {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly attempts?: 'once';
    readonly onWarning?: WarningPolicy;
    readonly limiter?: Limiter | 'none';
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

interface CreateOnlyClient<T extends KubeObject> {
    readonly name: string;
    create(object: T, options?: WriteOptions): Promise<T>;
}

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

class Discovery {
    constructor(requester: Requester, env: Env);
    resources(options?: LookupOptions): Promise<readonly ApiResource[]>;
    refresh(): void;
    peek(name: string): ApiResource | undefined;
    find(name: string, options?: LookupOptions): Promise<ApiResource>;
}

interface FetchLike {
    (url: string, init: FetchInit): Promise<FetchResponse>;
    readonly close?: () => void;
}

interface FetchTransportOptions {
    readonly server: URL;
    readonly fetch?: UserCode<FetchLike>;
    readonly env?: UserCode<Env>;
    readonly credentials?: FetchInit['credentials'];
    readonly headersTimeoutMs?: number;
    readonly longLivedHeadersTimeoutMs?: number;
    readonly silenceMs?: number;
    readonly maxResponseBytes?: number;
}

interface Impersonation {
    readonly user: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Limiter {
    take(signal: AbortSignal): Promise<void>;
}

type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions & WireOption;

interface ListStreamOptions<T> {
    readonly env?: UserCode<Env>;
    readonly onItem?: UserCode<(item: T) => void>;
    readonly maxItemBytes?: number;
    readonly maxBytes?: number;
    readonly maxItems?: number;
    readonly maxDepth?: number;
    readonly unreadable?: 'throw' | 'mark';
}

interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
    readonly wire?: Wire;
    readonly modify?: UserCode<(options: WatchOptions, verb: 'list' | 'watch') => WatchOptions>;
}

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

type ObjectNamed<T, N extends string> = [T] extends [never] ? (N extends BuiltInResource ? Resources[N] : T) : T;

type Partially<T> = {
    readonly [K in keyof T]?: Partially<T[K]> | undefined;
};

interface PatchOptions extends ReplaceOptions {
    readonly type?: PatchType;
    readonly force?: boolean;
}

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

interface RateLimitOptions {
    readonly perSecond: number;
    readonly burst?: number;
}

class RateLimiter implements Limiter {
    constructor(given: UserCode<Env>, options: RateLimitOptions);
    get pending(): number;
    take(signal: AbortSignal): Promise<void>;
}

interface RawRequest extends CallOptions {
    readonly method?: ApiRequest['method'];
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
}

interface ReplaceOptions extends WriteOptions {
    readonly subresource?: string;
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

type ResourceNameFor<T, N extends string> = N & ([T] extends [never] ? (N extends BuiltInResource ? string : NotBuiltIn) : string);

interface ResourceSource<T> {
    list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
    watch(options: WatchOptions, signal: AbortSignal): ResourceWatch<T>;
    readonly expected: TypeRef;
    echo(options: {
        readonly timeoutSeconds: number;
    }, signal: AbortSignal): ResourceWatch<T>;
    building?<S>(build: BuildObject<S>): ResourceSource<S>;
}

interface RetryOnConflictOptions {
    readonly attempts?: number;
    readonly pauseMs?: number;
    readonly factor?: number;
    readonly signal?: AbortSignal;
    readonly env?: UserCode<Env>;
}

interface Selection {
    readonly namespace?: string;
    readonly labels?: LabelSelectorLike;
    readonly fields?: FieldSelectorLike;
    readonly labelSelector?: LabelSelectorLike;
    readonly fieldSelector?: FieldSelectorLike;
}

interface ServerResources {
    readonly resources: readonly ApiResource[];
    readonly unavailable: readonly string[];
}

interface SubresourceOptions extends WriteOptions {
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly body?: object;
    readonly type?: PatchType;
}

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

type WarningHandler = (warning: ApiWarning) => void;

type WarningPolicy = 'log' | 'none' | 'throw' | UserCode<WarningHandler> | {
    readonly each: UserCode<WarningHandler>;
};

type WatchCallOptions = Narrowed<WatchOptions> & Selection & Omit<CallOptions, 'timeoutMs' | 'limiter'> & WireOption;

interface WatchStreamOptions {
    readonly env?: UserCode<Env>;
    readonly maxFrameBytes?: number;
    readonly maxDepth?: number;
    readonly unreadable?: 'throw' | 'mark';
    readonly isSecret?: boolean;
}

type Wire = 'auto' | 'json';

interface WriteOptions extends CallOptions {
    readonly dryRun?: boolean;
    readonly fieldManager?: string;
    readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}

function applyConflictsOf(error: unknown): readonly ApplyConflict[];

function attemptsOf(error: unknown): readonly unknown[];

function createFetchTransport(options: FetchTransportOptions): Transport;

function createTransport(connection: Connection, options?: TransportOptions): Promise<Transport>;

function decodeList<T>(body: AsyncIterable<Uint8Array>, options?: ListStreamOptions<T>): Promise<KubeList<T>>;

function decodeWatchStream<T>(body: AsyncIterable<Uint8Array>, options?: WatchStreamOptions): WatchEvents<T>;

const isApplyConflict: (error: unknown) => boolean;

function objectRedactor(env: Pick<Env, 'random'>): (value: unknown) => unknown;

function redact(text: string): string;

function resolveConnection(options?: ConnectOptions, given?: UserCode<Env>): Promise<Connection>;

function retryOnConflict<R>(change: (attempt: number) => Promise<R>, options?: RetryOnConflictOptions): Promise<R>;

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

type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

interface ChunkReader {
    read(): Promise<{
        readonly done: boolean;
        readonly value?: Uint8Array | undefined;
    }>;
    cancel(reason?: unknown): Promise<void>;
}

type Created<T> = T extends {
    readonly metadata?: infer M;
} ? 'creationTimestamp' extends keyof NonNullable<M> ? {
    readonly metadata: {
        readonly creationTimestamp: string;
    };
} : unknown : unknown;

interface Env {
    now(): number;
    wallNow(): number;
    bootNow?(): number | undefined;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    yield(): Promise<void>;
    random(): number;
    readonly log: Log;
}

interface ExchangeRequest {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly ca?: string;
    readonly signal: AbortSignal;
}

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

type FieldTree = ReadonlyMap<string, FieldTree | true>;

type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);

interface GetOptions {
    readonly resourceVersion?: string;
}

type HttpExchange = (request: ExchangeRequest) => Promise<{
    readonly status: number;
    readonly body: string;
}>;

class KnownSecrets {
    remember(...secrets: readonly (string | undefined)[]): void;
    clear(): void;
    findIn(text: string, found: string[]): void;
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

type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;

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

interface OidcTokens {
    readonly idToken: string;
    readonly refreshToken: string;
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

interface ResourceParts {
    readonly requester: Requester;
    readonly locator: ResourceLocator;
    readonly env: Env;
    readonly wires: WireChoice;
    readonly representation?: Representation;
    readonly maxObjectBytes?: number;
}

interface ResourceWatch<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
    readonly progress: {
        readonly opened: boolean;
        readonly unfinished: boolean;
    };
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

interface WatchEvents<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
    readonly isUnfinished: boolean;
}

interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}

class WireChoice {
    constructor(env: Env);
    usesProtobuf(resource: string, wire: Wire): boolean;
    accept(representation: Representation, isProtobuf: boolean): Accept;
    fallBack(resource: string, type: TypeRef, field: UnknownField | undefined): void;
}

interface WireOption {
    readonly wire?: Wire;
}
