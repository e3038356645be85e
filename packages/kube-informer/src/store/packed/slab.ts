import type { ObjectCodec, ObjectOutline, Scalar } from '../../core/object/object-codec.ts';
import type { TypeRef } from '../../core/object/object.ts';
import type { LzDictionary } from './lz-dictionary.ts';
import type { ViewShape } from './packed-view.ts';

/** Size of a slab: small enough that a reader that keeps one object forever keeps little else with it. */
export const SLAB_BYTES = 262_144;

/**
 * A piece of memory that states are written into, one after the other. Nothing in it is overwritten while a state is in it: a
 * holder of a state can read it at any time, and the slab lives as long as one of its states is held.
 */
export class Slab {
  readonly bytes: Uint8Array;
  /** The dictionary that its states are packed with; undefined for raw bytes. */
  readonly dictionary: LzDictionary | undefined;
  /** The states in it, in order. */
  states: PackedState[] = [];
  used = 0;
  /** Bytes that its states would have if they were not packed. */
  raw = 0;
  /** Bytes of states that the cache has dropped. */
  dead = 0;
  /** Number of maintenance rounds of the cache before this slab was opened. */
  readonly round: number;

  constructor(bytes: Uint8Array, round: number, dictionary?: LzDictionary) {
    this.bytes = bytes;
    this.round = round;
    this.dictionary = dictionary;
  }

  get room(): number {
    return this.bytes.length - this.used;
  }
}

/**
 * One state of an object: a position in a slab. Compaction may move it to another slab; its content never
 * changes.
 *
 * Room rule: data. `PackedObjects` writes its fields.
 */
export class PackedState {
  slab: Slab;
  at: number;
  end: number;
  /** Number of generations of the cache that hold it; -1 after the last has dropped it. */
  kept = 0;
  /** The name, until the state is packed in the cache; afterwards the few callers that need it read it again. */
  name: string | undefined;
  /** Values for the indexes, read on arrival; undefined once the cache has stored them. */
  indexed: readonly (readonly Scalar[])[] | undefined;
  /** The object as readers have seen it. */
  view: WeakRef<object> | undefined;
  /** The same object, while its decoded sections are within the budget. */
  keptView: object | undefined;
  /** Estimated bytes of the decoded sections that are kept for the next reader. */
  viewBytes = 0;
  /** Whether it was read since decoded sections were last dropped. */
  isSeen = false;
  readonly codec: ObjectCodec;
  readonly shape: ViewShape;
  readonly type: TypeRef;
  // Compared with every new state of the object: unpacking for that would cost more than the rest of an event.
  readonly namespace: string | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;

  constructor(slab: Slab, at: number, end: number, codec: ObjectCodec, shape: ViewShape, outline: ObjectOutline) {
    const { name, namespace, uid, resourceVersion } = outline.identity;
    this.slab = slab;
    this.at = at;
    this.end = end;
    this.name = name;
    this.indexed = undefined;
    this.view = undefined;
    this.keptView = undefined;
    this.codec = codec;
    this.shape = shape;
    this.type = outline.type;
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
  }
}
