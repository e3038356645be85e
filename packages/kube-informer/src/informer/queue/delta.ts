import type { KubeError } from '../../core/errors.ts';
import type { Key } from '../../core/object/key.ts';

/**
 * A change of one object, or of the whole collection.
 *
 * `replaced` and `sync` mean that a state came from a list or a resync. Whether
 * the object is new is decided when the delta is applied to the cache.
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
  /** Whether the state is from a storage that went back in time: applied although it is older than the cache. */
  readonly newEpoch?: boolean;
}

export interface DeletedDelta<T> {
  readonly type: 'deleted';
  readonly key: Key;
  /** The last known state, if there is one. */
  readonly object: T | undefined;
  /** Whether the delete event was missed and the delete found by a list; `object` may be old then. */
  readonly finalStateUnknown: boolean;
  /** Delete only if exactly the state `object` is held: see `Sink.deleteIfHeld`. */
  readonly onlyIfHeld?: boolean;
}

/** A state that could not be decoded, transformed or indexed, as it was received, and the error. */
export interface PoisonedObject<T> {
  readonly object: T;
  readonly error: unknown;
}

/**
 * Says that the newest state of `key` could not be decoded or transformed: the cache keeps the old state, and
 * health lists the key.
 */
export interface PoisonedDelta<T> extends PoisonedObject<T> {
  readonly type: 'poisoned';
  readonly key: Key;
  /** Whether the old state that stays in the cache is from another epoch, as in ObjectDelta. */
  readonly newEpoch?: boolean;
}

/** A complete list. Parallel arrays, because 100,000 pairs would cost as much memory as the keys. */
export interface ReplacedAllDelta<T> {
  readonly type: 'replacedAll';
  readonly keys: readonly Key[];
  readonly objects: readonly T[];
  readonly resourceVersion: string;
  /** Listed objects that could not be decoded or transformed. */
  readonly poisoned: ReadonlyMap<Key, PoisonedObject<T>>;
  /** Set when not even the name of a listed object could be read: it may be a key that is missing from the list. */
  readonly unnamed?: KubeError | undefined;
  readonly newEpoch: boolean;
}

/** A resync of everything in the cache, as it is when this is applied. */
export interface SyncAllDelta {
  readonly type: 'syncAll';
}

export interface BookmarkDelta {
  readonly type: 'bookmark';
  readonly resourceVersion: string;
}

export type Deltas<T> = readonly [Delta<T>, ...Delta<T>[]];

/** A tag works across several copies of this package in one process; `instanceof` does not. */
const TOMBSTONE = 'kube-informer.tombstone';

/** A deleted object whose delete event was missed. `object` is the last known state, which may be old, or undefined. */
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
