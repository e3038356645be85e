import type { UserCode } from '../core/guarded.ts';
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { KubeObject } from '../core/object/object.ts';
import { readResponseBytes, readResponseJson } from './request/response.ts';
import { concealInPrint } from './secrets/conceal.ts';
import { defined } from '../core/defined.ts';
import { CONNECT_OPTIONS, type ConnectOptions } from './connect/connect-options.ts';
import { resolveConnection } from './connect/resolve-connection.ts';
import type { Connection } from './connect/connection.ts';
import { createTransport, type TransportOptions } from './connect/create-transport.ts';
import { Discovery } from './discovery/discovery.ts';
import { KNOWN } from './known-call-options.ts';
import { lazyStream } from '../core/async/lazy-stream.ts';
import { type Limiter, type RateLimitOptions, RateLimiter } from '../core/async/rate-limit.ts';
import { type ApiRequest, type CallOptions, Requester } from './request/request.ts';
import { ResourceClient } from './resource-client.ts';
import { ResourceLocator } from './discovery/resource-locator.ts';
import { callOptionsOf, encodeForResourceOptions, type WriteOptions } from './resource-options.ts';
import type { Transport } from './transport/transport.ts';
import { checkedRawUrlPath, urlWithQuery } from './request/url.ts';
import { checkedUserAgent, defaultUserAgent } from './request/user-agent.ts';
import type { WarningPolicy } from './request/warnings.ts';
import { WireChoice } from './wire-choice.ts';

/** The name of a built-in resource: `v1/pods`. */
export type BuiltInResource = keyof Resources;

/** A resource whose objects can be created but not read: reviews, bindings. */
export interface CreateOnlyClient<T extends KubeObject> {
  /** The name this client was created with. */
  readonly name: string;
  /** Sends the object and resolves with the response, which the server does not store. */
  create(object: T, options?: WriteOptions): Promise<T>;
}

/**
 * A type that no name satisfies. Its parameter is the hint that the compiler prints for a resource that is
 * not built in and has no type argument.
 */
export interface NotBuiltIn<Hint = "for a custom resource pass its type: <Widget>('example.com/v1/widgets')"> {
  readonly hint: Hint;
}

/**
 * The name parameter of an overloaded function's last form, which is the form that compiler errors are about.
 * It accepts built-in names as well, so that the error is about the name only if the name is wrong.
 */
export type ResourceNameFor<T, N extends string> = N &
  ([T] extends [never] ? (N extends BuiltInResource ? string : NotBuiltIn) : string);

/** The type of the objects with that name: `T` if it was given, otherwise the built-in type. */
export type ObjectNamed<T, N extends string> = [T] extends [never] ? (N extends BuiltInResource ? Resources[N] : T) : T;

export interface ClientOptions {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly env?: UserCode<Env>;
  /** @default `kube-informer/<version> (<platform>)` */
  readonly userAgent?: string;
  /** Limits requests, except watches. The server has its own flow control. @default none */
  readonly rateLimit?: RateLimitOptions | Limiter;
  /** @default 'log' */
  readonly onWarning?: WarningPolicy;
  /** Maximum size of one object, in bytes of JSON. An informer names a larger one in `health()` and continues. @default 33_554_432 (32 MB) */
  readonly maxObjectBytes?: number;
  /** Maximum Retry-After that is honoured, so that a server cannot stall the client. @default 60_000 */
  readonly maxRetryAfterMs?: number;
}

/** Options of `Client.connect`: where the cluster is, the credentials, and the transport. */
export interface ClientConnectOptions
  extends ConnectOptions, Omit<ClientOptions, 'connection' | 'transport'>, Omit<TransportOptions, 'env'> {
  /** @default the platform's own */
  readonly transport?: Transport;
}

const CLIENT_CONNECT_OPTIONS: KnownOptions<ClientConnectOptions> = {
  ...CONNECT_OPTIONS,
  env: true,
  userAgent: true,
  rateLimit: true,
  onWarning: true,
  maxObjectBytes: true,
  maxRetryAfterMs: true,
  http2: true,
  limits: true,
  fetch: true,
  transport: true,
};

