export { ExpirationCache, type ExpirationCacheOptions, type ExpirationEntry } from './expiration-cache.ts';
export { Fifo, type FifoOptions, type FifoProcess } from './fifo.ts';
export { Heap, type HeapOptions } from './heap.ts';
export { Indexer, type IndexerOptions, NAMESPACE_INDEX } from './indexer.ts';
export { MutationCache, type MutationCacheOptions } from './mutation-cache.ts';
export type { Index, Indexers, IndexFn, ReadonlyStore, Store, StoreWrite, TransactionResult } from './store.ts';
export { UndeltaStore, type UndeltaStoreOptions } from './undelta-store.ts';
