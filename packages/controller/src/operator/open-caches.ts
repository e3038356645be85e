import type { ApiResource } from 'kube-informer/client';
import type { Cluster, ClusterInformer, KubeObject } from 'kube-informer';
import {
  defined,
  type Env,
  errorMessageOf,
  type FieldSelectorLike,
  isNotFound,
  type Key,
  type LabelSelectorLike,
  printableText,
} from 'kube-informer/core';
import type { DeclaredCache } from '../freshness/declared-cache.ts';
import type { ControllerDefinition } from '../front/controller.ts';
import type { Watch } from '../front/watch.ts';
import { hasOwnerReferenceTo } from '../objects/owner-reference.ts';
import { CONTROLLER_INDEX, CONTROLLER_INDEXERS } from '../sources/owner-keys.ts';

/** Pause before a resource that is not served is looked for again. */
const PARKED_MS = 10_000;

/** The caches of a controller, opened. */
export interface OpenCaches {
  readonly primary: DeclaredCache;
  readonly owned: readonly DeclaredCache[];
  readonly watched: readonly (DeclaredCache & { readonly watch: Watch })[];
}

/** Resolves with the resource once the server serves it; undefined after an abort. `parked` is called while it does not. */
export async function untilOpenCacheServed(
  cluster: Cluster,
  resource: string,
  {
    env,
    parked,
    signal,
  }: { readonly env: Env; readonly parked: (reason: string) => void; readonly signal: AbortSignal },
): Promise<ApiResource | undefined> {
  const { discovery } = cluster.client;
  while (!signal.aborted) {
    try {
      return await discovery.find(resource, { signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      const reason = isNotFound(error) ? `the server does not serve ${resource}` : errorMessageOf(error);
      parked(reason);
      discovery.refresh();
      await env.sleep(PARKED_MS, signal);
    }
  }
  return undefined;
}

/**
 * Opens all caches of a controller at once. They start to fill. A watch of a `clusterScoped` resource does not inherit the
 * namespace of the controller.
 */
export function openCaches(
  { cluster, resource, name, options, indexers }: ControllerDefinition,
  clusterScoped: ReadonlySet<string>,
): OpenCaches {
  const { namespace, labels, fields, owns = [], watches = [] } = options;
  const opened: ClusterInformer<KubeObject, string>[] = [];
  const open = (where: Cluster, what: string, request: CacheRequest): DeclaredCache => {
    const informer = openCacheInformer(where, what, request);
    opened.push(informer);
    return {
      resource: what,
      informer,
      namespaces: namespacesOfOpenCaches(request.namespace),
      hasFields: request.fields !== undefined,
      isElsewhere: where !== cluster,
      isPartial: request.metadataOnly === true,
      ...defined({ labels: request.labels }),
    };
  };
  try {
    // Names of indexes include the controller's: two controllers may share a cache and use the same name.
    const named = Object.fromEntries(
      Object.entries(indexers).map(([index, fn]) => [openCacheIndexName(name, index), fn]),
    );
    const primary = open(cluster, resource, { namespace, labels, fields, indexers: named });
    const owned = owns.map((what) => open(cluster, what, { namespace, indexers: CONTROLLER_INDEXERS }));
    const watched = watches.flatMap((watch) => {
      if (watch.kind !== 'watch') return [];
      const inherited = clusterScoped.has(watch.resource) ? undefined : namespace;
      const { cluster: where = cluster, namespace: within = inherited, metadataOnly = false } = watch.options;
      const request = { namespace: within, labels: watch.options.labels, fields: watch.options.fields, metadataOnly };
      return [{ ...open(where, watch.resource, request), watch }];
    });
    return { primary, owned, watched };
  } catch (error) {
    for (const informer of opened) void informer.close();
    throw error;
  }
}

export const openCacheIndexName = (controller: string, index: string): string => `${controller}:${index}`;

/** Children of an object, by the uid of their controller. The index also contains objects that only claim to be. */
export function ownedInOpenCache(cache: DeclaredCache, owner: KubeObject): KubeObject[] {
  return cache.informer
    .byIndex(CONTROLLER_INDEX, owner.metadata?.uid ?? '')
    .filter((child) => hasOwnerReferenceTo(child, owner));
}

/** Caches of the controller's own cluster. Writes go there; versions of other clusters cannot be compared with them. */
export const openOwnCaches = (caches: OpenCaches): readonly DeclaredCache[] =>
  allOpenCaches(caches).filter(({ isElsewhere }) => !isElsewhere);

/** The caches of one resource of the controller's own cluster. */
export const openOwnCachesOf = (caches: OpenCaches, resource: string): readonly DeclaredCache[] =>
  openOwnCaches(caches).filter((cache) => cache.resource === resource);

export const allOpenCaches = ({ primary, owned, watched }: OpenCaches): readonly DeclaredCache[] => [
  primary,
  ...owned,
  ...watched,
];

/** Resources whose caches have not filled, each with the reason: `v1/secrets: … is forbidden …`. */
export function unfilledCaches(caches: OpenCaches): readonly string[] {
  return allOpenCaches(caches).flatMap(({ resource, informer }) => {
    if (informer.hasSynced) return [];
    const problems = informer
      .health()
      .flatMap(({ state }) =>
        state.kind === 'starting' && state.problem !== undefined ? [errorMessageOf(state.problem.error)] : [],
      );
    return [printableText([resource, ...new Set(problems)].join(': '))];
  });
}

/** A cache without evidence that it is current: the server is down, refuses, or no longer serves the resource. */
export interface StaleCache {
  readonly resource: string;
  readonly staleMs: number;
  readonly reason: string;
}

/** Caches that are stale. `wallNow` is the wall clock. */
export function staleCaches(caches: readonly DeclaredCache[], wallNow: number): readonly StaleCache[] {
  return caches.flatMap(({ resource, informer }) => {
    const [worst] = informer
      .health()
      .flatMap(({ state }) => (state.kind === 'stale' ? [state] : []))
      .toSorted((a, b) => a.since - b.since);
    return worst === undefined ? [] : [{ resource, staleMs: wallNow - worst.since, reason: worst.reason }];
  });
}

/** An object whose newest state could not be decoded, transformed or indexed. */
export interface UnreadableObject {
  readonly resource: string;
  readonly key: Key;
  readonly message: string;
}

/** Objects that a cache could not hold in their newest state. */
export function unreadableInOpenCache({ resource, informer }: DeclaredCache): readonly UnreadableObject[] {
  const poisoned = informer.health().flatMap((part) => part.poisoned);
  return poisoned.map(({ key, error }) => ({ resource, key, message: printableText(error) }));
}

type Indexers = NonNullable<NonNullable<Parameters<Cluster['informer']>[1]>['indexers']>;

interface CacheRequest {
  readonly namespace: string | readonly string[] | undefined;
  readonly labels?: LabelSelectorLike | undefined;
  readonly fields?: FieldSelectorLike | undefined;
  readonly indexers?: object;
  readonly metadataOnly?: boolean;
}

function openCacheInformer(
  cluster: Cluster,
  resource: string,
  request: CacheRequest,
): ClusterInformer<KubeObject, string> {
  const { metadataOnly = false, indexers = {}, ...scope } = request;
  const options = { ...defined(scope), indexers: indexers as Indexers };
  return metadataOnly
    ? cluster.informer<KubeObject, string>(resource, { ...options, metadataOnly: true })
    : cluster.informer<KubeObject, string>(resource, options);
}

function namespacesOfOpenCaches(namespace: string | readonly string[] | undefined): readonly string[] {
  const names = namespace === undefined ? [] : typeof namespace === 'string' ? [namespace] : namespace;
  return names.filter((one) => one !== '');
}
