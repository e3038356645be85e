/**
 * The main entry: clusters, informers and listers. `kube-informer/client`, `/informer`, `/store`, `/core` and `/testing` export the parts.
 */
export type { ChangeFor, ChangesOptions, Overflow, Synced } from './cluster/change-stream.ts';
export type { ClusterHealth, HealthOptions } from './cluster/cluster-health.ts';
export type { ClusterInformer, WaitForVersionOptions } from './cluster/cluster-informer.ts';
export {
  Cluster,
  type ClusterCache,
  type ClusterConnectOptions,
  type ClusterInformerOptions,
  type ClusterOptions,
  type InformerDefaults,
} from './cluster/cluster.ts';
export type { CacheStateCallback, CacheStateChange, InformerSetHealth } from './cluster/cache-registry.ts';
export { InformerSet } from './cluster/informer-set.ts';
export type {
  InformerRequest,
  InformerSetOptions,
  ResourceTransform,
  SourceFactory,
} from './cluster/informer-set-options.ts';
export { Lister, type ListerOptions, type ListQuery } from './cluster/lister.ts';
export type { Scope } from './cluster/scope.ts';
export { type Env, type Log, systemEnv } from './core/env.ts';
export { type ErrorCode, hasCode, KubeError, type Status } from './core/errors.ts';
export type { UserCode } from './core/guarded.ts';
export { type Key, keyOf, splitKey } from './core/object/key.ts';
export type { ListOptions, WatchOptions } from './core/object/list-options.ts';
export type { KubeList, KubeObject, ManagedFields, ObjectMeta, OwnerReference, Live } from './core/object/object.ts';
export type { PathOf, Selected } from './core/object/selected.ts';
export type { Metrics } from './core/metrics.ts';
export {
  FieldSelector,
  type FieldSelectorLike,
  LabelSelector,
  type LabelSelectorLike,
} from './core/selector/selector.ts';
export type { WatchEvent } from './core/object/watch-event.ts';
export {
  type AddEvent,
  type DeleteEvent,
  type Handler,
  type InformerEvent,
  type UpdateEvent,
} from './informer/handlers/handlers.ts';
export { filtered } from './informer/handlers/filtered.ts';
export type { InformerHealth } from './informer/informer-health.ts';
export type { SharedInformerOptions } from './informer/informer-options.ts';
export type { Differences } from './informer/verify/consistency.ts';
export type { InformerState } from './informer/informer-state.ts';
export type { ReadOptions } from './informer/read-options.ts';
export type { SyncedOptions } from './informer/until-synced.ts';
export type { ListWatch } from './informer/list-watch/list-watch.ts';
export type { HandlerOptions } from './informer/handlers/handler-options.ts';
export type { Registration } from './informer/registration.ts';
export { SharedInformer } from './informer/shared-informer.ts';
export type { StateCallback } from './informer/state-listeners.ts';
export type { TransformFn } from './informer/queue/transform.ts';
export type { Index, IndexFn, ReadonlyStore } from './store/store.ts';
