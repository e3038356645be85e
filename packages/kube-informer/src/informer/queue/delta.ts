import type { Key } from '../../core/object/key.ts';

/**
 * What happened to one object, or to all of them at once.
 *
 * `replaced` and `sync` say where a state came from, not what it does: whether
 * an object is new is decided by the cache when the delta is applied.
 */
export type Delta<T> =
  | ObjectDelta<T>
  | DeletedDelta<T>
  | PoisonedDelta<T>
  | ReplacedAllDelta<T>
  | SyncAllDelta
  | BookmarkDelta;

export interface ObjectDelta<T> {
  readonly type: 'added' | 'updated' | 'replaced' | 'sync';
  readonly key: Key;
  readonly object: T;
  /** From a storage that went back in time: older than the cache and still the truth. */
  readonly newEpoch?: boolean;
}

export interface DeletedDelta<T> {
  readonly type: 'deleted';
  readonly key: Key;
  /** The last state, if anybody saw it. */
  readonly object: T | undefined;
  /** The delete itself was missed and found by a list; `object` may be old. */
  readonly finalStateUnknown: boolean;
}

/** A state that user code could not digest, as it arrived, and why. */
export interface PoisonedObject<T> {
  readonly object: T;
  readonly error: unknown;
}

/** A state arrived for `key` that user code could not digest: the old state stays, and the key is named. */
export interface PoisonedDelta<T> extends PoisonedObject<T> {
  readonly type: 'poisoned';
  readonly key: Key;
  /** As of an ObjectDelta: the old state that stays is of another epoch. */
  readonly newEpoch?: boolean;
}

/** The whole truth at once. Parallel arrays: 100,000 pairs would cost as much as the objects' keys. */
export interface ReplacedAllDelta<T> {
  readonly type: 'replacedAll';
  readonly keys: readonly Key[];
  readonly objects: readonly T[];
  readonly resourceVersion: string;
  /** Listed, but not digestible. */
  readonly poisoned: ReadonlyMap<Key, PoisonedObject<T>>;
  readonly newEpoch: boolean;
}

/** Announce everything in the cache again, as it is when this is applied. */
export interface SyncAllDelta {
  readonly type: 'syncAll';
}

export interface BookmarkDelta {
  readonly type: 'bookmark';
  readonly resourceVersion: string;
}

export type Deltas<T> = readonly [Delta<T>, ...Delta<T>[]];

/** A tag means the same to every copy of this package in a process; `instanceof` does not. */
const TOMBSTONE = 'kube-informer.tombstone';

/** Stands for a deleted object whose delete was not seen. `object` is the last state known, maybe an old one, maybe none. */
export class DeletedFinalStateUnknown<T> {
  readonly tag: 'kube-informer.tombstone' = TOMBSTONE;
  readonly key: Key;
  readonly object: T | undefined;

  constructor(key: Key, object: T | undefined) {
    this.key = key;
    this.object = object;
  }
}

export function isTombstone<T>(value: unknown): value is DeletedFinalStateUnknown<T> {
  return typeof value === 'object' && value !== null && (value as { tag?: unknown }).tag === TOMBSTONE;
}

/** A key function that also takes a tombstone. */
export function keyOfMaybeDeleted<T>(keyOf: (object: T) => Key, value: T | DeletedFinalStateUnknown<T>): Key {
  return isTombstone<T>(value) ? value.key : keyOf(value as T);
}
