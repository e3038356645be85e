// 4 names

interface Lab extends AsyncDisposable {
    readonly server: ApiServer;
    readonly cluster: Cluster;
    readonly env: FakeEnv;
    readonly user: LabUser;
    run(controllers: readonly Controller[], options?: OperatorOptions): Operator;
    connect(): Promise<Cluster>;
    settled(): Promise<void>;
    advance(ms: number): Promise<void>;
    list<K extends BuiltInResource>(resource: K, namespace?: string): Resources[K][];
    list<C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>, namespace?: string): C[];
    get<K extends BuiltInResource>(resource: K, key: Key): Resources[K] | undefined;
    get<C extends KubeObject = never, N extends string = string>(resource: ResourceNameFor<C, N>, key: Key): C | undefined;
}

interface LabOptions {
    readonly definitions?: readonly (string | ApiObject)[];
    readonly objects?: readonly ApiObject[];
    readonly server?: Omit<ApiServerOptions, 'env' | 'tls' | 'auth' | 'host' | 'port'>;
    readonly env?: FakeEnv;
}

interface LabUser {
    apply<T extends KubeObject>(object: T): Promise<KubeObject>;
    patch(resource: string, key: Key, patch: object): Promise<KubeObject>;
    delete(resource: string, key: Key): Promise<void>;
}

function startLab(options?: LabOptions): Promise<Lab>;

// — reachable through them, not exported —

interface ActiveRun {
    readonly startedAt: number;
    readonly queuedAt: number;
    readonly causes: readonly Cause[];
    readonly attempt: number;
    readonly writes: readonly RunWrite[];
    readonly lastRequest: string | undefined;
    readonly isHung: boolean;
}

interface Cause {
    readonly reason: string;
    readonly at: number;
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

interface UnreadableObject {
    readonly resource: string;
    readonly key: Key;
    readonly message: string;
}

interface Why {
    readonly kind: WhyKind;
    readonly sentence: string;
    readonly last?: Run;
}

type WhyKind = 'parked' | 'starting' | 'standby' | 'not in the cache' | 'hung' | 'running' | 'stale' | 'ready' | 'waiting' | 'terminal' | 'filtered' | 'idle';
