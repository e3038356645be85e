// index.d.ts
import { type ApiServerOptions } from './options.ts';
import { ApiServer } from './server.ts';
export type { ApiServerOptions } from './options.ts';
export type { Admin, AdminOptions } from './faults/admin/admin.ts';
export type { RestartOptions, RestoreOptions, RotateOptions } from './faults/fault-host.ts';
export type { FailRequests, FaultMenu, TooManyRequests, Undo } from './faults/menu.ts';
export type { OldServer } from './faults/old-servers.ts';
export type { FaultAction, FaultAt, FaultHandle, FaultMatch, FaultRule, FiredFault, StatusAnswer, } from './faults/rules/rule.ts';
export type { ScenarioHandle, ScenarioName, ScenarioOptions } from './faults/scenarios.ts';
export type { FaultRequest, Faults, Verdict } from './http/seams.ts';
export type { Replica, ReplicaOptions } from './server/replica.ts';
export type { RequestEntry } from './http/request-log.ts';
export type { Controllers } from './controllers/run-controllers.ts';
export type { ApiServer } from './server.ts';
export type { ApiObject } from './core/object.ts';
export type { WatchInfo } from './http/watches.ts';
/**
 * Starts a Kubernetes API server inside this process: no Go, no etcd, no Docker.
 *
 *     await using server = await startApiServer();
 *     // server.url, server.ca and server.token, or server.kubeconfig(), for any Kubernetes client
 */
export declare function startApiServer(options?: ApiServerOptions): Promise<ApiServer>;
// options.d.ts
import { type Env } from 'kube-informer/core';
import type { Controllers } from './controllers/run-controllers.ts';
import type { AdminOptions } from './faults/admin/admin.ts';
import type { HistoryLimits } from './storage/store/history.ts';
import type { BookmarkOptions } from './storage/watch/bookmarks.ts';
export interface ApiServerOptions {
    /** @default 0: any free port */
    readonly port?: number;
    /** Address to listen on. Any other than the loopback needs authentication. @default '127.0.0.1' */
    readonly host?: string;
    /** TLS with HTTP/2 and HTTP/1.1; false: plain HTTP/1.1. @default true */
    readonly tls?: boolean;
    /**
     * `envtest`: the API server alone, as controller tests are used to; nothing acts on what is stored.
     * `demo`: with the controllers that make it feel like a cluster.
     * @default 'envtest'
     */
    readonly profile?: 'envtest' | 'demo';
    /**
     * `dev`: one token and client certificates, whoever comes in may do everything. `open`: everybody comes in.
     * `rbac`: roles and bindings decide.
     * @default 'dev'
     */
    readonly auth?: 'dev' | 'open' | 'rbac';
    /**
     * A directory that keeps everything: objects with their uids and versions, the token, the certificate authority. The
     * next server on it goes on where this one was, whether it was closed or killed. @default nothing is kept
     */
    readonly data?: string;
    /** The bearer token of the administrator. @default the one in `data`, or a random one */
    readonly token?: string;
    /** `gitVersion` of `/version`. @default 'v1.36.0+embedded' */
    readonly version?: string;
    /** Time, waits, randomness and the log. @default the system's */
    readonly env?: Env;
    /** Limits of the history that is kept for watches and exact lists. */
    readonly history?: HistoryLimits;
    readonly bookmarks?: BookmarkOptions;
    /** Streaming lists (`sendInitialEvents`), as servers from 1.34 on have them. @default true */
    readonly watchList?: boolean;
    /**
     * Compresses watches that begin with a streaming list for clients that accept gzip, one gzip member to a flush, as
     * servers from 1.37 on do; other watches are never compressed. @default false
     */
    readonly gzipWatches?: boolean;
    /** Writes `metadata.managedFields`. @default true */
    readonly managedFields?: boolean;
    /** Controllers that run; true: all of them. @default all in the profile `demo`, none in `envtest` */
    readonly controllers?: boolean | Controllers;
    /** Bytes a slow watcher may leave waiting before it is cut off. @default 16 MiB */
    readonly maxQueuedBytes?: number;
    /** Requests remembered for `server.requests`. @default 1000 */
    readonly requestLog?: number;
    /**
     * A second listener on the loopback, with a token of its own, to drive faults and state from other processes: see
     * `server.admin`. @default false
     */
    readonly admin?: boolean | AdminOptions;
    /** Starts even where NODE_ENV says production. @default false */
    readonly force?: boolean;
}
/** Refuses impossible values, and combinations that would open the server to other machines. */
export declare function checkOptions(options: ApiServerOptions, nodeEnv: string | undefined): void;
// controllers/run-controllers.d.ts
import type { ControllerHost, Stop } from './controller-host.ts';
/** The controllers, by name. */
export interface Controllers {
    /** Deletes what has lost its owners. */
    readonly garbageCollector?: boolean;
    /** Empties namespaces that are being deleted. */
    readonly namespaces?: boolean;
    /** Ends pods when their grace period is over, as a kubelet would. */
    readonly podGrace?: boolean;
    /** Gives every namespace its `default` ServiceAccount. */
    readonly serviceAccounts?: boolean;
    /** Forgets Events after an hour. */
    readonly eventExpiry?: boolean;
}
/** Starts those that are asked for, or all; returns how to stop them. */
export declare function runControllers(host: ControllerHost, wanted: boolean | Controllers): Stop;
// controllers/controller-host.d.ts
import type { Env } from 'kube-informer/core';
import type { Resource } from '../api/schema/resource.ts';
import type { ApiObject } from '../core/object.ts';
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';
export interface RemoveOptions {
    readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
    readonly gracePeriodSeconds?: number;
    /** Refuse to delete another object of the same name, or one that has changed meanwhile. */
    readonly preconditions?: {
        readonly uid?: string;
        readonly resourceVersion?: string;
    };
}
/**
 * What a controller sees of the server: the same verbs a client has, in the process and at once.
 *
 * Resources are named by group and plural; which version they are read in is the server's choice. Objects that come
 * out are never changed by whoever got them. Whatever a client would be refused throws a `StatusError`.
 */
export interface ControllerHost {
    readonly env: Env;
    /** Every resource that is served now; those of custom definitions come and go. */
    resources(): readonly Resource[];
    list(group: string, resource: string, namespace?: string): readonly ApiObject[];
    /** `namespace` is empty for objects of the cluster. */
    get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined;
    /** Calls back for changes from now on. Returns what ends it. */
    watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void;
    create(group: string, resource: string, object: ApiObject): ApiObject;
    /** A PUT: the object's resourceVersion says what it replaces. */
    update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject;
    remove(group: string, resource: string, namespace: string, name: string, options?: RemoveOptions): ApiObject;
}
/** Ends a controller. It does nothing more, also not what it was about to do. */
export type Stop = () => void;
/** One of each resource, whatever the number of its versions, that controllers can work on. */
export declare function workableResources(host: ControllerHost, ...verbs: readonly string[]): Resource[];
// api/schema/resource.d.ts
import type { Schema } from './schema.ts';
export interface Subresource {
    /** `status`, `scale`, `eviction` … */
    readonly name: string;
    /** The kind of the subresource's objects: `autoscaling/v1 Scale` for `scale`. */
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly verbs: readonly string[];
}
/** One resource in one version, built in or custom: what discovery says of it, and how its objects are shaped. */
export interface Resource {
    readonly group: string;
    readonly version: string;
    /** Plural, as in the path: `deployments`. */
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly listKind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames: readonly string[];
    readonly categories: readonly string[];
    readonly subresources: readonly Subresource[];
    /** From a CustomResourceDefinition: other key order, other patch types, kind and apiVersion on list items. */
    readonly custom: boolean;
    /** Undefined where nothing is known of the shape: everything is allowed and kept. */
    readonly schema: Schema | undefined;
}
// api/schema/schema.d.ts
import type { Json, JsonObject } from '../../core/json.ts';
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
/**
 * One node of a type: a built-in's or a custom resource's, behind the same face. Children are resolved when asked for,
 * because types refer to each other in circles.
 */
export interface Schema {
    /** Undefined: any value. */
    readonly type: SchemaType | undefined;
    readonly format: string | undefined;
    readonly nullable: boolean;
    readonly required: readonly string[];
    readonly enum: readonly Json[] | undefined;
    readonly default: Json | undefined;
    readonly propertyNames: readonly string[];
    property(name: string): Schema | undefined;
    /** Schema of an array's items. */
    readonly items: Schema | undefined;
    /** Schema of a map's values (`additionalProperties`). */
    readonly values: Schema | undefined;
    readonly intOrString: boolean;
    /** Keep what the schema does not name: RawExtension, JSON, `x-kubernetes-preserve-unknown-fields`. */
    readonly preserveUnknownFields: boolean;
    readonly embeddedResource: boolean;
    /** Strategic merge: `merge`, `replace`, `retainKeys`, joined by commas as the API says it. */
    readonly patchStrategy: string | undefined;
    readonly patchMergeKey: string | undefined;
    /** Server-side apply. */
    readonly listType: 'atomic' | 'set' | 'map' | undefined;
    readonly listMapKeys: readonly string[];
    readonly mapType: 'atomic' | 'granular' | undefined;
    /** The node as an OpenAPI v3 schema, references included: numeric bounds, patterns, allOf … are read from it. */
    readonly raw: JsonObject;
}
// core/json.d.ts
/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};
export type JsonObject = {
    [key: string]: Json;
};
export declare const isObject: (value: unknown) => value is JsonObject;
/** Without the fields that are null, at any depth. Items of arrays stay, null or not. */
export declare function withoutNulls(value: Json): Json;
/** The type of a JSON value as the server's decoder calls it. */
export declare function jsonTypeName(value: Json): string;
/** A deep copy that may be changed. */
export declare function copyOf<T>(value: T): T;
/** Equal as JSON: the order of keys does not count, and a key without a value is no key. */
export declare function isSameJson(a: unknown, b: unknown): boolean;
// core/object.d.ts
import type { JsonObject } from './json.ts';
export interface OwnerReference {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
}
export interface ManagedFields {
    manager?: string;
    operation?: 'Apply' | 'Update';
    apiVersion?: string;
    time?: string;
    fieldsType?: 'FieldsV1';
    fieldsV1?: JsonObject;
    subresource?: string;
}
/** Metadata of an object in work; objects in the store are never changed in place. */
export interface ObjectMeta {
    name?: string;
    generateName?: string;
    namespace?: string;
    selfLink?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    creationTimestamp?: string | null;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: OwnerReference[];
    finalizers?: string[];
    managedFields?: ManagedFields[];
}
/** Any Kubernetes object as JSON, with its metadata known by name. */
export interface ApiObject {
    apiVersion?: string;
    kind?: string;
    metadata?: ObjectMeta;
    [field: string]: unknown;
}
// faults/admin/admin.d.ts
import type { AdminRoutes } from './routes.ts';
export interface AdminOptions {
    /** @default 0: any free port */
    readonly port?: number;
    /** @default a random one */
    readonly token?: string;
}
/** A second listener, to drive the server from other processes. */
export interface Admin {
    readonly url: string;
    /** Gives full control over the server: for the tests that started it only. */
    readonly token: string;
    close(): Promise<void>;
}
/**
 * Listens on the loopback only. A request must carry the token, and name this very address as its host: a page in a
 * browser can be made to send requests to the loopback, under another name.
 */
export declare function startAdmin({ port, token }: AdminOptions, routes: AdminRoutes): Promise<Admin>;
// faults/admin/routes.d.ts
import { type Env } from 'kube-informer/core';
import type { Resource } from '../../api/schema/resource.ts';
import type { ApiObject } from '../../core/object.ts';
import type { RequestEntry } from '../../http/request-log.ts';
import type { WatchInfo } from '../../http/watches.ts';
import type { StoreSnapshot } from '../../storage/store/store.ts';
import type { RestartOptions, RestoreOptions } from '../fault-host.ts';
import type { FaultMenu } from '../menu.ts';
/** The part of a server's API that the admin endpoint offers. */
export interface AdminTarget {
    readonly faults: FaultMenu;
    readonly requests: readonly RequestEntry[];
    readonly history: {
        compact(revision?: number): void;
    };
    readonly revision: {
        readonly current: number;
        jump(revisions: number): void;
    };
    readonly local: {
        resources(): readonly Resource[];
    };
    watchers(): readonly WatchInfo[];
    restart(options: RestartOptions): Promise<void>;
    snapshot(): StoreSnapshot;
    restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
    load(objects: Iterable<ApiObject>): number;
}
export interface AdminCall {
    readonly text: string;
    readonly query: URLSearchParams;
    /** The last part of the path. */
    readonly id: string;
    readonly signal: AbortSignal;
}
/** By method and path; `*` stands for an id. */
export type AdminRoutes = Readonly<Record<string, (call: AdminCall) => unknown>>;
/** `env` is the one the server was given: only that one may have a clock to turn. */
export declare function adminRoutes(target: AdminTarget, env: Env): AdminRoutes;
// http/request-log.d.ts
/** One answered request. */
export interface RequestEntry {
    readonly id: number;
    /** Milliseconds since 1970. */
    readonly time: number;
    readonly verb: string;
    readonly path: string;
    readonly query: string;
    readonly user: string;
    readonly userAgent: string;
    readonly status: number;
    /** Sent so far; of a watch, at its end. */
    readonly bytes: number;
    /** A fault that had its hands in it. */
    readonly fault?: string;
}
/** The last requests, oldest first: what a failing test wants to see. */
export declare class RequestLog {
    #private;
    constructor(limit?: number);
    add(entry: RequestEntry): void;
    entries(): readonly RequestEntry[];
    clear(): void;
}
// http/watches.d.ts
import type { Watcher, WatcherState } from '../storage/watch/watcher.ts';
import type { FaultRequest } from './seams.ts';
/** A watch, for people and tests to look at. */
export interface WatchInfo {
    readonly id: number;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    /** Empty: all namespaces. */
    readonly namespace: string;
    readonly labelSelector: string;
    readonly fieldSelector: string;
    readonly user: string;
    readonly userAgent: string;
    /** The client's end of the connection; watches of one port share it. */
    readonly port: number;
    /** The resourceVersion it began after. */
    readonly from: number;
    readonly state: WatcherState;
    /** Events sent, bookmarks not counted. */
    readonly events: number;
    /** Bytes its reader has not taken yet. */
    readonly queued: number;
}
type Facts = Omit<WatchInfo, 'state' | 'events' | 'queued'>;
/** An open watch, for those who want to do something to it. */
export interface OpenWatch {
    readonly facts: Facts;
    readonly watcher: Watcher;
    readonly request: FaultRequest;
}
/** The watches that are open. */
export declare class Watches {
    #private;
    constructor(onChange: () => void);
    get size(): number;
    add(facts: Facts, watcher: Watcher, request: FaultRequest): void;
    open(): readonly OpenWatch[];
    list(): readonly WatchInfo[];
    /** Streams end in good order: the server goes down. */
    end(which?: (watch: Facts) => boolean): void;
    /** The same for resources that are gone, in all their versions. */
    endOf(resources: readonly {
        readonly group: string;
        readonly resource: string;
    }[]): void;
}
export {};
// storage/watch/watcher.d.ts
import type { Env } from 'kube-informer/core';
import type { Collection } from '../store/collection.ts';
import type { StoredRecord } from '../store/stored-record.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';
import type { WatchHub } from './watch-hub.ts';
import type { WatchSink } from './watch-sink.ts';
export interface WatcherOptions {
    readonly env: Env;
    readonly collection: Collection;
    readonly hub: WatchHub;
    readonly sink: WatchSink;
    readonly selection: Selection;
    readonly form: WatchForm;
    /** Changes above this are sent. */
    readonly from: number;
    /** The state at `from`, sent first as ADDED events. */
    readonly initial?: readonly StoredRecord[];
    /** Say with a bookmark where the initial events end. */
    readonly marksInitialEnd?: boolean;
    /** Bytes a slow reader may leave waiting before it is cut off. @default 16 MiB */
    readonly maxQueuedBytes?: number;
}
export type WatcherState = 'catching-up' | 'live' | 'ended';
export type EndReason = 'closed' | 'timeout' | 'too-slow';
/**
 * One watch, from its first event to its end.
 *
 *   catching-up ──nothing left to replay──► live ──► ended
 *        │                                            ▲
 *        └────────closed, timeout, too slow───────────┘
 *
 * Promises: changes of one stream come in the order of revisions, each once, none left out. A reader that cannot follow
 * is cut off, never skipped. Nothing is written after the end.
 */
