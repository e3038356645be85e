// 50 names

interface Admin {
    readonly url: string;
    readonly token: string;
    close(): Promise<void>;
}

interface AdminOptions {
    readonly port?: number;
    readonly token?: string;
}

interface AdmissionHook extends Disposable {
    readonly calls: number;
    remove(): void;
}

interface AdmissionOptions {
    readonly name?: string;
    readonly on?: string | readonly string[];
    readonly operations?: readonly Operation[];
    readonly service?: string;
    readonly url?: string;
    readonly review?: (review: AdmissionReview) => MaybePromise<object>;
    readonly mutate?: (object: ApiObject, request: AdmissionRequest) => MaybePromise<ApiObject | void>;
    readonly validate?: (object: ApiObject, request: AdmissionRequest) => MaybePromise<string | undefined | void>;
}

interface AdmissionRequest {
    readonly uid: string;
    readonly kind: {
        readonly group: string;
        readonly version: string;
        readonly kind: string;
    };
    readonly resource: {
        readonly group: string;
        readonly version: string;
        readonly resource: string;
    };
    readonly subResource?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly operation: Operation;
    readonly userInfo: {
        readonly username: string;
        readonly uid?: string;
        readonly groups: readonly string[];
    };
    readonly object: ApiObject | null;
    readonly oldObject: ApiObject | null;
    readonly dryRun: boolean;
    readonly options: object;
}

interface AdmissionReview {
    readonly apiVersion: string;
    readonly kind: 'AdmissionReview';
    readonly request?: AdmissionRequest;
    readonly response?: object;
}

interface ApiObject {
    apiVersion?: string;
    kind?: string;
    metadata?: ObjectMeta;
    [field: string]: unknown;
}

