import { Client, type ClientOptions } from '../../../src/client/client.ts';
import type { Connection } from '../../../src/client/connect/connection.ts';
import type { Credentials, CredentialSource } from '../../../src/client/auth/credentials.ts';
import { Requester, type RequesterOptions } from '../../../src/client/request/request.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../src/client/transport/transport.ts';
import type { Status } from '../../../src/core/errors.ts';
import { type FakeEnv, fakeEnv, type FakeEnvOptions } from '../../../src/testing/fake-clock.ts';
import { body, type TestBody } from './bodies.ts';

/** The scripted response to one request. */
export type Answer = Said | Error | ((request: TransportRequest) => Said | Error | Promise<Said>);

export interface Said {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text, a value to be sent as JSON, or the body itself. @default empty */
  readonly body?: unknown;
}

/** A server that never responds; it honours the signal, as a transport must. */
export const silence = ({ signal }: TransportRequest): Promise<Said> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

export const status = (
  code: number,
  more: Partial<Status> = {},
  headers: Readonly<Record<string, string>> = {},
): Said => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...more },
});

/** Responds from a script, in order, then from routes; records its requests. */
export class FakeTransport implements Transport {
  readonly sent: TransportRequest[] = [];
  readonly script: Answer[];
  /** By path without query. Used after the script, and not recorded. */
  readonly routes = new Map<string, Answer>();
  readonly bodies: TestBody[] = [];
  isClosed = false;

  constructor(script: readonly Answer[] = []) {
    this.script = [...script];
  }

  get lines(): string[] {
    return this.sent.map(({ method, path }) => `${method} ${path}`);
  }

  get last(): TransportRequest {
    const last = this.sent.at(-1);
    if (last === undefined) throw new Error('nothing was sent');
    return last;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const route = this.routes.get(request.path.split('?', 1)[0] as string);
    if (route === undefined) this.sent.push(request);
    const answer = route ?? this.script.shift();
    if (answer === undefined) throw new Error(`the script has no answer to ${request.method} ${request.path}`);
    const said = typeof answer === 'function' ? await answer(request) : answer;
    if (said instanceof Error) throw said;
    const { status: code = 200, headers = {}, body: content = '' } = said;
    const made = isBody(content) ? content : body([typeof content === 'string' ? content : JSON.stringify(content)]);
    this.bodies.push(made as TestBody);
    return { status: code, headers: new Map(Object.entries(headers)), body: made };
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function isBody(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Returns `tokens` one after the other; a rejected token is replaced by the next. */
export class FakeCredentials implements CredentialSource {
  readonly kind = 'fake';
  readonly rejections: Credentials[] = [];
  asked = 0;
  isClosed = false;
  readonly #tokens: readonly string[];

  constructor(tokens: readonly string[] = ['first']) {
    this.#tokens = tokens;
  }

  current(): Promise<Credentials> {
    this.asked += 1;
    const token = this.#tokens[Math.min(this.rejections.length, this.#tokens.length - 1)];
    return Promise.resolve(token === undefined ? {} : { authorization: `Bearer ${token}` });
  }

  rejected(credentials: Credentials): boolean {
    this.rejections.push(credentials);
    return this.rejections.length < this.#tokens.length;
  }

  close(): void {
    this.isClosed = true;
  }
}

export function fakeConnection(parts: Partial<Connection> = {}): Connection {
  return {
    server: new URL('https://cluster.example.com'),
    tls: { current: () => ({}), refresh: () => Promise.resolve(false) },
    credentials: new FakeCredentials(),
    namespace: 'home',
    origin: 'test',
    ...parts,
  };
}

export interface RigOptions extends FakeEnvOptions {
  readonly connection?: Partial<Connection>;
  readonly requester?: Partial<RequesterOptions>;
}

/** A Requester on a scripted transport and a fake clock. */
export function requesterRig(
  script: readonly Answer[],
  options: RigOptions = {},
): { requester: Requester; transport: FakeTransport; env: FakeEnv } {
  const { connection, requester, ...rest } = options;
  const env = fakeEnv({ random: 0.5, ...rest });
  const transport = new FakeTransport(script);
  const made = new Requester({
    connection: fakeConnection(connection),
    transport,
    env,
    userAgent: 'test',
    onWarning: 'log',
    ...requester,
  });
  return { requester: made, transport, env };
}

/** The aggregated documents of a small cluster. */
export const APIS: Readonly<Record<'/api' | '/apis', Said>> = {
  '/api': {
    headers: { 'content-type': 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' },
    body: aggregated({
      '': {
        v1: [
          ['pods', 'Pod', 'Namespaced', ['po'], ['log', 'status', 'eviction']],
          ['configmaps', 'ConfigMap', 'Namespaced', ['cm']],
          ['secrets', 'Secret', 'Namespaced'],
          ['nodes', 'Node', 'Cluster', ['no']],
          ['events', 'Event', 'Namespaced', ['ev']],
        ],
      },
    }),
  },
  '/apis': {
    body: aggregated({
      apps: { v1: [['deployments', 'Deployment', 'Namespaced', ['deploy'], ['scale', 'status']]] },
      'events.k8s.io': { v1: [['events', 'Event', 'Namespaced', ['ev']]] },
      'example.com': {
        v1: [['widgets', 'Widget', 'Namespaced', ['wi']]],
        v1beta1: [['widgets', 'Widget', 'Namespaced', ['wi']]],
      },
    }),
  },
};

type Entry = readonly [
  resource: string,
  kind: string,
  scope: string,
  short?: readonly string[],
  sub?: readonly string[],
];

export function aggregated(groups: Readonly<Record<string, Readonly<Record<string, readonly Entry[]>>>>): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: Object.entries(groups).map(([name, versions]) => ({
      metadata: name === '' ? {} : { name },
      versions: Object.entries(versions).map(([version, entries]) => ({
        version,
        freshness: 'Current',
        resources: entries.map(([resource, kind, scope, shortNames, subresources = []]) => ({
          resource,
          responseKind: { group: '', version: '', kind },
          scope,
          singularResource: kind.toLowerCase(),
          shortNames,
          verbs: ['get', 'list', 'watch'],
          subresources: subresources.map((subresource) => ({ subresource, verbs: ['get'] })),
        })),
      })),
    })),
  };
}

/** A Client on a scripted transport with a small cluster; only scripted requests are recorded. */
export function clientRig(
  script: readonly Answer[] = [],
  options: Partial<Omit<ClientOptions, 'connection'>> & { connection?: Partial<Connection>; random?: number } = {},
): { client: Client; transport: FakeTransport; env: FakeEnv; connection: Connection } {
  const { connection: parts, random = 0.5, ...rest } = options;
  const env = fakeEnv({ random });
  const transport = new FakeTransport(script);
  for (const [path, answer] of Object.entries(APIS)) transport.routes.set(path, answer);
  const connection = fakeConnection(parts);
  return { client: new Client({ connection, transport, env, ...rest }), transport, env, connection };
}