export declare class Watcher {
    #private;
    constructor(options: WatcherOptions);
    get state(): WatcherState;
    get endReason(): EndReason | undefined;
    /** Events sent, bookmarks not counted. */
    get events(): number;
    get queued(): number;
    /** Aborts at the end: what belongs to this watch stops with it. */
    get signal(): AbortSignal;
    /** Sends and follows until the watch is live or over. What fits into one slice is sent before this returns. */
    run(): Promise<void>;
    bookmark(revision: number): void;
    end(reason: EndReason): void;
    /** Ends after `ms`, on whatever clock the server runs. */
    endAfter(ms: number): void;
    /** Puts another sink in the place of the present one, between two events. */
    divert(through: (sink: WatchSink) => WatchSink): void;
}
// storage/store/collection.d.ts
import type { ApiObject } from '../../core/object.ts';
import { type Change, type HistoryLimits } from './history.ts';
import type { ObjectCache } from './object-cache.ts';
import { type Layout, type StoredRecord } from './stored-record.ts';
/** The store as its collections see it. */
export interface CollectionHost {
    readonly objects: ObjectCache;
    revision(): number;
    /** Asks the seam for transactions, and takes the next revision. */
    begin(write: Write): number;
    committed(collection: Collection, change: Change): void;
}
/** A write that is about to happen. */
export interface Write {
    readonly collection: string;
    readonly type: Change['type'];
    readonly namespace: string;
    readonly name: string;
}
export interface CollectionOptions {
    /** `pods`, `deployments.apps`: all versions of a resource share one collection. */
    readonly id: string;
    readonly layout: Layout;
    readonly limits?: HistoryLimits;
}
/** The start and the namespace of a list; empty: from the start, all of them. */
export interface Range {
    readonly namespace?: string;
    /** First key that counts. */
    readonly start?: string;
}
/**
 * The objects of one resource: the newest state by key, and enough history to go back and to follow.
 *
 * - `put` and `remove` are transactions: they take one revision, change one key and add one change. Nothing else writes.
 * - Records are never changed in place. A list that is being sent stays what it was.
 * - `at(revision)` is exactly the state after that revision, for every revision not below `oldest`.
 *
 * Room rule: knows keys, bytes and revisions. No kinds, no rules about objects, no HTTP.
 */
export declare class Collection {
    #private;
    readonly id: string;
    readonly layout: Layout;
    constructor(host: CollectionHost, { id, layout, limits }: CollectionOptions);
    get size(): number;
    /** Bytes of all current objects. */
    get bytes(): number;
    /** Revision of the last change here. */
    get lastRevision(): number;
    /** Differs after every change. Unlike a revision it never comes again, not even after a restore. */
    get version(): number;
    /** Oldest revision a watch can start from. */
    get windowStart(): number;
    /** Oldest revision that can be listed exactly. */
    get oldest(): number;
    get(namespace: string, name: string): StoredRecord | undefined;
    /** The object of a record, without kind and apiVersion. Shared: copy before changing it. */
    object(record: StoredRecord): ApiObject;
    /** Creates or replaces. The object's resourceVersion is the revision this write gets, whatever it says. */
    put(object: ApiObject): StoredRecord;
    /** The same, but where nothing would change nothing is written. */
    change(object: ApiObject): void;
    /** Returns the revision of the delete; undefined when there was nothing. */
    remove(namespace: string, name: string): number | undefined;
    /** The newest state in key order. */
    current(range?: Range): StoredRecord[];
    /** The state after `revision` in key order. The caller has made sure that `revision` is not below `oldest`. */
    at(revision: number, range?: Range): readonly StoredRecord[];
    /** Changes above `revision`, oldest first. The caller has made sure that it is not below `windowStart`. */
    after(revision: number, max?: number): readonly Change[];
    compact(revision: number): void;
    /** Watches can start from now on only, as after a start of the server; exact lists still reach back. */
    reopen(): void;
    /** Other objects from now on, with no past. Listeners are not called: watches have to start again. */
    reset(records: Iterable<StoredRecord>): void;
    /** Takes over a change of another store as it is, revision included. */
    adopt(change: Change): void;
    /** Told of every change, in order, after it happened. Returns how to stop. */
    listen(listener: (change: Change) => void): () => void;
    /** Called by the store, one change at a time. */
    notify(change: Change): void;
}
// storage/store/history.d.ts
import type { StoredRecord } from './stored-record.ts';
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';
/** One write, as it happened to one key. */
export interface Change {
    readonly type: ChangeType;
    readonly revision: number;
    readonly key: string;
    /** The state after it; undefined after a delete. */
    readonly record: StoredRecord | undefined;
    /** The state before it; undefined before a create. */
    readonly previous: StoredRecord | undefined;
}
export interface HistoryLimits {
    /** Changes kept per resource. @default 100_000 */
    readonly events?: number;
    /** Bytes of old states kept per resource. @default 64 MiB */
    readonly bytes?: number;
}
/**
 * The last changes of one collection, oldest first.
 *
 * Bounded by count and bytes. `dropped` is the highest revision that is no longer here: one can follow, or go back to,
 * any revision that is not below it.
 */
export declare class History {
    #private;
    constructor({ events, bytes }?: HistoryLimits);
    get dropped(): number;
    get length(): number;
    get bytes(): number;
    push(change: Change): void;
    /** Every change with a revision above `revision`, oldest first; `max` of them at most. */
    after(revision: number, max?: number): readonly Change[];
    /** Forgets everything up to `revision`, also what never was here. */
    compact(revision: number): void;
}
// storage/store/stored-record.d.ts
import type { ApiObject, ObjectMeta } from '../../core/object.ts';
/**
 * One object as the store keeps it: encoded once, shared by every list and every watch that shows it, never changed.
 *
 * `tail` is the JSON text after kind and apiVersion: `"metadata":{…},"spec":{…}}`. What comes before differs by served
 * version and by list or object, so it is put in front when the bytes are sent, without copying them.
 *
 * There is one for every object and every remembered change, so it holds little besides the bytes.
 */
export declare class StoredRecord {
    /** `namespace/name`, or `name` in cluster scope. */
    readonly key: string;
    readonly namespace: string;
    readonly revision: number;
    /** Kept parsed: label selectors are asked for every object of a list. */
    readonly labels: Readonly<Record<string, string>> | undefined;
    readonly tail: Buffer;
    /** Offset of the digits of the resourceVersion in `tail`. */
    readonly versionAt: number;
    constructor({ namespace, name, labels }: ObjectMeta, revision: number, { tail, versionAt }: {
        readonly tail: Buffer;
        readonly versionAt: number;
    });
    get name(): string;
}
/** The order of keys. Custom resources are written with sorted keys, built-ins in the order of the Go structs. */
export type Layout = 'sorted' | 'struct';
export declare const keyOf: (namespace: string, name: string) => string;
export declare function encodeRecord(object: ApiObject, revision: number, layout: Layout): StoredRecord;
/** Without kind and apiVersion. The caller must not change what it gets: records are shared. */
export declare function parseRecord(record: StoredRecord): ApiObject;
/** The metadata that never changes during the life of an object. */
export type Birth = Pick<ObjectMeta, 'uid' | 'creationTimestamp'>;
/**
 * Read from the bytes where their order says where to look, as parsing them all costs ten times as much. A text that
 * looks like one of the marks has its quotes escaped.
 */
export declare function birthOf(record: StoredRecord, layout: Layout): Birth;
/** Equal besides the resourceVersion. */
export declare function isSameRecord(a: StoredRecord, b: StoredRecord): boolean;
/** The same bytes under another resourceVersion: a DELETED event shows the last state with the version of the delete. */
export declare function tailAt(record: StoredRecord, revision: number): Buffer;
// storage/store/object-cache.d.ts
import type { ApiObject } from '../../core/object.ts';
import { type StoredRecord } from './stored-record.ts';
/**
 * Parsed objects of the records used last. Without it every write, field selector and Table cell would parse again;
 * with all of them kept, the store would need several times the memory of its JSON.
 *
 * What it hands out is shared: copy an object before changing it.
 */
export declare class ObjectCache {
    #private;
    constructor(limit?: number);
    get(record: StoredRecord): ApiObject;
    clear(): void;
}
// storage/watch/selection.d.ts
import type { ApiObject } from '../../core/object.ts';
import type { Change, ChangeType } from '../store/history.ts';
import type { StoredRecord } from '../store/stored-record.ts';
/** Selects objects by what they hold. `api/meta` reads them from the texts of requests. */
interface Selector<T> {
    /** Equal for selectors that select the same. */
    readonly text: string;
    readonly everything: boolean;
    matches(value: T): boolean;
}
type LabelMatcher = Selector<StoredRecord['labels']>;
interface FieldMatcher extends Selector<ApiObject> {
    /** Set when only one name can match. */
    readonly name: string | undefined;
}
export interface SelectionParts {
    /** Empty: all namespaces. */
    readonly namespace: string;
    readonly labels: LabelMatcher;
    readonly fields: FieldMatcher;
    /** The object a record stands for, as field selectors know it. */
    readonly object: (record: StoredRecord) => ApiObject;
    /** Sees no change up to this revision: a watch from the future. @default 0 */
    readonly after?: number;
}
/** Selects the objects of a collection that a list or a watch shows. */
export declare class Selection {
    #private;
    readonly namespace: string;
    /** Set when the field selector leaves only one name. */
    readonly name: string | undefined;
    /** Equal texts select the same objects: watchers with the same one share their work. */
    readonly text: string;
    /** Selects by place only; then counts of what is left need no look at the objects. */
    readonly everything: boolean;
    constructor({ namespace, labels, fields, object, after }: SelectionParts);
    matches(record: StoredRecord): boolean;
    /**
     * What a change looks like to somebody who sees only this selection: an object that begins to match is added, one that
     * stops is deleted, in its last matching state. Undefined: nothing to see.
     */
    view({ revision, record, previous, }: Change): {
        readonly type: ChangeType;
        readonly record: StoredRecord;
    } | undefined;
}
export {};
// storage/watch/watch-form.d.ts
import type { ChangeType } from '../store/history.ts';
import { type StoredRecord } from '../store/stored-record.ts';
export interface BookmarkOptions {
    readonly revision: number;
    /** The mark that ends the initial events. */
    readonly endsInitialEvents: boolean;
}
/** Writes the events of a watch. Frames of equal `key` are the same bytes for every watcher. */
export interface WatchForm {
    readonly key: string;
    /** `revision` is the event's own: a DELETED shows an older state under it. */
    event(type: ChangeType, record: StoredRecord, revision: number): Buffer;
    bookmark(options: BookmarkOptions): Buffer;
}
export declare const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
/** One line of a stream around any object. */
export declare const frame: (type: ChangeType | 'BOOKMARK' | 'ERROR', object: unknown) => Buffer;
/** The stored bytes as they are, behind the head of the version that is watched. */
export declare function storedForm(head: string, emptyObject: (revision: number, annotations: object) => unknown): WatchForm;
// storage/watch/watch-hub.d.ts
import type { Env } from 'kube-informer/core';
import type { Collection } from '../store/collection.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';
import { type Member } from './watch-group.ts';
/**
 * The live watchers of one collection.
 *
 * A write costs one look per group, not per watcher; the events of one turn of the event loop leave in one write per
 * watcher.
 */
