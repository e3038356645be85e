import type { UserCode } from '../core/guarded.ts';
import { defined } from '../core/defined.ts';
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import {
  type BuiltInResource,
  Client,
  type ClientConnectOptions,
  type CreateOnlyClient,
  type NotBuiltIn,
  type ObjectNamed,
  type ResourceNameFor,
} from '../client/client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { KubeObject, Live } from '../core/object/object.ts';
import type { PathOf, Selected } from '../core/object/selected.ts';
import {
  FieldSelector,
  type FieldSelectorLike,
  LabelSelector,
  type LabelSelectorLike,
} from '../core/selector/selector.ts';
import { INFORMER_OPTIONS } from '../informer/informer-options.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import { DecodedBudget } from '../store/packed/decoded-budget.ts';
import { CacheRegistry, type CacheStateCallback } from './cache-registry.ts';
import { StreamingPath } from '../informer/freshness/streaming-path.ts';
import { type ClusterHealth, clusterHealth, type HealthOptions } from './cluster-health.ts';
import { ClusterInformer } from './cluster-informer.ts';
import type { InformerRequest, InformerSetOptions, SourceFactory } from './informer-set-options.ts';
import { type ProbeRequest, type ProbeResponse, probeHandler } from './probe-handler.ts';
import { normalizeScope } from './scope.ts';
import type { SharedCache } from './shared-cache.ts';

/** Defaults for every informer of a cluster. */
export type InformerDefaults = Omit<InformerSetOptions, 'source' | 'env' | 'namespace'>;

export interface ClusterOptions {
  readonly client: Client;
  readonly informers?: InformerDefaults;
  readonly env?: UserCode<Env>;
}

export interface ClusterConnectOptions extends ClientConnectOptions {
  readonly informers?: InformerDefaults;
}

/** The scope of one informer, and options of SharedInformer. */
export interface ClusterInformerOptions<T extends object, I extends string> extends Omit<
  InformerRequest<Live<T>, I>,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'select' | 'omit' | 'transform'
> {
  /** Keeps these paths only: `['spec.nodeName', 'status.phase']`. Changes the type of the objects: see the other forms of `informer`. */
  readonly select?: undefined;
  /** `true` caches names, labels, owners and other metadata only: a fraction of the bytes. @default false */
  readonly metadataOnly?: [KubeObject] extends [T] ? boolean : false;
  /** Drops these paths of each object before it is stored: `['metadata.managedFields']`. */
  readonly omit?: readonly PathOf<T>[];
  /** Changes each object before it is stored; may change it in place. Keep the fields that identify it. */
  readonly transform?: UserCode<(object: Live<T>) => T>;
  /** Several namespaces are combined, with one cache for each. @default all namespaces */
  readonly namespace?: string | readonly string[];
  /** A string, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** A string, a map of fields or a FieldSelector. @default everything */
  readonly fields?: FieldSelectorLike;
}

/**
 * Options with unchecked paths: the types of each form of `informer` check them, and their syntax is checked
 * when the cache is created.
 */
type AnyInformerOptions = Omit<
  ClusterInformerOptions<KubeObject, string>,
  'select' | 'omit' | 'metadataOnly' | 'transform'
> &
  Pick<InformerRequest<Live<KubeObject>>, 'select' | 'omit' | 'transform'>;

/** One cache of a cluster. An undefined namespace or selector means all objects. */
export interface ClusterCache {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly: boolean;
  readonly informer: SharedInformer<KubeObject, string>;
}

/** Caches names, labels, owners and other metadata only: a fraction of the bytes. */
export interface MetadataOnly {
  readonly metadataOnly: true;
}

const { name: _, identifier: __, env: ___, metrics: ____, ...informerOptions } = INFORMER_OPTIONS;
const CLUSTER_INFORMER_OPTIONS: KnownOptions<AnyInformerOptions & MetadataOnly> = {
  ...informerOptions,
  namespace: true,
  labels: true,
  fields: true,
  metadataOnly: true,
  wire: true,
};

