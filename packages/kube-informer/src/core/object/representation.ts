import type { Scalar } from './object-codec.ts';
import type { ObjectAccess } from './object.ts';

/** A place in an object: `['spec', 'nodeName']`. */
export type Path = readonly string[];

/** The memory behind a cache, in bytes. All are zero for plain objects, which are not counted. */
export interface HeldBytes {
  /** Bytes that the server sent for the objects in the cache. */
  readonly wire: number;
  /** Bytes of all slabs that hold the objects now. */
  readonly held: number;
  /** The part of `held` that is not compressed yet. */
  readonly young: number;
  /** The part of `held` that no object of the cache uses any more. */
  readonly pinned: number;
  readonly dictionary: number;
  /** Decoded sections kept for the next reader, as estimated. */
  readonly views: number;
}

/**
 * How a cache keeps objects: the engine moves `Stored` and readers see `Seen`.
 *
 * For plain objects both are the same. A packed cache stores positions in its bytes, and shows objects that
 * decode the parts that are read.
 *
 * Room rule: never waits. A `Stored` can be read for as long as it is referenced, whatever the cache does.
 */
export interface Representation<Stored extends object, Seen extends object> extends ObjectAccess<Stored> {
  /** The object for a reader: the same `Seen` for the same `Stored`, as long as it is held. */
  see(stored: Stored): Seen;
  /** Access to the objects that readers get. */
  readonly seen: ObjectAccess<Seen>;
  /** The scalars at a path, without building an object. Absent where building costs nothing. */
  read?(stored: Stored, path: Path): readonly Scalar[];
  /** Announces that the scalars at this path will be read from every object that enters the cache. */
  prepare?(path: Path): void;
  /** Called when the cache has stored a state. */
  keep?(stored: Stored): void;
  /** Called when the cache has dropped a state, or will never store it. */
  drop?(stored: Stored): void;
  usage?(): HeldBytes;
}

/** The representation in which objects are stored and seen as they are. */
export function plainRepresentation<T extends object>(access: ObjectAccess<T>): Representation<T, T> {
  const isComparable = access.hasSameContent !== undefined;
  return {
    name: (object) => access.name(object),
    namespace: (object) => access.namespace(object),
    uid: (object) => access.uid(object),
    resourceVersion: (object) => access.resourceVersion(object),
    labels: (object) => access.labels(object),
    annotations: (object) => access.annotations(object),
    type: (object) => access.type(object),
    ...(isComparable ? { hasSameContent: (one: T, other: T) => access.hasSameContent?.(one, other) === true } : {}),
    see: (object) => object,
    seen: access,
  };
}
