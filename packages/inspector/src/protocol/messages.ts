/**
 * What the server tells the page, and `top --attach`. Plain JSON; every text in it is masked and safe to show.
 *
 * Room rule: types only. The page imports this file and nothing else of the server.
 */
export type CacheState = 'idle' | 'starting' | 'synced' | 'stale' | 'stopped';
/** How a status word looks to the eye. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** How all caches are doing, once a second. */
export interface Overview {
  /** Wall clock of the inspected process. */
  readonly at: number;
  /** The API server: host and port. */
  readonly server: string;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly caches: readonly CacheSummary[];
  /** Whether this page can break things, and whether it may show secrets. */
  readonly canFault: boolean;
  readonly canReveal: boolean;
}

export interface CacheSummary {
  /** `v1/pods in shop`: what a person calls it, and different for different caches. */
  readonly id: string;
  readonly resource: string;
  /** Empty: all of them. */
  readonly namespace: string;
  readonly metadataOnly: boolean;
  readonly state: CacheState;
  /** Of a cache that is behind: why in a word, what was said, and since when. */
  readonly trouble: Trouble | undefined;
  /** What the loop does now, in a few words. */
  readonly doing: string;
  readonly objects: number;
  readonly resourceVersion: string;
  /** Since the server was last heard from. */
  readonly lagMs: number | undefined;
  readonly perSecond: number;
  /** Events in each of the last seconds, oldest first. */
  readonly samples: readonly number[];
  /** Changes that are received and not yet told to everybody. */
  readonly queued: number;
  /** How often the watch was opened again because it broke, and why the last time. One whose time was over is not counted. */
  readonly restarts: number;
  readonly lastRestart: Restart | undefined;
  /** About how much the objects would take as JSON. */
  readonly bytes: number;
  /** Objects that user code could not digest. */
  readonly poisoned: number;
  readonly indexes: readonly string[];
}

export interface Trouble {
  readonly reason: string;
  readonly detail: string;
  readonly since: number;
}

export interface Restart {
  readonly because: string;
  readonly at: number;
}

/** One line of the table of a resource. */
export interface Row {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: string;
  readonly status: string;
  readonly tone: Tone;
  readonly createdAt: number | undefined;
  /** Wall clock of the last change the inspector saw. */
  readonly changedAt: number | undefined;
  /** Rows are shown in the order of these texts. */
  readonly order: string;
}

/** Everything that matches, as far as it is shown; later `changes` build on it. */
export interface RowsMessage {
  readonly cache: string;
  readonly rows: readonly Row[];
  readonly matching: number;
  readonly objects: number;
}

export interface ChangesMessage {
  readonly rows: readonly Row[];
  /** Keys of rows that are deleted or match no longer. */
  readonly gone: readonly string[];
  readonly matching: number;
  readonly objects: number;
}

/** The values one can filter by. */
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
  /** Wall clock of when the inspector saw it go. */
  readonly deletedAt: number | undefined;
  /** Whether something in the text is hidden. */
  readonly isMasked: boolean;
  readonly resourceVersion: string;
  readonly yaml: string;
  /** Newest first. */
  readonly versions: readonly Version[];
  /** From the outermost owner to the object itself; owners that are in no cache have no `cache`. */
  readonly owners: readonly Relative[];
  readonly owned: readonly Relative[];
}

export interface Version {
  /** Wall clock of when the inspector saw it; undefined for the state before the first change. */
  readonly at: number | undefined;
  readonly type: 'add' | 'update' | 'delete' | 'before';
  readonly resourceVersion: string;
  /** Against the version before, but for the version itself; empty where there is none. */
  readonly changes: readonly DiffLine[];
  /** Where it differs, in a few words: `spec.replicas`. */
  readonly paths: readonly string[];
  readonly added: number;
  readonly removed: number;
}

export interface DiffLine {
  /** `gap`: so many unchanged lines are left out; `text` says how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

export interface Relative {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Where it can be looked at. */
  readonly cache: string | undefined;
  readonly key: string;
  readonly status: string;
  readonly tone: Tone;
  /** How far below the object it is; 0 for the object itself. */
  readonly depth: number;
}

export interface Timeline {
  readonly at: number;
  readonly lanes: readonly InformerTimeline[];
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
  /** When it was last asked for, wall clock. */
  readonly ranAt: number | undefined;
  readonly isRunning: boolean;
  /** Why it could not be made, the last time; undefined when it could. */
  readonly failure: string | undefined;
}

/** What an answer that is not 200 carries. */
export interface ErrorResponse {
  readonly error: string;
}