/**
 * A client of a cluster, and the caches that this process keeps of it.
 *
 * Promises: the first request for a resource and scope creates and starts its cache, later requests share it, and closing
 * the last handle stops it; `close` leaves no socket, timer or promise behind.
 *
 * @example
 * await using cluster = await Cluster.connect();
 * const pods = cluster.informer('v1/pods', { namespace: 'web', labels: { app: 'shop' } });
 * pods.on({ add: ({ key, object }) => console.log(key, object.status?.phase) });
 * await pods.synced({ timeoutMs: 30_000 });
 */
export class Cluster implements AsyncDisposable {
  readonly client: Client;
  /** The clock, the random numbers and the log of this cluster. */
  readonly env: Env;
  readonly #full: CacheRegistry;
  readonly #metadata: CacheRegistry;
  readonly #handles = new Set<AsyncDisposable>();
  #closing: Promise<void> | undefined;

  /** Finds the cluster as `Client.connect` does. Sends no request yet. */
  static async connect({ informers, ...options }: ClusterConnectOptions = {}): Promise<Cluster> {
    const client = await Client.connect(options);
    try {
      const { env } = options;
      return new Cluster({
        client,
        ...defined({ informers, env }),
      });
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  constructor({ client, informers = {}, env = systemEnv }: ClusterOptions) {
    this.client = client;
    this.env = guardedEnv(env);
    const full: SourceFactory = (resource, { namespace }, { wire }) =>
      client.resource<KubeObject>(resource).listWatch(defined({ namespace, wire }));
    const metadata: SourceFactory = (resource, { namespace }, { wire }) =>
      client.resource<KubeObject>(resource).metadataOnly().listWatch(defined({ namespace, wire }));
    const { name, ...rest } = informers;
    // One connection has one path to the server: what one informer learns about it counts for all.
    const path = informers.path ?? new StreamingPath(this.env);
    const decoded = informers.decoded ?? new DecodedBudget();
    this.#full = new CacheRegistry('informers', { ...informers, source: full, env: this.env, path, decoded });
    const metadataName = name === undefined ? undefined : `${name} metadata`;
    this.#metadata = new CacheRegistry('informers', {
      ...rest,
      ...defined({ name: metadataName }),
      source: metadata,
      env: this.env,
      path,
      decoded,
    });
  }

