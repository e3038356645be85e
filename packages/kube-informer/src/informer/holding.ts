import type { UserCode } from '../core/guarded.ts';
import { plainAccess } from '../core/object/object.ts';
import { plainRepresentation, type Representation } from '../core/object/representation.ts';
import type { Indexer } from '../store/indexer.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { guardFreezesByDefault, type MutationEvidence, mutationFreezingTransform } from './apply/mutation-guard.ts';
import { type EventMaker, plainEvents } from './handlers/event-maker.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import type { TransformFn } from './queue/transform.ts';

/** What readers may ask of a cache, and the indexes they ask by. */
export type Readers<Seen extends object> = ReadonlyStore<Seen> & { addIndexers(indexers: Indexers<Seen>): void };

/** The form in which one informer holds its objects: from the source to what readers see. */
export interface Holding<Stored extends object, Seen extends object> {
  readonly representation: Representation<Stored, Seen>;
  readonly events: EventMaker<Stored, Seen>;
  /** The source of the informer, which gives what the cache stores. */
  readonly source: ListWatch<Stored>;
  /** The cache as readers see it. */
  readers(indexer: Indexer<Stored>): Readers<Seen>;
  /** For the detector of mutations, where objects are not seen as they are stored. */
  readonly inspect?: (stored: Stored) => MutationEvidence;
  /** Work beside the engine, until `signal` aborts. */
  readonly run?: (signal: AbortSignal) => Promise<void>;
  /** What becomes of each object before it enters the queue. */
  transform(given: UserCode<TransformFn<Seen>> | undefined): UserCode<TransformFn<Stored>> | undefined;
}

/** Objects as the source gives them. */
export function plainHolding<T extends object>(
  source: ListWatch<T>,
  { access = plainAccess, freeze = guardFreezesByDefault() }: SharedInformerOptions<T, string>,
): Holding<T, T> {
  return {
    representation: plainRepresentation(access),
    events: plainEvents<T>(),
    source,
    readers: (indexer) => indexer,
    transform: (given) => (freeze ? mutationFreezingTransform(given) : given),
  };
}
