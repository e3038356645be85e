// 5 names

interface AddOptions {
    readonly afterMs?: number;
    readonly priority?: number;
}

type KeyState = 'ready' | 'waiting' | 'stale' | 'running' | 'running+again';

interface Taken {
    readonly key: string;
    readonly priority: number;
    readonly queuedMs: number;
}

class WorkQueue {
    constructor(options?: WorkQueueOptions);
    add(key: string, options?: AddOptions): void;
    retry(key: string, options?: AddOptions): void;
    done(key: string): void;
    hold(key: string): void;
    release(key: string): void;
    get(signal?: AbortSignal): Promise<Taken | undefined>;
    close({ drop }?: {
        readonly drop?: boolean;
    }): void;
    clear(): void;
    drained(): Promise<void>;
    get size(): number;
    get waiting(): number;
    get running(): number;
    get held(): number;
    get isClosed(): boolean;
    get oldestReadyMs(): number;
    look(key: string): {
        readonly state: KeyState;
        readonly readyAt: number;
        readonly priority: number;
    } | undefined;
    place(key: string): number | undefined;
    keys(max: number): Generator<string>;
}

interface WorkQueueOptions {
    readonly name?: string;
    readonly controller?: string;
    readonly strict?: boolean;
    readonly metrics?: UserCode<Metrics>;
    readonly env?: UserCode<Env>;
}

// — reachable through them, not exported —


