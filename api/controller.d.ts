// 59 names

interface ActiveRun {
    readonly startedAt: number;
    readonly queuedAt: number;
    readonly causes: readonly Cause[];
    readonly attempt: number;
    readonly writes: readonly RunWrite[];
    readonly lastRequest: string | undefined;
    readonly isHung: boolean;
}

type Applied<C extends KubeObject> = {
    readonly outcome: 'created' | 'changed' | 'unchanged';
    readonly object: Live<C>;
} | {
    readonly outcome: 'conflict';
    readonly conflicts: readonly ApplyConflict[];
};

interface ApplyChild {
    <K extends BuiltInResource>(resource: K, object: Partially<Resources[K]>, options?: ApplyChildOptions): Promise<Applied<Resources[K]>>;
    <C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>, object: Partially<ObjectNamed<C, N>>, options?: ApplyChildOptions): Promise<Applied<C>>;
}

interface ApplyChildOptions {
    readonly force?: boolean;
    readonly owner?: false;
}

class BoundClient {
    constructor(client: Client, host: WriteHost);
    resource<K extends BuiltInResource>(name: K): BoundResource<Resources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): BoundResource<T>;
}

type BoundResource<T extends KubeObject> = Pick<ResourceClient<T>, 'name' | 'get' | 'list' | 'create' | 'replace' | 'patch' | 'apply' | 'delete' | 'deleteCollection'>;

interface Cause {
    readonly reason: string;
    readonly at: number;
}

interface Condition {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
    readonly observedGeneration?: number;
}

interface Controller {
    readonly name: string;
    readonly resource: string;
    readonly cluster: Cluster;
}

interface ControllerHealth {
    readonly name: string;
    readonly state: ControllerState;
    readonly ready: number;
    readonly waiting: number;
    readonly running: number;
    readonly stale: number;
    readonly hung: number;
    readonly terminal: readonly {
        readonly key: string;
        readonly message: string;
    }[];
    readonly unmapped: number;
    readonly mappingFaults: readonly MappingFault[];
    readonly unreadable: readonly UnreadableObject[];
}

interface ControllerOptions<T extends KubeObject> {
    readonly name: string;
    readonly reconcile: UserCode<(run: Reconcile<T>) => ReconcileResult | Promise<ReconcileResult>>;
    readonly cleanup?: UserCode<(run: Reconcile<T>) => unknown>;
    readonly deleted?: UserCode<(gone: {
        readonly key: Key;
        readonly last: Live<T>;
    }) => unknown>;
    readonly owns?: readonly string[];
    readonly watches?: readonly (Watch | Source)[];
    readonly indexers?: Readonly<Record<string, UserCode<(object: Live<T>) => readonly string[]>>>;
    readonly namespace?: string | readonly string[];
    readonly labels?: LabelSelectorLike;
    readonly fields?: FieldSelectorLike;
    readonly concurrency?: number;
    readonly timeoutMs?: number;
    readonly retry?: Retry;
    readonly on?: On | UserCode<(old: Live<T>, object: Live<T>) => boolean>;
    readonly settleMs?: number;
    readonly atLeastEveryMs?: number;
    readonly prune?: boolean;
    readonly finalizer?: string;
    readonly retiredFinalizers?: readonly string[];
    readonly drain?: boolean;
    readonly scope?: UserCode<ControllerScope>;
    readonly election?: false;
}

interface ControllerReport {
    readonly name: string;
    readonly resource: string;
    readonly state: ControllerState;
    readonly ready: number;
    readonly waiting: number;
    readonly stale: number;
    readonly running: number;
    readonly hung: number;
    readonly workers: number;
    readonly runs: number;
    readonly failures: number;
    readonly lastFailure: Run | undefined;
    readonly keys: readonly KeySummary[];
}

interface ControllerScope {
    holds(key: Key, object: KubeObject | undefined): boolean;
}

type ControllerState = {
    readonly kind: 'parked';
    readonly reason: string;
} | {
    readonly kind: 'starting';
} | {
    readonly kind: 'standby';
} | {
    readonly kind: 'leading';
} | {
    readonly kind: 'stopped';
};

interface ElectionOptions {
    readonly lease: string;
    readonly cluster?: Cluster;
    readonly identity?: string;
}

interface GetFromCache {
    <K extends BuiltInResource>(resource: K, key: Key): Live<Resources[K]> | undefined;
    <C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>, key: Key): Live<C> | undefined;
}

interface KeyReport {
    readonly why: Why;
    readonly current: ActiveRun | undefined;
    readonly next: NextRun | undefined;
    readonly runs: readonly Run[];
}