class ApiServer implements AsyncDisposable {
    readonly faults: FaultMenu;
    constructor(options: ApiServerOptions, data?: ServerData);
    start(): Promise<void>;
    get token(): string;
    get admin(): Pick<Admin, 'url' | 'token'> | undefined;
    get url(): string;
    get ca(): string | undefined;
    get requests(): readonly RequestEntry[];
    get local(): LocalClient;
    get store(): Store;
    get users(): UserTable;
    readonly history: {
        compact(revision?: number): void;
    };
    get revision(): {
        readonly current: number;
        jump(revisions: number): void;
    };
    restart(options?: RestartOptions): Promise<void>;
    snapshot(): StoreSnapshot;
    restore(snapshot: StoreSnapshot, options?: RestoreOptions): void;
    reset(): void;
    install(...paths: readonly string[]): Promise<readonly ApiObject[]>;
    exitContainers(namespace: string, pod: string, exit?: {
        readonly exitCode?: number;
        readonly container?: string;
    }): boolean;
    addReplica(options?: ReplicaOptions): Promise<Replica>;
    watchers(): readonly WatchInfo[];
    kubeconfig({ user, groups, namespace }?: KubeconfigUser): string;
    writeKubeconfig(path: string, user?: KubeconfigUser): Promise<void>;
    issueClientCertificate(user: {
        readonly name: string;
        readonly groups?: readonly string[];
    }): IssuedCertificate;
    load(objects: Iterable<ApiObject>): number;
    admission(options: AdmissionOptions): AdmissionHook;
    conversion(options: ConversionOptions): ConversionHook;
    idle(): Promise<void>;
    waitFor(what: Awaited): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface ApiServerOptions {
    readonly port?: number;
    readonly host?: string;
    readonly tls?: boolean;
    readonly profile?: 'envtest' | 'demo';
    readonly auth?: 'dev' | 'open' | 'rbac';
    readonly data?: string;
    readonly repairData?: boolean;
    readonly token?: string;
    readonly version?: string;
    readonly env?: Env;
    readonly history?: HistoryLimits;
    readonly bookmarks?: BookmarkOptions;
    readonly watchList?: boolean;
    readonly gzipWatches?: boolean;
    readonly managedFields?: boolean;
    readonly controllers?: WantedControllers;
    readonly nodes?: NodeOptions;
    readonly manifests?: string | readonly string[];
    readonly descriptions?: string;
    readonly webhooks?: WebhookOptions;
    readonly maxQueuedBytes?: number;
    readonly requestLog?: number;
    readonly admin?: boolean | AdminOptions;
    readonly force?: boolean;
}

interface ContainerScript {
    readonly readyAfterMs?: number;
    readonly exitAfterMs?: number;
    readonly exitCode?: number;
    readonly logs?: readonly string[] | (() => AsyncIterable<string>);
}

interface ContainerStart {
    readonly pod: ApiObject;
    readonly container: string;
    readonly image: string;
    readonly restarts: number;
}

type ControllerName = (typeof CONTROLLER_NAMES)[number];

interface ConversionHook extends Disposable {
    readonly calls: number;
    remove(): void;
}

interface ConversionOptions {
    readonly on?: string;
    readonly service?: string;
    readonly url?: string;
    readonly convert?: (object: ApiObject, to: string) => MaybePromise<ApiObject | void>;
    readonly review?: (review: ConversionReview) => MaybePromise<object>;
}

interface ConversionReview {
    readonly apiVersion: string;
    readonly kind: 'ConversionReview';
    readonly request?: {
        readonly uid: string;
        readonly desiredAPIVersion: string;
        readonly objects: readonly ApiObject[];
    };
    readonly response?: object;
}

interface ExecRequest {
    readonly pod: ApiObject;
    readonly container: string;
    readonly command: readonly string[];
    readonly tty: boolean;
    readonly stdin: AsyncIterable<Buffer>;
    readonly stdout: (data: string | Uint8Array) => Promise<void>;
    readonly stderr: (data: string | Uint8Array) => Promise<void>;
    readonly signal: AbortSignal;
}

interface ExecResult {
    readonly stdout?: string | Uint8Array;
    readonly stderr?: string | Uint8Array;
    readonly exitCode?: number;
}

interface FailRequests {
    readonly status: number | StatusAnswer;
    readonly times?: number;
    readonly html?: boolean;
    readonly match?: FaultMatch;
}

type FaultAction = 
{
    readonly cut: CutKind;
    readonly code?: number;
}
 | {
    readonly end: true;
}
 | {
    readonly goaway: true;
}
 | {
    readonly silence: true | 'deaf';
}
 | {
    readonly hang: 'headers';
} | {
    readonly delay: {
        readonly ms: number;
        readonly jitterMs?: number;
    };
}
 | {
    readonly hold: true;
} | {
    readonly throttle: {
        readonly bytesPerSecond: number;
        readonly chunk?: number;
    };
}
 | {
    readonly split: number;
}
 | {
    readonly merge: {
        readonly ms: number;
    };
} | {
    readonly status: number | StatusAnswer;
}
 | {
    readonly headers: Readonly<Record<string, string | null>>;
}
 | {
    readonly requestHeaders: Readonly<Record<string, string | null>>;
}
 | {
    readonly encoding: 'json' | 'protobuf';
}
 | {
    readonly query: Readonly<Record<string, string | null>>;
}
 | {
    readonly body: (value: JsonObject) => unknown;
} | {
    readonly list: ListFault;
}
 | {
    readonly replay: number;
}
 | {
    readonly duplicate: number;
    readonly as?: 'ADDED' | 'MODIFIED';
}
 | {
    readonly drop: 'bookmarks' | 'end-bookmark' | 'events';
} | {
    readonly error: StreamErrorName | JsonObject;
} | {
    readonly garbage: GarbageName;
}
 | {
    readonly reorder: true;
}
 | {
    readonly bookmarksBehind: number;
}
 | {
    readonly inject: JsonObject;
};

type FaultAt = 'start' | 'head' | 'bookmark' | 'end-bookmark' | 'end' | 'write' | {
    readonly event: Span;
    readonly offset?: number | 'mid-utf8';
} | {
    readonly bytes: Span;
} | {
    readonly ms: Span;
} | {
    readonly object: string;
};

interface FaultHandle {
    readonly id: number;
    readonly hit: Promise<void>;
    readonly done: Promise<void>;
    readonly count: number;
    remove(): void;
}

interface FaultMatch {
    readonly verb?: string | readonly string[];
    readonly resource?: string;
    readonly group?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
    readonly user?: string;
    readonly userAgent?: TextMatch;
    readonly path?: TextMatch;
    readonly query?: Readonly<Record<string, TextMatch>>;
    readonly headers?: Readonly<Record<string, TextMatch>>;
    readonly nth?: number;
    readonly where?: (request: FaultRequest) => boolean;
}

class FaultMenu {
    constructor(host: FaultHost);
    get seams(): Faults;
    get fired(): readonly FiredFault[];
    get rules(): readonly ActiveRule[];
    use(seams?: Faults): void;
    add(rule: FaultRule, random?: () => number): FaultHandle;
    sequence(rules: readonly FaultRule[]): FaultHandle;
    find(id: number): FaultHandle | undefined;
    clear(): void;
    cutWatches(match?: FaultMatch, how?: CutKind): number;
    silence(match?: FaultMatch, options?: {
        readonly deaf?: boolean;
    }): number;
    expireHistory(revision?: number): void;
    pauseEvents(match?: FaultMatch): void;
    resumeEvents(): void;
    tooManyRequests(options?: TooManyRequests): FaultHandle;
    failRequests(options: FailRequests): FaultHandle;
    conflicts(options?: {
        readonly times?: number;
        readonly match?: FaultMatch;
    }): FaultHandle;
    slowLists(ms: number, jitterMs?: number): FaultHandle;
    withoutWatchList(): Undo;
    withoutBookmarks(): FaultHandle;
    withoutEndBookmark(): FaultHandle;
    emulate(server: OldServer): Undo;
    initializing(forMs: number, match?: FaultMatch): FaultHandle;
    refuseConnections(): Promise<Undo>;
    stallConnections(): Promise<Undo>;
    sayGoodbye(): void;
    expireToken(options?: {
        readonly cutWatches?: boolean;
    }): string;
    rotateCertificates(options?: RotateOptions): void;
    clockSkew(ms: number): void;
    scenario(name: ScenarioName, options?: ScenarioOptions): ScenarioHandle;
}

interface FaultRequest {
    readonly info: RequestInfo;
    readonly query: URLSearchParams;
    readonly user: User | undefined;
    readonly userAgent: string;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly gone: AbortSignal;
    readonly note: (fault: string) => void;
    bytes: number;
}

interface FaultRule {
    readonly match?: FaultMatch;
    readonly at?: FaultAt;
    readonly do: FaultAction;
    readonly times?: number;
    readonly probability?: number;
    readonly forMs?: number;
    readonly illegal?: true;
}

interface Faults {
    readonly beforeRouting?: ((request: FaultRequest) => Promise<Verdict>) | undefined;
    readonly beforeHead?: ((request: FaultRequest, status: number) => Promise<Verdict>) | undefined;
    readonly watchSink?: ((request: FaultRequest, sink: WatchSink) => WatchSink) | undefined;
    readonly transaction?: ((write: Write) => void) | undefined;
}

interface FiredFault {
    readonly time: number;
    readonly rule: number;
    readonly fault: string;
    readonly verb: string;
    readonly path: string;
}

interface ForwardRequest {
    readonly pod: ApiObject;
    readonly port: number;
}

interface KubeconfigUser {
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly namespace?: string;
}

interface NodeOptions extends PodConnections {
    readonly count?: number;
    readonly startAfterMs?: number;
    readonly readyAfterMs?: number;
    readonly stopAfterMs?: number;
    readonly restartAfterMs?: number;
    readonly run?: (start: ContainerStart) => ContainerScript | undefined;
    readonly podUsage?: (pod: ApiObject) => Readonly<Record<string, string>> | undefined;
}

type OldServer = '1.33' | '1.20' | '1.15' | 'no-tables' | 'no-gzip' | 'no-metadata-only' | 'no-version-match';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

interface PodConnections {
    readonly exec?: (request: ExecRequest) => ExecResult | void | Promise<ExecResult | void>;
    readonly portForward?: (request: ForwardRequest) => number | undefined | Promise<number | undefined>;
}

class Replica {
    readonly handler: Handler;
    lagMs: number;
    constructor({ backend, versionsOf, mainHandler, makeHandler }: ReplicaParts, options: ReplicaOptions);
    start(front: ReplicaFront): Promise<void>;
    get url(): string;
    get revision(): number;
    copy(): void;
    catchUp(): void;
    close(): Promise<void>;
}

interface ReplicaOptions {
    readonly lagMs?: number;
    readonly lagEvents?: number;
    readonly consistentReads?: 'fresh' | 'wait' | 'stale';
    readonly spread?: boolean;
}

interface RequestEntry {
    readonly id: number;
    readonly time: number;
    readonly verb: string;
    readonly path: string;
    readonly query: string;
    readonly user: string;
    readonly userAgent: string;
    readonly status: number;
    readonly bytes: number;
    readonly fault?: string;
}

interface RestartOptions {
    readonly keep?: 'data' | 'nothing';
    readonly downMs?: number;
}

interface RestoreOptions {
    readonly revisions?: 'rollback' | 'bump' | 'continue';
}

interface RotateOptions {
    readonly newAuthority?: boolean;
    readonly expired?: boolean;
}

interface ScenarioHandle {
    readonly done: Promise<void>;
    remove(): void;
}

type ScenarioName = 'expired-on-resume' | 'flaky-network' | 'rolling-restart' | 'etcd-restore' | 'old-server' | 'overload';

interface ScenarioOptions {
    readonly seed?: number;
    readonly afterMs?: number;
}

interface StatusAnswer {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
    readonly retryAfterDate?: boolean;
    readonly form?: 'status' | 'plain' | 'html';
    readonly continue?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
}

interface TooManyRequests {
    readonly times?: number;
    readonly retryAfterSeconds?: number;
    readonly plain?: boolean;
    readonly match?: FaultMatch;
}

interface Undo {
    remove(): void;
}

type Verdict = 'continue' | 'answered';

type WantedControllers = 'all' | readonly ControllerName[];

interface WatchInfo {
    readonly id: number;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly namespace: string;
    readonly labelSelector: string;
    readonly fieldSelector: string;
    readonly user: string;
    readonly userAgent: string;
    readonly port: number;
    readonly from: number;
    readonly state: WatcherState;
    readonly events: number;
    readonly queued: number;
}

interface WebhookOptions {
    readonly hosts?: readonly string[];
    readonly services?: Readonly<Record<string, string>>;
}

function startApiServer(options?: ApiServerOptions): Promise<ApiServer>;

// — reachable through them, not exported —

interface Accepted {
    readonly type: MediaType;
    readonly as: As;
    readonly version: string;
    readonly pretty: boolean;
}

type Action = Pick<RequestInfo, 'verb' | 'path' | 'isResource' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;

class ActiveRule implements FaultHandle {
    readonly id: number;
    readonly rule: FaultRule;
    readonly label: string;
    readonly hit: Promise<void>;
    readonly done: Promise<void>;
    readonly random: () => number;
    constructor(book: RuleBook, id: number, rule: FaultRule, random: () => number);
    get count(): number;
    wants(request: FaultRequest): boolean;
    wantsWrite(write: Write): boolean;
    fire(request?: FaultRequest, write?: Write): boolean;
    attempt<T>(act: () => T, otherwise: T): T;
    draw(span: Span): number;
    onRemove(release: () => void): () => void;
    remove(): void;
}

interface AdmissionGate {
    mutate(attributes: Attributes): Steps<ApiObject | undefined>;
    validate(attributes: Attributes): Steps<void>;
    load(group: string): Promise<void> | undefined;
}

interface Api {
    readonly env: Env;
    readonly store: Store;
    readonly newest?: () => number;
    readonly registry: Registry;
    readonly kindContext: (isDryRun?: boolean) => StrategyContext;
    readonly tracksManagers: boolean;
    readonly admission?: AdmissionGate;
}

type As = 'object' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';

interface Attributes {
    readonly target: Target;
    readonly operation: Operation;
    readonly kind: Decodable;
    readonly name: string;
    readonly object: ApiObject | undefined;
    readonly oldObject: ApiObject | undefined;
    readonly dryRun: boolean;
    readonly options: JsonObject;
}

type Authenticator = (credentials: Credentials) => User;

interface Authorizer {
    allows(user: User, action: Action): Decision;
    rulesFor(user: User, namespace: string): RuleSet;
}

type Awaited = OpenWatches | (() => boolean);

interface Backend {
    readonly api: Api;
    readonly authenticate: Authenticator;
    readonly authorizer: Authorizer;
    readonly users: UserTable;
    readonly tokens: () => Promise<TokenIssuer>;
    readonly responder: Responder;
    readonly metrics: ServerMetrics;
    readonly bookmarks: Bookmarks;
    readonly watches: Watches;
    readonly hub: (collection: Collection) => WatchHub;
    readonly faults: () => Faults;
    readonly logs: () => LogSource | undefined;
    readonly connections: PodConnections;
    readonly descriptions: Descriptions | undefined;
    readonly watchList: boolean;
    readonly gzipWatches: boolean;
    readonly maxQueuedBytes: number | undefined;
    readonly version: Readonly<Record<string, string>>;
    readonly address: () => string;
}

interface BookmarkOptions {
    readonly everyMs?: number;
    readonly tickMs?: number;
    readonly beforeEndMs?: number;
}

interface BookmarkOptions {
    readonly revision: number;
    readonly endsInitialEvents: boolean;
}

interface Bookmarked {
    readonly signal: AbortSignal;
    bookmark(revision: number): void;
}

class Bookmarks {
    constructor(env: Env, revision: () => number, options?: BookmarkOptions);
    add(watcher: Bookmarked, from: number, lifetimeMs: number, isDue?: boolean): void;
}

interface BoundReference {
    readonly name: string;
    readonly uid: string;
}

const CONTROLLER_NAMES: readonly ['garbageCollector', 'namespaces', 'serviceAccounts', 'eventExpiry', 'podGrace', 'deployments', 'replicasets', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'endpoints', 'volumes', 'hpa', 'nodes'];

interface Change {
    readonly type: ChangeType;
    readonly revision: number;
    readonly key: string;
    readonly record: StoredRecord | undefined;
    readonly previous: StoredRecord | undefined;
}

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

class Collection {
    readonly id: string;
    readonly layout: Layout;
    constructor(host: CollectionHost, { id, layout, limits }: CollectionOptions);
    get size(): number;
    get bytes(): number;
    get lastRevision(): number;
    get version(): number;
    get windowStart(): number;
    get oldest(): number;
    get(namespace: string, name: string): StoredRecord | undefined;
    object(record: StoredRecord): ApiObject;
    put(object: ApiObject): StoredRecord;
    change(object: ApiObject): void;
    remove(namespace: string, name: string): number | undefined;
    current(range?: Range): StoredRecord[];
    at(revision: number, range?: Range): readonly StoredRecord[];
    after(revision: number, max?: number): readonly Change[];
    compact(revision: number): void;
    reopen(): void;
    reset(records: Iterable<StoredRecord>): void;
    adopt(change: Change): void;
    listen(listener: (change: Change) => void): () => void;
    notify(change: Change): void;
}

interface CollectionHost {
    readonly objects: ObjectCache;
    revision(): number;
    begin(write: Write): number;
    committed(collection: Collection, change: Change): void;
}

interface CollectionOptions {
    readonly id: string;
    readonly layout: Layout;
    readonly limits?: HistoryLimits;
}

interface ColumnDefinition {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly description: string;
    readonly priority: number;
}

interface ControllerHost {
    readonly env: Env;
    resources(): readonly Resource[];
    list(group: string, resource: string, namespace?: string): readonly ApiObject[];
    get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined;
    watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void;
    create(group: string, resource: string, object: ApiObject): ApiObject;
    update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject;
    scale(namespace: string, target: ScaleTarget): Scale;
    setScale(namespace: string, target: ScaleTarget, replicas: number): void;
    bind(namespace: string, pod: string, node: string): void;
    remove(group: string, resource: string, namespace: string, name: string, options?: RemoveOptions): ApiObject;
}

interface Conversion {
    toStored(object: ApiObject): ApiObject;
    fromStored(object: ApiObject, record?: Revised): ApiObject;
    readonly mayWait: boolean;
    forget(record: Revised): void;
}

interface Conversion {
    toStored(object: ApiObject): ApiObject;
    fromStored(object: ApiObject, record?: StoredRecord): ApiObject;
    readonly mayWait?: boolean;
    forget?(record: StoredRecord): void;
}

interface Credentials {
    readonly authorization?: string | undefined;
    readonly host?: string | undefined;
    readonly origin?: string | undefined;
    readonly peerCertificate?: PeerCertificate | undefined;
    readonly rawHeaders?: readonly string[];
    readonly action?: Action;
}

interface CustomVersion {
    readonly resource: Resource;
    readonly printerColumns: readonly PrinterColumn[];
    readonly selectableFields: readonly string[];
    readonly scale: ScalePaths | undefined;
    readonly conversion: Conversion | undefined;
    readonly deprecation: string | undefined;
    readonly storedResource: Resource;
}

type CutKind = 'rst' | 'fin' | 'goaway' | 'rst-stream';

class DataDirectory<Identity extends object> {
    readonly identity: Identity | undefined;
    private constructor();
    static open<Identity extends object>(dir: string, env: Env, isIdentity: (value: unknown) => value is Identity, repair?: boolean): Promise<DataDirectory<Identity>>;
    get revision(): number;
    take(): StoreSnapshot;
    follow(store: Store): void;
    settled(): Promise<void> | undefined;
    rewrite(): void;
    keep(identity: Identity): Promise<void>;
    close(): Promise<void>;
}

interface Decision {
    readonly allowed: boolean;
    readonly reason: string;
}

interface Decodable extends Pick<Served, 'apiVersion' | 'named'> {
    readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'custom' | 'schema'>;
    readonly otherKindFault?: string;
}

class Descriptions {
    readonly hash: string;
    constructor(document: JsonObject);
    static from(text: string): Descriptions | undefined;
    describe(name: string, schema: JsonObject): JsonObject;
}

type Door = 'open' | 'refused' | 'stalled';

type EndReason = 'closed' | 'timeout' | 'too-slow';

class Exchange {
    readonly id: number;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly info: ParsedRequest;
    readonly query: URLSearchParams;
    readonly isMalformed: boolean;
    readonly userAgent: string;
    readonly startedAt: number;
    user: User | undefined;
    fault: string | undefined;
    bytes: number;
    isDenied: boolean;
    isCustom: boolean;
    constructor(id: number, request: IncomingMessage, response: ServerResponse, startedAt: number);
    get gone(): AbortSignal;
    get warnings(): ReadonlySet<string>;
    warn(text: string): void;
    readonly note: (fault: string) => void;
    header(name: string): string | undefined;
    get socket(): TLSSocket;
    accepted(): Accepted;
}

type Facts = Omit<WatchInfo, 'state' | 'events' | 'queued'>;

interface FaultHost {
    readonly env: Env;
    readonly store: Store;
    readonly watches: Watches;
    readonly windowStart: WindowStart;
    seamsChanged(seams: Faults): void;
    setDoor(door: Door): Promise<void>;
    sayGoodbye(): void;
    restart(options: RestartOptions): Promise<void>;
    snapshot(): StoreSnapshot;
    restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
    expireToken(): string;
    rotateCertificates(options: RotateOptions): void;
    skew(ms: number): void;
}

interface FieldError {
    readonly reason: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueNotSupported' | 'FieldValueDuplicate' | 'FieldValueNotFound' | 'FieldValueTooLong' | 'FieldValueTooMany' | 'FieldValueTypeInvalid' | 'InternalError';
    readonly field: string;
    readonly message: string;
}

interface FieldLookup {
    reader(field: string): FieldReader | undefined;
    unsupported(field: string): string;
}

interface FieldMatcher extends Selector<ApiObject> {
    readonly name: string | undefined;
}

type FieldReader = (object: ApiObject) => string;

type FindBindable = (resource: 'serviceaccounts' | 'pods' | 'nodes' | 'secrets', namespace: string, name: string) => ApiObject | undefined;

interface FrameCodec {
    readonly encoding: 'json' | 'protobuf';
    write(type: string, object: object): Buffer;
    read(frame: Buffer): {
        readonly type: string;
        readonly object: JsonObject;
    };
}

type GarbageName = 'truncated-json' | 'random-bytes' | 'html' | 'empty' | 'empty-lines' | 'null' | 'empty-object' | 'wrong-kind' | 'no-metadata' | 'no-resource-version' | 'bad-resource-version' | 'unknown-type' | 'bom' | 'nan' | 'huge' | 'deep' | 'long-content-length' | 'wrong-content-type' | 'multi-member-gzip' | 'corrupt-gzip' | ProtobufGarbageName;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

type Headers = Readonly<Record<string, string>>;

interface HistoryLimits {
    readonly events?: number;
    readonly bytes?: number;
}

interface Identity {
    readonly token: string;
    readonly tokens?: readonly SavedToken[];
    readonly signingKey?: string | undefined;
    readonly authority?: IssuedCertificate | undefined;
}

interface IssuedCertificate {
    readonly certificate: string;
    readonly key: string;
}

type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};

