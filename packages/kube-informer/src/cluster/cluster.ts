import { defined } from '../core/defined.ts';
import type { Resources, UnlistableResources } from '@kube-informer/kubernetes';
import { type BuiltInResource, Client, type ClientConnectOptions, type CreateOnlyClient } from '../client/client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import { type Env, safeEnv, systemEnv } from '../core/env.ts';
import { KubeError, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { KubeObject } from '../core/object/object.ts';
import {
  FieldSelector,
  type FieldSelectorLike,
  LabelSelector,
  type LabelSelectorLike,
} from '../core/selector/selector.ts';
import { INFORMER_OPTIONS } from '../informer/informer-options.ts';
import type { ListWatch } from '../informer/list-watch/list-watch.ts';
import type { SharedInformer } from '../informer/shared-informer.ts';
import {
  type ClusterHealth,
  clusterHealth,
  type HealthOptions,
  type ProbeRequest,
  type ProbeResponse,
  probeHandler,
} from './cluster-health.ts';
import { ClusterInformer, type Part } from './cluster-informer.ts';
import type { InformerRequest, InformerSetOptions } from './informer-set-options.ts';
import { InformerSet } from './informer-set.ts';
import { describeScope, normalScope, type Scope } from './scope.ts';

/** Defaults for every informer of a cluster. */
export type InformerDefaults = Omit<InformerSetOptions, 'source' | 'env' | 'namespace'>;

export interface ClusterOptions {
  readonly client: Client;
  readonly informers?: InformerDefaults;
  readonly env?: Env;
}

export interface ClusterConnectOptions extends ClientConnectOptions {
  readonly informers?: InformerDefaults;
}

/** What one informer is to hold, and options as for a SharedInformer. */
export interface ClusterInformerOptions<T extends object, I extends string> extends Omit<
  InformerRequest<T, I>,
  'namespace' | 'labelSelector' | 'fieldSelector'
> {
  /** Several make one view over one cache for each. @default all of them */
  readonly namespace?: string | readonly string[];
  /** A text, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** A text, a map of fields or a FieldSelector. @default everything */
  readonly fields?: FieldSelectorLike;
}

/** One cache of a cluster. Undefined scopes stand for everything. */
export interface ClusterCache {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly metadataOnly: boolean;
  readonly informer: SharedInformer<KubeObject, string>;
}

/** Names, labels and owners only: a fraction of the bytes. */
export interface MetadataOnly {
  readonly metadataOnly: true;
}

const { name: _, identifier: __, env: ___, metrics: ____, ...ofOne } = INFORMER_OPTIONS;
const CLUSTER_INFORMER_OPTIONS: KnownOptions<ClusterInformerOptions<KubeObject, string> & MetadataOnly> = {
  ...ofOne,
  namespace: true,
  labels: true,
  fields: true,
  metadataOnly: true,
};

/**
 * A cluster and the caches of it that this process keeps.
 *
 * Promises: an informer is made on the first request, runs at once, is shared by all who ask for the same resource and scope,
 * and ends with the last of them; `close` leaves no socket, timer or promise behind.
 *
 * @example
 * await using cluster = await Cluster.connect();
 * const pods = cluster.informer('v1/pods', { namespace: 'web', labels: { app: 'shop' } });
 * pods.on({ add: ({ key, object }) => console.log(key, object.status?.phase) });
 * await pods.synced({ timeoutMs: 30_000 });
 */
export class Cluster implements AsyncDisposable {
  readonly client: Client;
  readonly #env: Env;
  readonly #full: InformerSet;
  readonly #metadata: InformerSet;
  /** How many hold each informer, by what it is called. */
  readonly #users = new Map<string, number>();
  readonly #holds = new Set<AsyncDisposable>();
  #closing: Promise<void> | undefined;

  /** Finds the cluster as `Client.connect` does. Asks the server nothing yet. */
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
    this.#env = safeEnv(env);
    const source = (resource: string, { namespace }: Scope): ListWatch<object> =>
      client.resource<KubeObject>(resource).listWatch(namespace === undefined ? {} : { namespace });
    const bare = (resource: string, { namespace }: Scope): ListWatch<object> =>
      client
        .resource<KubeObject>(resource)
        .metadataOnly()
        .listWatch(namespace === undefined ? {} : { namespace });
    const { name, ...rest } = informers;
    this.#full = new InformerSet({ ...informers, source, env: this.#env });
    const named = name === undefined ? {} : { name: `${name} metadata` };
    this.#metadata = new InformerSet({ ...rest, ...named, source: bare, env: this.#env });
  }

  /**
   * The cache of a resource. Built-in names give the type of their objects; a custom resource brings its own:
   * `cluster.informer<Widget>('example.com/v1/widgets')`.
   */
  informer<K extends BuiltInResource, I extends string = never>(
    resource: K,
    options: ClusterInformerOptions<KubeObject, I> & MetadataOnly,
  ): ClusterInformer<KubeObject, I>;
  informer<K extends BuiltInResource, I extends string = never>(
    resource: K,
    options?: ClusterInformerOptions<Resources[K], I>,
  ): ClusterInformer<Resources[K], I>;
  informer<_T extends KubeObject, I extends string = string>(
    resource: string,
    options: ClusterInformerOptions<KubeObject, I> & MetadataOnly,
  ): ClusterInformer<KubeObject, I>;
  informer<T extends KubeObject = never, I extends string = string>(
    resource: [T] extends [never] ? BuiltInResource : string,
    options?: ClusterInformerOptions<T, I>,
  ): ClusterInformer<T, I>;
  informer(
    resource: string,
    options: ClusterInformerOptions<KubeObject, string> & Partial<MetadataOnly> = {},
  ): ClusterInformer<KubeObject, string> {
    requireKnown('informer', options, CLUSTER_INFORMER_OPTIONS);
    const { namespace = '', labels = '', fields = '', metadataOnly = false, ...request } = options;
    if (this.#closing !== undefined)
      throw new KubeError('ILLEGAL_STATE', `the cluster is closed: ${resource} would never start`);
    const namespaces = [...new Set(typeof namespace === 'string' ? [namespace] : namespace)];
    requireOption(namespaces.length > 0, 'namespace', 'at least one, or none at all for all of them', namespace);
    const isAmbiguous = namespaces.length > 1 && namespaces.includes('');
    requireOption(!isAmbiguous, 'namespace', 'names only: "" stands for all of them', namespace);
    const [labelSelector, fieldSelector] = [LabelSelector.of(labels).toString(), FieldSelector.of(fields).toString()];
    const scopes = namespaces.map((one) => normalScope({ namespace: one, labelSelector, fieldSelector }));
    const set = metadataOnly ? this.#metadata : this.#full;
    // All of them before any: a request that is refused leaves nothing behind.
    for (const scope of scopes) set.check<KubeObject, string>(resource, { ...request, ...scope });
    const taken: Scope[] = [];
    const release = async (): Promise<void> => {
      await Promise.all(taken.map((scope) => this.#giveBack(set, resource, scope)));
      this.#holds.delete(hold);
    };
    let hold: AsyncDisposable;
    try {
      const parts = scopes.map((scope): Part<KubeObject, string> => {
        const informer = set.informer<KubeObject, string>(resource, { ...request, ...scope });
        this.#take(set, resource, scope);
        taken.push(scope);
        return { namespace: scope.namespace ?? '', informer };
      });
      const made = new ClusterInformer<KubeObject, string>({ resource, env: this.#env, parts, release });
      hold = made;
      set.start();
      this.#holds.add(made);
      return made;
    } catch (error) {
      void Promise.all(taken.map((scope) => this.#giveBack(set, resource, scope)));
      throw error;
    }
  }

  /** For reads and writes that go to the server. */
  resource<K extends BuiltInResource>(name: K): ResourceClient<Resources[K]>;
  resource<K extends keyof UnlistableResources>(name: K): CreateOnlyClient<UnlistableResources[K]>;
  resource<T extends KubeObject = never>(name: [T] extends [never] ? BuiltInResource : string): ResourceClient<T>;
  resource(name: string): ResourceClient {
    return this.client.resource<KubeObject>(name) as ResourceClient;
  }

  /** Every cache this process keeps of the cluster, whoever asked for it: for tools that look at them. */
  caches(): ClusterCache[] {
    const of = (set: InformerSet, metadataOnly: boolean): ClusterCache[] =>
      set.caches().map(({ resource, scope, informer }) => ({
        resource,
        namespace: scope.namespace,
        labelSelector: scope.labelSelector,
        fieldSelector: scope.fieldSelector,
        metadataOnly,
        informer: informer as unknown as SharedInformer<KubeObject, string>,
      }));
    return [...of(this.#full, false), ...of(this.#metadata, true)];
  }

  /** How all caches are doing. */
  health(options: HealthOptions = {}): ClusterHealth {
    const informers = [...this.#full.health(), ...this.#metadata.health()];
    const health = clusterHealth(informers, this.#env.wallNow(), options);
    // Whoever is about to end must not be sent anything more.
    return this.#closing === undefined ? health : { ...health, ready: false, reasons: ['the cluster is closed'] };
  }

  /** For Kubernetes' probes: `createServer(cluster.probes())` answers `/livez` and `/readyz`. */
  probes(options: HealthOptions = {}): (request: ProbeRequest, response: ProbeResponse) => void {
    return probeHandler(() => this.health(options));
  }

  /**
   * Stops all informers, waits for running callbacks, so not to be awaited inside one of them, then ends all connections.
   * Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.all([...this.#holds].map((hold) => hold[Symbol.asyncDispose]()));
      await Promise.all([this.#full.shutdown(), this.#metadata.shutdown()]);
      await this.client.close();
    })();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #take(set: InformerSet, resource: string, scope: Scope): void {
    const key = this.#keyOf(set, resource, scope);
    this.#users.set(key, (this.#users.get(key) ?? 0) + 1);
  }

  async #giveBack(set: InformerSet, resource: string, scope: Scope): Promise<void> {
    const key = this.#keyOf(set, resource, scope);
    const left = (this.#users.get(key) ?? 1) - 1;
    if (left > 0) return void this.#users.set(key, left);
    this.#users.delete(key);
    await set.release(resource, scope);
  }

  #keyOf(set: InformerSet, resource: string, scope: Scope): string {
    return `${set === this.#metadata ? 'metadata of ' : ''}${describeScope(resource, scope)}`;
  }
}