export declare class WatchHub {
    #private;
    /** `env.yield` decides when the events of a turn leave. */
    constructor(env: Pick<Env, 'yield'>, collection: Collection);
    /** From the next change on. The caller has sent everything up to the newest revision. Returns how to leave. */
    join(member: Member, selection: Selection, form: WatchForm, singleFrames: boolean): () => void;
    /** Sends what is waiting for the end of the turn: a bookmark must not overtake events. */
    flush(): void;
}
/** The hub of each collection, made for its first watcher. */
export declare function hubs(env: Pick<Env, 'yield'>): (collection: Collection) => WatchHub;
// storage/watch/watch-group.d.ts
import type { Change } from '../store/history.ts';
import type { Selection } from './selection.ts';
import type { WatchForm } from './watch-form.ts';
/** A watcher that has caught up. */
export interface Member {
    deliver(bytes: Buffer, events: number): void;
}
/** Frames already made for the change at hand, shared by all groups of the same form. */
export type Frames = Map<string, Buffer>;
/**
 * Watchers that see the same events in the same bytes: what is asked and encoded for one is asked and encoded for all.
 *
 * Room rule: knows changes and bytes. No sockets, no timers: the hub says when a turn is over.
 */
export declare class WatchGroup {
    #private;
    readonly key: string;
    constructor(key: string, selection: Selection, form: WatchForm, singleFrames: boolean);
    get size(): number;
    /** A new member gets the changes offered from now on, not those still in the batch. */
    join(member: Member): void;
    leave(member: Member): void;
    offer(change: Change, frames: Frames): void;
    /** Hands the events of this turn to every member, as one buffer. */
    flush(): void;
}
// storage/watch/watch-sink.d.ts
/** The target that a watch writes to: a response, or anything in-process. */
export interface WatchSink {
    /** Takes the bytes; never blocks, never throws. */
    write(bytes: Buffer): void;
    /** Bytes taken and not yet gone. */
    readonly queued: number;
    /** Resolves when there is room again, or when the other side has left. */
    drained(): Promise<void>;
    /** Ends the stream in good order. */
    end(): void;
    /**
     * Wants every frame by itself instead of all frames of a turn at once: who counts or cuts frames.
     * @default false
     */
    readonly singleFrames?: boolean;
}
// http/seams.d.ts
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '../core/request-info.ts';
import type { User } from '../core/user.ts';
import type { Write } from '../storage/store/collection.ts';
import type { WatchSink } from '../storage/watch/watch-sink.ts';
/** A request as the seams see it. */
export interface FaultRequest {
    readonly info: RequestInfo;
    /** Before routing it may still be changed: a server that does not know a parameter. */
    readonly query: URLSearchParams;
    /** Undefined: not authenticated. */
    readonly user: User | undefined;
    readonly userAgent: string;
    /** The raw pair, for those who cut sockets. */
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    /** Aborts when the response is over: sent, cut off, or given up by the client. */
    readonly gone: AbortSignal;
    /** Puts the fault's name into the request log. */
    readonly note: (fault: string) => void;
    /** Bytes of the body sent so far, for the request log. */
    bytes: number;
}
/** Whether the request goes on, or a fault has answered it. */
export type Verdict = 'continue' | 'answered';
/**
 * The four places where faults may act; everything else of the server knows nothing of them.
 *
 * A seam that is undefined costs nothing: the server asks whether it is there, not whether a rule matches.
 */
export interface Faults {
    /** Before anything is looked up. May wait, answer, or destroy the socket. */
    readonly beforeRouting?: ((request: FaultRequest) => Promise<Verdict>) | undefined;
    /** The answer is known, nothing of it is sent yet. May wait, answer otherwise, or change how it is written. */
    readonly beforeHead?: ((request: FaultRequest, status: number) => Promise<Verdict>) | undefined;
    /** A watch begins. May give back another sink, which then sees every byte. */
    readonly watchSink?: ((request: FaultRequest, sink: WatchSink) => WatchSink) | undefined;
    /** A write is about to be stored. May throw a StatusError. */
    readonly transaction?: ((write: Write) => void) | undefined;
}
export declare const noFaults: Faults;
// core/request-info.d.ts
/** The meaning of a request's method and path, before anything is looked up. */
export interface RequestInfo {
    /** A resource verb, or the lower-case HTTP method where `isResource` is false. */
    readonly verb: string;
    readonly path: string;
    readonly isResource: boolean;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    /** Empty: cluster scope, or all namespaces. */
    readonly namespace: string;
    /** Empty where the request names no single object. */
    readonly name: string;
}
// core/user.d.ts
/** The user that a request comes from. */
export interface User {
    readonly name: string;
    readonly uid?: string;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}
// storage/store/store.d.ts
import { Collection, type CollectionOptions, type Write } from './collection.ts';
import type { Change, HistoryLimits } from './history.ts';
import type { Layout, StoredRecord } from './stored-record.ts';
export interface StoreOptions {
    readonly history?: HistoryLimits;
    /** Revision before the first write. @default 1 */
    readonly revision?: number;
}
/** All objects at one moment. Records never change, so it costs no copies. */
export interface StoreSnapshot {
    readonly revision: number;
    readonly collections: ReadonlyMap<string, {
        readonly layout: Layout;
        readonly records: readonly StoredRecord[];
    }>;
}
/** Asked before every write; it may throw a StatusError to refuse it. */
export type WriteGuard = (write: Write) => void;
/**
 * Everything the server remembers, under one rising revision.
 *
 * - Every write takes the next revision, in whatever collection it happens; nothing else takes one.
 * - Listeners hear of changes in the order of revisions, each after it is stored, also when a listener writes itself.
 * - Memory only, synchronous, single-threaded: between two awaits a caller sees one state.
 *
 * Room rule: knows keys, bytes and revisions. No kinds, no rules about objects, no HTTP.
 */
export declare class Store {
    #private;
    constructor({ history, revision }?: StoreOptions);
    get revision(): number;
    /** The highest revision `compact` was called with. */
    get compacted(): number;
    set guard(guard: WriteGuard | undefined);
    /** Opens a collection, or gives the one of that id. */
    collection({ id, layout }: Omit<CollectionOptions, 'limits'>): Collection;
    collections(): Iterable<Collection>;
    /** Forgets an empty collection: its resource is gone. */
    close(id: string): void;
    /** Forgets history up to `revision`: older watches and exact lists are answered with 410. */
    compact(revision?: number): void;
    /** Watches can start from now on only, as after a start of the server. */
    reopen(): void;
    snapshot(): StoreSnapshot;
    /** Replaces everything, under any revision; there is no past before it. Listeners are not called. */
    restore({ collections }: StoreSnapshot, revision: number): void;
    /** Moves the counter forward, as busy neighbours would. */
    skip(revisions: number): void;
    listen(listener: (collection: Collection, change: Change) => void): () => void;
    /** Resolves when the store has reached `revision`, or when `signal` aborts. */
    reached(revision: number, signal: AbortSignal): Promise<void>;
}
// faults/fault-host.d.ts
import type { Env } from 'kube-informer/core';
import { type Check } from '../core/check.ts';
import type { Door } from '../http/listener/listen.ts';
import type { Faults } from '../http/seams.ts';
import type { Watches } from '../http/watches.ts';
import type { Store, StoreSnapshot } from '../storage/store/store.ts';
import type { WindowStart } from './actions/request-seams.ts';
export interface RestartOptions {
    /** `data`: as after a restart of the process; watches from before it get 410. `nothing`: an empty cluster. @default 'data' */
    readonly keep?: 'data' | 'nothing';
    /** Time until the server listens again. @default 0 */
    readonly downMs?: number;
}
export interface RestoreOptions {
    /**
     * `rollback`: the counter goes back to where it was, and versions that clients have seen come again for other states.
     * `bump`: the counter jumps far ahead, as a careful restore does it.
     * @default 'rollback'
     */
    readonly revisions?: 'rollback' | 'bump';
}
export interface RotateOptions {
    /** Clients must trust another authority from now on: `server.ca`. @default false */
    readonly newAuthority?: boolean;
    /** The new certificate has run out already. @default false */
    readonly expired?: boolean;
}
/** Checks of these options; they also come as JSON. */
export declare const RESTART: Check;
export declare const RESTORE: Check;
export declare const ROTATE: Check;
/** The server as faults see it, besides the seams. */
export interface FaultHost {
    readonly env: Env;
    readonly store: Store;
    readonly watches: Watches;
    readonly windowStart: WindowStart;
    /** Other seams are in force. */
    seamsChanged(seams: Faults): void;
    setDoor(door: Door): Promise<void>;
    sayGoodbye(): void;
    restart(options: RestartOptions): Promise<void>;
    snapshot(): StoreSnapshot;
    restore(snapshot: StoreSnapshot, options: RestoreOptions): void;
    /** The token that is good from now on. */
    expireToken(): string;
    rotateCertificates(options: RotateOptions): void;
    /** Moves the clock that objects and headers show. */
    skew(ms: number): void;
}
// core/check.d.ts
/** A condition on a value from outside; the complaint names the field and what was expected. */
export interface Check {
    /** `a whole number from 0 to 65535`, for sentences. */
    readonly expected: string;
    /** The complaint, or undefined if the value is right. `name` is the path to the value: `at.event`. */
    complaint(value: unknown, name: string): string | undefined;
}
/** Throws the first thing that is wrong with a value. */
export declare function requireValid(check: Check, value: unknown, name: string, about?: string): void;
/** A check that is a question with one answer. */
export declare function satisfies(expected: string, isRight: (value: unknown) => boolean): Check;
/** Whole numbers only, and only those that are exact. */
export declare function integer(min: number, max?: number): Check;
export declare const number: Check;
export declare const notNegative: Check;
export declare const positive: Check;
export declare const text: Check;
export declare const flag: Check;
export declare const func: Check;
export declare const isAnyObject: (value: unknown) => value is Record<string, unknown>;
/** Any object, whatever it holds. */
export declare const anyObject: Check;
export declare function oneOf(...values: readonly (string | boolean)[]): Check;
/** The complaint of the alternative that fits best: about a field of an object rather than about the object. */
export declare function either(...checks: readonly Check[]): Check;
export declare function listOf(item: Check, { min }?: {
    readonly min?: number;
}): Check;
/** An object with any keys that `key` allows. */
export declare function mapOf(value: Check, key?: Check): Check;
/** An object with these keys and no others. A key that is undefined is not there. */
export declare function shape(fields: Readonly<Record<string, Check>>, required?: readonly string[]): Check;
// http/listener/listen.d.ts
import { type IncomingMessage, type ServerResponse } from 'node:http';
import type { IssuedCertificate } from '../../auth/certificates/authority.ts';
export interface TlsOptions {
    readonly identity: IssuedCertificate;
    /** Authorities whose client certificates are accepted, PEM. */
    readonly clientAuthorities: readonly string[];
}
/** Answers one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;
export interface ListenOptions {
    readonly host: string;
    /** 0: any free one. */
    readonly port: number;
    /** Undefined: plain HTTP/1.1. */
    readonly tls: TlsOptions | undefined;
    readonly handler: Handler;
}
/** `refused`: the port is closed. `stalled`: connections are taken, and then nothing happens on them. */
export type Door = 'open' | 'refused' | 'stalled';
/** A listening socket and everything that came through it. */
export interface Listener {
    readonly port: number;
    /** Shows another certificate from the next handshake on. */
    setTls(tls: TlsOptions): void;
    /** Sets what happens to new connections; open ones stay. */
    setDoor(door: Door): Promise<void>;
    /** Tells clients of HTTP/2 to come back with another connection; what is open may end in peace. */
    sayGoodbye(): void;
    /** Stops listening and cuts what is still open. */
    close(): Promise<void>;
}
/** The TCP socket is ours and the server behind it never listens itself: so connections can wait, or be cut below TLS. */
export declare function listen({ host, port, tls, handler }: ListenOptions): Promise<Listener>;
// auth/certificates/authority.d.ts
import type { Env } from 'kube-informer/core';
import { type Subject } from './x509.ts';
/** A certificate and its private key, both PEM. */
export interface IssuedCertificate {
    readonly certificate: string;
    readonly key: string;
}
export interface IssueOptions {
    /** Validity of the certificate; zero or less makes one that has already expired. @default ten years */
    readonly validForMs?: number;
}
/**
 * The server's own certificate authority.
 *
 * It exists as long as the process does, unless a data directory keeps what `export` gives. A second authority of the same name is another one, which is
 * what a rotation of authorities needs.
 */
