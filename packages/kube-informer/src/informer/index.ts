export { Controller, type ControllerConfig } from './controller.ts';
export type { Differences } from './consistency.ts';
export {
  type BookmarkDelta,
  type DeletedDelta,
  type Delta,
  DeletedFinalStateUnknown,
  type ObjectDelta,
  type Indigestible,
  type PoisonedDelta,
  type ReplacedAllDelta,
  type SyncAllDelta,
  type Deltas,
  isTombstone,
  keyOfMaybeDeleted,
} from './delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from './delta-fifo.ts';
export type { ExpectedType } from './event-reader.ts';
export {
  type AddEvent,
  type DeleteEvent,
  filtered,
  type Handler,
  type InformerEvent,
  type UpdateEvent,
} from './handlers.ts';
export { type InformerIdentity, InformerName, InformerNames, processNames } from './identity.ts';
export type { SlowCall } from './call-log.ts';
export type { HandlerHealth, InformerHealth } from './informer-health.ts';
export type { SharedInformerOptions } from './informer-options.ts';
export type { InformerState, ReadOptions, SyncedOptions } from './informer-state.ts';
export { type ListFn, type ListWatch, type OptionsModifier, type WatchFn, withOptions } from './list-watch.ts';
export type { BacklogPolicy } from './listener.ts';
export type { MutationHandler } from './mutation-guard.ts';
export { OrderedFifo, type OrderedFifoOptions } from './ordered-fifo.ts';
export { eachListItem, type EachItemOptions, listPages, type ListResult, type PagerOptions } from './pager.ts';
export type { HandlerOptions } from './processor.ts';
export type { KnownObjects, ProcessFn, Queue, QueueOptions, ReplaceInfo, Sink } from './queue.ts';
export { Reflector, type ReflectorOptions } from './reflector.ts';
export type { ReflectorState, Trouble } from './reflector-context.ts';
export type { Registration } from './registration.ts';
export { SharedInformer } from './shared-informer.ts';
export type { Step, StepKind } from './timeline.ts';
export { namespaceKeyedIndexerAndReflector, simpleInformer, type SimpleInformerOptions } from './simple-informer.ts';
export { KeyedSyncTracker, Lazy, type SyncChecker, waitForSync, type WaitForSyncOptions } from './sync.ts';
export type { TransformFn } from './transform.ts';
export { defaultWatchErrorHandler, reasonOf, type TroubleReason, type WatchErrorHandler } from './watch-error.ts';
export { ExpirationCache, type ExpirationCacheOptions } from '../store/expiration-cache.ts';
export { Fifo, type FifoOptions, type FifoProcess } from '../store/fifo.ts';
export { Heap, type HeapOptions } from '../store/heap.ts';
export { Indexer, type IndexerOptions, NAMESPACE_INDEX } from '../store/indexer.ts';
export { MutationCache, type MutationCacheOptions } from '../store/mutation-cache.ts';
export type { Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from '../store/store.ts';
export { UndeltaStore, type UndeltaStoreOptions } from '../store/undelta-store.ts';
