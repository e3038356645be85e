// 4 names

interface EventClient {
    create(event: Event, options: CallOptions): Promise<Event>;
    patch(key: string, patch: object, options: PatchOptions): Promise<Event>;
}

interface EventNote {
    readonly type?: 'Normal' | 'Warning';
    readonly reason: string;
    readonly note: string;
    readonly action?: string;
    readonly related?: KubeObject;
}

class EventRecorder implements AsyncDisposable {
    constructor(options: EventRecorderOptions);
    get dropped(): number;
    normal(about: KubeObject, reason: string, note: string): void;
    warning(about: KubeObject, reason: string, note: string): void;
    record(about: KubeObject, note: EventNote): void;
    flush({ timeoutMs }?: {
        readonly timeoutMs?: number;
    }): Promise<void>;
    close(options?: {
        readonly timeoutMs?: number;
    }): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}

interface EventRecorderOptions {
    readonly events: EventClient;
    readonly controller: string;
    readonly instance?: string;
    readonly env?: UserCode<Env>;
    readonly metrics?: UserCode<Metrics>;
}

// — reachable through them, not exported —


