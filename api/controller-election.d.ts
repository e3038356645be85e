// 12 names

interface CaughtUpOptions {
    readonly reached: UserCode<(resource: string, version: string, signal: AbortSignal) => Promise<void> | void>;
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    readonly env?: UserCode<Env>;
}

interface ElectionHealth {
    readonly state: ElectionState;
    readonly readMsAgo: number | undefined;
    readonly problem?: ElectionProblem;
}

interface ElectionProblem {
    readonly message: string;
    readonly forMs: number;
}

type ElectionState = 
{
    readonly kind: 'candidate';
}
 | {
    readonly kind: 'standby';
    readonly leader: string;
}
 | {
    readonly kind: 'leader';
    readonly fence: number;
} | {
    readonly kind: 'stopped';
};

interface Fence {
    readonly number: number;
    readonly lost: AbortSignal;
    held(): boolean;
    check(): void;
    remainingMs(): number;
}

type Lead = (term: Term) => Promise<void> | void;

class LeaderElector {
    readonly identity: string;
    readonly written: WrittenVersions;
    constructor(options: LeaderElectorOptions);
    get state(): ElectionState;
    health(): ElectionHealth;
    run(lead: UserCode<Lead>, signal: AbortSignal): Promise<void>;
}

interface LeaderElectorOptions {
    readonly leases: LeaseClient;
    readonly name: string;
    readonly namespace?: string;
    readonly identity?: string;
    readonly leaseDurationMs?: number;
    readonly renewDeadlineMs?: number;
    readonly retryPeriodMs?: number;
    readonly releaseOnStop?: boolean;
    readonly onState?: UserCode<(state: ElectionState) => void>;
    readonly env?: UserCode<Env>;
    readonly metrics?: UserCode<Metrics>;
}

interface LeaseClient {
    get(key: string, options: CallOptions): Promise<Lease>;
    create(lease: Lease, options: CallOptions): Promise<Lease>;
    replace(lease: Lease, options: CallOptions): Promise<Lease>;
}

interface Term {
    readonly fence: Fence;
    readonly signal: AbortSignal;
    readonly predecessors: ReadonlyMap<string, string>;
}

class WrittenVersions {
    note(resource: string, version: string): void;
    adopt(versions: ReadonlyMap<string, string>): void;
    forget(resource: string): void;
    text(): string | undefined;
}

function untilCaughtUp(written: ReadonlyMap<string, string>, options: CaughtUpOptions): Promise<readonly string[]>;

// — reachable through them, not exported —