interface KeySummary {
    readonly key: Key;
    readonly kind: WhyKind;
    readonly sentence: string;
    readonly last: Run | undefined;
}

interface ListChildrenQuery {
    readonly namespace?: string;
    readonly labels?: LabelSelectorLike;
}

interface ListFromCache {
    <K extends BuiltInResource>(resource: K, query?: ListChildrenQuery): Live<Resources[K]>[];
    <C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>, query?: ListChildrenQuery): Live<C>[];
}

export { Live } from 'kube-informer';

interface MappingFault {
    readonly mapping: string;
    readonly key: Key;
    readonly message: string;
}

interface NextRun {
    readonly state: 'ready' | 'waiting' | 'stale' | 'after this run';
    readonly readyAt: number;
    readonly causes: readonly Cause[];
}

type On = 'spec' | 'any';

interface Operator extends AsyncDisposable {
    readonly ended: Promise<void>;
    readonly state: OperatorState;
    readonly writes: readonly RunWrite[];
    runs(controller: string, key: Key): readonly Run[];
    why(controller: string, key: Key): Why;
    inspect(): OperatorReport;
    inspectKey(controller: string, key: Key): KeyReport;
    enqueue(controller: string, key: Key): void;
    health(): OperatorHealth;
    probes(): ProbeHandler;
    rbac(): readonly PolicyRule[];
    readonly isBusy: boolean;
    stop(): Promise<void>;
}

interface OperatorHealth {
    readonly ready: boolean;
    readonly live: boolean;
    readonly reasons: readonly string[];
    readonly controllers: readonly ControllerHealth[];
    readonly missingPermissions: readonly string[];
}

interface OperatorOptions {
    readonly signal?: AbortSignal;
    readonly election?: string | ElectionOptions;
    readonly graceMs?: number;
    readonly metrics?: UserCode<Metrics>;
    readonly env?: UserCode<Env>;
}

interface OperatorReport {
    readonly identity: string | undefined;
    readonly state: OperatorState;
    readonly steps: readonly OperatorStep[];
    readonly controllers: readonly ControllerReport[];
}

type OperatorState = {
    readonly kind: 'starting';
}
 | {
    readonly kind: 'standby';
    readonly leader: string | undefined;
    readonly problem?: string;
} | {
    readonly kind: 'leading';
} | {
    readonly kind: 'stopping';
} | {
    readonly kind: 'ended';
};

interface OperatorStep {
    readonly at: number;
    readonly kind: OperatorState['kind'];
}

type Outcome = 'success' | 'requeue' | 'error' | 'terminal' | 'timeout' | 'aborted' | 'hung';

interface OwnedInCache {
    <K extends BuiltInResource>(resource: K): Live<Resources[K]>[];
    <C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>): Live<C>[];
}

interface PolicyRule {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
}

type ProbeHandler = (request: {
    readonly url?: string | undefined;
    readonly method?: string | undefined;
}, response: {
    writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
    end(text?: string): unknown;
}) => void;

interface RbacManifest extends KubeObject {
    readonly rules?: readonly PolicyRule[];
    readonly roleRef?: object;
    readonly subjects?: readonly object[];
}

interface RbacManifestOptions {
    readonly name: string;
    readonly namespace: string;
    readonly election?: string;
}

interface Reconcile<T extends KubeObject> {
    readonly key: Key;
    readonly name: string;
    readonly namespace: string;
    readonly object: Live<T>;
    readonly signal: AbortSignal;
    readonly attempt: number;
    readonly reasons: readonly string[];
    readonly log: Log;
    readonly fresh: boolean;
    readonly fence: number | undefined;
    readonly get: GetFromCache;
    readonly list: ListFromCache;
    readonly owned: OwnedInCache;
    readonly byIndex: (index: string, value: string) => Live<T>[];
    readonly apply: ApplyChild;
    readonly patch: (change: Partially<T> | object, options?: PatchOptions) => Promise<Live<T>>;
    readonly delete: (resource: string, key: Key, options?: DeleteOptions) => Promise<void>;
    readonly client: BoundClient;
    readonly status: RunStatus<T>;
    readonly event: RunEvents;
}

interface ReconcileEvent extends Run {
    readonly controller: string;
}

type ReconcileResult = void | {
    readonly requeueAfterMs?: number;
    readonly priority?: number;
};

type Retry = 'client-go' | RetryOptions;

interface RetryOptions {
    readonly initialMs?: number;
    readonly maxMs?: number;
    readonly jitter?: number;
}