  /**
   * Returns a handle on the cache of a resource. The name of a built-in resource implies the type of its objects; for a
   * custom resource pass the type: `cluster.informer<Widget>('example.com/v1/widgets')`. With `select`, objects have the
   * type `Selected`; a custom resource is given the paths after its type, `cluster.informer<Widget, 'spec.size'>(…)`.
   */
  informer<K extends BuiltInResource, const P extends PathOf<Resources[K]>, I extends string = never>(
    resource: K,
    options: Omit<ClusterInformerOptions<Selected<Resources[K], P>, I>, 'select'> & { readonly select: readonly P[] },
  ): ClusterInformer<Selected<Resources[K], P>, I>;
  informer<T extends KubeObject, P extends PathOf<T>, I extends string = string>(
    resource: string,
    options: Omit<ClusterInformerOptions<Selected<T, P>, I>, 'select'> & { readonly select: readonly P[] },
  ): ClusterInformer<Selected<T, P>, I>;
  informer<K extends BuiltInResource, I extends string = never>(
    resource: K,
    options: Omit<ClusterInformerOptions<KubeObject, I>, 'metadataOnly'> & MetadataOnly,
  ): ClusterInformer<KubeObject, I>;
  informer<K extends BuiltInResource, I extends string = never>(
    resource: K,
    options?: ClusterInformerOptions<Resources[K], I>,
  ): ClusterInformer<Resources[K], I>;
  informer<_T extends KubeObject, I extends string = string>(
    resource: string,
    options: Omit<ClusterInformerOptions<KubeObject, I>, 'metadataOnly'> & MetadataOnly,
  ): ClusterInformer<KubeObject, I>;
  informer<T extends KubeObject = never, I extends string = string, N extends string = string>(
    resource: ResourceNameFor<T, N>,
    options?: ClusterInformerOptions<ObjectNamed<T, N>, I>,
  ): ClusterInformer<T, I>;
  informer(resource: string, given: object = {}): ClusterInformer<KubeObject, string> {
    const options = given as AnyInformerOptions & Partial<MetadataOnly>;
    requireKnown('informer', options, CLUSTER_INFORMER_OPTIONS);
    const { namespace = '', labels = '', fields = '', metadataOnly = false, ...request } = options;
    if (this.#closing !== undefined)
      throw new KubeError('ILLEGAL_STATE', `the cluster is closed: ${resource} would never start`);
    const namespaces = [...new Set(typeof namespace === 'string' ? [namespace] : namespace)];
    requireOption(namespaces.length > 0, 'namespace', 'at least one; omit the option for all namespaces', namespace);
    const isAmbiguous = namespaces.length > 1 && namespaces.includes('');
    requireOption(!isAmbiguous, 'namespace', 'names, or "" alone for all namespaces', namespace);
    const [labelSelector, fieldSelector] = [LabelSelector.of(labels).toString(), FieldSelector.of(fields).toString()];
    const scopes = namespaces.map((one) => normalizeScope({ namespace: one, labelSelector, fieldSelector }));
    const requests = scopes.map((scope) => ({ ...request, ...scope }));
    const registry = metadataOnly ? this.#metadata : this.#full;
    // Checks all namespaces first: a refused request must leave nothing behind.
    for (const one of requests) registry.check(resource, one);
    const caches: SharedCache[] = [];
    const release = async (): Promise<void> => {
      await Promise.all(caches.map((cache) => cache.release()));
    };
    try {
      for (const one of requests) caches.push(registry.open(resource, one).acquire());
      const parts = caches.map(({ scope, informer }) => ({
        namespace: scope.namespace ?? '',
        informer: informer as unknown as SharedInformer<Live<KubeObject>, string>,
      }));
      const handle: ClusterInformer<KubeObject, string> = new ClusterInformer<KubeObject, string>({
        resource,
        env: this.env,
        namespace: () => this.client.connection.namespace,
        parts,
        release: async () => {
          await release();
          this.#handles.delete(handle);
        },
      });
      for (const cache of caches) cache.start();
      this.#handles.add(handle);
      return handle;
    } catch (error) {
      void release();
      throw error;
    }
  }

  /** Returns a client for reads and writes that go to the server. */
  resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
  resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
  resource<T extends KubeObject = never>(name: [T] extends [never] ? NotBuiltIn : string): ResourceClient<T>;
  resource(name: string): ResourceClient {
    return this.client.resource<KubeObject>(name) as ResourceClient;
  }

  /** Every cache that this process keeps of the cluster, for tools that inspect them. */
  caches(): ClusterCache[] {
    const describe = ({ caches }: CacheRegistry, metadataOnly: boolean): ClusterCache[] =>
      caches.map(({ resource, scope, informer }) => ({
        resource,
        namespace: scope.namespace,
        labelSelector: scope.labelSelector,
        fieldSelector: scope.fieldSelector,
        metadataOnly,
        informer: informer as unknown as SharedInformer<KubeObject, string>,
      }));
    return [...describe(this.#full, false), ...describe(this.#metadata, true)];
  }

  /** Whether `close()` was called. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** The health of all caches. A closed cluster is not ready. */
  health(options: HealthOptions = {}): ClusterHealth {
    const informers = [...this.#full.health(), ...this.#metadata.health()];
    const health = clusterHealth(informers, this.env.wallNow(), options);
    return this.#closing === undefined ? health : { ...health, ready: false, reasons: ['the cluster is closed'] };
  }

  /** Calls `callback` whenever the state of a cache of this cluster has changed. Returns a function that ends it. */
  onState(callback: UserCode<CacheStateCallback>): () => void {
    const ends = [this.#full.onState(callback), this.#metadata.onState(callback)];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Returns a handler for Kubernetes' probes: `createServer(cluster.probes())` serves `/livez` and `/readyz`. */
  probes(options: HealthOptions = {}): (request: ProbeRequest, response: ProbeResponse) => void {
    return probeHandler(() => this.health(options));
  }

  /**
   * Stops all caches, waits for running callbacks, then closes all connections. Do not await it inside a callback.
   * Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.all([...this.#handles].map((handle) => handle[Symbol.asyncDispose]()));
      await Promise.all([this.#full.shutdown(), this.#metadata.shutdown()]);
      await this.client.close();
    })();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