type JsonObject = {
    [key: string]: Json;
};

interface KindFacts {
    readonly hasStatus: boolean;
    readonly generation: 'none' | 'spec';
    readonly allowsUnconditionalUpdate: boolean;
    readonly allowsCreateOnUpdate: boolean;
    readonly returnsDeletedObject: boolean;
    readonly gracefulDeletion: boolean;
    readonly defaultPropagation: 'Background' | 'Orphan';
    readonly hasDependents: boolean;
    readonly statusKeepsMetadata: boolean;
}

interface KnownToken {
    readonly user: User;
    readonly expiresAt: number;
    readonly audiences: readonly string[];
    readonly bound?: TokenBinding;
}

type LabelMatcher = Selector<StoredRecord['labels']>;

type Layout = 'sorted' | 'struct';

type ListFault = 'duplicate-item' | 'missing-item' | 'no-resource-version';

interface Listener {
    readonly port: number;
    setTls(tls: TlsOptions): void;
    setDoor(door: Door): Promise<void>;
    sayGoodbye(): void;
    close(): Promise<void>;
}

class LocalClient implements ControllerHost {
    readonly env: Env;
    constructor(api: Api, user: User);
    resources(): readonly Resource[];
    list(group: string, resource: string, namespace?: string): readonly ApiObject[];
    get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined;
    create(group: string, resource: string, object: ApiObject): ApiObject;
    update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject;
    put(object: ApiObject): ApiObject;
    scale(namespace: string, { name, ...kind }: ScaleTarget): Scale;
    setScale(namespace: string, { name, ...kind }: ScaleTarget, replicas: number): void;
    bind(namespace: string, pod: string, node: string): void;
    remove(group: string, resource: string, namespace: string, name: string, options?: RemoveOptions): ApiObject;
    removeFrom(served: Served, namespace: string, name: string, options?: RemoveOptions): ApiObject;
    watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void;
    load(objects: Iterable<ApiObject>): number;
}

