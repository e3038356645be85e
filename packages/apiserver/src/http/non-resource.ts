import { createHash } from 'node:crypto';
import { type Discovery, servedDiscovery } from '../api/discovery/served-discovery.ts';
import type { KeptDocuments, OpenApiV3 } from '../api/openapi/v3.ts';
import { once } from '../core/run-once.ts';
import {
  methodNotAllowedStatusError,
  noSuchResourceStatusError,
  notAcceptableStatusError,
} from '../core/status-error.ts';
import { httpServerTimestamp } from '../core/server-timestamp.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';
import { healthResponse } from './health.ts';
import { type Accepted, MEDIA_TYPES, negotiate, negotiateJsonOnly, negotiatePretty } from './message/negotiate.ts';
import type { Headers } from './responder.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const OPENID_CONFIGURATION = '/.well-known/openid-configuration';
const OPENID_KEYS = '/openid/v1/jwks';
const YEAR_MS = 365 * 86_400_000;

/** Documents that are built from the list of resources, and kept until it changes. */
interface Documents {
  readonly version: number;
  readonly discovery: Discovery;
  readonly aggregated: Map<string, { readonly body: Buffer; readonly etag: string }>;
  readonly v3: () => Promise<OpenApiV3>;
  readonly v2: () => Promise<DocumentsOfV2>;
}

/** `/openapi/v2` in both encodings, built when first requested. */
interface DocumentsOfV2 {
  readonly json: () => { readonly body: Buffer; readonly etag: string };
  readonly protobuf: () => Buffer;
}

/** Everything that is not a resource: discovery, OpenAPI, health, version, metrics. */
export class NonResource {
  readonly #backend: Backend;
  #documents: Documents | undefined;
  /** Documents of groups that did not change with the list of resources. */
  readonly #kept: KeptDocuments = new Map();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async handle(exchange: Exchange): Promise<void> {
    const { responder, metrics, api, watches, version } = this.#backend;
    const path = exchange.info.path.replace(/^(\/(?:apis?|version)(?:\/.*)?)\/$/, '$1');
    const health = healthResponse(path, exchange.query);
    if (health !== undefined) return responder.text(exchange, 200, health, { 'x-content-type-options': 'nosniff' });
    if (path === '/metrics') return responder.text(exchange, 200, metrics.text(api.store, watches.size), METRICS_TYPE);
    if (path === '/version') {
      requireNonResourceGet(exchange);
      negotiateJsonOnly(exchange.header('accept'));
      // The only response that is always indented.
      return responder.send(exchange, 200, Buffer.from(JSON.stringify(version, null, 2)), JSON_TYPE);
    }
    if (path === '/')
      return responder.value(exchange, 200, { paths: this.#paths() }, { type: 'application/json', pretty: true });
    if (path === '/openapi/v2') return this.#openApiV2(exchange);
    if (path === '/openapi/v3' || path.startsWith('/openapi/v3/')) return this.#openApiV3(exchange, path);
    if (path === '/api' || path === '/apis') return this.#root(exchange, path === '/api' ? 'api' : 'apis');
    if (path === OPENID_CONFIGURATION || path === OPENID_KEYS) return this.#openId(exchange, path);
    return this.#groupVersion(exchange, path);
  }

  #current(): Documents {
    const { registry } = this.#backend.api;
    if (this.#documents?.version === registry.version) return this.#documents;
    const resources = registry.resources();
    const v3 = once(async () =>
      (await import('../api/openapi/v3.ts')).openApiV3(resources, this.#kept, this.#backend.descriptions),
    );
    this.#documents = {
      version: registry.version,
      discovery: servedDiscovery(resources, { address: this.#backend.address() }),
      aggregated: new Map(),
      // Loaded when requested: most servers never need it.
      v3,
      v2: once(async () => {
        const v2 = (await import('../api/openapi/v2.ts')).openApiV2(resources, await v3());
        return {
          json: once(() => {
            const body = Buffer.from(JSON.stringify(v2.json()));
            return { body, etag: nonResourceHash(body) };
          }),
          protobuf: once(() => Buffer.from(v2.protobuf())),
        };
      }),
    };
    return this.#documents;
  }

  #root(exchange: Exchange, root: 'api' | 'apis'): Promise<void> {
    const { responder } = this.#backend;
    if (root === 'api') requireNonResourceGet(exchange);
    const documents = this.#current();
    const first = (exchange.header('accept') ?? '').split(',').map((clause) => clause.replaceAll(/\s/g, ''));
    const wanted = first.find(
      (clause) => asksNonResourceAggregated(clause) || !clause.includes(';as=') || !clause.includes('apidiscovery'),
    );
    if (wanted !== undefined && asksNonResourceAggregated(wanted)) {
      let made = documents.aggregated.get(root);
      if (made === undefined) {
        const body = Buffer.from(`${JSON.stringify(documents.discovery.aggregated(root))}\n`);
        made = { body, etag: nonResourceHash(body) };
        documents.aggregated.set(root, made);
      }
      const headers = { 'cache-control': 'public', etag: `"${made.etag}"`, vary: 'Accept' };
      return this.#tagged(exchange, made.body, { ...headers, 'content-type': AGGREGATED });
    }
    const accepted = negotiateNonResource(exchange, root === 'api');
    const document = root === 'api' ? documents.discovery.apiVersions() : documents.discovery.groupList();
    return responder.value(exchange, 200, document, accepted);
  }

  /** Serves the OpenID documents with which others verify service account tokens. */
  async #openId(exchange: Exchange, path: string): Promise<void> {
    const { responder, address, tokens } = this.#backend;
    requireNonResourceGet(exchange);
    const isKeys = path === OPENID_KEYS;
    const url = `${exchange.socket.encrypted ? 'https' : 'http'}://${address()}`;
    const { tokenDiscovery } = await import('../auth/review/token-key.ts');
    const document = isKeys ? (await tokens()).keySet() : tokenDiscovery(url);
    return responder.send(exchange, 200, Buffer.from(JSON.stringify(document)), {
      'content-type': isKeys ? 'application/jwk-set+json' : 'application/json',
      'cache-control': 'public, max-age=3600',
    });
  }

  #groupVersion(exchange: Exchange, path: string): Promise<void> {
    const { responder, api } = this.#backend;
    const [root, group = '', version] = path.slice(1).split('/');
    const { discovery: documents } = this.#current();
    const document =
      root === 'api'
        ? documents.resourceList('', group)
        : root !== 'apis'
          ? undefined
          : version === undefined
            ? documents.group(group)
            : documents.resourceList(group, version);
    if (document !== undefined) {
      requireNonResourceGet(exchange);
      const isRouted = root === 'api' || (version !== undefined && api.registry.hasBuiltinGroup(group));
      return responder.value(exchange, 200, document, negotiateNonResource(exchange, isRouted));
    }
    if (root === 'api' || (root === 'apis' && api.registry.hasBuiltinGroup(group))) throw noSuchResourceStatusError();
    return responder.notFound(exchange);
  }

