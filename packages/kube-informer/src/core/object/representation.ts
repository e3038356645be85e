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
  /** The part of `held` that no object of the cache needs any more. */
  readonly pinned: number;
  readonly dictionary: number;
  /** Decoded sections kept for the next reader, as estimated. */
  readonly views: number;
}

/**
 * How a cache keeps objects: the engine moves `Stored` and readers see `Seen`.
 *
 * For plain objects both are the same. A packed cache stores places in its bytes and shows objects that decode what is
 * read of them.
 *
 * Room rule: never waits. A holder of a `Stored` can see it forever, whatever the cache does.
 */
export interface Representation<Stored extends object, Seen extends object> extends ObjectAccess<Stored> {
  /** The object for a reader: the same `Seen` for the same `Stored`, as long as it is held. */
  see(stored: Stored): Seen;
  /** Reads what readers get. */
  readonly seen: ObjectAccess<Seen>;
  /** The scalars at a path, without building an object. Left out where building costs nothing. */
  read?(stored: Stored, path: Path): readonly Scalar[];
  /** Will be asked for the scalars at this path of every object that the cache takes. */
  prepare?(path: Path): void;
  /** The cache has taken a state. */
  keep?(stored: Stored): void;
  /** The cache has let a state go, or will never take it. */
  drop?(stored: Stored): void;
  usage?(): HeldBytes;
}

/** Objects are kept and seen as they are. */
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