export interface CertificateAuthority {
    /** The certificate that clients must trust, PEM. */
    readonly certificate: string;
    /** `names`: DNS names and IP addresses. */
    issueServer(names: readonly string[], options?: IssueOptions): IssuedCertificate;
    /** A user as the server will see it: name from CN, groups from O. */
    issueClient(user: Subject, options?: IssueOptions): IssuedCertificate;
    /** Itself with its key, to be made again by another process. A secret. */
    export(): IssuedCertificate;
}
export interface AuthorityOptions {
    readonly name?: string;
    /** Result of `export` of an earlier authority. @default a new authority */
    readonly existing?: IssuedCertificate | undefined;
}
export declare function createAuthority(env: Pick<Env, 'wallNow'>, { name, existing }?: AuthorityOptions): CertificateAuthority;
// auth/certificates/x509.d.ts
import { type KeyObject } from 'node:crypto';
/** The subject of a certificate. Groups become O values, the name becomes CN: that is how Kubernetes reads them back. */
export interface Subject {
    readonly name: string;
    readonly groups?: readonly string[];
}
export interface CertificateRequest {
    readonly subject: Subject;
    readonly publicKey: KeyObject;
    readonly issuer: {
        readonly subject: Subject;
        readonly key: KeyObject;
    };
    /** Milliseconds since 1970. */
    readonly notBefore: number;
    readonly notAfter: number;
    readonly use: 'authority' | 'server' | 'client';
    /** DNS names and IP addresses a server answers to. */
    readonly names?: readonly string[];
}
/** An X.509 v3 certificate over a P-256 key, signed with the issuer's P-256 key, as PEM. */
export declare function signCertificate(request: CertificateRequest): string;
// faults/actions/request-seams.d.ts
import { type Env } from 'kube-informer/core';
import type { FaultRequest, Faults, Verdict } from '../../http/seams.ts';
import type { Write } from '../../storage/store/collection.ts';
import type { WatchSink } from '../../storage/watch/watch-sink.ts';
import type { ActiveRule, RuleBook } from '../rules/rule-book.ts';
/** The oldest revision a watch of a resource can start from. */
export type WindowStart = (group: string, resource: string) => number;
/** The rules of a book at the four seams. */
export declare class RequestSeams implements Faults {
    #private;
    constructor(env: Env, book: RuleBook, windowStart: WindowStart);
    readonly beforeRouting: (request: FaultRequest) => Promise<Verdict>;
    readonly beforeHead: (request: FaultRequest) => Promise<Verdict>;
    readonly watchSink: (request: FaultRequest, sink: WatchSink) => WatchSink;
    readonly transaction: (write: Write) => void;
    /** Lets a rule act on a watch that is already open. False: it is not about this watch. */
    attach(active: ActiveRule, request: FaultRequest, divert: (through: (sink: WatchSink) => WatchSink) => void): boolean;
}
// faults/rules/rule-book.d.ts
import type { Env } from 'kube-informer/core';
import type { FaultRequest } from '../../http/seams.ts';
import type { Write } from '../../storage/store/collection.ts';
import type { FaultHandle, FaultRule, FiredFault, Span } from './rule.ts';
/** A rule at work: what it has seen and done so far. */
export declare class ActiveRule implements FaultHandle {
    #private;
    readonly id: number;
    readonly rule: FaultRule;
    /** Its name in logs: `cut rst`. */
    readonly label: string;
    readonly hit: Promise<void>;
    readonly done: Promise<void>;
    readonly random: () => number;
    constructor(book: RuleBook, id: number, rule: FaultRule, random: () => number);
    get count(): number;
    /** Whether it is to strike this request; asked once for each, since asking counts. */
    wants(request: FaultRequest): boolean;
    wantsWrite(write: Write): boolean;
    /** Strikes, if it may still; false: it has done so as often as it should. */
    fire(request?: FaultRequest, write?: Write): boolean;
    /** Whatever a rule does, the server lives on: what throws is removed and reported. */
    attempt<T>(act: () => T, otherwise: T): T;
    /** A number of a range, drawn anew every time. */
    draw(span: Span): number;
    /** Called when the rule is removed: what it holds back must go on. Returns how to forget about it. */
    onRemove(release: () => void): () => void;
    remove(): void;
}
/** The rules at work. */
export declare class RuleBook {
    #private;
    constructor(env: Env, onChange: () => void);
    get size(): number;
    /** Faults that fired, oldest first. */
    get history(): readonly FiredFault[];
    all(): readonly ActiveRule[];
    get(id: number): ActiveRule | undefined;
    add(value: FaultRule, random?: () => number): ActiveRule;
    forget(rule: ActiveRule): void;
    failed({ id, label }: ActiveRule, error: unknown): void;
    fired({ id, label }: ActiveRule, request: FaultRequest | undefined, write: Write | undefined): void;
}
// faults/rules/rule.d.ts
import type { JsonObject } from '../../core/json.ts';
import type { FaultRequest } from '../../http/seams.ts';
/** A text to be equal to, `*` for anything, or a pattern. */
export type TextMatch = string | RegExp;
/** Selects requests. Fields that are left out match everything. */
export interface FaultMatch {
    /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; one or several. */
    readonly verb?: string | readonly string[];
    /** Plural: `pods`. */
    readonly resource?: string;
    readonly group?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
    readonly user?: string;
    readonly userAgent?: TextMatch;
    readonly path?: TextMatch;
    /** Parameters that must be there: `{ continue: '*' }`. */
    readonly query?: Readonly<Record<string, TextMatch>>;
    /** Headers that must be there, by lower-case name. */
    readonly headers?: Readonly<Record<string, TextMatch>>;
    /** Only the n-th request that matches, counted from 1 and from when the rule was added. */
    readonly nth?: number;
    /** Anything else. Not over the admin endpoint. */
    readonly where?: (request: FaultRequest) => boolean;
}
/** A number, or a range of which every request draws its own. */
export type Span = number | readonly [from: number, to: number];
/**
 * When a rule acts.
 *
 * - `start`: before anything is looked up. `head`: the work is done, nothing of the answer is sent.
 * - `{ event: 3 }`: at the third event of a watch (bookmarks do not count), or after it, as the action is; 0: right after
 *   the head. With `offset` inside that event: so many bytes in, or in the middle of a character.
 * - `{ bytes }`, `{ ms }`: after so many bytes of the body, after so much time.
 * - `{ object }`: at events of one object, by `namespace/name`.
 * - `bookmark`, `end-bookmark`: at those. `end`: instead of the end.
 * - `write`: when something is about to be stored, over HTTP or in-process.
 *
 * On a watch that is already open, events, bytes and time count from when the rule was added.
 */
export type FaultAt = 'start' | 'head' | 'bookmark' | 'end-bookmark' | 'end' | 'write' | {
    readonly event: Span;
    readonly offset?: number | 'mid-utf8';
} | {
    readonly bytes: Span;
} | {
    readonly ms: Span;
} | {
    readonly object: string;
};
/** A failure; a bare number gives the body a real server has for it. */
export interface StatusAnswer {
    readonly code: number;
    readonly reason?: string;
    readonly message?: string;
    readonly retryAfterSeconds?: number;
    /** Says Retry-After as a date. */
    readonly retryAfterDate?: boolean;
    /** `plain`: a line of text. `html`: as a load balancer writes. @default 'status' */
    readonly form?: 'status' | 'plain' | 'html';
    /** With a token to go on with: a 410 on a page of a list. */
    readonly continue?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
}
export type CutKind = 'rst' | 'fin' | 'goaway' | 'rst-stream';
/** Statuses inside a stream that clients must tell apart. */
export type StreamErrorName = 'expired' | 'gone' | 'internal' | 'too-large' | 'too-many-requests' | 'unknown-reason' | 'no-code' | 'not-a-status';
export type GarbageName = 'truncated-json' | 'random-bytes' | 'html' | 'empty' | 'empty-lines' | 'null' | 'empty-object' | 'wrong-kind' | 'no-metadata' | 'no-resource-version' | 'bad-resource-version' | 'unknown-type' | 'bom' | 'nan' | 'huge' | 'deep' | 'long-content-length' | 'wrong-content-type' | 'multi-member-gzip' | 'corrupt-gzip';
export type ListFault = 'duplicate-item' | 'missing-item' | 'no-resource-version';
/** The action of a rule. One of: */
export type FaultAction = 
/** Ends the connection: with a reset, half-closed, with GOAWAY, or only this stream (HTTP/2; `code` goes along). */
{
    readonly cut: CutKind;
    readonly code?: number;
}
/** Ends the answer in good order, early. */
 | {
    readonly end: true;
}
/** Tells the client to come back with another connection (HTTP/2); this one goes on. */
 | {
    readonly goaway: true;
}
/** Nothing more is written, and the connection stays. `deaf`: nothing is read either, PINGs included. */
 | {
    readonly silence: true | 'deaf';
}
/** Never answers. */
 | {
    readonly hang: 'headers';
} | {
    readonly delay: {
        readonly ms: number;
        readonly jitterMs?: number;
    };
}
/** Keeps events back until the rule is removed. */
 | {
    readonly hold: true;
} | {
    readonly throttle: {
        readonly bytesPerSecond: number;
        readonly chunk?: number;
    };
}
/** Every event in so many chunks. */
 | {
    readonly split: number;
}
/** The events of so many milliseconds in one chunk. */
 | {
    readonly merge: {
        readonly ms: number;
    };
} | {
    readonly status: number | StatusAnswer;
}
/** Headers of the answer; null takes one away. */
 | {
    readonly headers: Readonly<Record<string, string | null>>;
}
/** Headers of the request, before anybody reads them; null takes one away. */
 | {
    readonly requestHeaders: Readonly<Record<string, string | null>>;
}
/** Parameters, before anybody reads them; null takes one away. */
 | {
    readonly query: Readonly<Record<string, string | null>>;
}
/** Another body: gets the JSON, gives back what is sent. Not over the admin endpoint. */
 | {
    readonly body: (value: JsonObject) => unknown;
} | {
    readonly list: ListFault;
}
/** A watch begins so many revisions before the one it asked for: events it has seen come again. */
 | {
    readonly replay: number;
}
/** Sends an event so many times more, under its own type or another. */
 | {
    readonly duplicate: number;
    readonly as?: 'ADDED' | 'MODIFIED';
}
/** `events` is a lie no server tells: it needs `illegal`. */
 | {
    readonly drop: 'bookmarks' | 'end-bookmark' | 'events';
} | {
    readonly error: StreamErrorName | JsonObject;
} | {
    readonly garbage: GarbageName;
}
/** Swaps an event with the next one. Needs `illegal`. */
 | {
    readonly reorder: true;
}
/** Bookmarks say they are so many revisions behind. Needs `illegal`. */
 | {
    readonly bookmarksBehind: number;
}
/** Any event. Needs `illegal`. */
 | {
    readonly inject: JsonObject;
};
export interface FaultRule {
    readonly match?: FaultMatch;
    readonly at?: FaultAt;
    readonly do: FaultAction;
    /** Number of requests that it applies to. @default 1 */
    readonly times?: number;
    /** Probability that the rule applies to a matching request. @default 1 */
    readonly probability?: number;
    /** Forgotten after so long. */
    readonly forMs?: number;
    /** Says that you know: no real server does this, and no client has to survive it. */
    readonly illegal?: true;
}
export interface FaultHandle {
    readonly id: number;
    /** Resolves when it strikes for the first time. */
    readonly hit: Promise<void>;
    /** Resolves when it has struck as often as it may. */
    readonly done: Promise<void>;
    /** Number of requests that it has applied to. */
    readonly count: number;
    /** From now on nothing is hit; what is held back or slowed down goes on. */
    remove(): void;
}
/** A rule that struck. */
export interface FiredFault {
    /** Milliseconds since 1970. */
    readonly time: number;
    readonly rule: number;
    readonly fault: string;
    readonly verb: string;
    readonly path: string;
}
// faults/menu.d.ts
import { type Faults } from '../http/seams.ts';
import { type FaultHost, type RotateOptions } from './fault-host.ts';
import { type OldServer } from './old-servers.ts';
import { type ActiveRule } from './rules/rule-book.ts';
import type { CutKind, FaultHandle, FaultMatch, FaultRule, FiredFault, StatusAnswer } from './rules/rule.ts';
import { type ScenarioHandle, type ScenarioName, type ScenarioOptions } from './scenarios.ts';
/** Many rules, undone together. */
export interface Undo {
    remove(): void;
}
export interface TooManyRequests {
    /** @default 1 */
    readonly times?: number;
    /** Undefined: the client is told nothing about when to come back. */
    readonly retryAfterSeconds?: number;
    /** A line of text instead of a Status, as servers answer that are overloaded before they know who asks. @default false */
    readonly plain?: boolean;
    readonly match?: FaultMatch;
}
export interface FailRequests {
    readonly status: number | StatusAnswer;
    /** @default 1 */
    readonly times?: number;
    /** A page as load balancers have them. @default false */
    readonly html?: boolean;
    readonly match?: FaultMatch;
}
/**
 * Everything that can go wrong with a server, on request.
 *
 *     server.faults.add({ match: { verb: 'watch', resource: 'pods' }, at: { event: 3, offset: 'mid-utf8' }, do: { cut: 'rst' } });
 *     server.faults.cutWatches();
 *     server.faults.expireHistory();
 *
 * - A rule strikes requests that come, and watches that are open. While there is no rule, no request is looked at.
 * - What struck is in `fired` and, with the request it struck, in `server.requests`.
 * - Time and chance are the server's `env`: the same env and the same requests give the same faults.
 * - What a real server can never show has to be asked for with `illegal: true`.
 */
export declare class FaultMenu {
    #private;
    constructor(host: FaultHost);
    /** The seams that the server calls. */
    get seams(): Faults;
    /** Faults that fired, oldest first. */
    get fired(): readonly FiredFault[];
    /** The rules at work. */
    get rules(): readonly ActiveRule[];
    /** Your own code at the seams, before the rules; for what no rule can say. Without an argument: none. */
    use(seams?: Faults): void;
    add(rule: FaultRule, random?: () => number): FaultHandle;
    /** One rule after the other: each waits until the one before it has struck as often as it should. */
    sequence(rules: readonly FaultRule[]): FaultHandle;
    /** The rule of an id that still can strike, or the sequence that it is a part of. */
    find(id: number): FaultHandle | undefined;
    /**
     * Everything is well again: no rules, the door is open, the clock is right, and a certificate that had run out is
     * replaced. What is lost stays lost: tokens, history, an authority that was given up.
     */
    clear(): void;
    /** Cuts the watches that are open; returns how many. */
    cutWatches(match?: FaultMatch, how?: CutKind): number;
    /** Open watches hear nothing more, and their connections stay: a peer that is dead. Returns how many. */
    silence(match?: FaultMatch, options?: {
        readonly deaf?: boolean;
    }): number;
    /** Forgets the past: watches and lists of older versions are answered with 410. */
    expireHistory(revision?: number): void;
    /** No event reaches a watch that matches until `resumeEvents`. Every call adds to those before it. */
    pauseEvents(match?: FaultMatch): void;
    /** Delivers the events that were held back, in order, on all watches. */
    resumeEvents(): void;
    tooManyRequests(options?: TooManyRequests): FaultHandle;
    failRequests(options: FailRequests): FaultHandle;
    /** The next updates of a resource get a 409 conflict. */
    conflicts(options?: {
        readonly times?: number;
        readonly match?: FaultMatch;
    }): FaultHandle;
    slowLists(ms: number, jitterMs?: number): FaultHandle;
    /** Refuses streaming lists, as servers before 1.34 do unless told otherwise. */
    withoutWatchList(): Undo;
    /** Watches get no bookmarks, except the one that ends the initial events. */
    withoutBookmarks(): FaultHandle;
    /** Streaming lists never say that they are complete. */
    withoutEndBookmark(): FaultHandle;
    /** Behaves like another server, as far as clients of informers can tell. */
    emulate(server: OldServer): Undo;
    /** The caches of a server that has just started: 429 for reads, for a while. */
    initializing(forMs: number, match?: FaultMatch): FaultHandle;
    /** Closes the port: new connections are refused. */
    refuseConnections(): Promise<Undo>;
    /** New connections are taken, and then nothing happens: no handshake, no answer. */
    stallConnections(): Promise<Undo>;
    /** Tells every client of HTTP/2 to come back with another connection. */
    sayGoodbye(): void;
    /** The administrator's token is refused from now on; the next one is returned, and `server.token`. Watches go on. */
    expireToken(options?: {
        readonly cutWatches?: boolean;
    }): string;
    /** New handshakes get another certificate; connections that are open stay. */
    rotateCertificates(options?: RotateOptions): void;
    /** Moves the time that objects and headers show, and nothing else. 0: as it was. */
    clockSkew(ms: number): void;
    /** A bad day, ready made. */
    scenario(name: ScenarioName, options?: ScenarioOptions): ScenarioHandle;
}
// faults/old-servers.d.ts
import type { FaultRule } from './rules/rule.ts';
/**
 * - `1.33`: no streaming lists.
 * - `1.20`: nor aggregated discovery, OpenAPI v3 and field validation.
 * - `1.15`: nor bookmarks, and unknown parameters are ignored without a word.
 * - `no-tables`, `no-gzip`, `no-metadata-only`, `no-version-match`: aggregated servers and proxies that lack one thing.
 */
