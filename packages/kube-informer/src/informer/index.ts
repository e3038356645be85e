/**
 * An informer over any source, and its engine under the names of client-go. Stores and queues are in `kube-informer/store`.
 */
export { SharedInformer } from './shared-informer.ts';
export type { SharedInformerOptions } from './informer-options.ts';
export type { Differences } from './verify/consistency.ts';
export type { InformerHealth } from './informer-health.ts';
export type { InformerState } from './informer-state.ts';
export type { ReadOptions } from './read-options.ts';
export type { Registration } from './registration.ts';
export type { StateCallback } from './state-listeners.ts';
export type { SyncedOptions } from './until-synced.ts';
export {
  type AddEvent,
  type DeleteEvent,
  type Handler,
  type InformerEvent,
  type UpdateEvent,
} from './handlers/handlers.ts';
export { filtered } from './handlers/filtered.ts';
export type { HandlerOptions } from './handlers/handler-options.ts';
export { KeyedSyncTracker, Lazy, waitForSync } from './handlers/wait-for-sync.ts';
export type { TransformFn } from './queue/transform.ts';
export {
  type ListFn,
  type ListWatch,
  type OptionsModifier,
  type WatchFn,
  type WatchStream,
  withOptions,
} from './list-watch/list-watch.ts';
export { eachListItem, listPages } from './list-watch/pager.ts';
export { InformerName, InformerNames, processNames } from './apply/informer-name.ts';
export { Controller, type ControllerConfig } from './apply/delta-controller.ts';
export { simpleInformer } from './simple-informer.ts';
export { namespaceKeyedIndexerAndReflector } from './indexer-and-reflector.ts';
export { StreamingPath } from './freshness/streaming-path.ts';
export { Reflector } from './reflector/reflector.ts';
export type { ReflectorOptions } from './reflector/reflector-options.ts';
export type { ReflectorState, Problem } from './reflector/reflector-context.ts';
export type { Step } from './reflector/timeline.ts';
export {
  defaultWatchErrorHandler,
  type FailedCycle,
  reasonOf,
  type ProblemReason,
  type WatchErrorHandler,
} from './reflector/watch-error.ts';
