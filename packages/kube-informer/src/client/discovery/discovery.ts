import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import { isForbidden, isNotFound, statusOf } from '../../core/status.ts';
import { readResponseJson } from '../request/response.ts';
import {
  type ApiResource,
  type ServerResources,
  resourcesInAggregatedDocument,
  resourcesInLegacyDocument,
  type GroupVersion,
  groupVersionsInDocument,
  isAggregatedDocument,
} from './discovery-documents.ts';
import type { CallOptions, Requester } from '../request/request.ts';
import { SingleFlight } from '../../core/async/single-flight.ts';
import { groupVersionUrlPath } from '../request/url.ts';
import type { Kind } from '@kube-informer/kubernetes/kinds';
import { builtInKinds } from './built-in-kinds.ts';
import { matchResource } from './resource-match.ts';
import { similarNames } from './similar-names.ts';

/** Aggregated formats to accept, newest first; a server that knows none of them sends the plain document. */
const AGGREGATED = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

/** Maximum size of a discovery document. A cluster with a thousand CRDs sends about 3 MB. */
const MAX_DISCOVERY_BYTES = 67_108_864;
const DISCOVERY_TIMEOUT_MS = 32_000;
/** Maximum number of group-versions that are read one by one. A large cluster has some hundred. */
const MAX_GROUP_VERSIONS = 2_048;
/** Maximum number of concurrent requests: each may take a connection of its own. */
const CONCURRENT_REQUESTS = 8;

/** Options of the discovery request that a lookup may need. */
export type LookupOptions = Pick<CallOptions, 'signal' | 'attempts'>;

/**
 * The resources a server serves: read once, cached, and read again when a name is not found (a CRD may be new).
 *
 * Sends two requests to a server with aggregated discovery, one per group-version to an older one. A group whose own
 * server is down is left out instead of failing the whole; the NOT_FOUND error of a missing name lists such groups.
 *
 * Room rule: knows resources. Nothing of objects.
 */
export class Discovery {
  readonly #requester: Requester;
  readonly #env: Env;
  readonly #flight = new SingleFlight<ServerResources>('discovery');
  #known: ServerResources | undefined;
  #builtIns: readonly Kind[] = [];
  /** Caches lookups by name: a cluster has thousands of resources, a program uses ten. */
  readonly #matched = new Map<string, ApiResource>();

  constructor(requester: Requester, env: Env) {
    this.#requester = requester;
    this.#env = env;
  }