export type OldServer = '1.33' | '1.20' | '1.15' | 'no-tables' | 'no-gzip' | 'no-metadata-only' | 'no-version-match';
/** The rules that make another server of this one. */
export declare function oldServer(name: OldServer): readonly FaultRule[];
// faults/scenarios.d.ts
import type { FaultHost } from './fault-host.ts';
import type { FaultMenu } from './menu.ts';
export type ScenarioName = 'expired-on-resume' | 'flaky-network' | 'rolling-restart' | 'etcd-restore' | 'old-server' | 'overload';
export interface ScenarioOptions {
    /** Chance of its own; the same seed gives the same faults for the same requests. @default the server's env */
    readonly seed?: number;
    /** `etcd-restore`: how long until the state of now comes back. `rolling-restart`: between two restarts. @default 200 */
    readonly afterMs?: number;
}
export interface ScenarioHandle {
    /** Resolves when nothing more will happen; for those that go on by themselves, when they are removed. */
    readonly done: Promise<void>;
    remove(): void;
}
export declare function runScenario(menu: FaultMenu, host: FaultHost, name: ScenarioName, options: ScenarioOptions): ScenarioHandle;
// storage/watch/bookmarks.d.ts
import type { Env } from 'kube-informer/core';
export interface BookmarkOptions {
    /** Time between two bookmarks of a watch. @default 60_000 */
    readonly everyMs?: number;
    /** Interval of the check for watches that are due. @default 1_000 */
    readonly tickMs?: number;
    /** A last bookmark is sent so long before a watch ends. @default 2_000 */
    readonly beforeEndMs?: number;
}
/** A watch as the timer of bookmarks sees it. */
export interface Bookmarked {
    readonly signal: AbortSignal;
    bookmark(revision: number): void;
}
/**
 * Tells watchers from time to time how far the store is, so that they can resume from there.
 *
 * One timer for all of them; it is off while no watch wants bookmarks.
 */
export declare class Bookmarks {
    #private;
    constructor(env: Env, revision: () => number, options?: BookmarkOptions);
    add(watcher: Bookmarked, from: number, lifetimeMs: number): void;
}
// server.d.ts
import type { IssuedCertificate } from './auth/certificates/authority.ts';
import { UserTable } from './auth/user/user-table.ts';
import type { ApiObject } from './core/object.ts';
import type { Admin } from './faults/admin/admin.ts';
import { type RestartOptions, type RestoreOptions } from './faults/fault-host.ts';
import { FaultMenu } from './faults/menu.ts';
import { type RequestEntry } from './http/request-log.ts';
import { type WatchInfo } from './http/watches.ts';
import type { ApiServerOptions } from './options.ts';
import { type ServerData } from './server/identity.ts';
import { LocalClient } from './server/local-client.ts';
import type { Replica, ReplicaOptions } from './server/replica.ts';
import { type Awaited } from './server/waiters.ts';
import { Store, type StoreSnapshot } from './storage/store/store.ts';
/**
 * A Kubernetes API server in this process.
 *
 * It answers from the moment `startApiServer` resolves until it is closed. Everything it holds is in memory. Writes made
 * through `load` and through HTTP are the same to every client.
 */
