// client/index.d.ts
/**
 * A cluster's API, typed: `Client.connect()` finds the cluster, `client.resource('v1/pods')` gives a client for its pods.
 *
 * Loads on every platform; what needs Node's modules is loaded when it is used.
 */
export { type ApplyConflict, applyConflictsOf, isApplyConflict } from './apply-conflict.ts';
export { type BuiltInResource, Client, type ClientConnectOptions, type ClientOptions, type CreateOnlyClient, type LogOptions, type RawRequest, } from './client.ts';
export type { ConfigSource, ConnectOptions } from './connect-options.ts';
export { resolveConnection } from './connect.ts';
export type { Connection, Impersonation, TlsSettings, TlsSource } from './connection.ts';
export { createTransport, type TransportOptions } from './create-transport.ts';
export type { ClientCertificate, Credentials, CredentialSource } from './credentials.ts';
export type { ApiResource, Catalogue } from './discovery-documents.ts';
export type { Discovery, LookupOptions } from './discovery.ts';
export { createFetchTransport, type FetchLike, type FetchTransportOptions } from './fetch-transport.ts';
export type { Selection } from './list-query.ts';
export { decodeList, type ListStreamOptions } from './list-stream.ts';
export type { NodeTransportLimits } from './node-transport-limits.ts';
export { type Limiter, type RateLimitOptions, RateLimiter } from './rate-limit.ts';
export { objectRedactor } from './redact-object.ts';
export { redact } from './redact.ts';
export { attemptsOf, type CallOptions } from './request.ts';
export type { ListWatchOptions, MetadataClient, ResourceClient, ResourceSource } from './resource-client.ts';
export type { ApplyOptions, DeleteCollectionOptions, DeleteOptions, ListCallOptions, Partially, PatchOptions, PatchType, ReplaceOptions, SubresourceOptions, WatchCallOptions, WriteOptions, } from './resource-options.ts';
export { retryOnConflict, type RetryOnConflictOptions } from './retry-on-conflict.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport.ts';
export type { ApiWarning, WarningHandler, WarningPolicy } from './warnings.ts';
export { decodeWatchStream, type WatchStreamOptions } from './watch-stream.ts';
// client/apply-conflict.d.ts
/** A field that somebody else owns. */
export interface ApplyConflict {
    /** Who owns it; empty when the server does not say. */
    readonly manager: string;
    /** `.spec.replicas` */
    readonly field: string;
}
/**
 * The fields for which a server-side apply was refused, with their owners. Empty for every other error, also for a
 * conflict of resource versions: there trying again with the newest object helps, here only `force` or giving way does.
 */
export declare function applyConflictsOf(error: unknown): readonly ApplyConflict[];
export declare const isApplyConflict: (error: unknown) => boolean;
// client/client.d.ts
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import { type Env } from '../core/env.ts';
import type { KubeObject } from '../core/object.ts';
import { type ConnectOptions } from './connect-options.ts';
import type { Connection } from './connection.ts';
import { type TransportOptions } from './create-transport.ts';
import { Discovery } from './discovery.ts';
import { type Limiter, type RateLimitOptions } from './rate-limit.ts';
import { type ApiRequest, type CallOptions } from './request.ts';
import { ResourceClient } from './resource-client.ts';
import type { Transport } from './transport.ts';
import type { WarningPolicy } from './warnings.ts';
/** Resources every cluster has, by the name that gives their type. */
export type BuiltInResource = keyof Resources;
/** A resource whose objects are only made, never kept: reviews, bindings. */
export type CreateOnlyClient<T extends KubeObject> = Pick<ResourceClient<T>, 'name' | 'create'>;
export interface ClientOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env?: Env;
    /** @default `kube-informer/<version> (<platform>)` */
    readonly userAgent?: string;
    /** Off unless asked for; the server has its own fairness. Watches are never limited. @default none */
    readonly rateLimit?: RateLimitOptions | Limiter;
    /** @default 'log' */
    readonly onWarning?: WarningPolicy;
    /** Largest object that is read, in bytes of JSON. @default 33_554_432 (32 MB) */
    readonly maxObjectBytes?: number;
    /** Longest Retry-After that is honoured: nobody may park a client. @default 60_000 */
    readonly maxRetryAfterMs?: number;
}
/** Of a client that finds its cluster itself: where it is, who we are, how it is spoken to. */
export interface ClientConnectOptions extends ConnectOptions, Omit<ClientOptions, 'connection' | 'transport'>, Omit<TransportOptions, 'env'> {
    /** Instead of the platform's own. */
    readonly transport?: Transport;
}
/** Of a raw request. */
export interface RawRequest extends CallOptions {
    /** @default GET */
    readonly method?: ApiRequest['method'];
    /** Path and query as they go on the wire. */
    readonly path: string;
    /** Text and bytes are sent as they are, anything else as JSON. */
    readonly body?: unknown;
    /** Win over all others, those of the credentials included. */
    readonly headers?: Readonly<Record<string, string>>;
}
export interface LogOptions extends Omit<CallOptions, 'timeoutMs'> {
    /** @default the only one */
    readonly container?: string;
    /** Go on until the container ends. */
    readonly follow?: boolean;
    /** Of the container that ran before. */
    readonly previous?: boolean;
    readonly sinceSeconds?: number;
    /** RFC 3339. */
    readonly sinceTime?: string;
    readonly tailLines?: number;
    readonly timestamps?: boolean;
    readonly limitBytes?: number;
    /** @default All */
    readonly stream?: 'All' | 'Stdout' | 'Stderr';
}
/**
 * A cluster's API: resources by name, everything else by path. `Client.connect()` makes one.
 *
 * Opens nothing before the first call. One client shares transport, limiter, warnings and what it knows of the server
 * with all its resources. Printing it shows the server and nothing secret.
 *
 * @example
 * await using client = await Client.connect();                          // KUBECONFIG, the pod's account, ~/.kube/config
 * const pods = client.resource('v1/pods');                              // ResourceClient<Pod>
 * const widgets = client.resource<Widget>('example.com/v1/widgets');    // a custom resource brings its type
 */