interface Log {
    readonly lines: readonly LogLine[];
    readonly count: number;
    follow(from: number, signal: AbortSignal): AsyncIterable<LogLine>;
}

interface LogLine {
    readonly at: number;
    readonly text: string;
}

interface LogSource {
    logOf(pod: ApiObject, container: string, options: {
        readonly previous: boolean;
    }): Log | undefined;
}

interface ManagedFields {
    manager?: string;
    operation?: 'Apply' | 'Update';
    apiVersion?: string;
    time?: string;
    fieldsType?: 'FieldsV1';
    fieldsV1?: JsonObject;
    subresource?: string;
}

type MaybePromise<T> = T | Promise<T>;

type MaybePromise<T> = T | Promise<T>;

type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

interface Member {
    deliver(bytes: Buffer, events: number): void;
}

interface NodePortRequest {
    readonly wanted?: number;
    readonly except?: ReadonlySet<number>;
    readonly isDryRun?: boolean;
}

class ObjectCache {
    constructor(limit?: number);
    get(record: StoredRecord): ApiObject;
    clear(): void;
}

interface ObjectMeta {
    name?: string;
    generateName?: string;
    namespace?: string;
    selfLink?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string | null;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: OwnerReference[];
    finalizers?: string[];
    managedFields?: ManagedFields[];
}