  async #openApiV3(exchange: Exchange, path: string): Promise<void> {
    const { responder, api } = this.#backend;
    const documents = await this.#current().v3();
    if (path === '/openapi/v3') return responder.send(exchange, 200, documents.indexBody(), JSON_TYPE);
    const name = path.slice('/openapi/v3/'.length);
    const etag = documents.hash(name);
    if (etag === undefined) return responder.send(exchange, 404, Buffer.alloc(0), {});
    const accept = exchange.header('accept') ?? '';
    if (accept !== '' && !/application\/json|\*\/\*|application\/\*/.test(accept))
      return responder.send(exchange, 406, Buffer.alloc(0), { vary: 'Accept' });
    const body = documents.body(name) ?? Buffer.alloc(0);
    const headers = { etag: `"${etag}"`, vary: 'Accept', 'content-type': 'application/json' };
    const asked = exchange.query.get('hash');
    if (asked === null) return this.#tagged(exchange, body, headers);
    if (asked !== etag)
      return responder.send(exchange, 301, Buffer.alloc(0), { ...headers, location: `${path}?hash=${etag}` });
    return this.#tagged(exchange, body, {
      ...headers,
      'cache-control': 'public, immutable',
      expires: httpServerTimestamp(api.env.wallNow() + YEAR_MS).replace('GMT', 'UTC'),
    });
  }

  async #openApiV2(exchange: Exchange): Promise<void> {
    const { responder } = this.#backend;
    const accept = exchange.header('accept') ?? '';
    const v2 = await this.#current().v2();
    const isProtobuf = /proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/.test(accept);
    if (!isProtobuf && accept !== '' && !/application\/json|\*\/\*|application\/\*/.test(accept))
      return responder.send(exchange, 406, Buffer.alloc(0), { vary: 'Accept-Encoding, Accept' });
    const { body, etag } = v2.json();
    // Both encodings have the tag of the document. With a dot: Go cannot read the name it asked for.
    const type = isProtobuf ? 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' : 'application/json';
    const headers = { etag: `"${etag}"`, vary: 'Accept-Encoding, Accept', 'content-type': type };
    return this.#tagged(exchange, isProtobuf ? v2.protobuf() : body, headers);
  }

  /** Sends a body with an ETag; 304 if the client already has it. */
  async #tagged(exchange: Exchange, body: Buffer, headers: Headers): Promise<void> {
    const { responder } = this.#backend;
    if (exchange.header('if-none-match') !== headers['etag']) return responder.send(exchange, 200, body, headers);
    const { 'content-type': _type, ...rest } = headers;
    if (await responder.head(exchange, 304, rest)) exchange.response.end();
  }

  #paths(): string[] {
    const paths = new Set([
      OPENID_CONFIGURATION,
      '/api',
      '/apis',
      '/healthz',
      '/livez',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      OPENID_KEYS,
      '/readyz',
      '/version',
    ]);
    for (const { group, version } of this.#backend.api.registry.resources()) {
      if (group !== '') paths.add(`/apis/${group}`);
      paths.add(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    }
    return [...paths].toSorted();
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const METRICS_TYPE = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Whether a clause requests aggregated discovery in the version that is served. */
function asksNonResourceAggregated(clause: string): boolean {
  const [type, ...parameters] = clause.split(';');
  const has = (parameter: string): boolean => parameters.includes(parameter);
  return type === 'application/json' && has('g=apidiscovery.k8s.io') && has('v=v2') && has('as=APIGroupDiscoveryList');
}

function negotiateNonResource(exchange: Exchange, isRouted: boolean): Pick<Accepted, 'type' | 'pretty'> {
  const { type, as, pretty } = negotiate(exchange.header('accept'), { isRouted });
  if (as !== 'object') throw notAcceptableStatusError(MEDIA_TYPES);
  return { type, pretty: negotiatePretty(exchange.query, exchange.userAgent, pretty) };
}

function requireNonResourceGet({ request }: Exchange): void {
  if (request.method !== 'GET') throw methodNotAllowedStatusError();
}

const nonResourceHash = (body: Buffer): string => createHash('sha512').update(body).digest('hex').toUpperCase();
