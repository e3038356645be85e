/**
 * Messages from the server to the page and to `top --attach`. Plain JSON; all texts are masked and safe to show.
 *
 * Room rule: types only. Besides this, the page imports only pure functions from `objects/`.
 */
export type CacheState = 'idle' | 'starting' | 'synced' | 'polling' | 'stale' | 'stopped';
/** The colour of a status. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** The state of all caches, sent once a second. */
export interface Overview {
  /** Wall clock of the inspected process. */
  readonly at: number;
  /** Host and port of the API server. */
  readonly server: string;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly caches: readonly CacheSummary[];
  /** Whether the page offers faults, whether it may show secrets, and whether it shows controllers. */
  readonly canFault: boolean;
  readonly canReveal: boolean;
  readonly hasOperators: boolean;
}

export interface CacheSummary {
  /** `v1/pods in shop`: readable, and unique per cache. */
  readonly id: string;
  readonly resource: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly metadataOnly: boolean;
  readonly state: CacheState;
  /** Problem of a cache that is stale, polled or not synced: the reason in one word, the error, and its start. */
  readonly problem: Problem | undefined;
  /** The current step of the reflector, in a few words. */
  readonly doing: string;
  readonly objects: number;
  readonly resourceVersion: string;
  /** Time since the last message from the server. */
  readonly lagMs: number | undefined;
  readonly perSecond: number;
  /** Events in each of the last seconds, oldest first. */
  readonly samples: readonly number[];
  /** Changes that were received and not yet delivered to every handler. */
  readonly queued: number;
  /** Number of times the watch failed and was opened again. A watch that ended at its timeout is not counted. */
  readonly restarts: number;
  readonly lastRestart: Restart | undefined;
  /** Estimated size of the objects as JSON. */
  readonly bytes: number;
  /** Number of objects for which user code failed. */
  readonly poisoned: number;
  readonly indexes: readonly string[];
}

export interface Problem {
  readonly reason: string;
  readonly detail: string;
  readonly since: number;
}

export interface Restart {
  readonly because: string;
  readonly at: number;
}

/** A row of a resource's table. */
export interface Row {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: string;
  readonly status: string;
  readonly tone: Tone;
  readonly createdAt: number | undefined;
  /** Wall clock of the last observed change. */
  readonly changedAt: number | undefined;
  /** Sort key of the row. */
  readonly order: string;
}

/** The rows that match, up to the limit; later `changes` update them. */
export interface RowsMessage {
  readonly cache: string;
  readonly rows: readonly Row[];
  readonly matching: number;
  readonly objects: number;
}

export interface ChangesMessage {
  readonly rows: readonly Row[];
  /** Keys of rows that were deleted or no longer match. */
  readonly gone: readonly string[];
  readonly matching: number;
  readonly objects: number;
}

/** Values to filter by. */
export interface Filters {
  readonly namespaces: readonly string[];
  readonly indexes: readonly { readonly name: string; readonly values: readonly string[]; readonly more: number }[];
}

export interface ObjectDetail {
  readonly cache: string;
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly status: string;
  readonly tone: Tone;
  readonly createdAt: number | undefined;
  readonly isDeleted: boolean;
  /** Wall clock of the observed deletion. */
  readonly deletedAt: number | undefined;
  /** Whether a part of the YAML is masked. */
  readonly isMasked: boolean;
  readonly resourceVersion: string;
  readonly yaml: string;
  /** Versions, newest first. */
  readonly versions: readonly Version[];
  /** Owners, from the outermost to the direct one; an owner that is in no cache has no `cache`. */
  readonly owners: readonly Relative[];
  readonly owned: readonly Relative[];
  /** Events, newest first; empty if no cache of the process has Events. */
  readonly events: readonly ObjectEvent[];
}

/** A Kubernetes Event about an object. */
export interface ObjectEvent {
  readonly at: number | undefined;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

export interface Version {
  /** Wall clock of the observation; undefined for the version before the first change. */
  readonly at: number | undefined;
  /** `before`: the oldest version that is known. */
  readonly type: 'add' | 'update' | 'delete' | 'before';
  readonly resourceVersion: string;
  /** Differences from the previous version, without the resourceVersion; empty if there is none. */
  readonly changes: readonly DiffLine[];
  /** Paths that changed: `spec.replicas`. */
  readonly paths: readonly string[];
  readonly added: number;
  readonly removed: number;
}

export interface DiffLine {
  /** `gap` stands for unchanged lines; `text` is their number. `omitted` stands for a change that is not shown. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap' | 'omitted';
  readonly text: string;
}

export interface Relative {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** The cache that has it, if any. */
  readonly cache: string | undefined;
  readonly key: string;
  readonly status: string;
  readonly tone: Tone;
  /** Number of levels below the object; negative for owners, 0 for the object itself. */
  readonly depth: number;
}

export interface Timeline {
  readonly at: number;
  readonly informers: readonly InformerTimeline[];
}

export interface InformerTimeline {
  readonly cache: string;
  readonly state: CacheState;
  readonly steps: readonly TimelineStep[];
}

export interface TimelineStep {
  readonly kind: 'stream' | 'list' | 'watch' | 'wait' | 'resync' | 'epoch';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly objects: number;
  readonly resourceVersion: string;
  readonly because: string;
  readonly failed: boolean;
}

export interface HandlerSummary {
  readonly cache: string;
  readonly name: string;
  readonly pending: number;
  readonly synced: boolean;
  readonly calls: number;
  readonly failures: number;
  readonly busyForMs: number | undefined;
  readonly slowest: readonly { readonly key: string; readonly ms: number; readonly at: number }[];
}

export interface FaultSummary {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Wall clock of the last start. */
  readonly ranAt: number | undefined;
  readonly isRunning: boolean;
  /** Error of the last run; undefined if it succeeded. */
  readonly failure: string | undefined;
}

/** The body of an error response. */
export interface ErrorResponse {
  readonly error: string;
}
