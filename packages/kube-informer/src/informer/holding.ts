import type { UserCode } from '../core/guarded.ts';
import { isEqualButVersion } from '../core/object/equal.ts';
import { plainAccess } from '../core/object/object.ts';
import type { Reduction } from '../core/object/reduction.ts';
import { plainRepresentation, type Representation } from '../core/object/representation.ts';
import type { Indexer } from '../store/indexer.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { type MutationEvidence, mutationGuardByFreezing } from './apply/mutation-guard.ts';
import { type EventMaker, plainEventMaker } from './handlers/event-maker.ts';
import type { SharedInformerOptions } from './informer-options.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { packedSource } from './list-watch/packed-source.ts';
import { reducedBuildAccess, reducedBuild } from './list-watch/reduced-build.ts';
import type { TransformFn } from './queue/transform.ts';

/** The reads of a cache, and the indexes they use. */
export type Readers<Seen extends object> = ReadonlyStore<Seen> & { addIndexers(indexers: Indexers<Seen>): void };

/** The form in which one informer holds its objects: from the source to what readers see. */
export interface Holding<Stored extends object, Seen extends object> {
  readonly representation: Representation<Stored, Seen>;
  readonly events: EventMaker<Stored, Seen>;
  /** The source of the informer, whose objects have the form that the cache stores. */
  readonly source: ListWatch<Stored>;
  /** The cache as readers see it. */
  readers(indexer: Indexer<Stored>): Readers<Seen>;
  /** Reads stored objects for the mutation detector, where their form differs from what readers see. */
  readonly inspect?: (stored: Stored) => MutationEvidence;
  /** Whether readers see no difference except the version. Called only with `select`. */
  readonly isUnseen?: (before: Stored, now: Stored) => boolean;
  /** Work beside the engine, until `signal` aborts. */
  readonly run?: (signal: AbortSignal) => Promise<void>;
  /** The transform of each object before it enters the queue. */
  transform(given: UserCode<TransformFn<Seen>> | undefined): UserCode<TransformFn<Stored>> | undefined;
}

/** Holds objects as the source provides them. */
export function plainHolding<T extends object>(
  source: ListWatch<T>,
  { access = plainAccess, freeze = true }: SharedInformerOptions<T, string>,
  reduction: Reduction | undefined,
): Holding<T, T> {
  const build = reducedBuild((codec, bytes, at, end) => codec.decode(bytes, at, end) as T, reduction);
  return {
    representation: plainRepresentation(reducedBuildAccess(access, reduction)),
    events: plainEventMaker<T>(),
    // The marks of objects that could not be decoded are plain as well.
    source: reduction === undefined ? source : (packedSource(source, build) as ListWatch<T>),
    ...(reduction?.keeps === 'named' ? { isUnseen: isEqualButVersion } : {}),
    readers: (indexer) => indexer,
    transform: (given) => (freeze ? mutationGuardByFreezing(given) : given),
  };
}