/** A request by path. */
export interface RawRequest extends CallOptions {
  /** @default GET */
  readonly method?: ApiRequest['method'];
  /** Path and query, already escaped. */
  readonly path: string;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** Headers that override all others, including those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LogOptions extends Omit<CallOptions, 'timeoutMs'> {
  /** @default the only container */
  readonly container?: string;
  /** Streams until the container ends. */
  readonly follow?: boolean;
  /** Reads the log of the previous container. */
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

const RAW_REQUEST: KnownOptions<RawRequest> = { ...KNOWN.call, method: true, path: true, body: true, headers: true };
const { timeoutMs: _, ...LOG_CALL } = KNOWN.call;
const LOG_OPTIONS: KnownOptions<LogOptions> = {
  ...LOG_CALL,
  container: true,
  follow: true,
  previous: true,
  sinceSeconds: true,
  sinceTime: true,
  tailLines: true,
  timestamps: true,
  limitBytes: true,
  stream: true,
};

/** Maximum size of the response to a raw request. */
const MAX_RAW_BYTES = 268_435_456;

/**
 * A cluster's API: resources by name, everything else by path. `Client.connect()` makes one.
 *
 * Opens no connection before the first call. All resources of a client share its transport, limiter, warnings and
 * discovery. Printing a client shows the server and no secret.
 *
 * @example
 * await using client = await Client.connect();                          // KUBECONFIG, the pod's account, ~/.kube/config
 * const pods = client.resource('v1/pods');                              // ResourceClient<Pod>
 * const widgets = client.resource<Widget>('example.com/v1/widgets');    // a custom resource brings its type
 */
export class Client implements AsyncDisposable {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** The rate limit that all calls share; undefined if there is none. */
  readonly limiter: Limiter | undefined;
  readonly #transport: Transport;
  readonly #requester: Requester;
  readonly #env: Env;
  readonly #wires: WireChoice;
  readonly #maxObjectBytes: number | undefined;

  /**
   * Finds the cluster and its credentials as ConnectOptions say, and picks the transport of the platform. Sends no
   * request: only the first call shows whether the server is down. Rejects as `resolveConnection` does.
   */
  static async connect(options: ClientConnectOptions = {}): Promise<Client> {
    requireKnown('connect', options, CLIENT_CONNECT_OPTIONS);
    const connection = await resolveConnection(options, options.env);
    try {
      const transport = options.transport ?? (await createTransport(connection, options));
      return new Client({ ...options, connection, transport });
    } catch (error) {
      connection.credentials.close?.();
      throw error;
    }
  }

  constructor(options: ClientOptions) {
    const { connection, transport, userAgent = defaultUserAgent(), onWarning = 'log' } = options;
    const { rateLimit, maxRetryAfterMs } = options;
    const env = guardedEnv(options.env ?? systemEnv);
    const limiter = rateLimit === undefined || 'take' in rateLimit ? rateLimit : new RateLimiter(env, rateLimit);
    const checked = { connection, transport, env, userAgent: checkedUserAgent(userAgent), onWarning };
    this.connection = connection;
    this.limiter = limiter;
    this.#transport = transport;
    this.#env = env;
    this.#wires = new WireChoice(env);
    this.#maxObjectBytes = options.maxObjectBytes;
    this.#requester = new Requester({ ...checked, ...defined({ limiter, maxRetryAfterMs }) });
    this.discovery = new Discovery(this.#requester, env);
    concealInPrint(this, () => ({
      server: connection.server.href,
      origin: connection.origin,
      namespace: connection.namespace,
    }));
  }

  /**
   * A client for one resource. A built-in name implies its type; a custom resource, a kind or a short name needs a type
   * argument (`resource<Widget>('example.com/v1/widgets')`), so that a typo in a built-in name does not compile.
   */
  resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
  resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
  resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): ResourceClient<T>;
  resource(name: string): ResourceClient {
    const locator = new ResourceLocator(name, this.discovery, this.connection.namespace);
    const maxObjectBytes = this.#maxObjectBytes;
    const parts = { requester: this.#requester, locator, env: this.#env, wires: this.#wires };
    return new ResourceClient({ ...parts, ...defined({ maxObjectBytes }) });
  }

  /** Sends a request to any path. Resolves with the value of a JSON response, with the text of any other. */
  async request<R = unknown>(request: RawRequest): Promise<R> {
    requireKnown('request', request, RAW_REQUEST);
    const { method = 'GET', path, body, headers } = request;
    const asIs = typeof body === 'string' || body instanceof Uint8Array;
    const sent: ApiRequest = {
      method,
      path: checkedRawUrlPath(path),
      accept: 'application/json, */*;q=0.5',
      ...(body === undefined
        ? {}
        : { body: asIs ? body : encodeForResourceOptions(body, 'body'), contentType: 'application/json' }),
      ...defined({ headers }),
      ...callOptionsOf(request),
    };
    const what = `${method} ${path.split('?', 1)[0]}`;
    return this.#requester.call(sent, async (response) => {
      const isJson = /^[^;]*\bjson\b/.test(response.headers.get('content-type') ?? '');
      if (isJson) return readResponseJson<R>(response, what, MAX_RAW_BYTES);
      return new TextDecoder().decode(await readResponseBytes(response.body, MAX_RAW_BYTES, what)) as R;
    });
  }

  /**
   * Streams a pod's log: bytes, not lines. With `follow` it ends when the container ends. Leaving the loop closes the
   * stream.
   */
  logs(key: string, options: LogOptions = {}): AsyncIterableIterator<Uint8Array, undefined> {
    requireKnown('logs', options, LOG_OPTIONS);
    const { signal, attempts, onWarning, limiter, ...query } = options;
    const pods = new ResourceLocator('v1/pods', this.discovery, this.connection.namespace);
    // Pods are namespaced: a name without a namespace needs no discovery.
    const full = key.includes('/') ? key : `${this.connection.namespace}/${key}`;
    return lazyStream(signal, async (linked) => {
      const call = { ...callOptionsOf(defined({ attempts, onWarning, limiter })), signal: linked };
      const path = urlWithQuery(await pods.object(full, call, 'log'), { ...query });
      const longLived = options.follow === true;
      // A container that writes no log may be healthy.
      const lasting = { longLived, mayBeSilent: longLived };
      const response = await this.#requester.open({ method: 'GET', path, accept: '*/*', ...lasting, ...call });
      return response.body;
    });
  }

  /** Closes every connection, stops getting credentials and forgets them. Idempotent. */
  async close(): Promise<void> {
    this.#requester.close();
    this.connection.credentials.close?.();
    await this.#transport.close();
    this.#requester.forgetSecrets();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