export declare class Client implements AsyncDisposable {
    #private;
    readonly connection: Connection;
    readonly discovery: Discovery;
    /**
     * Finds the cluster and its credentials as ConnectOptions say, and picks the transport of the platform. Asks the server
     * nothing: a server that is down is told by the first call. Rejects as `resolveConnection` does.
     */
    static connect(options?: ClientConnectOptions): Promise<Client>;
    constructor(options: ClientOptions);
    /**
     * A resource by name. Built-in names give their type; a custom resource, a kind or a short name is given together with
     * its own (`resource<Widget>('example.com/v1/widgets')`), so that a typo in a built-in name does not compile.
     */
    resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
    resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
    resource<T extends KubeObject = never>(name: [T] extends [never] ? BuiltInResource : string): ResourceClient<T>;
    /** Any path. Resolves with the value where the answer is JSON, with its text otherwise. */
    request<R = unknown>(request: RawRequest): Promise<R>;
    /**
     * A pod's log as it comes: bytes, not lines. With `follow` it goes on until the container ends. Leaving the loop closes
     * the stream.
     */
    logs(key: string, options?: LogOptions): AsyncIterableIterator<Uint8Array, undefined>;
    /** Ends every connection and the work of getting credentials. Idempotent. */
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
// core/env.d.ts
/** One structured line. `message` never holds a value; `fields` are the facts. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
/**
 * Everything the code takes from the world besides its inputs.
 *
 * Given the same Env and the same server replies, a run is the same run. That is
 * what lets a failing simulation be reported as one seed. Only this file may
 * touch the platform's timers, clocks and random numbers; lint holds the rest of
 * the code to that.
 */
export interface Env {
    /** Milliseconds on a clock that never jumps. Only differences have meaning. */
    now(): number;
    /** Milliseconds since 1970, for people to read. Never used for deadlines. */
    wallNow(): number;
    /**
     * Resolves after `ms`, or as soon as `signal` aborts. Never rejects: a loop
     * asks `signal.aborted` itself, so stopping needs no try/catch.
     */
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
    /** Lets timers, sockets and other turns run before the caller goes on. */
    yield(): Promise<void>;
    /** Uniform in [0, 1). */
    random(): number;
    readonly log: Log;
}
export declare const systemEnv: Env;
/** A switch from the platform's environment, where there is one: browsers have none. */
export declare function platformFlag(name: string): string | undefined;
/**
 * The same Env with a log that cannot hurt: a logger that throws must not end the loop that wanted to tell it
 * something. Whoever takes an Env from a user takes it through here.
 */
export declare function safeEnv(env: Env): Env;
// core/object.d.ts
/**
 * The metadata this project relies on. Everything else in an object belongs to the user.
 *
 * Fields are optional because a server, a transform or a test may leave them out;
 * `keyOf` is where a missing name becomes an error.
 */
export interface ObjectMeta {
    readonly name?: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
}
/** The part every Kubernetes object has. */
export interface KubeObject {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: ObjectMeta;
}
/** What a LIST answers. `metadata.continue` is set when there are more pages. */
export interface KubeList<T> {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata?: {
        readonly resourceVersion?: string;
        readonly continue?: string;
        readonly remainingItemCount?: number;
    };
    readonly items: readonly T[];
}
/** What an object claims to be. */
export interface TypeRef {
    readonly apiVersion?: string;
    readonly kind?: string;
}
/**
 * How the engine sees an object: through its metadata and nothing else.
 *
 * One engine serves every representation that can answer these questions: the
 * decoded JSON value (`plainAccess`), or bytes that are decoded on demand.
 *
 * Room rule: never decodes a body, never keeps a reference.
 */
export interface ObjectAccess<T> {
    name(object: T): string | undefined;
    namespace(object: T): string | undefined;
    uid(object: T): string | undefined;
    resourceVersion(object: T): string | undefined;
    labels(object: T): Readonly<Record<string, string>>;
    annotations(object: T): Readonly<Record<string, string>>;
    type(object: T): TypeRef;
}
export declare const plainAccess: ObjectAccess<KubeObject>;
/** `apps/v1, Kind=Deployment`: how messages name a type. */
export declare function describeType(type: TypeRef | undefined): string;
/** Whether the server answered with a printable table instead of objects; a cache cannot live on rows. */
export declare function isTable(type: TypeRef): boolean;
// client/connect-options.d.ts
import type { KnownOptions } from '../core/known-options.ts';
import type { Impersonation } from './connection.ts';
import type { HttpExchange, OidcTokens } from './oidc.ts';
/** A place to look for a cluster when nothing was said. */
export type ConfigSource = 'KUBECONFIG' | 'in-cluster' | 'home';
/**
 * How to find and enter a cluster. With no options at all the first of these that is there is used:
 *
 * 1. the files named by `KUBECONFIG`, merged;
 * 2. the pod's service account;
 * 3. `~/.kube/config`, unless `KUBECONFIG` is set.
 *
 * `order` changes this list (kubectl asks for the service account last). Anything said in code comes before it:
 * `url`, then `kubeconfig`, then `kubeconfigFile`. With `context`, `cluster` or `user` the service account is not asked.
 *
 * The remaining options are laid over what was found.
 */
export interface ConnectOptions {
    /** The server: alone, with the other options here, or in place of the one in a kubeconfig that is named too. */
    readonly url?: string | URL;
    /** YAML or JSON text, or the object itself. Relative paths in it are refused: it has no directory. */
    readonly kubeconfig?: string | object;
    /** One file, used alone. It must exist. */
    readonly kubeconfigFile?: string;
    /** @default ['KUBECONFIG', 'in-cluster', 'home'] */
    readonly order?: readonly ConfigSource[];
    readonly context?: string;
    readonly cluster?: string;
    readonly user?: string;
    /** @default the context's, the pod's, or `default` */
    readonly namespace?: string;
    /** A bearer token. Replaces all credentials that were found. */
    readonly token?: string;
    /** A file with a token that somebody rotates. Replaces all credentials that were found. */
    readonly tokenFile?: string;
    /** Together with `password`. Replaces all credentials that were found. */
    readonly username?: string;
    readonly password?: string;
    /** PEM. Replaces, like `caFile` and `insecureSkipTlsVerify`, everything that was found about trust. */
    readonly ca?: string;
    readonly caFile?: string;
    /** The client certificate, PEM. Replaces all credentials that were found. */
    readonly cert?: string;
    readonly certFile?: string;
    readonly key?: string;
    readonly keyFile?: string;
    /** The name the server's certificate must carry. @default the host of the server's URL */
    readonly serverName?: string;
    /** Trust whoever answers. Said aloud in the log. @default false */
    readonly insecureSkipTlsVerify?: boolean;
    readonly impersonate?: Impersonation;
    /**
     * On the way to the cluster. `false`: none at all, whatever the environment says.
     * @default the kubeconfig's, then HTTPS_PROXY and NO_PROXY
     */
    readonly proxy?: string | URL | false;
    /** Refuse a configuration that switches off the check of the server's certificate. @default false */
    readonly strictTls?: boolean;
    /**
     * Send credentials over plain http. To loopback only, for tests; elsewhere they are never sent unencrypted.
     * @default false
     */
    readonly allowCredentialsOverHttp?: boolean;
    /**
     * The kubeconfig was written by somebody who is not trusted: no programs, no files, no identity provider, no proxy,
     * https to a public address only. Needs `kubeconfig` or `kubeconfigFile`. @default false
     */
    readonly untrusted?: boolean;
    /**
     * Which credential plugins may run: names found on PATH, or absolute paths. With a list, variables in the kubeconfig's
     * `exec.env` that make a program load other code (PATH, LD_PRELOAD, BASH_ENV, NODE_OPTIONS …) are refused. What a
     * listed program does with its arguments and its own variables is its own business: list no shells or interpreters.
     * @default 'allow'
     */
    readonly execPolicy?: 'allow' | 'deny' | {
        readonly allow: readonly string[];
    };
    /** Longest run of a credential plugin that asks nobody. @default 60_000 */
    readonly execTimeoutMs?: number;
    /** Stdin belongs to the program itself: a plugin may not ask there. @default false */
    readonly isStdinReserved?: boolean;
    /** How an OIDC identity provider is asked. @default Node's https, through the proxy of HTTPS_PROXY and NO_PROXY */
    readonly oidcExchange?: HttpExchange;
    /** Told about each renewed pair, so that it can be kept for the next start. */
    readonly onOidcRenewed?: (tokens: OidcTokens) => void;
    /** Variables of the process. @default process.env */
    readonly environment?: Readonly<Record<string, string | undefined>>;
    /** @default /var/run/secrets/kubernetes.io/serviceaccount */
    readonly serviceAccountDirectory?: string;
}
export declare const CONNECT_OPTIONS: KnownOptions<ConnectOptions>;
// core/known-options.d.ts
/** Every name that options of type `O` may have: the compiler sees to it that none is missing and none too many. */
export type KnownOptions<O> = Readonly<Record<keyof O, true>>;
/**
 * Throws INVALID_OPTION for a name that nobody reads. Types find most of them, but not in JavaScript and not in objects
 * that were made before: `deleteCollection` with a selector that is spelled wrongly would delete everything.
 */
export declare function requireKnown<O extends object>(where: string, options: O, known: KnownOptions<O>): void;
// client/connection.d.ts
import type { ClientCertificate, CredentialSource } from './credentials.ts';
/** How the server is trusted and reached. */
export interface TlsSettings {
    /** PEM, one or more certificates. Undefined: the platform's roots. */
    readonly ca?: string;
    readonly serverName?: string;
    /** Honoured, but said aloud. */
    readonly insecureSkipVerify?: boolean;
    readonly certificate?: ClientCertificate;
}
/** Files behind the settings: read again when asked, so that rotation needs no restart. */
export interface TlsSource {
    /** The settings as they are now. */
    current(): TlsSettings;
    /** Reads the files again. Resolves true when something changed and connections must be made anew. */
    refresh(): Promise<boolean>;
}
export interface Impersonation {
    readonly user: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
}
/**
 * Everything needed to talk to one cluster, resolved from a kubeconfig, the pod's service account, or options.
 *
 * Printing it (`util.inspect`, JSON) shows the server, the context and the kinds of credentials, nothing secret.
 */
export interface Connection {
    /** May carry a path prefix, which every request keeps; query and fragment are dropped. */
    readonly server: URL;
    readonly tls: TlsSource;
    readonly credentials: CredentialSource;
    /** Of the context, or `default`. */
    readonly namespace: string;
    /** http, https or socks5; undefined: none. Already decided against NO_PROXY. */
    readonly proxy?: URL;
    readonly impersonate?: Impersonation;
    readonly disableCompression?: boolean;
    /**
     * Somebody else's configuration: connect to addresses only that `isPublicAddress` accepts, after the name was
     * resolved, at each connect.
     */
    readonly publicAddressesOnly?: boolean;
    /** Where this came from, for messages: "kubeconfig /home/me/.kube/config, context dev". */
    readonly origin: string;
}
// client/credentials.d.ts
/** A client certificate and its key, PEM. */
export interface ClientCertificate {
    readonly cert: string;
    readonly key: string;
}
/** What one request carries to prove who sends it. */
export interface Credentials {
    /** The value of the Authorization header. Never logged, never printed. */
    readonly authorization?: string;
    readonly certificate?: ClientCertificate;
}
/**
 * Where credentials come from: a fixed token, a file that is rotated, a program, an identity provider.
 *
 * Promises: `current` is single flight; a credential that is about to expire is renewed before it is given out;
 * printing a source (`util.inspect`, JSON) shows its kind and nothing secret.
 */
export interface CredentialSource {
    /** For people: "token file", "exec aws". */
    readonly kind: string;
    current(signal: AbortSignal): Promise<Credentials>;
    /**
     * The server answered 401 to these. Returns whether asking again may give others: the caller then replays the request
     * once. Concurrent rejections of the same credentials cause one renewal.
     */
    rejected(credentials: Credentials): boolean;
    /** Ends timers and running programs. */
    close?(): void;
}
// client/oidc.d.ts
import { type Env } from '../core/env.ts';
import type { CredentialSource } from './credentials.ts';
/** One HTTPS request to an identity provider. */
export interface ExchangeRequest {
    readonly method: 'GET' | 'POST';
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** PEM; undefined: the platform's roots. */
    readonly ca?: string;
    readonly signal: AbortSignal;
}
/**
 * Sends it, follows no redirect, and resolves whatever the status; rejects when there is no answer. `signal` aborts after
 * 30 seconds, and when the client is closed; not when a caller gives up: a refresh token may be good for one use only.
 */
export type HttpExchange = (request: ExchangeRequest) => Promise<{
    readonly status: number;
    readonly body: string;
}>;
/** What a renewal brought. Providers that rotate refresh tokens accept each only once: keep the new one. */
export interface OidcTokens {
    readonly idToken: string;
    readonly refreshToken: string;
}
export interface OidcOptions {
    /** As in the kubeconfig: idp-issuer-url, client-id, client-secret, id-token, refresh-token. */
    readonly config: ReadonlyMap<string, string>;
    /** For messages. */
    readonly where: string;
    readonly exchange: HttpExchange;
    /** The provider's certificate authority, PEM. */
    readonly ca?: string;
    readonly onRenewed?: (tokens: OidcTokens) => void;
    readonly env?: Env;
}
/**
 * An ID token, renewed at the identity provider with a refresh token (auth-provider `oidc`).
 *
 * Promises: the token in the configuration is used while it lasts; renewed ten seconds before it expires and after a
 * 401, one renewal at a time, which is not cut off when those who wait for it give up; each request to the provider has
 * 30 seconds; a refresh token the provider does not replace stays in use; secrets go over https only and never into an
 * error. Does not write to the kubeconfig: `onRenewed` is told instead.
 */
export declare function oidcSource(options: OidcOptions): CredentialSource;
// client/create-transport.d.ts
import { type Env } from '../core/env.ts';
import type { Connection } from './connection.ts';
import { type FetchLike } from './fetch-transport.ts';
import type { NodeTransportLimits } from './node-transport-limits.ts';
import type { Transport } from './transport.ts';
export interface TransportOptions {
    readonly env?: Env;
    /** False: HTTP/1.1 only. Node decides; elsewhere the platform does. @default true */
    readonly http2?: boolean;
    /** Time and size limits of the Node transport. */
    readonly limits?: Partial<NodeTransportLimits>;
    /** Send through this instead of sockets. @default sockets on Node, the platform's fetch elsewhere */
    readonly fetch?: FetchLike;
}
/** The transport that fits the platform, for one connection. Opens nothing yet. */
export declare function createTransport(connection: Connection, options?: TransportOptions): Promise<Transport>;
// client/fetch-transport.d.ts
import { type Env } from '../core/env.ts';
import type { Transport } from './transport.ts';
/** The part of the platform's `fetch` that is used; all of them fit. */
export interface FetchLike {
    (url: string, init: FetchInit): Promise<FetchAnswer>;
    /** Called when the transport is closed, if it is there. */
    readonly close?: () => void;
}
export interface FetchInit {
    readonly method: string;
    readonly headers: [string, string][];
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly signal: AbortSignal;
    readonly redirect: 'manual';
    readonly cache: 'no-store';
    readonly credentials: 'omit' | 'same-origin' | 'include';
    readonly referrerPolicy: 'no-referrer';
}
export interface FetchAnswer {
    readonly status: number;
    readonly type: string;
    readonly headers: {
        forEach(each: (value: string, name: string) => void): void;
    };
    readonly body: {
        getReader(): ChunkReader;
    } | null;
}
export interface ChunkReader {
    read(): Promise<{
        readonly done: boolean;
        readonly value?: Uint8Array | undefined;
    }>;
    cancel(reason?: unknown): Promise<void>;
}
export interface FetchTransportOptions {
    /** Scheme, host and port count; the path belongs to the requests. */
    readonly server: URL;
    /** @default the platform's */
    readonly fetch?: FetchLike;
    readonly env?: Env;
    /** Whether the platform adds cookies of its own. @default 'same-origin' */
    readonly credentials?: FetchInit['credentials'];
    /** @default 60_000 */
    readonly headersTimeoutMs?: number;
    /** @default 30_000 */
    readonly longLivedHeadersTimeoutMs?: number;
    /** No byte for this long while the reader waits for one ends a body. @default 75_000 */
    readonly silenceMs?: number;
    /** Most bytes of a body after decompression; not for long-lived ones. 0: no limit. @default 1 GiB */
    readonly maxResponseBytes?: number;
}
/**
 * The transport for browsers, Deno and Bun: the platform's `fetch`.
 *
 * What it cannot do, because `fetch` cannot: client certificates, an authority of its own, a proxy, leaving
 * certificates unverified, pings (dead connections are found by silence on every HTTP version), several headers of one
 * name, a connect timeout apart from that for headers. A browser also hides redirects: they are refused without their
 * target. Compression is the platform's affair.
 */
export declare function createFetchTransport(options: FetchTransportOptions): Transport;
// client/transport.d.ts
/**
 * Bytes to and from one server: the only thing in this package that knows sockets.
 *
 * Implemented by the Node transport (HTTP/2 where the server offers it, HTTP/1.1 otherwise) and by the fetch
 * transport (browsers, Deno, Bun). A user may bring another one.
 *
 * Room rule: no meaning. Knows nothing of Kubernetes, Status, retries, tokens or resource versions. Never follows a
 * redirect. Fails with KubeError TRANSPORT and the system error as `cause`.
 */
export interface Transport {
    /** Resolves with status and headers; the body is read by the caller. Rejects TRANSPORT, or ABORTED when `signal` aborts. */
    send(request: TransportRequest): Promise<TransportResponse>;
    /** Ends every connection. Idempotent; later requests are refused. */
    close(): Promise<void>;
}
export interface TransportRequest {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
    /** Path and query, as they go on the wire; the origin belongs to the transport. */
    readonly path: string;
    /** Several values of one name go out as several headers. */
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string | Uint8Array;
    readonly signal: AbortSignal;
    /**
     * The answer goes on for minutes and may be silent: no body timeout, watched for dead connections instead, and
     * never in the way of other requests.
     */
    readonly longLived?: boolean;
    /**
     * Silence is no sign of trouble: a log nobody writes to, a watch without bookmarks. It never ends the body; TCP
     * keep-alive and, on HTTP/2, pings still find a connection that is dead. @default false
     */
    readonly mayBeSilent?: boolean;
    /** Longest wait for status and headers. @default 60_000, for long-lived requests 30_000 */
    readonly headersTimeoutMs?: number;
}
export interface TransportResponse {
    readonly status: number;
    /** Lower-case names; several headers of one name are joined with ", ". */
    readonly headers: ReadonlyMap<string, string>;
    /**
     * Decompressed bytes as they arrive. Throws TRANSPORT when the connection breaks before the end. Leaving the
     * iteration early closes the stream (HTTP/2) or the connection (HTTP/1.1).
     */
    readonly body: AsyncIterable<Uint8Array>;
}
// client/node-transport-limits.d.ts
import type { Env } from '../core/env.ts';
/** Times and sizes. The defaults are for production; tests use shorter ones. */
export interface NodeTransportLimits {
    /** For TCP, the proxy, TLS and HTTP/2's first frame together. @default 10_000 */
    readonly connectTimeoutMs: number;
    /** For status and headers, where the request does not say. @default 60_000 */
    readonly headersTimeoutMs: number;
    /** The same for long-lived requests. @default 30_000 */
    readonly longLivedHeadersTimeoutMs: number;
    /**
     * No byte for this long while the reader waits for one ends a body. Not used for long-lived requests on HTTP/2, where
     * pings find dead connections and silence is nobody's fault, nor for requests that may be silent. @default 75_000
     */
    readonly silenceMs: number;
    /** HTTP/2: a connection that was quiet for this long is pinged while it is used, and before a write. @default 30_000 */
    readonly pingAfterMs: number;
    /** HTTP/2: longest wait for the answer to a ping. @default 15_000 */
    readonly pingTimeoutMs: number;
    /** First TCP keep-alive probe after this much quiet; the system sends the others. @default 30_000 */
    readonly tcpKeepAliveMs: number;
    /** A connection unused for longer than this is not used again. kube-apiserver ends them after 90 s. @default 60_000 */
    readonly idleSocketMs: number;
    /** HTTP/1.1: unused connections kept. There is no limit for connections in use. @default 16 */
    readonly maxIdleSockets: number;
    /** While requests run, certificate files are looked at this often. 0: never. @default 60_000 */
    readonly tlsRefreshMs: number;
    /**
     * Most bytes of one body, counted after decompression; long-lived bodies have no such limit, their frames do.
     * 0: no limit. @default 1 GiB
     */
    readonly maxResponseBytes: number;
}
export declare function limitsFrom(given: Partial<NodeTransportLimits>): NodeTransportLimits;
/** Calls `fire` after `ms`, unless the returned function is called before. */
export declare function after(env: Env, ms: number, fire: () => void): () => void;
// client/discovery.d.ts
import type { Env } from '../core/env.ts';
import { type ApiResource } from './discovery-documents.ts';
import type { CallOptions, Requester } from './request.ts';
/** How a question for a resource is asked when the answer is not known. */
export type LookupOptions = Pick<CallOptions, 'signal' | 'attempts'>;
/**
 * What the server serves: asked once, kept, and asked again when a name is not found (a CRD may have come).
 *
 * Two requests where the server aggregates, one per group and version where it does not. A group whose own server is
 * down is left out rather than failing everything; the error about a name that is missing then says so.
 *
 * Room rule: knows what there is. Nothing of objects.
 */
export declare class Discovery {
    #private;
    constructor(requester: Requester, env: Env);
    /** Every resource of every group, as the server prefers them. */
    resources(options?: LookupOptions): Promise<readonly ApiResource[]>;
    /** Forgets what is known; the next question asks the server. */
    refresh(): void;
    /** What a name means, if that is known already. */
    peek(name: string): ApiResource | undefined;
    /**
     * The resource a name means: `v1/pods`, `apps/v1/deployments`, `apps/v1/Deployment`, a kind (`Deployment`), `deployments.apps`,
     * a plural, a singular or a short name. Rejects NOT_FOUND, after having asked again, and says what is near.
     */
    find(name: string, options?: LookupOptions): Promise<ApiResource>;
}
// client/discovery-documents.d.ts
/** One resource a server serves, in one version. */
export interface ApiResource {
    /** Empty for the core group. */
    readonly group: string;
    readonly version: string;
    /** Plural, as in paths. */
    readonly resource: string;
    readonly singular: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly shortNames: readonly string[];
    readonly verbs: readonly string[];
    readonly subresources: readonly string[];
}
export type GroupVersion = Pick<ApiResource, 'group' | 'version'>;
export interface Catalogue {
    readonly resources: readonly ApiResource[];
    /** Groups with their versions that could not be asked. */
    readonly silent: readonly string[];
}
/** `v1/pods`, `apps/v1/deployments`. */
export declare function fullName({ group, version, resource }: Pick<ApiResource, 'group' | 'version' | 'resource'>): string;
/**
 * Reading what servers say about themselves: the aggregated document (one for all groups) and the older ones.
 *
 * What does not have the expected shape is left out, so a strange extension does not hide the rest.
 */
export declare function isAggregated(document: unknown): boolean;
export declare function fromAggregated(document: unknown): Catalogue;
/** What there is to ask about, from the documents at `/api` (APIVersions) and `/apis` (APIGroupList). */
export declare function groupVersions(document: unknown): GroupVersion[];
/** The document of one group and version (APIResourceList); subresources are entries of their own there. */
export declare function fromLegacy({ group, version }: GroupVersion, document: unknown): ApiResource[];
// client/request.d.ts
import type { Env } from '../core/env.ts';
import type { Connection } from './connection.ts';
import type { Limiter } from './rate-limit.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { type WarningPolicy } from './warnings.ts';
/** Of every call. */
export interface CallOptions {
    readonly signal?: AbortSignal;
    /** For the whole call, retries included; waiting for the client's own rate limit comes before. @default none */
    readonly timeoutMs?: number;
    /** `once`: somebody above owns the retries and wants to hear of every failure. @default as the retry table says */
    readonly attempts?: 'once';
    /** @default the client's */
    readonly onWarning?: WarningPolicy;
    /** @default the client's */
    readonly limiter?: Limiter | 'none';
}
/** One call of the API. `path` is built and checked by `url.ts`; the server's own path prefix is added here. */
export interface ApiRequest extends CallOptions {
    readonly method: TransportRequest['method'];
    readonly path: string;
    /** @default application/json */
    readonly accept?: string;
    readonly contentType?: string;
    readonly body?: string | Uint8Array;
    /** Win over all others, those of the credentials included. */
    readonly headers?: Readonly<Record<string, string>>;
    /** A watch or a followed log: never limited. */
    readonly longLived?: boolean;
    /** Silence does not end it. */
    readonly mayBeSilent?: boolean;
}
export interface RequesterOptions {
    readonly connection: Connection;
    readonly transport: Transport;
    readonly env: Env;
    readonly userAgent: string;
    readonly onWarning: WarningPolicy;
    readonly limiter?: Limiter | undefined;
    /** Longest Retry-After that is honoured. @default 60_000 */
    readonly mostRetryAfterMs?: number | undefined;
}
/**
 * Sends one call as the connection's user and gives back a good answer, or throws what the server said.
 *
 * Promises: tries again as the retry table says, honours `signal` and `timeoutMs` at every point, renews credentials
 * once on 401 and replays once, hands warnings on, closes the body of every answer it does not give back. Never
 * follows a redirect. Refuses headers that would be two.
 *
 * Room rule: knows HTTP and Status. Nothing of resources, lists or watches.
 */
export declare class Requester {
    #private;
    constructor(options: RequesterOptions);
    /** Ends every wait for another attempt; calls that are under way end with the transport. */
    close(): void;
    /** A long answer: the caller reads the body and ends it. Tried again only until the headers are here. */
    open(request: ApiRequest): Promise<TransportResponse>;
    /** A whole call: the answer is read by `read`, and a read that breaks counts as a failed attempt. */
    call<R>(request: ApiRequest, read: (answer: TransportResponse) => Promise<R>): Promise<R>;
}
/** Errors of the attempts that were made, oldest first, on an error of a call that was tried more than once. */
export declare function attemptsOf(error: unknown): readonly unknown[];
// client/rate-limit.d.ts
import type { Env } from '../core/env.ts';
/** Decides when a request may go out. */
export interface Limiter {
    /** Resolves when it may. Rejects ABORTED when `signal` aborts before. */
    take(signal: AbortSignal): Promise<void>;
}
export interface RateLimitOptions {
    /** Requests per second in the long run. */
    readonly perSecond: number;
    /** Requests that may go out at once after a quiet time. @default twice `perSecond`, at least 1 */
    readonly burst?: number;
}
/**
 * A token bucket: requests beyond the rate wait, in order of asking. Who gives up leaves the line, and those behind
 * move up. Off unless asked for; watches never pass it.
 */
export declare class RateLimiter implements Limiter {
    #private;
    constructor(env: Env, options: RateLimitOptions);
    /** Requests that wait now. */
    get pending(): number;
    take(signal: AbortSignal): Promise<void>;
}
// client/warnings.d.ts
import type { Env } from '../core/env.ts';
/** A deprecation or another word of caution the server sent along with an answer. */
export interface ApiWarning {
    readonly code: number;
    readonly agent: string;
    readonly text: string;
    readonly method: string;
    /** Without the query. */
    readonly path: string;
}
export type WarningHandler = (warning: ApiWarning) => void;
/**
 * What becomes of warnings. `log`: each text once. A function: called once for each text, or with `{ each }` for each
 * warning; one given with a single call hears all of that call. `throw`: the call fails with API_WARNING, although the server did
 * what it was asked; for tests and for tools that must not get old.
 */
export type WarningPolicy = 'log' | 'none' | 'throw' | WarningHandler | {
    readonly each: WarningHandler;
};
/** One handler for a policy. It throws only API_WARNING: a handler of the user that throws is reported and no more. */
export declare function warningHandler(policy: WarningPolicy, log: WarningLog, env: Env, { once }?: {
    readonly once?: boolean;
}): WarningHandler;
/** Logs each text once and counts the rest. Forgets the texts that were heard longest ago. */
export declare class WarningLog {
    #private;
    constructor(env: Env);
    /** How often each text came, least recent first. */
    get counts(): ReadonlyMap<string, number>;
    readonly handle: WarningHandler;
    /** Counts a text; true when it was not remembered. */
    isNew(text: string): boolean;
}
/**
 * Reads the `299 - "text"` entries of a Warning header. What does not parse ends the reading; other codes and texts
 * with control characters are left out. Texts are redacted and bounded.
 */
export declare function parseWarnings(header: string): Pick<ApiWarning, 'code' | 'agent' | 'text'>[];
// client/resource-client.d.ts
import type { Scale } from '@kube-informer/kubernetes';
import type { Env } from '../core/env.ts';
import { type Status } from '../core/errors.ts';
import type { GetOptions, ListOptions, WatchOptions } from '../core/list-options.ts';
import type { KubeList, KubeObject } from '../core/object.ts';
import type { WatchEvent } from '../core/watch-event.ts';
import { type Selection } from './list-query.ts';
import type { CallOptions, Requester } from './request.ts';
import type { ResourceLocator } from './resource-locator.ts';
import { type ApplyOptions, type DeleteCollectionOptions, type DeleteOptions, type ListCallOptions, type Partially, type PatchOptions, type ReplaceOptions, type SubresourceOptions, type WatchCallOptions, type WriteOptions } from './resource-options.ts';
/** Objects as they are, or only their metadata: a fraction of the bytes for who needs names and labels. */
type Representation = 'full' | 'metadata';
/** Of a source for informers. */
export interface ListWatchOptions extends Selection, Pick<CallOptions, 'onWarning' | 'limiter'> {
    /** Changes the query of every list and watch; sees a copy, with the selectors in it. */
    readonly modify?: (options: WatchOptions, verb: 'list' | 'watch') => WatchOptions;
}
/** Fits the informer's ListWatch. */
export interface ResourceSource<T> {
    list(options: ListOptions, signal: AbortSignal): Promise<KubeList<T>>;
    watch(options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
}
/** A client for objects without bodies: reads, and what can be done by name. */
export type MetadataClient = Pick<ResourceClient, 'name' | 'get' | 'list' | 'watch' | 'listWatch' | 'patch' | 'delete' | 'deleteCollection'>;
export interface ResourceParts {
    readonly requester: Requester;
    readonly locator: ResourceLocator;
    readonly env: Env;
    readonly representation?: Representation;
    readonly maxObjectBytes?: number;
}
/**
 * All verbs on one resource. Objects are named by key: `namespace/name`, or `name` for cluster-scoped ones and in the
 * connection's own namespace.
 *
 * Promises: what cannot be sent as it was meant is refused (INVALID_OPTION, INVALID_KEY) before any request; what the
 * server refuses is API_STATUS, for the predicates; objects come as the server sent them.
 *
 * `listWatch()` gives the informer what it needs: one attempt per call, because the reflector owns the retries.
 *
 * Room rule: knows verbs and their options. Paths are the locator's business, retries the requester's.
 */
export declare class ResourceClient<T extends KubeObject = KubeObject> {
    #private;
    constructor(parts: ResourceParts);
    /** As it was asked for: `apps/v1/deployments`. */
    get name(): string;
    /** The same resource, without bodies: `PartialObjectMetadata` with metadata and nothing else. */
    metadataOnly(): MetadataClient;
    get(key: string, options?: GetOptions & CallOptions): Promise<T>;
    /** One page, or everything when no `limit` is given. */
    list(options?: ListCallOptions): Promise<KubeList<T>>;
    /** Events from `resourceVersion` on; ends when the server ends it. Leaving the loop closes the stream. */
    watch(options?: WatchCallOptions): AsyncIterableIterator<WatchEvent<T>, undefined>;
    /** Without a namespace in its metadata the object is made in the connection's. */
    create(object: T, options?: WriteOptions): Promise<T>;
    /** Puts the object in place of the one with its name; fails with a conflict when its resourceVersion is not the newest. */
    replace(object: T, options?: ReplaceOptions): Promise<T>;
    /** The type of the patch helps to write it; nothing is checked, as a patch also removes fields (null) and lists changes. */
    patch(key: string, patch: Partially<T> | object, options?: PatchOptions): Promise<T>;
    /**
     * Server-side apply: makes the given fields so, and leaves all others alone. See `applyConflictsOf` about failures.
     * apiVersion and kind may be left out for what is built in and asked for by its full name.
     */
    apply(object: Partially<T>, options: ApplyOptions): Promise<T>;
    /** The object, when it is still there (finalizers, grace period), or the Status of its deletion. */
    delete(key: string, options?: DeleteOptions): Promise<T | Status>;
    /** Deletes everything that is selected, in one namespace, which has to be named. */
    deleteCollection(options?: DeleteCollectionOptions): Promise<void>;
    /** Another face of one object: `status`, `scale`, `eviction`, `token` … */
    subresource<R = unknown>(key: string, subresource: string, options?: SubresourceOptions): Promise<R>;
    getScale(key: string, options?: CallOptions): Promise<Scale>;
    /** Asks for so many replicas, whatever kind of object makes them. */
    scale(key: string, replicas: number, options?: WriteOptions): Promise<Scale>;
    /** What a reflector needs. Namespace and selectors are fixed; everything else comes with each call. */
    listWatch(options?: ListWatchOptions): ResourceSource<T>;
}
export {};
// core/errors.d.ts
/** Names a caller may compare with. Adding one is a minor release, changing one a major. */
export type ErrorCode = 'API_STATUS' | 'API_WARNING' | 'TRANSPORT' | 'WATCH_DECODE' | 'WATCH_ENDED' | 'WATCH_LIST' | 'LIST_INVALID' | 'STALE_SERVER' | 'CONTINUITY_LOST' | 'SYNC_FAILED' | 'STALE_CACHE' | 'INVALID_KEY' | 'INDEX_FAILED' | 'TRANSFORM_FAILED' | 'QUEUE_CLOSED' | 'NOT_FOUND' | 'CACHE_MUTATED' | 'INVALID_CONFIG' | 'CREDENTIALS' | 'INVALID_OPTION' | 'ILLEGAL_STATE' | 'ABORTED';
/** One reason behind a Status, machine-readable. */
export interface StatusCause {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
}
/** The body Kubernetes sends with a failure (`kind: Status`). */
export interface Status {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly code?: number;
    readonly reason?: string;
    readonly message?: string;
    readonly details?: {
        readonly name?: string;
        readonly group?: string;
        readonly kind?: string;
        readonly retryAfterSeconds?: number;
        readonly causes?: readonly StatusCause[];
    };
}
export interface KubeErrorOptions {
    readonly cause?: unknown;
    readonly status?: Status;
    /** What a `Retry-After` header or Status asked for. */
    readonly retryAfterMs?: number;
}
/**
 * The only error class this project throws.
 *
 * Match on `code`, or better with the predicates of `status.ts`: both survive two
 * copies of this package in one process, which `instanceof` does not. What went
 * wrong underneath is always in `cause`.
 */
export declare class KubeError extends Error {
    readonly name = "KubeError";
    readonly code: ErrorCode;
    /** The server's own answer, when there was one. */
    readonly status: Status | undefined;
    readonly retryAfterMs: number | undefined;
    constructor(code: ErrorCode, message: string, options?: KubeErrorOptions);
}
/** Throws INVALID_OPTION unless `ok`. Messages say what was expected and what came. */
export declare function requireOption(ok: boolean, name: string, expected: string, got: unknown): void;
/** The error with `code`, if `error` or something in its chain of causes has it. */
export declare function findCause(error: unknown, matches: (candidate: object) => boolean): object | undefined;
export declare function hasCode(error: unknown, code: ErrorCode): boolean;
/** One line about anything that was thrown. */
export declare function messageOf(error: unknown): string;
/** The error to hand on when a signal ended the work. */
export declare function abortError(signal: AbortSignal, what: string): KubeError;
// core/list-options.d.ts
/** The query of a LIST or WATCH, with the API's own names. Unset fields are not sent. */
export interface ListOptions {
    readonly labelSelector?: string;
    readonly fieldSelector?: string;
    readonly resourceVersion?: string;
    readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
    readonly limit?: number;
    readonly continue?: string;
    readonly timeoutSeconds?: number;
}
export interface WatchOptions extends ListOptions {
    readonly allowWatchBookmarks?: boolean;
    readonly sendInitialEvents?: boolean;
}
/** The query of a GET. */
export interface GetOptions {
    readonly resourceVersion?: string;
}
// core/watch-event.d.ts
import type { Status } from './errors.ts';
import type { KubeObject } from './object.ts';
/** One frame of a watch, decoded and not yet interpreted. */
export type WatchEvent<T> = {
    readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
    readonly object: T;
}
/** Only kind, resourceVersion and annotations mean something. */
 | {
    readonly type: 'BOOKMARK';
    readonly object: KubeObject;
} | {
    readonly type: 'ERROR';
    readonly object: Status;
};
/** On the bookmark that ends the initial events of a watch-list; only the value "true" counts. */
export declare const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
// client/list-query.d.ts
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import { type FieldSelectorLike, type LabelSelectorLike } from '../core/selector.ts';
import type { Query } from './url.ts';
/** What narrows a collection. */
export interface Selection {
    /** Empty or absent: all namespaces. */
    readonly namespace?: string;
    /** A text, a map of labels or a LabelSelector. @default everything */
    readonly labels?: LabelSelectorLike;
    /** A text, a map of fields or a FieldSelector. @default everything */
    readonly fields?: FieldSelectorLike;
    /** The API's own word for `labels`. */
    readonly labelSelector?: LabelSelectorLike;
    /** The API's own word for `fields`. */
    readonly fieldSelector?: FieldSelectorLike;
}
/** The options of a list or a watch, with selectors in any form. */
export type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;
/** Selectors as the server reads them. Throws INVALID_OPTION. */
export declare function selectors(selection: Selection): Pick<ListOptions, 'labelSelector' | 'fieldSelector'>;
/**
 * The query of a list or a watch. Empty values mean "not asked" and are left out, except for `timeoutSeconds` and
 * `sendInitialEvents`: there 0 and false say something.
 */
export declare function listQuery(options: Narrowed<WatchOptions>): Query;
/** Who changes fields, as the server keeps it: printable, up to 128 bytes. Throws INVALID_OPTION. */
export declare function checkFieldManager(fieldManager: string | undefined): void;
// core/selector.d.ts
import { type FieldRequirement, type LabelOperator, type LabelRequirement } from './selector-syntax.ts';
export type { FieldRequirement, LabelOperator, LabelRequirement };
export type Labels = Readonly<Record<string, string>>;
/** The selector inside API objects, such as `spec.selector` of a Deployment. */
export interface LabelSelectorSpec {
    readonly matchLabels?: Labels;
    readonly matchExpressions?: readonly LabelExpression[];
}
export interface LabelExpression {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
}
/** What a caller may write where a label selector is asked for. */
export type LabelSelectorLike = LabelSelector | Labels | string;
/**
 * A condition on labels, in the language of the API: `app=shop,tier in (a,b),!legacy`.
 *
 * Promises: what was accepted here, the server accepts as printed; `toString` gives
 * the same text for the same requirements in any order, and parsing that text gives
 * the same selector back. Bad input is INVALID_OPTION. Immutable.
 *
 * Does not promise to notice that requirements contradict each other.
 *
 * Room rule: looks at labels and nothing else; never at an object.
 */
export declare class LabelSelector {
    #private;
    static readonly everything: LabelSelector;
    /**
     * Matches no labels. The language has no word for that, and an empty text means
     * everything, so it prints as a demand nobody can meet.
     */
    static readonly nothing: LabelSelector;
    /** All of them must hold. Sorted by key. */
    readonly requirements: readonly LabelRequirement[];
    private constructor();
    static parse(text: string): LabelSelector;
    /** From a selector, a text, or a map of labels that all have to be there. */
    static of(input: LabelSelectorLike): LabelSelector;
    /** From the form inside API objects, where an empty selector means everything and a missing one nothing. */
    static from(spec: LabelSelectorSpec | null | undefined): LabelSelector;
    get isEverything(): boolean;
    /** Whether this is `nothing`, so that no object needs to be asked. */
    get isNothing(): boolean;
    matches(labels: Labels | undefined): boolean;
    toString(): string;
}
/** The fields of one object, by path. A field that is missing has the value "". */
export type FieldValues = Readonly<Record<string, string>> | ((field: string) => string | undefined);
/** What a caller may write where a field selector is asked for. */
export type FieldSelectorLike = FieldSelector | Readonly<Record<string, string>> | string;
/**
 * A condition on fields: `metadata.name=shop,status.phase!=Running`. In values, `\`
 * stands before `\`, `,` and `=`.
 *
 * Promises: `toString` and parsing go together as in `LabelSelector`. Bad input is
 * INVALID_OPTION. Immutable.
 *
 * Does not promise that a server can select by these fields: only it knows.
 *
 * Room rule: compares values; how to find a field in an object is the caller's business.
 */
export declare class FieldSelector {
    #private;
    static readonly everything: FieldSelector;
    /** All of them must hold. Sorted as printed. */
    readonly requirements: readonly FieldRequirement[];
    private constructor();
    static parse(text: string): FieldSelector;
    /** From a selector, a text, or a map of fields and the values they have to have. */
    static of(input: FieldSelectorLike): FieldSelector;
    get isEverything(): boolean;
    matches(fields: FieldValues): boolean;
    toString(): string;
}
// core/selector-syntax.d.ts
/**
 * How selectors are written: reading, checking and printing requirements.
 *
 * Everything here goes over a text from left to right by hand and never goes
 * back, so the work grows with the length of the text and with nothing else.
 * What was refused is quoted in part, however long it is.
 *
 * Room rule: knows texts, not what they select; `selector.ts` gives them a meaning.
 */
/** How a label stands to the values of a requirement. The text `==` is read as `=`. */
export type LabelOperator = 'exists' | '!' | '=' | '!=' | 'in' | 'notin' | '<' | '>';
export interface LabelRequirement {
    readonly key: string;
    readonly operator: LabelOperator;
    /** Sorted. None for `exists` and `!`, at least one for `in` and `notin`, one for the rest. */
    readonly values: ReadonlySet<string>;
}
export interface FieldRequirement {
    readonly field: string;
    readonly operator: '=' | '!=';
    readonly value: string;
}
export declare const A_KEY: string;
export declare const A_VALUE: string;
export declare const A_FIELD: string;
export declare function printLabel({ key, operator, values }: LabelRequirement): string;
export declare function printField({ field, operator, value }: FieldRequirement): string;
export declare function compareText(a: string, b: string): number;
export declare function labelRequirement(key: string, operator: LabelOperator, values: Iterable<string>): LabelRequirement;
export declare function isLabelKey(key: string): boolean;
export declare function isLabelValue(value: string): boolean;
export declare function isFieldPath(field: string): boolean;
/** The number a text stands for, if it is one the server can hold: it may have more digits than a double. */
export declare function int64(text: string): bigint | undefined;
export declare function parseLabels(text: string): LabelRequirement[];
export declare function parseFields(text: string): FieldRequirement[];
// client/url.d.ts
/** What a path names. An empty or absent namespace means all namespaces, or a cluster-scoped resource. */
export interface ResourcePath {
    /** Empty for the core group. */
    readonly group: string;
    readonly version: string;
    readonly resource: string;
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subresource?: string | undefined;
}
/** The parts of a path that come from whoever calls. */
export type Target = Pick<ResourcePath, 'namespace' | 'name' | 'subresource'>;
/** Values of a query; undefined ones are not sent, 0, false and "" are. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
/**
 * The only place where a path is put together.
 *
 * Every segment is checked before it becomes part of one: a name of `..` would reach another object, one with a
 * slash or a percent sign another resource. Nothing is escaped, because nothing that needs escaping is accepted.
 * Throws INVALID_OPTION.
 */
export declare function resourcePath(path: ResourcePath): string;
/** `/api/v1`, `/apis/apps/v1`. */
export declare function groupVersionPath({ group, version }: Pick<ResourcePath, 'group' | 'version'>): string;
/** Throws INVALID_OPTION unless these can be part of a path. For those who have to ask the server for the rest of it. */
export declare function checkTarget({ namespace, name, subresource }: Target): void;
/** `path?query`, every value encoded. */
export declare function withQuery(path: string, query: Query): string;
/** A path a user brings along. It must already be what goes on the wire. */
export declare function rawPath(path: string): string;
// client/resource-locator.d.ts
import type { ApiResource } from './discovery-documents.ts';
import type { Discovery, LookupOptions } from './discovery.ts';
/**
 * Where the objects of one resource are.
 *
 * A full name (`apps/v1/deployments`) is its own address: nothing is asked, so that an informer needs no discovery and a
 * server that is down is told by the request itself. Any other name, and whether a bare name needs the default namespace,
 * is looked up. Whatever the caller brings is checked before the first request.
 *
 * Room rule: names and paths; sends nothing itself.
 */
export declare class ResourceLocator {
    #private;
    readonly name: string;
    constructor(name: string, discovery: Discovery, defaultNamespace: string);
    /** An empty namespace means all of them. */
    collection(namespace: string, options: LookupOptions): Promise<string>;
    /** One namespace, or the cluster: where objects are made. A missing namespace is the default one. */
    home(namespace: string | undefined, options: LookupOptions): Promise<string>;
    /** As `home`, for who must say which namespace is meant. */
    chosenHome(namespace: string | undefined, options: LookupOptions): Promise<string>;
    /** `namespace/name`, or `name` in the default namespace or of a cluster-scoped resource. */
    object(key: string, options: LookupOptions, subresource?: string): Promise<string>;
    /** Whether the address comes from the server's own list, and may have changed since. */
    get isLookedUp(): boolean;
    /** The server says there is no such thing: what was looked up may be out of date. */
    forget(): void;
    /** Of what every cluster has nobody needs to be asked: not everybody may read the server's list. */
    builtIn(): Promise<Pick<ApiResource, 'group' | 'version' | 'kind' | 'namespaced'> | undefined>;
}
// client/resource-options.d.ts
import type { ListOptions, WatchOptions } from '../core/list-options.ts';
import { type Narrowed, type Selection } from './list-query.ts';
import type { CallOptions } from './request.ts';
import type { Query } from './url.ts';
/** Of every call that changes something. */
export interface WriteOptions extends CallOptions {
    /** Checks everything and stores nothing. */
    readonly dryRun?: boolean;
    /** Who changes it, as the server keeps it in managedFields. @default from the user agent, by the server */
    readonly fieldManager?: string;
    /** What the server does about unknown or duplicate fields. @default the server's: Warn */
    readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
}
export interface ReplaceOptions extends WriteOptions {
    /** Only this part of the object: `status`. */
    readonly subresource?: string;
}
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';
export interface PatchOptions extends ReplaceOptions {
    /** `strategic` is for built-in kinds only. @default 'merge' for an object, 'json' for an array */
    readonly type?: PatchType;
    /** Server-side apply only: take over fields that others own. */
    readonly force?: boolean;
}
export interface ApplyOptions extends ReplaceOptions {
    readonly fieldManager: string;
    /** Take over fields that others own. @default false */
    readonly force?: boolean;
}
export interface DeleteOptions extends CallOptions {
    readonly dryRun?: boolean;
    readonly gracePeriodSeconds?: number;
    readonly propagation?: 'Orphan' | 'Background' | 'Foreground';
    /** Delete only the object that was meant. */
    readonly preconditions?: {
        readonly uid?: string;
        readonly resourceVersion?: string;
    };
}
export interface SubresourceOptions extends WriteOptions {
    /** @default GET without a body, POST with one */
    readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly body?: object;
    /** Of a PATCH. @default 'merge' for an object, 'json' for an array */
    readonly type?: PatchType;
}
export type ListCallOptions = Narrowed<ListOptions> & Selection & CallOptions;
/** A watch has no end of its own, so `timeoutSeconds` is asked of the server instead of `timeoutMs`. */
export type WatchCallOptions = Narrowed<WatchOptions> & Selection & Omit<CallOptions, 'timeoutMs' | 'limiter'>;
export type DeleteCollectionOptions = DeleteOptions & Selection & Pick<ListOptions, 'resourceVersion' | 'limit'>;
/** A part of an object: only the fields that are meant. */
export type Partially<T> = {
    readonly [K in keyof T]?: Partially<T[K]>;
};
/** The body of a request and what it is. */
export interface Content {
    readonly body: string;
    readonly contentType: string;
}
/** Only what concerns the call as such. */
export declare function callOf({ signal, timeoutMs, attempts, onWarning, limiter }: CallOptions): CallOptions;
/** Throws INVALID_OPTION. */
export declare function writeQuery({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query;
/** Throws INVALID_OPTION for what is no object of JSON. */
export declare function json(object: object): Content;
/** `value` as JSON; `name` is for the error when it cannot be. */
export declare function encoded(value: unknown, name: string): string;
/** Types say so; whoever calls from JavaScript, or with what a parser gave, may not know. */
export declare function checkObject(value: unknown, name: string): void;
/** Throws INVALID_OPTION when options and type do not fit. */
export declare function patchContent(patch: object, options: PatchOptions): Content;
/** The parts of an object that server-side apply looks at. */
export type Applied = Partially<{
    apiVersion: string;
    kind: string;
    metadata: object;
}>;
/** `object` with the type of what it is applied to, where it does not say it itself. */
export declare function typed<O extends Applied>(object: O, { subresource }: ReplaceOptions, builtIn: () => Promise<{
    readonly group: string;
    readonly version: string;
    readonly kind: string;
} | undefined>): Promise<O>;
/** What server-side apply demands of an object, said before it is sent. */
export declare function checkApplied({ apiVersion, kind, metadata }: Applied): void;
/** The body of a delete; none when there is nothing to say. */
export declare function deletion({ gracePeriodSeconds, propagation, preconditions, dryRun, }: DeleteOptions): Content | undefined;
// client/connect.d.ts
import { type Env } from '../core/env.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { Connection } from './connection.ts';
/**
 * Finds a cluster and how to enter it: see ConnectOptions for where it looks, in which order.
 *
 * Rejects INVALID_CONFIG when a configuration is wrong or there is none, with the file and the field; INVALID_OPTION
 * when options contradict each other. Opens no connection and runs no program.
 */
export declare function resolveConnection(options?: ConnectOptions, env?: Env): Promise<Connection>;
// client/list-stream.d.ts
import { type Env } from '../core/env.ts';
import type { KubeList } from '../core/object.ts';
export interface ListStreamOptions<T> {
    readonly env?: Env;
    /**
     * Told of each item as soon as it is decoded and has its type, in the order of the list. It may change the item in
     * place (drop `managedFields`, say). When the list names its type after its items, they come all at the end.
     */
    readonly onItem?: (item: T) => void;
    /** Largest item, and largest rest of the list without its items. @default 33_554_432 (32 MB) */
    readonly maxItemBytes?: number;
    /** Largest list. @default 2_147_483_648 (2 GB) */
    readonly maxBytes?: number;
    /** Deepest nesting of an item. @default 512 */
    readonly maxDepth?: number;
}
/**
 * Reads the body of a LIST, item by item as the bytes arrive.
 *
 * Promises:
 *  - the body is never one string and never one `JSON.parse`; how it is cut into chunks changes nothing
 *  - the event loop gets its turn every few milliseconds, however fast the bytes come
 *  - the result is what `JSON.parse` of the whole would be (numbers become doubles, of equal keys the last wins),
 *    except that items without kind and apiVersion get them from the list, and `items: null` is an empty list
 *  - a Status is handed over as it is, without items, for the caller to raise; a Table with empty items, to be refused
 *  - anything else that is no list fails with LIST_INVALID, a body that ends too early with TRANSPORT ("truncated");
 *    neither says anything of the content, which may be a Secret
 *  - an error, also one of `onItem`, closes the body; what the body throws is handed on as it is
 *
 * Not promised: that items have metadata, or that there is only one page. The pager asks for that.
 *
 * Room rule: knows JSON and the shape of a list. No requests, no retry, no resourceVersion.
 */
export declare function decodeList<T>(body: AsyncIterable<Uint8Array>, options?: ListStreamOptions<T>): Promise<KubeList<T>>;
// client/redact-object.d.ts
import type { Env } from '../core/env.ts';
/**
 * A function that copies objects without their secrets, for traces and bug reports.
 *
 * `data` and `stringData` of a Secret (also inside a list, a watch event or a last-applied annotation), fields named
 * like credentials, PEM blocks and tokens inside any text become `[12 characters, #1a2b3c4d]`. Equal values give equal
 * marks, so a change is still visible; the mark is keyed with a number drawn once, so that nobody can try guesses
 * against it. Everything else is copied as it is.
 */
export declare function objectRedactor(env: Pick<Env, 'random'>): (value: unknown) => unknown;
// client/redact.d.ts
/**
 * Tells `redact` about a secret by value. Every credential source does this with what it reads, before it is used,
 * so that whoever echoes it later (a server, a plugin, a library's error) is caught whatever the words around it.
 */
export declare function rememberSecret(...secrets: readonly (string | undefined)[]): void;
/**
 * `text` without anything secret: what `rememberSecret` was told, and whatever looks like a credential.
 *
 * The one choke point: text that came from outside (a server's body, a plugin's stderr, a library's message) passes
 * here before it gets into an error or a log line. Cut to length afterwards, never before: half a token is no longer
 * recognised. Linear in the length of the text.
 *
 * Room rule: pure text; knows no request, no file, no kubeconfig.
 */
export declare function redact(text: string): string;
/**
 * As `redact`, and also hides long opaque words. For the output of programs that handle secrets we have not been told:
 * a request id lost is better than a token shown.
 */
export declare function redactOpaque(text: string): string;
/**
 * `error` as a cause that can be shown: its name, its code and its redacted message, nothing it carries along.
 * (A failed spawn carries the arguments, a failed parse quotes the text.)
 */
export declare function safeCause(error: unknown): Error;
/** Of the UTF-8 bytes, without Buffer: this file runs in browsers. */
export declare function base64(text: string): string;
// client/retry-on-conflict.d.ts
import { type Env } from '../core/env.ts';
export interface RetryOnConflictOptions {
    /** The first included. @default 5 */
    readonly attempts?: number;
    /** Before the second attempt. @default 10 */
    readonly pauseMs?: number;
    /** Each pause is so many times the one before. With 4 attempts, 5 suits a busy controller on the other side. @default 1 */
    readonly factor?: number;
    readonly signal?: AbortSignal;
    readonly env?: Env;
}
/**
 * Runs `change` again when somebody else was quicker. Read the object inside it: a conflict means that the one
 * you had is no longer the newest.
 *
 * A field that another manager owns (server-side apply) is no such conflict: it is reported at once.
 */
export declare function retryOnConflict<R>(change: (attempt: number) => Promise<R>, options?: RetryOnConflictOptions): Promise<R>;
// client/watch-stream.d.ts
import { type Env } from '../core/env.ts';
import type { WatchEvent } from '../core/watch-event.ts';
export interface WatchStreamOptions {
    readonly env?: Env;
    /** Longest line. @default 33_554_432 (32 MB) */
    readonly maxFrameBytes?: number;
    /** Deepest nesting of an event's object. @default 512 */
    readonly maxDepth?: number;
}
/**
 * Turns the body of a watch into events: one line, one event. Can be iterated once.
 *
 * Promises:
 *  - only the byte LF ends a line; how the bytes are cut into chunks changes nothing
 *  - nothing unreadable is skipped: it ends the stream with WATCH_DECODE, after the events before it
 *  - a last line without its LF is no event: the stream ends with TRANSPORT ("truncated"), so that the reader resumes
 *  - the next line is decoded when the next event is asked for, and no chunk is read ahead
 *  - leaving early, or an error found here, closes the body, once; what the body throws is handed on as it is
 *  - an error says where, how long and what kind, never what: the line may be a Secret
 *  - however large a chunk is, the event loop gets its turn every few milliseconds
 *
 * Not promised: that `type` is a known one, or that the object has metadata. The reader of the events decides that.
 * Numbers and equal keys are as `parseJson` says.
 *
 * Room rule: knows UTF-8, lines and JSON. No retry, no resourceVersion, no sockets.
 */
export declare function decodeWatchStream<T>(body: AsyncIterable<Uint8Array>, options?: WatchStreamOptions): AsyncIterableIterator<WatchEvent<T>, undefined>;