interface OpenWatch {
    readonly facts: Facts;
    readonly watcher: Watcher;
    readonly request: FaultRequest;
}

interface OpenWatches {
    readonly watches: number;
    readonly resource?: string;
    readonly namespace?: string;
}

interface OwnerReference {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
}

interface ParsedRequest extends RequestInfo {
    readonly isWatchPath: boolean;
}

interface PeerCertificate {
    readonly trusted: boolean;
    readonly name: string;
    readonly groups: readonly string[];
    readonly fingerprint: string;
}

interface Pieces {
    readonly type: MediaType;
    readonly pieces: Iterable<Buffer>;
    readonly length: number;
}

interface PolicyRule {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
}

interface PrinterColumn {
    readonly name: string;
    readonly type: string;
    readonly jsonPath: string;
    readonly format?: string;
    readonly description?: string;
    readonly priority?: number;
}

type ProtobufGarbageName = 'cut-frame' | 'wrong-length' | 'huge-length' | 'unknown-field' | 'unknown-nested-field' | 'wrong-wire-type';

interface Range {
    readonly namespace?: string;
    readonly start?: string;
}

class Registry {
    get version(): number;
    add(served: Served): void;
    setCustom(definition: string, served: readonly Served[]): void;
    definitions(): readonly string[];
    custom(definition: string): readonly Served[];
    find(group: string, version: string, resource: string): Served | undefined;
    findAnyVersion(group: string, resource: string): Served | undefined;
    findKind(group: string, version: string, kind: string): Served | undefined;
    all(): Iterable<Served>;
    resources(): readonly Resource[];
    hasBuiltinGroup(group: string): boolean;
}

