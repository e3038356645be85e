// index.d.ts
/**
 * A page that shows what the informers of a process hold and do.
 */
export { readOverview } from './attach.ts';
export type { Fault } from './fault-panel.ts';
export type { HistoryOptions } from './history.ts';
export { type Inspector, type InspectorOptions, startInspector } from './inspector.ts';
export type { CacheState, CacheSummary, Overview, Restart, Trouble } from './protocol.ts';
// attach.d.ts
import type { Overview } from './protocol.ts';
/** What the inspector at this address, token included, sees. Its texts are masked and on one line. */
export declare function readOverview(url: string, signal?: AbortSignal): Promise<Overview>;
// protocol.d.ts
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
    readonly indexes: readonly {
        readonly name: string;
        readonly values: readonly string[];
        readonly more: number;
    }[];
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
    readonly lanes: readonly Lane[];
}
export interface Lane {
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
    readonly slowest: readonly {
        readonly key: string;
        readonly ms: number;
        readonly at: number;
    }[];
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
export interface Refused {
    readonly error: string;
}
// fault-panel.d.ts
import { type Env } from 'kube-informer/core';
import type { FaultSummary } from './protocol.ts';
/** Something that can be made to go wrong, for whoever wants to see what happens then. */
export interface Fault {
    /** In addresses: letters, digits and dashes. */
    readonly name: string;
    readonly title: string;
    /** What it does, and what one should see. */
    readonly description: string;
    /** Ends when nothing more will happen. Where it throws or rejects, the page says that it could not be made, and why. */
    run(): void | Promise<void>;
}
/** The faults of a demo, run on request, each once at a time. */
export declare class FaultPanel {
    #private;
    /** `say` makes a text one that may leave the process. */
    constructor(faults: readonly Fault[], env: Env, say: (text: string) => string);
    list(): readonly FaultSummary[];
    /** Starts it; false when there is no such fault. One that still runs is not started again. */
    start(name: string): boolean;
}
// history.d.ts
import type { InformerEvent, KubeObject } from 'kube-informer';
/** One state of one object, as a handler was told of it. */
export interface Seen {
    /** Wall clock; undefined for the state before the first change that was seen. */
    readonly at: number | undefined;
    readonly type: 'add' | 'update' | 'delete' | 'before';
    readonly object: KubeObject;
}
export interface HistoryOptions {
    /** Versions kept of one object. @default 20 */
    readonly perObject?: number;
    /** Versions kept of all objects together; the ones of whatever changed longest ago go first. @default 2000 */
    readonly inAll?: number;
}
/**
 * The last versions of objects that changed while somebody was looking.
 *
 * Promises: never more than was allowed, whatever the cluster does. States that the cache skipped are not known here
 * either.
 *
 * Room rule: holds what it is told, unmasked; whoever shows it masks it.
 */
export declare class History {
    #private;
    constructor(options?: HistoryOptions);
    get size(): number;
    note(cache: string, event: InformerEvent<KubeObject>, at: number): void;
    /** Oldest first. */
    of(cache: string, key: string): readonly Seen[];
    forget(cache: string): void;
}
// inspector.d.ts
import type { Cluster } from 'kube-informer';
import { type Env } from 'kube-informer/core';
import { type Fault } from './fault-panel.ts';
import { type HistoryOptions } from './history.ts';
export interface InspectorOptions {
    /** @default a free one */
    readonly port?: number;
    /** Any other than a loopback address needs a `token` of your own, and is warned about. @default '127.0.0.1' */
    readonly host?: string;
    /** Names under which a browser reaches it, besides the loopback ones: `'box.lan'`. @default none */
    readonly hostNames?: readonly string[];
    /** At least 32 characters. @default 256 random bits */
    readonly token?: string;
    /** Lets a click show an object unmasked; each time is logged. @default false */
    readonly reveal?: boolean;
    /** What can be made to go wrong from the page. For demos: in a program of yours leave it out. @default nothing */
    readonly faults?: readonly Fault[];
    readonly history?: HistoryOptions;
    readonly env?: Env;
}
export interface Inspector extends AsyncDisposable {
    /** To be opened in a browser. The token is behind the `#`, which browsers send to nobody. */
    readonly url: string;
    readonly token: string;
    readonly address: {
        readonly host: string;
        readonly port: number;
    };
    /** Ends all connections and lets go of all caches. Idempotent. */
    close(): Promise<void>;
}
/**
 * Serves a page about the caches of a cluster, from inside the process that keeps them.
 *
 * Promises: read-only; on loopback only, for whoever has the token; secrets are masked before they leave. Reads caches,
 * and asks the API server nothing. `close` leaves no socket, handler or timer behind.
 *
 * @example
 * await using inspector = await startInspector(cluster);
 * console.log(inspector.url);
 */
export declare function startInspector(cluster: Cluster, options?: InspectorOptions): Promise<Inspector>;
