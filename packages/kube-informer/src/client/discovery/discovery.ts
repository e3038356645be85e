import type { Env } from '../../core/env.ts';
import { hasCode, KubeError, messageOf } from '../../core/errors.ts';
import { isForbidden, isNotFound, statusOf } from '../../core/status.ts';
import { readJson } from '../request/response.ts';
import {
  type ApiResource,
  type Catalogue,
  fromAggregated,
  fromLegacy,
  fullName,
  type GroupVersion,
  groupVersions,
  isAggregated,
} from './discovery-documents.ts';
import type { CallOptions, Requester } from '../request/request.ts';
import { SingleFlight } from '../../core/async/single-flight.ts';
import { groupVersionPath } from '../request/url.ts';

/** Newest first; a server that knows none of them answers with the plain document. */
const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** A cluster with a thousand CRDs answers with some 3 MB. */
const MOST_BYTES = 67_108_864;
const TIMEOUT_MS = 32_000;

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
export class Discovery {
  readonly #requester: Requester;
  readonly #env: Env;
  readonly #flight = new SingleFlight<Catalogue>('asking what the server serves');
  #known: Catalogue | undefined;
  /** Names that were asked for: a cluster has thousands of resources, a program asks for ten. */
  readonly #matched = new Map<string, ApiResource>();

  constructor(requester: Requester, env: Env) {
    this.#requester = requester;
    this.#env = env;
  }

  /** Every resource of every group, as the server prefers them. */
  async resources(options: LookupOptions = {}): Promise<readonly ApiResource[]> {
    return (this.#known ?? (await this.#ask(options))).resources;
  }

  /** Forgets what is known; the next question asks the server. */
  refresh(): void {
    this.#known = undefined;
    this.#matched.clear();
  }

  /** What a name means, if that is known already. */
  peek(name: string): ApiResource | undefined {
    if (this.#known === undefined) return undefined;
    const found = this.#matched.get(name) ?? match(this.#known.resources, name);
    if (found !== undefined) this.#matched.set(name, found);
    return found;
  }

  /**
   * The resource a name means: `v1/pods`, `apps/v1/deployments`, `apps/v1/Deployment`, a kind (`Deployment`), `deployments.apps`,
   * a plural, a singular or a short name. Rejects NOT_FOUND, after having asked again, and says what is near.
   */
  async find(name: string, options: LookupOptions = {}): Promise<ApiResource> {
    const known = this.peek(name);
    if (known !== undefined) return known;
    const catalogue = await this.#ask(options);
    const found = match(catalogue.resources, name);
    if (found !== undefined) return found;
    throw missing(name, catalogue);
  }

  #ask({ signal = new AbortController().signal, attempts }: LookupOptions): Promise<Catalogue> {
    const call: CallOptions = attempts === undefined ? {} : { attempts };
    return this.#flight.join(signal, async (stop) => {
      const catalogue = await this.#fetch({ ...call, signal: stop });
      this.#known = catalogue;
      this.#matched.clear();
      return catalogue;
    });
  }

  async #fetch(call: CallOptions): Promise<Catalogue> {
    const roots = await Promise.allSettled([this.#get('/api', AGGREGATED, call), this.#get('/apis', AGGREGATED, call)]);
    // An API without a core group is one; so is one whose groups this user may not see.
    const failed = roots.flatMap((root) => (root.status === 'rejected' ? [root.reason as unknown] : []));
    const fatal = failed.find((error) => !isNotFound(error) && !isForbidden(error)) ?? failed.at(1);
    if (fatal !== undefined) throw fatal;
    const parts = await Promise.all(
      roots.map(async (root): Promise<Catalogue> => {
        if (root.status === 'rejected') return { resources: [], silent: [] };
        return isAggregated(root.value) ? fromAggregated(root.value) : this.#legacy(groupVersions(root.value), call);
      }),
    );
    return { resources: parts.flatMap((part) => part.resources), silent: parts.flatMap((part) => part.silent) };
  }

  async #legacy(all: readonly GroupVersion[], call: CallOptions): Promise<Catalogue> {
    const silent: string[] = [];
    const lists = await Promise.all(
      all.map(async (one) => {
        try {
          // A group that is down stays down for a while; the others are waiting.
          return fromLegacy(
            one,
            await this.#get(groupVersionPath(one), 'application/json', { ...call, attempts: 'once' }),
          );
        } catch (error) {
          // An aggregated server that is down is announced with a Status, and a strange name of a group is its own
          // fault. Anything else is about our own server.
          if (statusOf(error) === undefined && !hasCode(error, 'INVALID_OPTION')) throw error;
          const { group, version } = one;
          this.#env.log('warn', 'a part of the API cannot be asked', { group, version, error: messageOf(error) });
          silent.push(`${group}/${version}`);
          return [];
        }
      }),
    );
    return { resources: lists.flat(), silent };
  }

  #get(path: string, accept: string, call: CallOptions): Promise<unknown> {
    return this.#requester.call({ method: 'GET', path, accept, timeoutMs: TIMEOUT_MS, ...call }, (answer) =>
      readJson(answer, `GET ${path}`, MOST_BYTES),
    );
  }
}

/** The most exact reading of a name wins; between equals the order of the server does. */
function match(all: readonly ApiResource[], name: string): ApiResource | undefined {
  if (name.includes('/')) {
    return all.find((one) => fullName(one) === name || fullName({ ...one, resource: one.kind }) === name);
  }
  const dot = name.indexOf('.');
  if (dot !== -1) {
    const [word, rest] = [name.slice(0, dot), name.slice(dot + 1)];
    const isCalled = ({ resource, kind, singular, shortNames }: ApiResource): boolean =>
      resource === word || kind === word || singular === word || shortNames.includes(word);
    // `deployments.apps`, and as kubectl also has it `deployments.v1.apps`.
    return (
      all.find((one) => one.group === rest && isCalled(one)) ??
      all.find((one) => `${one.version}.${one.group}` === rest && isCalled(one))
    );
  }
  return (
    all.find((one) => one.kind === name) ??
    all.find((one) => one.resource === name) ??
    all.find((one) => one.singular === name) ??
    all.find((one) => one.shortNames.includes(name))
  );
}

function missing(name: string, { resources, silent }: Catalogue): KubeError {
  const word = name.split('/').at(-1)?.split('.')[0]?.toLowerCase() ?? '';
  const isNear = ({ resource, singular, kind }: ApiResource): boolean =>
    resource === word || singular === word || kind.toLowerCase() === word;
  const near = [...new Set(resources.filter(isNear).map(fullName))].slice(0, 3);
  const hint = near.length === 0 ? 'is its CRD installed?' : `did you mean ${near.join(' or ')}?`;
  const deaf = silent.length === 0 ? '' : ` (not asked, as their servers are down: ${silent.slice(0, 5).join(', ')})`;
  const message = `the server does not serve ${JSON.stringify(name.slice(0, 200))}; ${hint}${deaf}`;
  return new KubeError('NOT_FOUND', message, {
    // For the predicates: to the caller it is the same whether the server says it or its list of contents.
    status: { apiVersion: 'v1', kind: 'Status', code: 404, reason: 'NotFound', message },
  });
}