interface RemoveOptions {
    readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
    readonly gracePeriodSeconds?: number;
    readonly preconditions?: {
        readonly uid?: string;
        readonly resourceVersion?: string;
    };
}

interface ReplicaFront {
    listen(handler: Handler): Promise<Listener>;
    urlOf(port: number): string;
}

interface ReplicaParts {
    readonly backend: Backend;
    readonly versionsOf: (definition: ApiObject) => readonly CustomVersion[];
    readonly mainHandler: Handler;
    readonly makeHandler: (backend: Backend) => Handler;
}

interface RequestInfo {
    readonly verb: string;
    readonly path: string;
    readonly isResource: boolean;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
}

interface RequestLabels {
    readonly verb: string;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly code: number;
}

interface Resource {
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly listKind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly subresources: readonly Subresource[];
    readonly custom: boolean;
    readonly schema: Schema | undefined;
}

class Responder {
    constructor({ env, newId, faults, settled }: ResponderOptions);
    head(exchange: Exchange, status: number, headers: Readonly<Record<string, string | number | string[]>>): Promise<boolean>;
    headers(exchange: Exchange): Record<string, string | string[]>;
    send(exchange: Exchange, status: number, body: Buffer, headers: Headers): Promise<void>;
    value(exchange: Exchange, status: number, value: object, accepted: Pick<Accepted, 'type' | 'pretty'>): Promise<void>;
    text(exchange: Exchange, status: number, text: string, headers?: Headers): Promise<void>;
    notFound(exchange: Exchange): Promise<void>;
    status(exchange: Exchange, status: Status): Promise<void>;
    stream(exchange: Exchange, { type, pieces, length }: Pieces): Promise<void>;
}

interface ResponderOptions {
    readonly env: Env;
    readonly newId: () => string;
    readonly faults: () => Faults;
    readonly settled?: (() => Promise<void> | undefined) | undefined;
}

interface Revised {
    readonly revision: number;
}

class RuleBook {
    constructor(env: Env, onChange: () => void);
    get size(): number;
    get history(): readonly FiredFault[];
    all(): readonly ActiveRule[];
    get(id: number): ActiveRule | undefined;
    add(value: FaultRule, random?: () => number): ActiveRule;
    forget(rule: ActiveRule): void;
    failed({ id, label }: ActiveRule, error: unknown): void;
    fired({ id, label }: ActiveRule, request: FaultRequest | undefined, write: Write | undefined): void;
}

