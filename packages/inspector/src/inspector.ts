import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Cluster } from 'kube-informer';
import { type Env, KubeError, type KnownOptions, requireKnown, systemEnv } from 'kube-informer/core';
import { page } from '#page';
import { CacheTracker } from './caches/cache-tracker.ts';
import { runInBackground } from './server/background.ts';
import { EventStreams } from './server/event-streams.ts';
import { type Fault, FaultPanel } from './server/fault-panel.ts';
import { Guard } from './server/access-guard.ts';
import { History, type HistoryOptions } from './history/inspector-history.ts';
import type { InspectedOperator } from './operators/inspected-operator.ts';
import { OperatorList } from './operators/operator-list.ts';
import { IndexMask } from './mask/index-mask.ts';
import { Mask } from './mask/mask.ts';
import { overviewSummary } from './summaries/overview-summary.ts';
import type { Overview } from './protocol/messages.ts';
import { serverRoutes } from './server/server-routes.ts';
import { visibleBrief } from './mask/visible.ts';
import { RequestHandler, type Route } from './server/request-handler.ts';
import { WebServer } from './server/web-server.ts';
import { CacheSizes } from './caches/cache-sizes.ts';

export interface InspectorOptions {
  /** @default a free port */
  readonly port?: number;
  /** An address other than loopback requires a `token`, and a warning is logged. @default '127.0.0.1' */
  readonly host?: string;
  /** Additional host names a browser may use: `'box.lan'`. @default none */
  readonly hostNames?: readonly string[];
  /** Access token, at least 32 characters. @default 256 random bits */
  readonly token?: string;
  /** Allows the page to show an object unmasked; each time is logged. @default false */
  readonly reveal?: boolean;
  /** Faults that can be started from the page. For demos, not for production. @default none */
  readonly faults?: readonly Fault[];
  readonly history?: HistoryOptions;
  /**
   * Operators whose controllers are shown: what `run()` of `@kube-informer/controller` returns. It is read
   * again each time, so a `Set` may change. @default none
   */
  readonly operators?: Iterable<InspectedOperator>;
  readonly env?: Env;
}

export interface Inspector extends AsyncDisposable {
  /** The address to open in a browser. The token is in the fragment, which browsers do not send to a server. */
  readonly url: string;
  readonly token: string;
  readonly address: { readonly host: string; readonly port: number };
  /** Closes all connections and removes the handlers. Idempotent. */
  close(): Promise<void>;
}

/** Options of an inspector on your own server. */
export interface MountOptions extends Omit<InspectorOptions, 'port' | 'host'> {
  /** The path of the page on your server: `/inspect`. Not needed if the framework removes it, as Express does. @default '' */
  readonly path?: string;
}

/** An inspector on your own server. */
export interface MountedInspector extends AsyncDisposable {
  /** Handles requests for the path and everything below it: `app.use('/inspect', inspector.handler)`. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly token: string;
  /** The suffix of the page's address, used once: `/#token=…`. Browsers do not send it to a server. */
  readonly fragment: string;
  /** Ends the streams of open pages and removes the handlers. Idempotent. */
  close(): Promise<void>;
}

const {
  port: _,
  host: __,
  ...MOUNT_OPTIONS
} = {
  port: true,
  host: true,
  hostNames: true,
  token: true,
  reveal: true,
  faults: true,
  history: true,
  operators: true,
  env: true,
} satisfies KnownOptions<InspectorOptions>;
const OPTIONS: KnownOptions<InspectorOptions> = { port: true, host: true, ...MOUNT_OPTIONS };
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);
const MIN_TOKEN = 32;
/** Interval at which new and closed caches are noticed while no page is open. */
const REFRESH_MS = 1_000;

/**
 * Serves a page about the caches of a cluster, from inside the process that has them.
 *
 * Promises: read-only; on loopback, for clients with the token; secrets are masked before they leave the process. Reads
 * caches only and sends no request to the API server. `close` leaves no socket, handler or timer behind.
 *
 * @example
 * await using inspector = await startInspector(cluster);
 * console.log(inspector.url);
 */