export declare class ApiServer implements AsyncDisposable {
    #private;
    /** Faults to inject. */
    readonly faults: FaultMenu;
    /** `data` is open, and ends with the server. */
    constructor(options: ApiServerOptions, data?: ServerData);
    start(): Promise<void>;
    /** The administrator's bearer token. */
    get token(): string;
    /** The endpoint to drive this server from other processes; only where the option `admin` asks for it. */
    get admin(): Pick<Admin, 'url' | 'token'> | undefined;
    /** `https://127.0.0.1:40123` */
    get url(): string;
    /** Certificate authority that clients must trust, PEM; undefined without TLS. */
    get ca(): string | undefined;
    /** The last requests, oldest first. */
    get requests(): readonly RequestEntry[];
    /** The verbs without HTTP. */
    get local(): LocalClient;
    get store(): Store;
    get users(): UserTable;
    readonly history: {
        compact(revision?: number): void;
    };
    get revision(): {
        readonly current: number;
        jump(revisions: number): void;
    };
    /**
     * Goes down and comes back at the same address with the same certificates, like a process that is started again:
     * connections break, and watches cannot start from before.
     */
    restart(options?: RestartOptions): Promise<void>;
    /** All objects as they are now, for `restore`. */
    snapshot(): StoreSnapshot;
    /** Everything is as it was, and open watches end: a storage that was restored from a backup. */
    restore(snapshot: StoreSnapshot, options?: RestoreOptions): void;
    /** A second address of the same cluster, where reads are behind. It ends with this server. */
    addReplica(options?: ReplicaOptions): Promise<Replica>;
    watchers(): readonly WatchInfo[];
    /** A kubeconfig of the administrator, as text. It holds secrets. */
    kubeconfig(): string;
    /** The same as a file that only this user can read. */
    writeKubeconfig(path: string): Promise<void>;
    /** A client certificate of a user, signed by this server's authority. */
    issueClientCertificate(user: {
        readonly name: string;
        readonly groups?: readonly string[];
    }): IssuedCertificate;
    /**
     * Stores objects as they are, without the rules of their kinds: the quick way to a full server. What is there already
     * is changed and keeps its uid, and where nothing changes there is no event.
     */
    load(objects: Iterable<ApiObject>): number;
    /** Resolves when no request is being answered (open watches do not count) and every event is on its way. */
    idle(): Promise<void>;
    /** Resolves when it is so. */
    waitFor(what: Awaited): Promise<void>;
    /** Ends every watch, cuts every connection, frees the port. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
// auth/user/user-table.d.ts
import type { Env } from 'kube-informer/core';
import type { User } from '../../core/user.ts';
export declare const AUTHENTICATED = "system:authenticated";
export declare const UNAUTHENTICATED = "system:unauthenticated";
/** Members may do everything, whatever the stored roles say. */
export declare const MASTERS = "system:masters";
/** The user of requests without credentials, where those are allowed. */
export declare const ANONYMOUS: User;
export declare const ADMIN: User;
/** Default audience of a token: this server. */
export declare const API_AUDIENCE = "https://kubernetes.default.svc";
export interface TokenOptions {
    /** The token itself. @default a random one */
    readonly token?: string;
    /** Milliseconds since 1970 from which on the token is refused. @default never */
    readonly expiresAt?: number;
    /** @default this server */
    readonly audiences?: readonly string[];
}
export interface KnownToken {
    readonly user: User;
    readonly expiresAt: number;
    readonly audiences: readonly string[];
}
/** A token as it is kept on file. */
export interface SavedToken extends TokenOptions {
    readonly token: string;
    readonly user: User;
}
/**
 * Bearer tokens and whose they are.
 *
 * A token works from the moment it is added until it expires or is revoked; both are noticed by the next request, while
 * streams that are already open go on, as they do in a real cluster. Expired tokens are kept long enough to say that
 * they have expired, and forgotten when others are added.
 */
export declare class UserTable {
    #private;
    /** Told after every change. */
    onChange: () => void;
    constructor(env: Pick<Env, 'wallNow'>);
    /** Lets `user` in, and gives the token it must show. */
    add(user: User, options?: TokenOptions): string;
    /** All tokens, expired ones too, in the form that `add` takes. */
    entries(): readonly SavedToken[];
    revoke(token: string): boolean;
    /** All tokens of a user: its service account is gone. */
    revokeUser(name: string): number;
    /** Lets a token, or every token, run out at a time; the past is allowed. */
    expire(token: string | undefined, at?: number): void;
    /** The entry of a token, expired or not. */
    find(token: string): KnownToken | undefined;
    hasExpired({ expiresAt }: KnownToken): boolean;
    /** The user of a token that is good for this server now. */
    userOf(token: string): User | undefined;
}
/** Adds the group of all authenticated users. */
export declare function asAuthenticated(user: User): User;
// server/identity.d.ts
import type { IssuedCertificate } from '../auth/certificates/authority.ts';
import type { SavedToken } from '../auth/user/user-table.ts';
import type { DataDirectory } from '../storage/durable/data-directory.ts';
/** Secrets that outlive a restart, so that kubeconfigs written before it still work. */
export interface Identity {
    /** The administrator's token. */
    readonly token: string;
    /** Every token that was given out, the administrator's as well. */
    readonly tokens?: readonly SavedToken[];
    /** The certificate authority with its key. */
    readonly authority?: IssuedCertificate | undefined;
}
/** A data directory that keeps the identity of a server as well. */
export type ServerData = DataDirectory<Identity>;
/** The tokens of all users but the administrator, whose next token may be another. */
export declare function userTokens({ token: admins, tokens }: Identity): readonly SavedToken[];
// storage/durable/data-directory.d.ts
import { type Env } from 'kube-informer/core';
import type { Store, StoreSnapshot } from '../store/store.ts';
/**
 * Keeps what a server holds in a directory, from one process to the next.
 *
 * - `take` gives everything as it was: uids, versions, definitions. What happened before is not kept: a watch from an
 *   older version is told that it has expired, as after any restart of a server.
 * - After `follow` every change of the store goes to the log; `settled` tells when it is there. What a server has told
 *   anybody is on file before, so kill -9 takes nothing back.
 */
export declare class DataDirectory<Identity extends object> {
    #private;
    /** What `keep` was last given: secrets by which clients know the server. */
    readonly identity: Identity | undefined;
    private constructor();
    /** Makes the directory if it is missing. Throws while another process has it. */
    static open<Identity extends object>(dir: string, env: Env): Promise<DataDirectory<Identity>>;
    /** The last one that was given out; 0: nothing is here yet. */
    get revision(): number;
    /** Everything that was found, once. */
    take(): StoreSnapshot;
    follow(store: Store): void;
    /** Resolves when everything that happened is on file; undefined when it is already. */
    settled(): Promise<void> | undefined;
    /** After everything was replaced at once, which no change tells of. */
    rewrite(): void;
    /** Remembers an identity for the next start. Of several at once only the last is written. */
    keep(identity: Identity): Promise<void>;
    close(): Promise<void>;
}
// server/local-client.d.ts
import type { Env } from 'kube-informer/core';
import type { Resource } from '../api/schema/resource.ts';
import type { ChangeType, ControllerHost, RemoveOptions } from '../controllers/controller-host.ts';
import type { ApiObject } from '../core/object.ts';
import type { User } from '../core/user.ts';
import type { Served } from '../registry/served.ts';
import { type Api } from '../verbs/api.ts';
/**
 * The verbs without HTTP: for controllers, seeds and bulk loads in the same process.
 *
 * By the same rules as a request, on behalf of the server itself; failures are StatusErrors. What is read is shared and
 * must not be changed; what is handed in is copied.
 */
export declare class LocalClient implements ControllerHost {
    #private;
    readonly env: Env;
    constructor(api: Api, user: User);
    resources(): readonly Resource[];
    list(group: string, resource: string, namespace?: string): readonly ApiObject[];
    get(group: string, resource: string, namespace: string, name: string): ApiObject | undefined;
    create(group: string, resource: string, object: ApiObject): ApiObject;
    update(group: string, resource: string, object: ApiObject, subresource?: 'status' | 'finalize'): ApiObject;
    /** The object as it is now, or as it was last. */
    remove(group: string, resource: string, namespace: string, name: string, options?: RemoveOptions): ApiObject;
    removeFrom(served: Served, namespace: string, name: string, options?: RemoveOptions): ApiObject;
    watch(group: string, resource: string, onChange: (type: ChangeType, object: ApiObject) => void): () => void;
    /** Stores objects of any kind without the rules of their kinds: see `load`. */
    load(objects: Iterable<ApiObject>): number;
}
// registry/served.d.ts
import type { Strategy } from '../api/kinds/strategy.ts';
import type { FieldLookup } from '../api/meta/field-lookup.ts';
import type { Resource } from '../api/schema/resource.ts';
import type { TableFormat } from '../api/table/table-format.ts';
import type { ApiObject } from '../core/object.ts';
import type { Collection } from '../storage/store/collection.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
/** Another shape of the same stored objects: `events.k8s.io/v1` of `v1` Events, `v2` of a custom resource in `v1`. */
export interface Conversion {
    toStored(object: ApiObject): ApiObject;
    fromStored(object: ApiObject): ApiObject;
}
export interface ServedParts {
    readonly resource: Resource;
    readonly collection: Collection;
    readonly strategy: Strategy;
    readonly fields: FieldLookup;
    /** Loaded for the first request that wants a Table. */
    readonly table: () => Promise<TableFormat>;
    readonly conversion?: Conversion | undefined;
    /** Warnings that every request gets: `v1 Endpoints is deprecated …`. */
    readonly deprecation?: string | undefined;
}
/** One version of one resource, with everything that answering requests about it takes. */
export declare class Served {
    #private;
    readonly resource: Resource;
    readonly collection: Collection;
    readonly strategy: Strategy;
    readonly fields: FieldLookup;
    readonly deprecation: string | undefined;
    readonly apiVersion: string;
    readonly conversion: Conversion | undefined;
    /** The text before a record's bytes: kind and apiVersion, in the order of the layout. */
    readonly head: string;
    constructor({ resource, collection, strategy, fields, table, conversion, deprecation }: ServedParts);
    table(): Promise<TableFormat>;
    /** The object of a record as this version shows it. Shared below its first level: copy before changing it. */
    object(record: StoredRecord): ApiObject;
    /** With kind and apiVersion in front. */
    named(object: ApiObject): ApiObject;
    /** The object as it would be read after it was stored. */
    asStored(object: ApiObject): ApiObject;
    /** Writes an object of this version. */
    put(object: ApiObject): StoredRecord;
    /** The same, but where nothing would change nothing is written. */
    change(object: ApiObject): void;
}
// api/kinds/strategy.d.ts
import type { FieldError } from '../../core/field-error.ts';
import type { ApiObject } from '../../core/object.ts';
import type { Resource } from '../schema/resource.ts';
import type { ScalePaths, StrategyContext } from './common/rules.ts';
import { type KindFacts } from './facts.ts';
/**
 * How one kind behaves under the verbs: data for the verbs to read, and functions that work on an object on its way
 * into the store. The functions change the copy they are given, do not look at the store and take no time.
 *
 * The order of a write: `applyDefaults` on what the client sent, `prepare…` when name, uid and old object are known,
 * then `validate…`, then the store.
 */
export interface Strategy extends KindFacts {
    applyDefaults(object: ApiObject): void;
    prepareCreate(object: ApiObject, context: StrategyContext): void;
    prepareUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    prepareStatusUpdate(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    validate(object: ApiObject): FieldError[];
    validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
    validateStatusUpdate(next: ApiObject, old: ApiObject): FieldError[];
    /** Throws where the object may not be deleted at all. */
    beforeDelete?(object: ApiObject): void;
    empty?(object: ApiObject): void;
    readonly scale?: ScalePaths;
    /** Whether a part of the object is written by itself; `status` is known anyway. */
    hasPart(subresource: string): boolean;
    preparePartUpdate(subresource: string, next: ApiObject, old: ApiObject): void;
    validatePartUpdate(subresource: string, next: ApiObject, old: ApiObject): FieldError[];
}
export declare function strategyFor(resource: Resource): Strategy;
// core/field-error.d.ts
import type { Json } from './json.ts';
/** A field error: one line of a 422 and one cause of it. */
export interface FieldError {
    readonly reason: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueNotSupported' | 'FieldValueDuplicate' | 'FieldValueNotFound' | 'FieldValueTooLong' | 'FieldValueTooMany' | 'FieldValueTypeInvalid' | 'InternalError';
    readonly field: string;
    /** Without the field: `Invalid value: "x": must be …`. */
    readonly message: string;
}
type Value = Json | undefined;
export declare const invalidField: (field: string, value: Value, detail: string) => FieldError;
export declare const wrongType: (field: string, value: Value, detail: string) => FieldError;
export declare const requiredField: (field: string, detail?: string) => FieldError;
export declare const forbiddenField: (field: string, detail: string) => FieldError;
export declare const duplicateField: (field: string, value: Value) => FieldError;
export declare const tooLongField: (field: string, detail: string) => FieldError;
export declare const tooManyField: (field: string, value: Value, detail: string) => FieldError;
export declare function unsupportedField(field: string, value: Value, supported: readonly string[]): FieldError;
/** `undefined` as value means that the message shows none. */
export declare function fieldError(reason: FieldError['reason'], field: string, value: Value, detail: string): FieldError;
/** A number as Go prints it: a fraction has an exponent when it is small, or a million and more. */
export declare function goNumber(value: number): string;
/** All errors as one text: one as it is, several in brackets, each said once. */
export declare function aggregate(errors: readonly FieldError[]): string;
export {};
// api/kinds/common/rules.d.ts
import type { Env } from 'kube-informer/core';
import type { FieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import type { User } from '../../../core/user.ts';
/** The server as a strategy sees it during one request. */
export interface StrategyContext {
    /** RFC 3339 with seconds: `2026-01-01T00:00:00Z`. */
    readonly now: string;
    readonly env: Env;
    /** An unused service address, or the wanted one. Throws `AllocationError`. */
    allocateClusterIp(wanted?: string): string;
    /** An unused node port, or the wanted one. Throws `AllocationError`. */
    allocateNodePort(wanted?: number): number;
    /** The user that sent the request: certificate requests carry it. */
    readonly user?: User;
}
/** An address or port that cannot be had. The strategy knows the field it was for. */
export declare class AllocationError extends Error {
    readonly name = "AllocationError";
}
/** The fields of a kind that hold its replicas. Paths as in a CustomResourceDefinition: `.spec.replicas`. */
export interface ScalePaths {
    readonly specReplicas: string;
    readonly statusReplicas: string;
    /** The selector as text, as autoscalers want it. */
    selector(object: ApiObject): string;
}
/**
 * What one kind does differently from a plain one. All functions change the working copy they are given, and none of
 * them looks at the store.
 */
export interface KindRules {
    /** Fills in the defaults of the kind; run again on every write. */
    defaults?(object: ApiObject): void;
    /** After name and uid are known. */
    prepareCreate?(object: ApiObject, context: StrategyContext): void;
    prepareUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    prepareStatusUpdate?(next: ApiObject, old: ApiObject, context: StrategyContext): void;
    validate?(object: ApiObject): FieldError[];
    validateUpdate?(next: ApiObject, old: ApiObject): FieldError[];
    /** Used for a write to `status` in place of `validateUpdate`. */
    validateStatusUpdate?(next: ApiObject, old: ApiObject): FieldError[];
    /** Throws where the object may not be deleted at all. */
    beforeDelete?(object: ApiObject): void;
    /** Adds to an empty object, as in a bookmark, what the server shows there: its own type has values where this one has none. */
    empty?(object: ApiObject): void;
    readonly scale?: ScalePaths;
    /** Parts of the object that are written by themselves, besides `status`. */
    readonly subresources?: Readonly<Record<string, SubresourceRules>>;
}
export interface SubresourceRules {
    /** Puts back what is not written through here. */
    prepareUpdate(next: ApiObject, old: ApiObject): void;
    validateUpdate(next: ApiObject, old: ApiObject): FieldError[];
}
// api/kinds/facts.d.ts
import type { Resource } from '../schema/resource.ts';
export interface KindFacts {
    readonly hasStatus: boolean;
    readonly generation: 'none' | 'spec';
    readonly allowsUnconditionalUpdate: boolean;
    readonly allowsCreateOnUpdate: boolean;
    readonly returnsDeletedObject: boolean;
    readonly gracefulDeletion: boolean;
    readonly defaultPropagation: 'Background' | 'Orphan';
    /** False: propagation policies leave no finalizers on it. */
    readonly hasDependents: boolean;
    readonly statusKeepsMetadata: boolean;
}
export declare const kindKey: ({ group, resource }: Pick<Resource, 'group' | 'resource'>) => string;
export declare function factsOf(resource: Resource): KindFacts;
// api/meta/field-lookup.d.ts
import type { ApiObject } from '../../core/object.ts';
import type { Resource } from '../schema/resource.ts';
/** Reads one field of an object as field selectors compare it. */
export type FieldReader = (object: ApiObject) => string;
/** By which fields the objects of a resource can be selected. */
export interface FieldLookup {
    /** Undefined: objects cannot be selected by this field. */
    reader(field: string): FieldReader | undefined;
    /** The server's complaint about such a field. */
    unsupported(field: string): string;
}
/** `selectableFields`: those of a custom resource's version, as JSON paths (`.spec.color`). */
export declare function fieldLookup(resource: Pick<Resource, 'group' | 'resource' | 'namespaced' | 'custom'>, selectableFields?: readonly string[]): FieldLookup;
// api/table/table-format.d.ts
import type { Json } from '../../core/json.ts';
import type { ApiObject } from '../../core/object.ts';
/** A column of a Table answer, as the wire has it. */
export interface ColumnDefinition {
    readonly name: string;
    readonly type: string;
    readonly format: string;
    readonly description: string;
    readonly priority: number;
}
/** Shows the objects of one resource as rows. */
export interface TableFormat {
    readonly columns: readonly ColumnDefinition[];
    /** One cell per column. `now` is milliseconds since 1970, for ages. */
    cells(object: ApiObject, now: number): Json[];
    /** No objects are no list of rows, not an empty one. */
    readonly isNullWhenEmpty?: boolean;
    /** `conditions` of the row, for the kinds whose rows have any. */
    conditions?(object: ApiObject): Json[] | undefined;
}
// verbs/api.d.ts
import type { Env } from 'kube-informer/core';
import type { WriteRequest as ManagedWrite } from '../api/apply/write-request.ts';
import type { StrategyContext } from '../api/kinds/common/rules.ts';
import type { ApiObject } from '../core/object.ts';
import type { User } from '../core/user.ts';
import type { Registry } from '../registry/registry.ts';
import type { Served } from '../registry/served.ts';
import type { Store } from '../storage/store/store.ts';
import type { StoredRecord } from '../storage/store/stored-record.ts';
import type { FieldValidation } from './request/query.ts';
/** The server as the verbs see it. */
export interface Api {
    readonly env: Env;
    readonly store: Store;
    readonly registry: Registry;
    /** Makes the context in which kinds prepare their objects. */
    readonly kindContext: () => StrategyContext;
    /** False: objects get no managedFields. */
    readonly tracksManagers: boolean;
}
/** The object of a request, and the user that sent it. */
export interface Target {
    readonly served: Served;
    readonly namespace: string;
    readonly name: string;
    /** Empty: the object itself. */
    readonly subresource: string;
    readonly user: User;
    /** A line for the client's eyes: the `Warning` header. */
    readonly warn: (text: string) => void;
    /** Throws where this user may change what is there and not make it: asked by a PUT or an apply that has to. */
    readonly requireCreate?: () => void;
    /**
     * Throws when whoever asked is gone: his connection was cut, perhaps by a restart, and what is stored now may be
     * another cluster than the one he meant. From there to the write nothing waits.
     */
    readonly requireHere?: () => void;
}
export interface WriteOptions {
    readonly dryRun: boolean;
    readonly fieldManager: string;
    readonly fieldValidation: FieldValidation;
}
/** The answer to a write: an object that is stored as bytes already, or one that is not stored. */
export interface Written {
    readonly status: 200 | 201 | 202;
    readonly object: ApiObject;
    /** Set when the object is exactly this record. */
    readonly record?: StoredRecord;
}
export declare const now: ({ env }: Api) => string;
/** Describes a write for the bookkeeping of managedFields. */
export declare function managedWrite(api: Api, { served, subresource }: Target, manager: string): ManagedWrite;
// api/apply/write-request.d.ts
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/object.ts';
import type { Resource } from '../schema/resource.ts';
import type { Schema } from '../schema/schema.ts';
import { type Owner } from './owners.ts';
import type { Scope } from './ownership.ts';
/** The manager of a write, the object's type, and the subresource written to. */
export interface WriteRequest {
    /** As `managerName` says it. */
    readonly manager: string;
    readonly apiVersion: string;
    readonly schema: Schema | undefined;
    readonly subresource?: string | undefined;
    /** RFC 3339 in whole seconds. */
    readonly now: string;
    /** Tells which fields the request cannot change, and whether the kind is a Go type. Without it: none, and no. */
    readonly resource?: Resource | undefined;
    /** The other versions of the kind; undefined for one that is not served. Without it all versions are alike. */
    readonly versions?: ((apiVersion: string) => OtherVersion | undefined) | undefined;
}
export interface OtherVersion {
    readonly schema: Schema | undefined;
    /** Without it the fields are the same in this version. */
    convert?(object: ApiObject): ApiObject;
}
export declare function scopeOf({ apiVersion, schema, subresource, resource, versions }: WriteRequest): Scope;
/** The request's owner, with nothing yet. */
export declare function ownerOf({ manager, apiVersion, subresource }: WriteRequest, operation: Owner['operation']): Owner & {
    readonly id: string;
};
/** The object that fields are compared in: without the record of who owns them. */
export declare function withoutManagedFields(object: ApiObject | undefined): JsonObject;
/** The parts of `object` that a server keeps. */
export declare const kept: (object: JsonObject, request: WriteRequest) => JsonObject;
/** `object` as a server compares it. */
export declare const comparable: (object: JsonObject, request: WriteRequest) => JsonObject;
// api/apply/owners.d.ts
import type { ManagedFields } from '../../core/object.ts';
import { FieldSet } from './fields/field-set.ts';
/** One entry of `metadata.managedFields`: who owns which fields, in the words of which version. */
export interface Owner {
    readonly manager: string;
    readonly operation: 'Apply' | 'Update';
    readonly apiVersion: string;
    readonly subresource: string;
    readonly time: string | undefined;
    readonly fields: FieldSet;
}
/** Owners by `ownerId`. */
export type Owners = Map<string, Owner>;
type Identity = Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;
/**
 * What makes two entries the same owner. An applier is the same whatever version it speaks; an updater is another one
 * in each version. The text also orders the owners in a conflict's message, so its form is that of a real server.
 */
export declare function ownerId({ manager, operation, apiVersion, subresource }: Identity): string;
/** Throws where an entry is not valid; what is to become of the object then is the caller's business. */
export declare function decodeOwners(entries: readonly ManagedFields[] | null | undefined): Owners;
export declare function encodeOwners(owners: Owners): ManagedFields[];
/** Merges the oldest updaters of each version into one called `ancient-changes`. */
export declare function capUpdaters(owners: Owners): Owners;
export {};
// api/apply/fields/field-set.d.ts
import type { JsonObject } from '../../../core/json.ts';
import { type PathElement } from './path-element.ts';
export type FieldPath = readonly PathElement[];
/**
 * A set of field paths: what one manager owns. A path in the set says nothing of its parents or children: owning a
 * list item (`.`) and owning a field of it are two things.
 *
 * Built with `add`, then left alone: every operation answers with a new set, which may share parts with the old ones.
 */
export declare class FieldSet {
    #private;
    constructor(paths?: Iterable<FieldPath>);
    /** Throws on anything that is not FieldsV1. */
    static fromFieldsV1(fields: JsonObject): FieldSet;
    get isEmpty(): boolean;
    /** The empty path is no member of any set: nobody owns the whole object. */
    add(path: FieldPath): void;
    has(element: PathElement): boolean;
    hasPath([element, ...rest]: FieldPath): boolean;
    /** The paths under `element`, without it. */
    below(element: PathElement): FieldSet;
    /** Every step that is a member or has members below. */
    get elements(): ReadonlySet<PathElement>;
    /** All paths in order; those of one level before those below it. */
    paths(prefix?: FieldPath): Generator<FieldPath>;
    union(other: FieldSet): FieldSet;
    intersection(other: FieldSet): FieldSet;
    difference(other: FieldSet): FieldSet;
    /** The difference that takes with a path everything below it. */
    without(other: FieldSet): FieldSet;
    equals(other: FieldSet): boolean;
    toFieldsV1(): JsonObject;
}
// api/apply/fields/path-element.d.ts
import type { Json } from '../../../core/json.ts';
/**
 * One step of a field path, in the text form of FieldsV1: `f:name` a field, `k:{"name":"x"}` a list item by its keys,
 * `v:"x"` a member of a set, `i:0` an index. The text is canonical, so equal steps are equal strings.
 */
export type PathElement = string;
export declare const fieldElement: (name: string) => PathElement;
export declare const valueElement: (value: Json) => PathElement;
export declare function keyElement(keys: readonly (readonly [string, Json])[]): PathElement;
/** The field's name, or undefined where the step is not a field. */
export declare const fieldName: (element: PathElement) => string | undefined;
/** The canonical form of a key of FieldsV1. Undefined: of a kind not known here, to be skipped. Throws if malformed. */
export declare function parseElement(text: string): PathElement | undefined;
/** As messages show it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export declare function showElement(element: PathElement): string;
export declare const showPath: (path: readonly PathElement[]) => string;
/** Fields come first, then items by key, members of sets, indexes; each kind in the order of its content. */
export declare function inOrder(elements: Iterable<PathElement>): PathElement[];
// api/apply/ownership.d.ts
import type { JsonObject } from '../../core/json.ts';
import { type Comparison } from './fields/compare-fields.ts';
import type { FieldPath, FieldSet } from './fields/field-set.ts';
import type { MergeType } from './fields/merge-type.ts';
import type { Owner, Owners } from './owners.ts';
/** An object in one version. */
export interface ObjectVersion {
    readonly type: MergeType;
    convert(object: JsonObject): JsonObject;
}
/** The versions an owner may have spoken, and what no owner may own. */
export interface Scope {
    /** Undefined: a version that is not served any more. Its owners are forgotten. */
    version(apiVersion: string): ObjectVersion | undefined;
    /** Fields, with everything below them, that a request through this door cannot change. */
    readonly reset: FieldSet;
}
export interface Conflict {
    readonly owner: Owner;
    /** The key of `owner` among the owners. */
    readonly id: string;
    readonly path: FieldPath;
}
export interface Change {
    readonly before: JsonObject;
    readonly after: JsonObject;
    /** Version of the request, which `before` and `after` are in. */
    readonly apiVersion: string;
}
/** The change as each version sees it, without the fields that cannot change. Undefined for versions not served. */
export type Comparisons = (apiVersion: string) => Comparison | undefined;
export declare function comparisonsOf(change: Change, scope: Scope): Comparisons;
/** The fields that somebody else than `self` owns and the change touches. */
export declare function conflictsOf(compared: Comparisons, owners: Owners, self: string): Conflict[];
/** Takes from every owner but `self` what the change touches. Owners with nothing left, or of dead versions, go. */
export declare function disown(compared: Comparisons, owners: Owners, self?: string): Owners;
/** The owners with their fields as the types have them today. */
export declare function fitOwners(owners: Owners, scope: Scope): Owners;
// api/apply/fields/compare-fields.d.ts
import { type Json } from '../../../core/json.ts';
import { FieldSet } from './field-set.ts';
import { type MergeType } from './merge-type.ts';
/** The changes of an update, field by field. No path is in two of the sets. */
export interface Comparison {
    readonly added: FieldSet;
    readonly modified: FieldSet;
    readonly removed: FieldSet;
}
export declare function compareFields(before: Json, after: Json, type: MergeType): Comparison;
// api/apply/fields/merge-type.d.ts
import type { Json } from '../../../core/json.ts';
/**
 * What server-side apply needs to know of a type: what its values may be, and whether lists and maps are owned whole
 * or in parts. A type may allow several forms; a value decides between them.
 */
export interface MergeType {
    readonly scalar: Scalar | undefined;
    readonly list: ListType | undefined;
    readonly map: MapType | undefined;
}
export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';
export interface ListType {
    /** `atomic`: owned whole. `set`: items are told apart by their value. `map`: by the fields `keys`. */
    readonly kind: 'atomic' | 'set' | 'map';
    readonly keys: readonly string[];
    readonly items: MergeType;
}
export interface MapType {
    readonly isAtomic: boolean;
    /** Type of a field that this type names. */
    field(name: string): MergeType | undefined;
    /** Default of a named field that an item leaves out: `protocol: TCP`. */
    fieldDefault(name: string): Json | undefined;
    /** Type of all other fields. Undefined: no others are allowed. */
    readonly values: MergeType | undefined;
}
/** The type of the value under `name` in a map. */
export declare const fieldType: (map: MapType, name: string) => MergeType | undefined;
export type Form = 'map' | 'scalar' | 'list';
/** The form that `value` has under `type`. Values that tell nothing (null, absent, a wrong type) get the first form. */
export declare function formOf(type: MergeType, value: Json | undefined): Form;
// registry/registry.d.ts
import type { Resource } from '../api/schema/resource.ts';
import type { Served } from './served.ts';
/**
 * Which resources the server serves at the moment.
 *
 * Built-in ones never change; those of a CustomResourceDefinition come and go as a set. `version` differs after every
 * change, for what is made from the list and kept: discovery, OpenAPI.
 */
export declare class Registry {
    #private;
    get version(): number;
    add(served: Served): void;
    /** All served versions of a definition; none takes it away. */
    setCustom(definition: string, served: readonly Served[]): void;
    /** Names of the definitions that are served. */
    definitions(): readonly string[];
    custom(definition: string): readonly Served[];
    find(group: string, version: string, resource: string): Served | undefined;
    /** Any version of a resource: controllers do not care which. */
    findAnyVersion(group: string, resource: string): Served | undefined;
    /** By what a body calls itself. */
    findKind(group: string, version: string, kind: string): Served | undefined;
    all(): Iterable<Served>;
    resources(): readonly Resource[];
    /** True when paths below `/apis/<group>` are answered by the server's own handlers. */
    hasBuiltinGroup(group: string): boolean;
}
// verbs/request/query.d.ts
import { type FieldError } from '../../core/field-error.ts';
import { type StatusError } from '../../core/status.ts';
export interface ListQuery {
    readonly labelSelector: string;
    readonly fieldSelector: string;
    /** 0: no limit. */
    readonly limit: number;
    readonly continue: string;
    readonly resourceVersion: string;
    readonly resourceVersionMatch: string;
    readonly sendInitialEvents: boolean | undefined;
    readonly allowWatchBookmarks: boolean;
    readonly timeoutSeconds: number | undefined;
}
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';
export interface WriteQuery {
    readonly dryRun: boolean;
    /** Empty: whoever the User-Agent says. */
    readonly fieldManager: string;
    readonly fieldValidation: FieldValidation;
    readonly force: boolean;
}
/** 422 on a set of options: they have a kind of their own, and no name. */
export declare const invalidOptions: (kind: string, errors: readonly FieldError[]) => StatusError;
export interface ListQueryOptions {
    readonly isWatch: boolean;
    /** Servers without it do not know streaming lists. */
    readonly watchList: boolean;
}
/** Parameters of list, watch and deletecollection. Throws 400 for what is no number, 422 for what does not go together. */
export declare function listQuery(query: URLSearchParams, { isWatch, watchList }: ListQueryOptions): ListQuery;
/** Parameters of create, update and patch; `kind` names them in errors: `CreateOptions`. */
export declare function writeQuery(query: URLSearchParams, kind: string, isApply?: boolean): WriteQuery;
export declare function dryRunErrors(dryRun: readonly string[]): FieldError[];
/** A whole number, or a 400 in the words of the server's own parser. */
export declare function integer(query: URLSearchParams, name: string): number | undefined;
/** The server's complaint about an invalid resourceVersion; undefined when it is valid. */
export declare function versionFault(text: string): string | undefined;
/** The same of the parameter. */
export declare function resourceVersionFault(text: string): string | undefined;
/** A boolean parameter: there and not "false" or "0". Also true for a bare `?watch`. */
export declare function isTrue(query: URLSearchParams, name: string): boolean;
// core/status.d.ts
import { type FieldError } from './field-error.ts';
import type { JsonObject } from './json.ts';
export interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}
export interface StatusDetails {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
}
/** A `kind: Status` body. The order of its keys is the order on the wire. */
export interface Status {
    readonly kind: 'Status';
    readonly apiVersion: 'v1';
    readonly metadata: JsonObject;
    readonly status: 'Success' | 'Failure';
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly code?: number;
}
/** Names of a resource or kind in messages and details. */
export interface Named {
    readonly group: string;
    readonly resource: string;
    readonly kind: string;
}
/** An answer that is a failure. Thrown by verbs, turned into bytes in one place. */
export declare class StatusError extends Error {
    readonly name = "StatusError";
    readonly status: Status;
    /** Set when nothing failed but a fault was asked for: its name. */
    readonly fault: string | undefined;
    constructor(status: Status, fault?: string);
}
export declare function failure(code: number, reason: string, message: string, { details, metadata }?: {
    details?: StatusDetails;
    metadata?: JsonObject;
}): StatusError;
/** `pods`, `deployments.apps`. */
export declare const qualifiedResource: ({ group, resource }: Named) => string;
/** `details` that name a resource: most failures. */
export declare const resourceDetails: (resource: Named, name?: string) => StatusDetails;
export declare const badRequest: (message: string) => StatusError;
export declare const unauthorized: () => StatusError;
export declare function forbidden(resource: Named, name: string, why: string, causes?: readonly StatusCause[]): StatusError;
export declare const notFound: (resource: Named, name: string) => StatusError;
/** A path of a known group-version that leads nowhere. */
export declare const noSuchResource: () => StatusError;
export declare const methodNotAllowed: () => StatusError;
/** The same where the kind's own storage says no: custom resources, kinds that cannot be watched. */
export declare const verbNotSupported: (resource: Named, verb: string) => StatusError;
export declare const notAcceptable: (types: readonly string[]) => StatusError;
export declare const alreadyExists: (resource: Named, name: string, isBeingDeleted?: boolean) => StatusError;
export declare const generateNameExhausted: (resource: Named, name: string) => StatusError;
export declare const conflict: (resource: Named, name: string, why: string) => StatusError;
export declare const staleUpdate: (resource: Named, name: string) => StatusError;
/** 410; `continueToken` lets a pager go on with an inconsistent list. */
export declare const expired: (message: string, continueToken?: string) => StatusError;
export declare const tooLarge: (message: string) => StatusError;
export declare const unsupportedMediaType: (types: readonly string[]) => StatusError;
/** 422: `details.kind` is the kind here, not the resource. */
export declare const invalid: (resource: Pick<Named, 'group' | 'kind'>, name: string, errors: readonly FieldError[]) => StatusError;
export declare const internalError: (why: string) => StatusError;
/** A failure without a `reason`. */
export declare const unknownError: (message: string) => StatusError;
export declare const tooLargeResourceVersion: (asked: string | number | bigint, current: string | number | bigint) => StatusError;
export declare function success(details: StatusDetails): Status;
// server/replica.d.ts
import type { Backend } from '../http/backend.ts';
import type { Handler, Listener } from '../http/listener/listen.ts';
export interface ReplicaOptions {
    /** Delay of its reads behind the storage. @default 0 */
    readonly lagMs?: number;
    /** The newest so many changes are not here yet, however old they are. @default 0 */
    readonly lagEvents?: number;
    /**
     * What a read without a version gets. `fresh`: the newest state, from the storage, as from a real server. `wait`: the
     * same, once it is here. `stale`: what is here, which no real server answers.
     * @default 'fresh'
     */
    readonly consistentReads?: 'fresh' | 'wait' | 'stale';
    /** Reads at the server's own address go to one or the other by chance, as behind a load balancer. @default false */
    readonly spread?: boolean;
}
export interface ReplicaParts {
    readonly backend: Backend;
    readonly mainHandler: Handler;
    readonly makeHandler: (backend: Backend) => Handler;
}
/** Opens the replica's address. */
export interface ReplicaFront {
    listen(handler: Handler): Promise<Listener>;
    urlOf(port: number): string;
}
/**
 * A second front end over the same storage, with a cache that is behind.
 *
 * Lists and watches of a version see the past; writes go to the storage at once, as every front end's do.
 */
export declare class Replica {
    #private;
    readonly handler: Handler;
    /** Delay of its reads behind the storage; changes that already wait keep their time. */
    lagMs: number;
    constructor({ backend, mainHandler, makeHandler }: ReplicaParts, options: ReplicaOptions);
    start(front: ReplicaFront): Promise<void>;
    get url(): string;
    /** The newest revision it has. */
    get revision(): number;
    /** Everything as it is now, without a past: after a start, and after a restore. */
    copy(): void;
    /** Does not wait for anything any more: it is where the storage is. */
    catchUp(): void;
    close(): Promise<void>;
}
// http/backend.d.ts
import type { Authenticator } from '../auth/authn/authenticate.ts';
import type { Authorizer } from '../auth/authz/authorize.ts';
import type { TokenIssuer } from '../auth/review/token-request.ts';
import type { UserTable } from '../auth/user/user-table.ts';
import type { Collection } from '../storage/store/collection.ts';
import type { Bookmarks } from '../storage/watch/bookmarks.ts';
import type { WatchHub } from '../storage/watch/watch-hub.ts';
import type { Api } from '../verbs/api.ts';
import type { ServerMetrics } from './metrics.ts';
import type { Responder } from './responder.ts';
import type { Faults } from './seams.ts';
import type { Watches } from './watches.ts';
/** Everything the HTTP room works with. Made once, by the server. */
export interface Backend {
    readonly api: Api;
    readonly authenticate: Authenticator;
    readonly authorizer: Authorizer;
    readonly users: UserTable;
    readonly tokens: () => Promise<TokenIssuer>;
    readonly responder: Responder;
    readonly metrics: ServerMetrics;
    readonly bookmarks: Bookmarks;
    readonly watches: Watches;
    readonly hub: (collection: Collection) => WatchHub;
    /** Asked anew for every request: rules come and go. */
    readonly faults: () => Faults;
    /** Streaming lists are known. */
    readonly watchList: boolean;
    /** Streaming lists are compressed for who accepts it. */
    readonly gzipWatches: boolean;
    readonly maxQueuedBytes: number | undefined;
    /** `/version`. */
    readonly version: Readonly<Record<string, string>>;
    /** `127.0.0.1:6443`. */
    readonly address: () => string;
}
// auth/authn/authenticate.d.ts
import type { User } from '../../core/user.ts';
import type { Action, Authorizer } from '../authz/authorize.ts';
import { type UserTable } from '../user/user-table.ts';
import { type PeerCertificate } from './client-certificate.ts';
/** Credentials of a request. */
export interface Credentials {
    readonly authorization?: string | undefined;
    readonly peerCertificate?: PeerCertificate | undefined;
    /** Name and value in turns, as Node's `rawHeaders`; only the `Impersonate-` ones are read. */
    readonly rawHeaders?: readonly string[];
    /** The requested action, named in the refusal of an impersonation. */
    readonly action?: Action;
}
export interface AuthenticatorOptions {
    readonly users: UserTable;
    /** Asked whether an impersonation is allowed. */
    readonly authorizer: Authorizer;
    /** The user of requests without credentials. @default none: they get 401 */
    readonly anonymous?: User | undefined;
}
/** Throws 401 for an unknown user, and 400 or 403 for an impersonation that is not possible. */
export type Authenticator = (credentials: Credentials) => User;
/**
 * Tells who is asking: by client certificate, by bearer token, or as the anonymous user.
 *
 * One good proof is enough. A bad one (an unknown token, a certificate of somebody else's authority) without a good one
 * is always refused, even where anonymous requests are let in: its sender believes to be somebody.
 */
export declare function authenticator({ users, authorizer, anonymous }: AuthenticatorOptions): Authenticator;
/** Every request comes from `user`, whatever its credentials. For servers that only their own machine can reach. */
export declare function openAuthenticator(user: User, authorizer: Authorizer): Authenticator;
// auth/authz/authorize.d.ts
import type { RequestInfo } from '../../core/request-info.ts';
import type { User } from '../../core/user.ts';
/** The answer to: may this user do that? */
export interface Decision {
    readonly allowed: boolean;
    /** For people: which rule allowed it, or what kept rules from being found. Often empty. */
    readonly reason: string;
}
/** The parts of a request that authorization rules look at. */
export type Action = Pick<RequestInfo, 'verb' | 'path' | 'isResource' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name'>;
/** One rule, as roles hold it. Its members' order is the wire's. */
export interface PolicyRule {
    readonly verbs: readonly string[];
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
}
/** Everything a user may do in a namespace. */
export interface RuleSet {
    readonly rules: readonly PolicyRule[];
    /** Roles that could not be found; empty if none is missing. */
    readonly error: string;
}
export interface Authorizer {
    allows(user: User, action: Action): Decision;
    rulesFor(user: User, namespace: string): RuleSet;
}
/** Allows every authenticated request. */
export declare const allowAll: Authorizer;
// auth/authn/client-certificate.d.ts
import type { TLSSocket } from 'node:tls';
import type { User } from '../../core/user.ts';
/** The client certificate of a TLS handshake. */
export interface PeerCertificate {
    /** Signed by our authority, for clients, and valid now. */
    readonly trusted: boolean;
    readonly name: string;
    readonly groups: readonly string[];
    /** SHA-256 of the certificate, lower-case hexadecimal. */
    readonly fingerprint: string;
}
/**
 * Reads what the handshake left on the socket; undefined where the client showed no certificate. The listener must ask
 * for one without insisting (`requestCert: true, rejectUnauthorized: false`), because most clients have none.
 *
 * A certificate cannot change during a connection: ask once per socket, not per request.
 */
export declare function peerCertificateOf(socket: TLSSocket): PeerCertificate | undefined;
/** The user a certificate stands for; a certificate without a name stands for nobody. */
export declare function certificateUser({ trusted, name, groups, fingerprint }: PeerCertificate): User | undefined;
// auth/review/token-request.d.ts
import type { ApiObject } from '../../core/object.ts';
import { type UserTable } from '../user/user-table.ts';
import { type FindBindable } from './bound-object.ts';
export interface TokenRequest {
    /** The posted TokenRequest. */
    readonly object: ApiObject;
    /** The ServiceAccount the token is for. */
    readonly account: ApiObject;
    /** Finds what a token is to be bound to. */
    readonly find: FindBindable;
    /** Milliseconds since 1970. */
    readonly now: number;
}
/**
 * Gives out tokens of service accounts (`POST …/serviceaccounts/x/token`).
 *
 * A token is a signed JWT with the claims of a real one, so that clients which read its expiry find it. This server
 * itself does not look inside: a token is good because it is in the table, and can be revoked by taking it out.
 */
export declare class TokenIssuer {
    #private;
    constructor(users: UserTable);
    /** The posted object with the token in its `status`. */
    issue({ object, account, find, now }: TokenRequest): ApiObject;
}
// auth/review/bound-object.d.ts
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/object.ts';
import type { ServiceAccountName } from '../user/service-account.ts';
export type FindBindable = (resource: 'pods' | 'nodes' | 'secrets', namespace: string, name: string) => ApiObject | undefined;
interface Reference {
    readonly name: string;
    readonly uid: string;
}
/** The object that a token is bound to, as in its claims. A pod brings its node along. */
export interface Bound {
    readonly node?: Reference;
    readonly pod?: Reference;
    readonly secret?: Reference;
}
/** Finds the object of a `boundObjectRef`; throws where there is none, or none that this account may be bound to. */
export declare function boundTo(reference: JsonObject, account: ServiceAccountName, find: FindBindable): Bound;
/** `extra` of the user of such a token. A secret is left out. */
export declare function boundExtra({ node, pod }: Bound): Record<string, string[]>;
export {};
// auth/user/service-account.d.ts
import type { User } from '../../core/user.ts';
export interface ServiceAccountName {
    readonly namespace: string;
    readonly name: string;
}
export declare const serviceAccountUser: ({ namespace, name }: ServiceAccountName) => string;
export declare const serviceAccountGroups: (namespace: string) => string[];
/** The account behind a user name, if it is one's. */
export declare function serviceAccountOf(userName: string): ServiceAccountName | undefined;
/** The user a pod with this account is. */
export declare function serviceAccount(account: ServiceAccountName & {
    readonly uid?: string;
}): User;
// http/metrics.d.ts
import type { Store } from '../storage/store/store.ts';
/** Labels of the request counters. */
export interface RequestLabels {
    readonly verb: string;
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly subresource: string;
    readonly code: number;
}
/** Counters under the names of a real server, as far as they mean the same here. */
export declare class ServerMetrics {
    #private;
    request(labels: RequestLabels, seconds: number): void;
    watchEvents(group: string, resource: string, count: number): void;
    watcherTerminated(group: string, resource: string): void;
    /** Prometheus text. */
    text(store: Store, longRunning: number): string;
}
// http/responder.d.ts
import type { Env } from 'kube-informer/core';
import type { Status } from '../core/status.ts';
import type { Exchange } from './exchange.ts';
import { type Accepted } from './message/negotiate.ts';
import type { Faults } from './seams.ts';
export type Headers = Readonly<Record<string, string>>;
/** Headers that every answer has. */
export declare function baseHeaders(exchange: Exchange, env: Env, auditId: string): Record<string, string | string[]>;
/** Encodes a value as the client likes it. The YAML library is loaded for the first client that wants it. */
export declare function encode(value: unknown, { type, pretty }: Pick<Accepted, 'type' | 'pretty'>): Promise<Buffer>;
export interface ResponderOptions {
    readonly env: Env;
    readonly newId: () => string;
    readonly faults: () => Faults;
    /** Resolves when what the server knows cannot be lost any more; undefined when that is so, or no matter. */
    readonly settled?: (() => Promise<void> | undefined) | undefined;
}
/**
 * Writes answers. One per server.
 *
 * Every status line goes through `head`, so that there is one place where a fault can still change its mind.
 */
export declare class Responder {
    #private;
    constructor({ env, newId, faults, settled }: ResponderOptions);
    /** Sends status and headers; false: a fault has answered, or the client is gone. */
    head(exchange: Exchange, status: number, headers: Readonly<Record<string, string | number>>): Promise<boolean>;
    headers(exchange: Exchange): Record<string, string | string[]>;
    send(exchange: Exchange, status: number, body: Buffer, headers: Headers): Promise<void>;
    value(exchange: Exchange, status: number, value: unknown, accepted: Pick<Accepted, 'type' | 'pretty'>): Promise<void>;
    text(exchange: Exchange, status: number, text: string, headers?: Headers): Promise<void>;
    /** A path that leads nowhere. */
    notFound(exchange: Exchange): Promise<void>;
    /** A failure, in the plain form of whatever was asked for. */
    status(exchange: Exchange, status: Status): Promise<void>;
    /** A list from its pieces, without ever holding the whole of a big one. */
    stream(exchange: Exchange, pieces: Iterable<Buffer>, length: number): Promise<void>;
}
export declare const GZIP_HEADERS: Headers;
export declare function acceptsGzip(exchange: Exchange): boolean;
interface Emitter {
    once(event: string, listener: () => void): unknown;
    removeListener(event: string, listener: () => void): unknown;
}
/** Resolves when the writer has room again, or the client is gone. */
export declare function roomIn(writer: Emitter, gone: AbortSignal): Promise<void>;
export {};
// http/exchange.d.ts
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { User } from '../core/user.ts';
import { type Accepted } from './message/negotiate.ts';
import { type ParsedRequest } from './message/parse-request.ts';
/**
 * One request and its answer: what was asked, by whom, and what is to be said along with the result.
 *
 * Room rule: reads headers and keeps notes. It sends nothing.
 */
export declare class Exchange {
    #private;
    readonly id: number;
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly info: ParsedRequest;
    readonly query: URLSearchParams;
    /** The path has a percent sign that stands for no character. */
    readonly isMalformed: boolean;
    readonly userAgent: string;
    readonly startedAt: number;
    user: User | undefined;
    fault: string | undefined;
    /** Bytes of the body sent so far. */
    bytes: number;
    /** Refused by the authorizer, or because of an impersonation. */
    isDenied: boolean;
    /** It is about a custom resource: some things are said in other words then. */
    isCustom: boolean;
    constructor(id: number, request: IncomingMessage, response: ServerResponse, startedAt: number);
    /** Aborts when the answer is over: sent, cut off, or given up by the client. `response.destroyed` is not there in HTTP/2. */
    get gone(): AbortSignal;
    /** Each once, in the order they were given. */
    get warnings(): ReadonlySet<string>;
    warn(text: string): void;
    /** Bound to this exchange: faults like to take it apart. */
    readonly note: (fault: string) => void;
    header(name: string): string | undefined;
    get socket(): TLSSocket;
    /** The form of an answer. Throws 406. */
    accepted(): Accepted;
}
// http/message/negotiate.d.ts
/** The form of a response. */
export type As = 'object' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';
export interface Accepted {
    readonly type: 'application/json' | 'application/yaml';
    readonly as: As;
    /** Version of the form asked for: `v1` or `v1beta1`. */
    readonly version: string;
    readonly pretty: boolean;
}
export declare const MEDIA_TYPES: readonly string[];
/**
 * Chooses the form of an answer from an Accept header: the first clause, by quality, by how much it leaves open and then
 * by place, that can be served. Protobuf is never served, so a client that takes JSON too gets JSON.
 *
 * Where requests are routed, a router comes first that wants a type by its name, or just any.
 */
export declare function negotiate(accept: string | undefined, isRouted?: boolean): Accepted;
/** How to tell a client of a failure: in the first plain form it takes; what cannot be negotiated goes to a person. */
export declare function plainForm(accept: string | undefined): Pick<Accepted, 'type' | 'pretty'>;
/** The media type of a body, without parameters. */
export declare const mediaType: (contentType: string | undefined) => string;
/** Bodies without a type are JSON. */
export declare function bodyType(contentType: string | undefined): string;
/** Browsers and command line tools get answers that people can read. */
export declare function wantsPretty(query: URLSearchParams, userAgent: string, accepted: boolean): boolean;
// http/message/parse-request.d.ts
import type { RequestInfo } from '../../core/request-info.ts';
/** The meaning of a method and a path; `isWatchPath` marks the old `/watch/` prefix. */
export interface ParsedRequest extends RequestInfo {
    readonly isWatchPath: boolean;
}
/**
 * Reads a request without looking anything up.
 *
 *   /api/{version}/…                 core
 *   /apis/{group}/{version}/…        all other groups
 *   … [watch/] [namespaces/{ns}/] {resource} [/{name} [/{subresource}]]
 *
 * Everything else, discovery included, is no resource request.
 */
export declare function parseRequest(method: string, path: string, query: URLSearchParams): ParsedRequest;
// server/waiters.d.ts
import type { WatchInfo } from '../http/watches.ts';
/** So many watches that are open. */
export interface OpenWatches {
    readonly watches: number;
    readonly resource?: string;
    readonly namespace?: string;
}
/** A condition to wait for: open watches, or any function. */
export type Awaited = OpenWatches | (() => boolean);
export declare function holds({ watches, resource, namespace }: OpenWatches, open: readonly WatchInfo[]): boolean;
/** Promises for conditions. `look` checks them again after a change; after `close` none becomes true. */
export declare class Waiters {
    #private;
    until(isSo: () => boolean): Promise<void>;
    /** Rejects the pending promises; otherwise they would never settle. */
    close(): void;
    look(): void;
}
