import type { ClusterInformer, KubeObject } from 'kube-informer';
import { compareVersions, type Key, LabelSelector, type LabelSelectorLike } from 'kube-informer/core';

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
}

/** Whether a written object belongs to the cache, so that its version will be seen there. */
export function declaredCacheHolds(cache: DeclaredCache, object: KubeObject): boolean {
  const { namespace = '', labels = {} } = object.metadata ?? {};
  const isInNamespace = cache.namespaces.length === 0 || namespace === '' || cache.namespaces.includes(namespace);
  return isInNamespace && (cache.labels === undefined || LabelSelector.of(cache.labels).matches(labels));
}

/** The object that the cache has. Undefined also for a namespace that it does not cache. */
export function declaredCacheObject({ informer }: DeclaredCache, key: Key): KubeObject | undefined {
  try {
    return informer.get(key);
  } catch {
    return undefined;
  }
}

/** Whether versions of this server can be compared. Without order nothing can be waited for. */
export const hasOrderedDeclaredVersion = (version: string): boolean => compareVersions(version, '1') !== undefined;