interface Run {
    readonly key: string;
    readonly startedAt: number;
    readonly durationMs: number;
    readonly outcome: Outcome;
    readonly reasons: readonly string[];
    readonly causes?: readonly Cause[];
    readonly queuedAt?: number;
    readonly attempt: number;
    readonly error?: string;
    readonly requeueAfterMs?: number;
    readonly writes: readonly RunWrite[];
    readonly fresh: boolean;
}

interface RunEvents {
    normal(reason: string, note: string): void;
    warning(reason: string, note: string): void;
}

interface RunStatus<T extends KubeObject> {
    set(part: Partially<StatusOf<T>>): void;
    condition(type: string, status: boolean | 'Unknown', about: {
        readonly reason: string;
        readonly message?: string;
    }): void;
}

interface RunWrite {
    readonly verb: 'create' | 'replace' | 'patch' | 'apply' | 'delete';
    readonly resource: string;
    readonly key: string;
    readonly at: number;
    readonly answeredAt: number;
    readonly version: string | undefined;
    readonly held: boolean;
    readonly echoedAt?: number | undefined;
}

interface Source {
    readonly kind: 'source';
    readonly values: AsyncIterable<unknown> | Iterable<unknown>;
    readonly keys: UserCode<(value: unknown) => Key | Iterable<Key> | undefined>;
}

type StatusOf<T> = T extends {
    readonly status?: infer S;
} ? NonNullable<S> : object;

interface UnreadableObject {
    readonly resource: string;
    readonly key: Key;
    readonly message: string;
}

interface Watch {
    readonly kind: 'watch';
    readonly resource: string;
    readonly options: WatchOptions<KubeObject>;
}

interface WatchOptions<W extends KubeObject> {
    readonly index?: string;
    readonly value?: UserCode<(object: Live<W>) => string | readonly string[] | undefined>;
    readonly keys?: UserCode<(object: Live<W>) => Key | Iterable<Key> | undefined>;
    readonly metadataOnly?: boolean;
    readonly namespace?: string | readonly string[];
    readonly labels?: LabelSelectorLike;
    readonly fields?: FieldSelectorLike;
    readonly cluster?: Cluster;
}

interface Why {
    readonly kind: WhyKind;
    readonly sentence: string;
    readonly last?: Run;
}

type WhyKind = 'parked' | 'starting' | 'standby' | 'not in the cache' | 'hung' | 'running' | 'stale' | 'ready' | 'waiting' | 'terminal' | 'filtered' | 'idle';

function controller<K extends BuiltInResource>(cluster: Cluster, resource: K, options: ControllerOptions<Resources[K]>): Controller;
function controller<T extends KubeObject = never, N extends string = string>(cluster: Cluster, resource: ResourceNameFor<T, N>, options: ControllerOptions<ObjectNamed<T, N>>): Controller;

function rbacManifests(controllers: readonly Controller[], options: RbacManifestOptions): RbacManifest[];

function run(controllers: readonly Controller[], options?: OperatorOptions): Operator;

function shutdownSignal(): AbortSignal;

function source<V>(values: AsyncIterable<V> | Iterable<V>, keys: UserCode<(value: V) => Key | Iterable<Key> | undefined>): Source;

function terminal(reason: string, options?: {
    readonly cause?: unknown;
}): KubeError;

function watch<K extends BuiltInResource>(resource: K, options: WatchOptions<Resources[K]>): Watch;
function watch<W extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<W, N>, options: WatchOptions<ObjectNamed<W, N>>): Watch;

// — reachable through them, not exported —

class Overlay {
    put(resource: string, object: KubeObject): void;
    remove(resource: string, key: Key, uid: string): void;
    get<T extends KubeObject>(resource: string, key: Key, cached: T | undefined): T | undefined;
    list<T extends KubeObject>(resource: string, cached: readonly T[], matches: (object: T) => boolean): T[];
}

interface SentWrite {
    answered(object: KubeObject): void;
    gone(uid: string | undefined): void;
    refused(): void;
}

interface WriteHost {
    readonly signal: AbortSignal;
    readonly overlay: Overlay;
    readonly requireMayWrite: (what: string) => void;
    readonly writeTimeoutMs: () => number | undefined;
    readonly sending: (resource: string, key: Key | undefined) => SentWrite;
    readonly writing: (verb: WriteVerb, resource: string, key: Key | undefined) => (key: Key, answer: KubeObject | undefined) => void;
    readonly requesting: (what: string) => void;
    readonly cachedUid: (resource: string, key: Key) => string | undefined;
}

type WriteVerb = 'create' | 'replace' | 'patch' | 'apply' | 'delete';
