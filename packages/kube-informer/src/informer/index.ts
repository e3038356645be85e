export { Controller, type ControllerConfig } from './apply/controller.ts';
export type { Differences } from './verify/consistency.ts';
export {
  type BookmarkDelta,
  type DeletedDelta,
  type Delta,
  DeletedFinalStateUnknown,
  type ObjectDelta,
  type PoisonedObject,
  type PoisonedDelta,
  type ReplacedAllDelta,
  type SyncAllDelta,
  type Deltas,
  isTombstone,
  keyOfMaybeDeleted,
} from './queue/delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from './queue/delta-fifo.ts';
export type { ExpectedType } from './list-watch/event-reader.ts';
export { type Delivery, StreamingPath } from './freshness/streaming-path.ts';
export {
  type AddEvent,
  type DeleteEvent,
  type Handler,
  type InformerEvent,
  type UpdateEvent,
} from './handlers/handlers.ts';
export { filtered } from './handlers/filtered.ts';
export { type InformerIdentifier, InformerName, InformerNames, processNames } from './apply/informer-name.ts';
export type { FailedCall, SlowCall } from './handlers/call-log.ts';
export type { HandlerHealth, InformerHealth } from './informer-health.ts';
export type { SharedInformerOptions } from './informer-options.ts';
export type { InformerState } from './informer-state.ts';
export type { ReadOptions } from './read-options.ts';
export type { SyncedOptions } from './until-synced.ts';
export {
  type ListFn,
  type ListWatch,
  type OptionsModifier,
  type WatchFn,
  type WatchProgress,
  type WatchStream,
  withOptions,
} from './list-watch/list-watch.ts';
export type { BacklogPolicy } from './handlers/listener.ts';
export type { MutationHandler } from './apply/mutation-guard.ts';
export { OrderedFifo, type OrderedFifoOptions } from './queue/ordered-fifo.ts';
export {
  eachListItem,
  type EachItemOptions,
  listPages,
  type ListResult,
  type PagerOptions,
} from './list-watch/pager.ts';
export type { HandlerOptions } from './handlers/handler-options.ts';
export type { ProcessFn, Queue, QueueOptions, ReplaceInfo, Sink } from './queue/queue.ts';
export type { KnownObjects } from './queue/known-objects.ts';
export { Reflector } from './reflector/reflector.ts';
export type { ReflectorOptions } from './reflector/reflector-options.ts';
export type { ReflectorState, Problem } from './reflector/reflector-context.ts';
export type { Registration } from './registration.ts';
export { SharedInformer } from './shared-informer.ts';
export type { StateCallback } from './state-listeners.ts';
export type { Step, StepKind } from './reflector/timeline.ts';
export { DecodedBudget } from '../store/packed/decoded-budget.ts';
export type { HeldBytes } from '../core/object/representation.ts';
export { namespaceKeyedIndexerAndReflector } from './indexer-and-reflector.ts';
export { simpleInformer, type SimpleInformerOptions } from './simple-informer.ts';
export { KeyedSyncTracker, Lazy, type SyncChecker, waitForSync, type WaitForSyncOptions } from './handlers/sync.ts';
export type { TransformFn } from './queue/transform.ts';
export {
  defaultWatchErrorHandler,
  type FailedCycle,
  type FailedReflector,
  reasonOf,
  type ProblemReason,
  type WatchErrorHandler,
} from './reflector/watch-error.ts';
export { Indexer, type IndexerOptions, NAMESPACE_INDEX } from '../store/indexer.ts';
export type { Index, Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from '../store/store.ts';
