/** Parts to build with: stores, and the queues between a Reflector and a Controller. */
export { ExpirationCache, type ExpirationCacheOptions, type ExpirationEntry } from './expiration-cache.ts';
export { Fifo, type FifoOptions, type FifoProcess } from './fifo.ts';
export { Heap, type HeapOptions } from './heap.ts';
export { Indexer, type IndexerOptions, NAMESPACE_INDEX } from './indexer.ts';
export { MutationCache, type MutationCacheOptions } from './mutation-cache.ts';
export { DecodedBudget } from './packed/decoded-budget.ts';
export type { Index, Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';
export { UndeltaStore, type UndeltaStoreOptions } from './undelta-store.ts';
export {
  DeletedFinalStateUnknown,
  type Delta,
  type Deltas,
  isTombstone,
  keyOfMaybeDeleted,
} from '../informer/queue/delta.ts';
export { DeltaFifo, type DeltaFifoOptions } from '../informer/queue/delta-fifo.ts';
export type { KnownObjects } from '../informer/queue/known-objects.ts';
export { OrderedFifo, type OrderedFifoOptions } from '../informer/queue/ordered-fifo.ts';
export type { ProcessFn, Queue, Sink } from '../informer/queue/queue.ts';