export async function startInspector(cluster: Cluster, options: InspectorOptions = {}): Promise<Inspector> {
  requireKnown('startInspector', options, OPTIONS);
  const { port = 0, host = '127.0.0.1', hostNames = [], env = systemEnv } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new KubeError('INVALID_OPTION', `port: expected a whole number from 0 to 65535, got ${String(port)}`);
  const token = newInspectorToken(options, host);
  const isOpen = !LOOPBACK.has(host);
  if (isOpen) env.log('warn', 'the inspector is reachable from other machines, without encryption', { host });
  const { routes, close: closeParts } = assembleInspector(cluster, options);
  const names = [...LOOPBACK, ...(isOpen ? [host] : []), ...hostNames];
  let web: WebServer;
  try {
    web = await WebServer.listen({
      host,
      port,
      handler: ({ port: own }) => {
        const hosts = new Set(names.map((name) => inspectorHost(name, own)));
        return new RequestHandler({ routes, guard: new Guard((given) => hosts.has(given), token) });
      },
    });
  } catch (error) {
    await closeParts();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= Promise.all([web.close(), closeParts()]).then(() => {});
    return closing;
  };
  const { port: own } = web.address;
  return {
    url: `http://${inspectorHost(host === '0.0.0.0' || host === '::' ? 'localhost' : host, own)}/#token=${token}`,
    token,
    address: { host, port: own },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Serves the same page on your own server, under a path: Express, Fastify or `node:http`.
 *
 * Makes the promises of `startInspector`, except those about the server: your server decides who can reach
 * it. Requests need the token, and a `Host` that is loopback or one of `hostNames`, with any port.
 *
 * @example
 * const inspector = mountInspector(cluster, { path: '/inspect' });
 * createServer((request, response) => {
 *   if (/^\/inspect(\/|$)/.test(request.url ?? '')) return inspector.handler(request, response);
 *   response.end('hello');
 * }).listen(8080);
 * console.log(`http://localhost:8080/inspect${inspector.fragment}`);
 */
export function mountInspector(cluster: Cluster, options: MountOptions = {}): MountedInspector {
  const { path = '', ...rest } = options;
  requireKnown('mountInspector', rest, MOUNT_OPTIONS);
  if (!/^(?:\/[\w~.-]+)*$/.test(path))
    throw new KubeError(
      'INVALID_OPTION',
      `path: expected a path without a slash at its end, such as /inspect, got ${path}`,
    );
  const token = newInspectorToken(options, 'localhost');
  const names = new Set([...LOOPBACK, ...(options.hostNames ?? [])].map((name) => inspectorHost(name, 80)));
  const { routes, close } = assembleInspector(cluster, rest);
  const guard = new Guard((given) => names.has(given.replace(/:\d+$/, '')), token, ['http', 'https']);
  const requests = new RequestHandler({ routes, guard, prefix: path });
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => (closing ??= close());
  return {
    handler: (request, response) => void requests.serve(request, response),
    token,
    fragment: `/#token=${token}`,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** Creates everything of an inspector but its server. `close` ends streams and removes handlers. */
function assembleInspector(
  cluster: Cluster,
  options: Omit<InspectorOptions, 'port' | 'host'>,
): { readonly routes: ReadonlyMap<string, Route>; readonly close: () => Promise<void> } {
  const { reveal = false, env = systemEnv } = options;
  const history = new History(options.history);
  const tracker = new CacheTracker(() => cluster.caches(), env, history);
  const mask = new Mask();
  const indexMask = new IndexMask(mask);
  const sizes = new CacheSizes(env);
  const masked = (text: string): string => visibleBrief(mask.text(text));
  const faults = options.faults === undefined ? undefined : new FaultPanel(options.faults, env, masked);
  const overview = (): Overview =>
    overviewSummary({
      records: tracker.refresh(),
      env,
      mask,
      sizes,
      server: cluster.client.connection.server.host,
      canFault: faults !== undefined,
      canReveal: reveal,
      hasOperators: options.operators !== undefined,
    });
  const operators = new OperatorList(options.operators ?? [], env);
  const streams = new EventStreams({ env, tracker, overview });
  const routes = serverRoutes({
    page,
    tracker,
    history,
    mask,
    indexMask,
    env,
    streams,
    overview,
    faults,
    operators,
    canReveal: reveal,
  });
  const end = new AbortController();
  const tracking = addToInspector(tracker, env, end.signal);
  return {
    routes,
    close: async () => {
      end.abort();
      streams.close();
      await tracking;
      tracker.close();
    },
  };
}

/** Tracks caches even while no page is open. */
async function addToInspector(tracker: CacheTracker, env: Env, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runInBackground(env, () => void tracker.refresh());
    await env.sleep(REFRESH_MS, signal);
  }
}

function newInspectorToken({ token }: InspectorOptions, host: string): string {
  if (token === undefined && !LOOPBACK.has(host))
    throw new KubeError('INVALID_OPTION', `host: ${host} is reachable from other machines; set the option token`);
  if (token !== undefined && (token.length < MIN_TOKEN || !/^[\w~.-]+$/.test(token)))
    throw new KubeError('INVALID_OPTION', `token: expected at least ${MIN_TOKEN} letters, digits, - . _ or ~`);
  return token ?? randomBytes(32).toString('base64url');
}

/** The value of a Host header. */
function inspectorHost(name: string, port: number): string {
  const host = isIP(name) === 6 ? `[${name}]` : name.toLowerCase();
  return port === 80 ? host : `${host}:${port}`;
}