  /** Every resource of every group, in the order of the server. */
  async resources(options: LookupOptions = {}): Promise<readonly ApiResource[]> {
    return (this.#known ?? (await this.#ask(options))).resources;
  }

  /** Empties the cache; the next lookup sends a request. */
  refresh(): void {
    this.#known = undefined;
    this.#matched.clear();
  }

  /** The resource a name means, if it is cached. Sends no request. Throws INVALID_OPTION when it means several. */
  peek(name: string): ApiResource | undefined {
    if (this.#known === undefined) return undefined;
    const found = this.#matched.get(name) ?? this.#match(this.#known, name);
    if (found !== undefined) this.#matched.set(name, found);
    return found;
  }

  /**
   * The resource a name means: `v1/pods`, `apps/v1/deployments`, `apps/v1/Deployment`, a kind (`Deployment`), `deployments.apps`,
   * a plural, a singular or a short name; see `matchResource` for their order. Rejects NOT_FOUND, after a new discovery,
   * with similar names, and INVALID_OPTION when a name means several resources.
   */
  async find(name: string, options: LookupOptions = {}): Promise<ApiResource> {
    const known = this.peek(name);
    if (known !== undefined) return known;
    const served = await this.#ask(options);
    const found = this.#match(served, name);
    if (found !== undefined) return found;
    throw notFoundByClientDiscovery(name, served);
  }

  #match(served: ServerResources, name: string): ApiResource | undefined {
    return matchResource(served, name, this.#builtIns);
  }

  #ask({ signal = new AbortController().signal, attempts }: LookupOptions): Promise<ServerResources> {
    const call: CallOptions = defined({ attempts });
    return this.#flight.join(signal, async (stop) => {
      this.#builtIns = await builtInKinds();
      const served = await this.#fetch({ ...call, signal: stop });
      this.#known = served;
      this.#matched.clear();
      return served;
    });
  }

  async #fetch(call: CallOptions): Promise<ServerResources> {
    const roots = await Promise.allSettled([this.#get('/api', AGGREGATED, call), this.#get('/apis', AGGREGATED, call)]);
    // One of the two may be missing (no core group) or forbidden to this user.
    const failed = roots.flatMap((root) => (root.status === 'rejected' ? [root.reason as unknown] : []));
    const fatal = failed.find((error) => !isNotFound(error) && !isForbidden(error)) ?? failed.at(1);
    if (fatal !== undefined) throw fatal;
    const parts = await Promise.all(
      roots.map(async (root): Promise<ServerResources> => {
        if (root.status === 'rejected') return { resources: [], unavailable: [] };
        return isAggregatedDocument(root.value)
          ? resourcesInAggregatedDocument(root.value)
          : this.#legacy(groupVersionsInDocument(root.value), call);
      }),
    );
    return {
      resources: parts.flatMap((part) => part.resources),
      unavailable: parts.flatMap((part) => part.unavailable),
    };
  }

  async #legacy(all: readonly GroupVersion[], call: CallOptions): Promise<ServerResources> {
    const asked = all.slice(0, MAX_GROUP_VERSIONS);
    if (asked.length < all.length)
      this.#env.log('warn', 'the server names too many group versions; the last ones are left out', {
        named: all.length,
        read: asked.length,
      });
    const lists: (readonly ApiResource[] | undefined)[] = asked.map(() => []);
    const waiting = asked.entries();
    const readWaiting = async (): Promise<void> => {
      // One iterator for all readers: each takes the next one that is free.
      for (const [at, one] of waiting) lists[at] = await this.#legacyGroupVersion(one, call);
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, readWaiting));
    const isDown = (_: GroupVersion, at: number): boolean => lists[at] === undefined;
    return {
      resources: lists.flatMap((list) => list ?? []),
      unavailable: asked.filter(isDown).map(({ group, version }) => `${group}/${version}`),
    };
  }

  /** The resources of one group-version; undefined when its server is down. */
  async #legacyGroupVersion(one: GroupVersion, call: CallOptions): Promise<readonly ApiResource[] | undefined> {
    try {
      // No retry: a group whose server is down delays all the others.
      return resourcesInLegacyDocument(
        one,
        await this.#get(groupVersionUrlPath(one), 'application/json', { ...call, attempts: 'once' }),
      );
    } catch (error) {
      // A Status means that the server of this group is down, INVALID_OPTION that its name is malformed. Any other
      // error is about the API server itself.
      if (statusOf(error) === undefined && !hasCode(error, 'INVALID_OPTION')) throw error;
      const { group, version } = one;
      this.#env.log('warn', 'discovery of a group version failed; its resources are left out', {
        group,
        version,
        error: errorMessageOf(error),
      });
      return undefined;
    }
  }

  #get(path: string, accept: string, call: CallOptions): Promise<unknown> {
    return this.#requester.call({ method: 'GET', path, accept, timeoutMs: DISCOVERY_TIMEOUT_MS, ...call }, (response) =>
      readResponseJson(response, `GET ${path}`, MAX_DISCOVERY_BYTES),
    );
  }
}

function notFoundByClientDiscovery(name: string, { resources, unavailable }: ServerResources): KubeError {
  const near = similarNames(name, resources);
  const hint = near.length === 0 ? 'is its CRD installed?' : `did you mean ${near.join(' or ')}?`;
  const missing =
    unavailable.length === 0 ? '' : ` (groups whose server is down: ${unavailable.slice(0, 5).join(', ')})`;
  const message = `the server does not serve ${JSON.stringify(name.slice(0, 200))}; ${hint}${missing}`;
  return new KubeError('NOT_FOUND', message, {
    // For isNotFound(): the caller need not know whether a request or discovery reported it.
    status: { apiVersion: 'v1', kind: 'Status', code: 404, reason: 'NotFound', message },
  });
}