interface RuleSet {
    readonly rules: readonly PolicyRule[];
    readonly error: string;
}

interface SavedToken extends TokenOptions {
    readonly token: string;
    readonly user: User;
}

interface Scale {
    readonly replicas: number;
    readonly selector: string;
}

interface ScalePaths {
    readonly specReplicas: string;
    readonly statusReplicas: string;
    readonly labelSelector?: string;
    selector(object: ApiObject): string;
}

interface ScaleTarget {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly name: string;
}

interface Schema {
    readonly type: SchemaType | undefined;
    readonly format: string | undefined;
    readonly nullable: boolean;
    readonly required: readonly string[];
    readonly enum: readonly Json[] | undefined;
    readonly default: Json | undefined;
    readonly propertyNames: readonly string[];
    property(name: string): Schema | undefined;
    readonly items: Schema | undefined;
    readonly values: Schema | undefined;
    readonly intOrString: boolean;
    readonly preserveUnknownFields: boolean;
    readonly embeddedResource: boolean;
    readonly patchStrategy: string | undefined;
    readonly patchMergeKey: string | undefined;
    readonly listType: 'atomic' | 'set' | 'map' | undefined;
    readonly listMapKeys: readonly string[];
    readonly mapType: 'atomic' | 'granular' | undefined;
    readonly raw: JsonObject;
}

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

class Selection {
    readonly namespace: string;
    readonly name: string | undefined;
    readonly text: string;
    readonly everything: boolean;
    constructor({ namespace, labels, fields, object, after }: SelectionParts);
    get hasFields(): boolean;
    matches(record: StoredRecord): boolean;
    view({ revision, record, previous, }: Change): {
        readonly type: ChangeType;
        readonly record: StoredRecord;
    } | undefined;
}

interface SelectionParts {
    readonly namespace: string;
    readonly labels: LabelMatcher;
    readonly fields: FieldMatcher;
    readonly object: (record: StoredRecord) => ApiObject;
    readonly after?: number;
}

interface Selector<T> {
    readonly text: string;
    readonly everything: boolean;
    matches(value: T): boolean;
}

class Served {
    readonly resource: Resource;
    readonly collection: Collection;
    readonly strategy: Strategy;
    readonly fields: FieldLookup;
    readonly deprecation: string | undefined;
    readonly apiVersion: string;
    readonly conversion: Conversion | undefined;
    readonly head: string;
    constructor({ resource, collection, strategy, fields, table, conversion, stored, deprecation }: ServedParts);
    table(): Promise<TableFormat>;
    get mayWait(): boolean;
    get atOnce(): Served;
    object(record: StoredRecord): ApiObject;
    named(object: ApiObject): ApiObject;
    asStored(object: ApiObject): ApiObject;
    put(object: ApiObject): StoredRecord;
    change(object: ApiObject): void;
}

interface ServedParts {
    readonly resource: Resource;
    readonly collection: Collection;
    readonly strategy: Strategy;
    readonly fields: FieldLookup;
    readonly table: () => Promise<TableFormat>;
    readonly conversion?: Conversion | undefined;
    readonly stored?: (() => Served) | undefined;
    readonly deprecation?: string | undefined;
}

type ServerData = DataDirectory<Identity>;

class ServerMetrics {
    request(labels: RequestLabels, seconds: number): void;
    watchEvents(group: string, resource: string, count: number): void;
    watcherTerminated(group: string, resource: string): void;
    text(store: Store, longRunning: number): string;
}

type Span = number | readonly [from: number, to: number];

interface Status {
    readonly kind: 'Status';
    readonly apiVersion: 'v1';
    readonly metadata: JsonObject;
    readonly status: 'Success' | 'Failure';
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly code?: number;
}

interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}

interface StatusDetails {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
}

type Steps<T> = Generator<Promise<unknown>, T, unknown>;

class Store {
    constructor({ history, revision }?: StoreOptions);
    get revision(): number;
    get compacted(): number;
    set guard(guard: WriteGuard | undefined);
    collection({ id, layout }: Omit<CollectionOptions, 'limits'>): Collection;
    collections(): Iterable<Collection>;
    close(id: string): void;
    compact(revision?: number): void;
    reopen(): void;
    snapshot(): StoreSnapshot;
    restore({ collections }: StoreSnapshot, revision: number): void;
    rewind({ collections }: StoreSnapshot, first: string): void;
    skip(revisions: number): void;
    listen(listener: (collection: Collection, change: Change) => void): () => void;
    reached(revision: number, signal: AbortSignal): Promise<void>;
}

interface StoreOptions {
    readonly history?: HistoryLimits;
    readonly revision?: number;
}

interface StoreSnapshot {
    readonly revision: number;
    readonly collections: ReadonlyMap<string, {
        readonly layout: Layout;
        readonly records: readonly StoredRecord[];
    }>;
}

class StoredRecord {
    readonly key: string;
    readonly namespace: string;
    readonly revision: number;
    readonly labels: Readonly<Record<string, string>> | undefined;
    readonly tail: Buffer;
    readonly versionAt: number;
    constructor({ namespace, name, labels }: ObjectMeta, revision: number, { tail, versionAt }: {
        readonly tail: Buffer;
        readonly versionAt: number;
    });
    get name(): string;
}

