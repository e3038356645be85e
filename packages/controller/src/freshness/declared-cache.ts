import type { ClusterInformer, KubeObject, Live } from 'kube-informer';
import { compareVersions, isOlder, type Key, keyOf, LabelSelector, type LabelSelectorLike } from 'kube-informer/core';

/** A cache that a controller has declared: of its own resource, of children, or of others that it watches. */
export interface DeclaredCache {
  readonly resource: string;
  readonly informer: ClusterInformer<KubeObject, string>;
  /** Namespaces that are cached; empty: all. */
  readonly namespaces: readonly string[];
  readonly labels?: LabelSelectorLike;
  /** Whether a field selector decides what is cached. It cannot be evaluated here. */
  readonly hasFields: boolean;
  /** Whether it is of another cluster than the controller. */
  readonly isElsewhere: boolean;
  /** Whether it has metadata only. */
  readonly isPartial: boolean;
}

/** Whether a written object belongs to the cache, so that its version will be seen there. */
export function declaredCacheHolds(cache: DeclaredCache, object: KubeObject): boolean {
  const { namespace = '', labels = {} } = object.metadata ?? {};
  const isInNamespace = cache.namespaces.length === 0 || namespace === '' || cache.namespaces.includes(namespace);
  return isInNamespace && (cache.labels === undefined || LabelSelector.of(cache.labels).matches(labels));
}

/** The object that the cache has. Undefined also for a namespace that it does not cache. */
export function declaredCacheObject({ informer }: DeclaredCache, key: Key): Live<KubeObject> | undefined {
  try {
    return informer.get(key);
  } catch {
    return undefined;
  }
}

/**
 * The newest state of an object. A resource may have several caches, with other namespaces or selectors. A
 * cache of metadata is used only if no other has the object: without its fields, an object looks like one
 * whose fields are not set.
 */
export function newestInDeclaredCache(caches: readonly DeclaredCache[], key: Key): Live<KubeObject> | undefined {
  const [only] = caches;
  if (caches.length === 1 && only !== undefined) return declaredCacheObject(only, key);
  const newestOf = (some: readonly DeclaredCache[]): Live<KubeObject> | undefined =>
    some
      .map((cache) => declaredCacheObject(cache, key))
      .reduce((newest, one) => (isNewerInDeclaredCache(one, newest) ? one : newest), undefined);
  return newestOf(wholeDeclaredCaches(caches)) ?? newestOf(caches.filter(({ isPartial }) => isPartial));
}

/** The caches that have whole objects. */
export const wholeDeclaredCaches = (caches: readonly DeclaredCache[]): readonly DeclaredCache[] =>
  caches.filter(({ isPartial }) => !isPartial);

/** The objects of all caches of a resource, each once and in its newest state. */
export function newestOfDeclaredCaches(
  caches: readonly DeclaredCache[],
  query: { readonly namespace?: string; readonly labels?: LabelSelectorLike },
): Live<KubeObject>[] {
  const [only, ...others] = caches;
  if (others.length === 0) return only?.informer.list(query) ?? [];
  const newest = new Map<Key, Live<KubeObject>>();
  for (const { informer } of wholeDeclaredCaches(caches))
    for (const one of informer.list(query))
      if (isNewerInDeclaredCache(one, newest.get(keyOf(one)))) newest.set(keyOf(one), one);
  for (const { informer, isPartial } of caches)
    if (isPartial) for (const one of informer.list(query)) if (!newest.has(keyOf(one))) newest.set(keyOf(one), one);
  return [...newest.values()];
}

const isNewerInDeclaredCache = (one: KubeObject | undefined, other: KubeObject | undefined): boolean =>
  one !== undefined && (other === undefined || isOlder(other.metadata?.resourceVersion, one.metadata?.resourceVersion));

/** Whether versions of this server can be compared. If they cannot, there is nothing to wait for. */
export const isDeclaredCacheOrdered = (version: string): boolean => compareVersions(version, '1') !== undefined;
