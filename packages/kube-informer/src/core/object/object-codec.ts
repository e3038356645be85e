import type { TypeRef } from './object.ts';
import type { ReducedObjects, Reduction } from './reduction.ts';

/** A value that an index or a selector can use. */
export type Scalar = string | number | boolean;

/** A field that the reader does not know: a newer server has it. Never carries content. */
export interface UnknownField {
  /** The message it was found in, for example `k8s.io.api.core.v1.PodSpec`. */
  readonly message: string;
  readonly field: number;
}

/** The identity of a state of an object. */
export interface ObjectIdentity {
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** The facts that a cache needs about an object on arrival. */
export interface ObjectOutline {
  /** The top-level fields, as JSON names and orders them. Objects with the same fields share one array. */
  readonly names: readonly string[];
  readonly type: TypeRef;
  readonly identity: ObjectIdentity;
}

/** Makes something from the bytes of an object, which have passed `check`. Bytes that it keeps must be copied. */
export type BuildObject<R> = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number) => R;

/**
 * Reads objects of one kind in one wire format, and builds only the parts that are requested.
 *
 * An object is the range `at` to `end` of `bytes`, which may hold more. JSON and protobuf give the same
 * values for the same object.
 *
 * Room rule: keeps no reference to bytes, except in the lazy `managedFields` of `decodeField('metadata')`.
 */
export interface ObjectCodec {
  readonly format: 'json' | 'protobuf';
  /**
   * Walks over every field and returns the first unknown one; undefined if all are known. Throws a KubeError
   * for malformed bytes.
   */
  check(bytes: Uint8Array, at: number, end: number): UnknownField | undefined;
  identity(bytes: Uint8Array, at: number, end: number): ObjectIdentity;
  /** Reads the outline of an object in one walk over its top level. */
  outline(bytes: Uint8Array, at: number, end: number): ObjectOutline;
  /** One top-level field. `managedFields` of the metadata is decoded when it is first read. */
  decodeField(name: string, bytes: Uint8Array, at: number, end: number): unknown;
  /** The whole object, plain: deep-strict-equal to what `JSON.parse` gives for the same object. */
  decode(bytes: Uint8Array, at: number, end: number): object;
  /** The scalars at a path (`['metadata', 'labels', 'app']`), without building the object. Lists are followed item by item. */
  read(bytes: Uint8Array, at: number, end: number, path: readonly string[]): readonly Scalar[];
  /** Reads a map of texts, such as `['metadata', 'labels']`. */
  readMap(
    bytes: Uint8Array,
    at: number,
    end: number,
    path: readonly string[],
  ): Readonly<Record<string, string>> | undefined;
  /** Returns what keeps only a part of each object. */
  reduced(reduction: Reduction): ReducedObjects;
}
