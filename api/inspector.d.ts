// 11 names

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
    readonly env?: Env;
}

interface Overview {
    readonly at: number;
    readonly server: string;
    readonly rssBytes: number;
    readonly heapBytes: number;
    readonly caches: readonly CacheSummary[];
    readonly canFault: boolean;
    readonly canReveal: boolean;
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

function readOverview(url: string, signal?: AbortSignal): Promise<Overview>;

function startInspector(cluster: Cluster, options?: InspectorOptions): Promise<Inspector>;

// — reachable through them, not exported —