interface Strategy extends KindFacts {
    applyDefaults(object: ApiObject): void;
    prepareCreate(object: ApiObject, context: StrategyContext): void;
    prepareUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    prepareStatusUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    validate(object: ApiObject): FieldError[];
    validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
    validateStatusUpdate(next: ApiObject, old: ApiObject): FieldError[];
    isNewGeneration(next: ApiObject, old: ApiObject): boolean;
    warnings(object: ApiObject, old?: ApiObject): string[];
    beforeDelete?(object: ApiObject): void;
    empty?(object: ApiObject): void;
    readonly scale?: ScalePaths;
    hasPart(subresource: string): boolean;
    preparePartUpdate(subresource: string, next: ApiObject, old: ApiObject): void;
    validatePartUpdate(subresource: string, next: ApiObject, old: ApiObject): FieldError[];
}

interface StrategyContext {
    readonly now: string;
    readonly env: Env;
    readonly isDryRun: boolean;
    allocateClusterIp(wanted?: string, isDryRun?: boolean): string;
    allocateNodePort(request?: NodePortRequest): number;
    readonly user?: User;
}

type StreamErrorName = 'expired' | 'gone' | 'internal' | 'too-large' | 'too-many-requests' | 'unknown-reason' | 'no-code' | 'not-a-status';

interface Subresource {
    readonly name: string;
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly verbs: readonly string[];
}

interface TableFormat {
    readonly columns: readonly ColumnDefinition[];
    cells(object: ApiObject, now: number): Json[];
    readonly isNullWhenEmpty?: boolean;
    conditions?(object: ApiObject): Json[] | undefined;
}

interface Target {
    readonly served: Served;
    readonly namespace: string;
    readonly name: string;
    readonly subresource: string;
    readonly user: User;
    readonly warn: (text: string) => void;
    readonly requireCreate?: () => void;
    readonly requireHere?: () => void;
    readonly admits?: 'nothing' | 'at once';
}

type TextMatch = string | RegExp;

interface TlsOptions {
    readonly serverCertificate: IssuedCertificate;
    readonly clientAuthorities: readonly string[];
}

interface TokenBinding {
    readonly namespace: string;
    readonly serviceaccount: BoundReference;
    readonly pod?: BoundReference;
    readonly node?: BoundReference;
    readonly secret?: BoundReference;
}

class TokenIssuer {
    constructor(users: UserTable);
    keySet(): JsonObject;
    issue({ object, account, find, now }: TokenRequest): ApiObject;
}

interface TokenOptions {
    readonly token?: string;
    readonly expiresAt?: number;
    readonly audiences?: readonly string[];
    readonly bound?: TokenBinding;
}

interface TokenRequest {
    readonly object: ApiObject;
    readonly account: ApiObject;
    readonly find: FindBindable;
    readonly now: number;
}

interface User {
    readonly name: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}

class UserTable {
    onChange: () => void;
    isAlive: (bound: TokenBinding) => boolean;
    constructor(env: Pick<Env, 'wallNow'>);
    add(user: User, options?: TokenOptions): string;
    entries(): readonly SavedToken[];
    revoke(token: string): boolean;
    revokeUser(name: string): number;
    expire(token: string | undefined, at?: number): void;
    find(token: string): KnownToken | undefined;
    hasExpired({ expiresAt }: KnownToken): boolean;
    hasLostObject({ bound }: KnownToken): boolean;
    userOf(token: string): User | undefined;
}

interface WatchForm {
    readonly key: string;
    event(type: ChangeType, record: StoredRecord, revision: number): Buffer;
    bookmark(options: BookmarkOptions): Buffer;
}

class WatchHub {
    constructor(env: Pick<Env, 'yield'>, collection: Collection);
    join(member: Member, selection: Selection, form: WatchForm, singleFrames: boolean): () => void;
    flush(): void;
}

interface WatchSink {
    write(bytes: Buffer): void;
    readonly queued: number;
    drained(): Promise<void>;
    end(): void;
    readonly codec?: FrameCodec;
    readonly singleFrames?: boolean;
}

class Watcher {
    constructor(options: WatcherOptions);
    get state(): WatcherState;
    get endReason(): EndReason | undefined;
    get events(): number;
    get queued(): number;
    get signal(): AbortSignal;
    run(): Promise<void>;
    bookmark(revision: number): void;
    end(reason: EndReason): void;
    endAfter(ms: number): void;
    divert(through: (sink: WatchSink) => WatchSink): void;
}

interface WatcherOptions {
    readonly env: Env;
    readonly collection: Collection;
    readonly hub: WatchHub;
    readonly sink: WatchSink;
    readonly selection: Selection;
    readonly form: WatchForm;
    readonly from: number;
    readonly initial?: readonly StoredRecord[];
    readonly marksInitialEnd?: boolean;
    readonly prepare?: (records: readonly StoredRecord[]) => Promise<void>;
    readonly maxQueuedBytes?: number;
}

type WatcherState = 'catching-up' | 'live' | 'ended';

class Watches {
    constructor(onChange: () => void);
    get size(): number;
    add(facts: Facts, watcher: Watcher, request: FaultRequest): void;
    open(): readonly OpenWatch[];
    list(): readonly WatchInfo[];
    end(which?: (watch: Facts) => boolean): void;
    endOf(resources: readonly {
        readonly group: string;
        readonly resource: string;
    }[]): void;
}

type WindowStart = (group: string, resource: string) => number;

interface Write {
    readonly collection: string;
    readonly type: Change['type'];
    readonly namespace: string;
    readonly name: string;
}

type WriteGuard = (write: Write) => void;
