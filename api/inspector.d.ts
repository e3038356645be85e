// 26 names

type CacheState = 'idle' | 'starting' | 'synced' | 'polling' | 'stale' | 'stopped';

interface CacheSummary {
    readonly id: string;
    readonly resource: string;
    readonly namespace: string;
    readonly metadataOnly: boolean;
    readonly state: CacheState;
    readonly problem: Problem | undefined;
    readonly doing: string;
    readonly objects: number;
    readonly resourceVersion: string;
    readonly lagMs: number | undefined;
    readonly perSecond: number;
    readonly samples: readonly number[];
    readonly queued: number;
    readonly restarts: number;
    readonly lastRestart: Restart | undefined;
    readonly bytes: number;
    readonly poisoned: number;
    readonly indexes: readonly string[];
}

interface Fault {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    run(): void | Promise<void>;
}

interface HistoryOptions {
    readonly perObject?: number;
    readonly inAll?: number;
}

interface InspectedCause {
    readonly reason: string;
    readonly at: number;
}

interface InspectedController {
    readonly name: string;
    readonly resource: string;
    readonly state: {
        readonly kind: string;
        readonly reason?: string;
    };
    readonly ready: number;
    readonly waiting: number;
    readonly stale: number;
    readonly running: number;
    readonly hung: number;
    readonly workers: number;
    readonly runs: number;
    readonly failures: number;
    readonly lastFailure: InspectedRun | undefined;
    readonly keys: readonly {
        readonly key: string;
        readonly kind: string;
        readonly sentence: string;
        readonly last: InspectedRun | undefined;
    }[];
}

interface InspectedKey {
    readonly why: {
        readonly kind: string;
        readonly sentence: string;
    };
    readonly current: {
        readonly startedAt: number;
        readonly queuedAt: number;
        readonly causes: readonly InspectedCause[];
        readonly attempt: number;
        readonly writes: readonly InspectedWrite[];
        readonly lastRequest: string | undefined;
        readonly isHung: boolean;
    } | undefined;
    readonly next: {
        readonly state: string;
        readonly readyAt: number;
        readonly causes: readonly InspectedCause[];
    } | undefined;
    readonly runs: readonly InspectedRun[];
}

interface InspectedOperator {
    inspect(): InspectedReport;
    inspectKey(controller: string, key: string): InspectedKey;
}

interface InspectedReport {
    readonly identity: string | undefined;
    readonly state: {
        readonly kind: string;
        readonly leader?: string | undefined;
    };
    readonly steps: readonly {
        readonly at: number;
        readonly kind: string;
    }[];
    readonly controllers: readonly InspectedController[];
}

interface InspectedRun {
    readonly key: string;
    readonly startedAt: number;
    readonly durationMs: number;
    readonly outcome: string;
    readonly causes?: readonly InspectedCause[];
    readonly queuedAt?: number;
    readonly attempt: number;
    readonly error?: string;
    readonly writes: readonly InspectedWrite[];
}

interface InspectedWrite {
    readonly verb: string;
    readonly resource: string;
    readonly key: string;
    readonly at: number;
    readonly answeredAt: number;
    readonly version: string | undefined;
    readonly echoedAt?: number | undefined;
}

interface Inspector extends AsyncDisposable {
    readonly url: string;
    readonly token: string;
    readonly address: {
        readonly host: string;
        readonly port: number;
    };
    close(): Promise<void>;
}

interface InspectorOptions {
    readonly port?: number;
    readonly host?: string;
    readonly hostNames?: readonly string[];
    readonly token?: string;
    readonly reveal?: boolean;
    readonly faults?: readonly Fault[];
    readonly history?: HistoryOptions;
    readonly operators?: Iterable<InspectedOperator>;
    readonly env?: Env;
}

interface KeyDetail {
    readonly at: number;
    readonly operator: string;
    readonly state: string;
    readonly controller: string;
    readonly resource: string;
    readonly key: string;
    readonly kind: string;
    readonly tone: Tone;
    readonly sentence: string;
    readonly runs: readonly RunDetail[];
}

interface MountOptions extends Omit<InspectorOptions, 'port' | 'host'> {
    readonly path?: string;
}

interface MountedInspector extends AsyncDisposable {
    readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
    readonly token: string;
    readonly fragment: string;
    close(): Promise<void>;
}

interface Overview {
    readonly at: number;
    readonly server: string;
    readonly rssBytes: number;
    readonly heapBytes: number;
    readonly caches: readonly CacheSummary[];
    readonly canFault: boolean;
    readonly canReveal: boolean;
    readonly hasOperators: boolean;
}

interface Problem {
    readonly reason: string;
    readonly detail: string;
    readonly since: number;
}

interface Restart {
    readonly because: string;
    readonly at: number;
}

interface RunDetail {
    readonly outcome: string;
    readonly tone: Tone;
    readonly events: readonly {
        readonly at: number;
        readonly reason: string;
    }[];
    readonly queuedAt: number | undefined;
    readonly startedAt: number | undefined;
    readonly endedAt: number | undefined;
    readonly attempt: number;
    readonly error: string;
    readonly request: string;
    readonly writes: readonly WriteRow[];
}

type Tone = 'good' | 'warn' | 'bad' | 'plain';

interface WriteRow {
    readonly at: number;
    readonly answeredAt: number;
    readonly what: string;
    readonly version: string;
    readonly echoedAt: number | undefined;
}

function mountInspector(cluster: Cluster, options?: MountOptions): MountedInspector;

function readKey(url: string, { controller, key }: {
    readonly controller: string;
    readonly key: string;
}, signal?: AbortSignal): Promise<KeyDetail>;

function readOverview(url: string, signal?: AbortSignal): Promise<Overview>;

function startInspector(cluster: Cluster, options?: InspectorOptions): Promise<Inspector>;

// — reachable through them, not exported —


