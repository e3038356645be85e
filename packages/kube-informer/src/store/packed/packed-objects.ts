import { Latch } from '../../core/async/latch.ts';
import { Slices } from '../../core/async/slices.ts';
import type { Env } from '../../core/env.ts';
import { hasEqualContent } from '../../core/object/equal.ts';
import { deepFreeze } from '../../core/object/freeze.ts';
import type { ObjectCodec, ObjectIdentity, ObjectOutline, Scalar } from '../../core/object/object-codec.ts';
import { type KubeObject, type ObjectAccess, plainAccess, type TypeRef } from '../../core/object/object.ts';
import type { HeldBytes, Path, Representation } from '../../core/object/representation.ts';
import type { DecodedBudget } from './decoded-budget.ts';
import {
  keepPackedManagedFieldsLazy, MAX_SECTIONS, NO_SECTIONS, packedView, type ViewShape, packedViewShapeOf,
} from './packed-view.ts'; // prettier-ignore
import { PackedState } from './slab.ts';
import { type LentBytes, requirePackedSlabSum, Slabs } from './slabs.ts';

/** A packed state, or the mark of an object that could not be decoded, which no cache ever holds. */
export type Packed = PackedState | KubeObject;

export interface PackedObjectsOptions {
  readonly env: Env;
  readonly budget: DecodedBudget;
  /** Whether the objects that readers see are frozen. */
  readonly freeze: boolean;
  /** Access to the objects that readers see. */
  readonly access?: ObjectAccess<unknown>;
}

/** Number of first bytes that contain the metadata of most objects, without `managedFields`. */
const HEAD_BYTES = 1_024;
/**
 * Estimated decoded bytes per byte of JSON: decoding takes about two and a half times the text, and half of
 * the text is `managedFields`.
 */
const DECODED_PER_BYTE = 1.25;
/** Number of sections that take no room: `apiVersion` and `kind`. */
const SMALL_SECTIONS = 2;
/** Maximum number of prepared indexes; others are computed from the bytes when needed. */
const MAX_PREPARED = 8;
/** Interval at which new states are considered for packing. */
const TIDY_MS = 2_000;
/** Interval after two of which decoded sections that were not read are dropped. */
const SORT_OUT_MS = 30_000;
/**
 * Maximum number of shapes that are shared. A kind has a few; objects with varying field names would add one
 * with every change.
 */
const MAX_SHAPES = 256;
const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/**
 * Objects as bytes: the cache holds positions in slabs, and readers see objects that decode the parts that
 * are read.
 *
 * Promises: the content of a state never changes; the same state shows the same object while it is held;
 * equal bytes are equal objects; otherwise the decoded content decides.
 *
 * Room rule: never waits, except in `run`, which packs and compacts in slices.
 */
export class PackedObjects<Seen extends object> implements Representation<Packed, Seen> {
  readonly seen: ObjectAccess<Seen>;
  readonly #options: PackedObjectsOptions;
  readonly #slabs = new Slabs(() => this.#wireBytes);
  readonly #shapes = new Map<string, ViewShape>();
  /** Shapes by the array in which a codec lists the names. */
  readonly #knownShapes = new WeakMap<readonly string[], ViewShape>();
  /** States whose decoded sections are kept for the next reader. */
  readonly #decoded = new Set<PackedState>();
  /** The paths that indexes read. */
  readonly #paths: Path[] = [];
  #held: (identity: ObjectIdentity) => Packed | undefined = () => undefined;
  #wireBytes = 0;
  #arrived = 0;
  #work = new Latch();

  constructor(options: PackedObjectsOptions) {
    this.#options = options;
    this.seen = options.access ?? plainAccess;
  }

  /** Sets where the states are found that the cache holds. */
  follow(held: (identity: ObjectIdentity) => Packed | undefined): void {
    this.#held = held;
  }

  /**
   * Makes a state of the checked bytes of an object, which are copied; or returns the state of the cache, if it has the same
   * bytes: a relist of unchanged objects needs no memory for them.
   */
  readonly build = (codec: ObjectCodec, bytes: Uint8Array, at: number, end: number): PackedState => {
    const outline = codec.outline(bytes, at, end);
    const state =
      this.#heldState(codec, outline, { bytes, at, end }) ?? this.#newState(codec, outline, { bytes, at, end });
    if (this.#paths.length > 0) state.indexed = this.#paths.map((path) => codec.read(bytes, at, end, path));
    return state;
  };

  #newState(codec: ObjectCodec, outline: ObjectOutline, { bytes, at, end }: LentBytes): PackedState {
    const shape = this.#shapeOf(outline.names);
    const slab = this.#slabs.take(bytes, at, end);
    const state = new PackedState(slab, slab.used - (end - at), slab.used, codec, shape, outline);
    slab.states.push(state);
    this.#arrived += 1;
    this.#work.open();
    return state;
  }

  #heldState(codec: ObjectCodec, { identity, type }: ObjectOutline, lent: LentBytes): PackedState | undefined {
    const held = this.#held(identity);
    if (!(held instanceof PackedState) || held.resourceVersion !== identity.resourceVersion) return undefined;
    const { kind, apiVersion } = held.type;
    const isSameType = held.codec.format === codec.format && kind === type.kind && apiVersion === type.apiVersion;
    // A version alone proves nothing: a storage that went back assigns its versions again, to other contents.
    if (!isSameType || !this.#hasBytes(held, lent)) return undefined;
    // The next generation of the cache asks for it.
    held.name = identity.name;
    return held;
  }

  // — what the engine reads ——————————————————————————————————————————————

  name(stored: Packed): string | undefined {
    if (!(stored instanceof PackedState)) return plainAccess.name(stored);
    return stored.name ?? this.#fromHead(stored, (codec, { bytes, at, end }) => codec.identity(bytes, at, end).name);
  }

  namespace(stored: Packed): string | undefined {
    return stored instanceof PackedState ? stored.namespace : plainAccess.namespace(stored);
  }

  uid(stored: Packed): string | undefined {
    return stored instanceof PackedState ? stored.uid : plainAccess.uid(stored);
  }

  resourceVersion(stored: Packed): string | undefined {
    return stored instanceof PackedState ? stored.resourceVersion : plainAccess.resourceVersion(stored);
  }

  labels(stored: Packed): Readonly<Record<string, string>> {
    // Labels that are not kept are refused by that access.
    if (!(stored instanceof PackedState) || this.seen !== plainAccess) return this.seen.labels(this.see(stored));
    return this.#texts(stored, ['metadata', 'labels']) ?? NO_TEXTS;
  }

  annotations(stored: Packed): Readonly<Record<string, string>> {
    if (!(stored instanceof PackedState)) return plainAccess.annotations(stored);
    return this.#texts(stored, ['metadata', 'annotations']) ?? NO_TEXTS;
  }

  type(stored: Packed): TypeRef {
    return stored instanceof PackedState ? stored.type : plainAccess.type(stored);
  }

  /** Reads `path` of every object as it arrives, for an index: the first objects of a large list are packed before the last arrive. */
  prepare(path: Path): void {
    if (this.#paths.length < MAX_PREPARED) this.#paths.push(path);
  }

  read(stored: Packed, path: Path): readonly Scalar[] {
    if (!(stored instanceof PackedState)) return [];
    const known = stored.indexed?.[this.#paths.indexOf(path)];
    if (known !== undefined) return known;
    if (path[0] === 'metadata')
      return this.#fromHead(stored, (codec, { bytes, at, end }) => codec.read(bytes, at, end, path));
    const { bytes, at, end } = this.#slabs.lend(stored);
    return stored.codec.read(bytes, at, end, path);
  }

  hasSameContent(one: Packed, other: Packed): boolean {
    if (one === other) return true;
    const isSameFormat =
      one instanceof PackedState && other instanceof PackedState && one.codec.format === other.codec.format;
    if (isSameFormat && this.#hasSameBytes(one, other)) return true;
    return hasEqualContent(this.#decode(one), this.#decode(other));
  }

  // — what readers see ———————————————————————————————————————————————————

  see(stored: Packed): Seen {
    // The type of what a reader sees is the one that the user declared.
    if (!(stored instanceof PackedState)) return stored as object as Seen;
    stored.isSeen = true;
    return (stored.keptView ?? stored.view?.deref() ?? this.#show(stored)) as Seen;
  }

  /** An object that a reader may have changed: as readers see it, if it has been read, and as it was received. */
  inspect(stored: Packed): { readonly seen: object; readonly truth: object } | undefined {
    if (!(stored instanceof PackedState)) return undefined;
    const seen = stored.keptView ?? stored.view?.deref();
    return seen === undefined ? undefined : { seen, truth: this.#decode(stored) };
  }

  #show(state: PackedState): object {
    const { freeze } = this.#options;
    if (state.shape === NO_SECTIONS) return this.#showWhole(state);
    const decodeField = (name: string): unknown => {
      const { bytes, at, end } = this.#slabs.lend(state);
      return state.codec.decodeField(name, bytes, at, end);
    };
    const managedFields = (): unknown => {
      const { managedFields: decoded } = decodeField('metadata') as { managedFields?: unknown };
      return freeze ? deepFreeze(decoded) : decoded;
    };
    // Readers of all objects mostly read one section of each: the others are not counted before they are decoded.
    const sections = Math.max(1, state.shape.names.length - SMALL_SECTIONS);
    let decoded = 0;
    const view = packedView(state.shape, {
      section: (name) => {
        const section = decodeField(name);
        if (name === 'metadata') keepPackedManagedFieldsLazy(section, managedFields);
        if (typeof section === 'object' && section !== null) {
          decoded += 1;
          this.#charge(state, view, decoded / sections);
        }
        return freeze ? deepFreeze(section) : section;
      },
    });
    state.view = new WeakRef(view);
    return freeze ? Object.freeze(view) : view;
  }

  #showWhole(state: PackedState): object {
    const whole = this.#decode(state);
    state.view = new WeakRef(whole);
    this.#charge(state, whole, 1);
    return this.#options.freeze ? deepFreeze(whole) : whole;
  }

  // — what is held ———————————————————————————————————————————————————————

  keep(stored: Packed): void {
    if (!(stored instanceof PackedState)) return;
    stored.indexed = undefined;
    if (stored.slab.dictionary !== undefined) stored.name = undefined;
    // The cache let it go after it had arrived once more.
    if (stored.kept < 0) this.#slabs.restore(stored);
    if (stored.kept <= 0) {
      stored.kept = 0;
      this.#wireBytes += this.#slabs.rawLength(stored);
    }
    stored.kept += 1;
  }

  drop(stored: Packed): void {
    if (!(stored instanceof PackedState) || stored.kept < 0) return;
    if (stored.kept > 1) {
      stored.kept -= 1;
      return;
    }
    if (stored.kept === 1) this.#wireBytes -= this.#slabs.rawLength(stored);
    stored.kept = -1;
    this.#slabs.died(stored);
    if (stored.viewBytes > 0) this.#letGo(stored);
  }

  usage(): HeldBytes {
    const { held, pinned } = this.#slabs.measure();
    let views = 0;
    for (const { viewBytes } of this.#decoded) views += viewBytes;
    const { youngBytes: young, dictionaryBytes: dictionary } = this.#slabs;
    return { wire: this.#wireBytes, held, young, pinned, dictionary, views };
  }

  /** Throws LIST_INVALID if the bytes of a state have changed since they were written. */
  verify(stored: Packed): void {
    if (stored instanceof PackedState) requirePackedSlabSum(stored.slab, stored);
  }

  /** Packs and compacts states that have been there for a while, and drops decoded sections, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { env } = this.#options;
    let sortedOutAt = env.now();
    while (!signal.aborted) {
      // An idle cache sets no timers.
      await this.#work.wait(signal);
      const arrived = this.#arrived;
      await env.sleep(TIDY_MS, signal);
      if (signal.aborted) break;
      await this.#maintain(signal);
      if (env.now() - sortedOutAt >= SORT_OUT_MS) {
        this.#sortOut();
        sortedOutAt = env.now();
      }
      if (arrived === this.#arrived && this.#decoded.size === 0 && !this.#slabs.needsWork) this.#work = new Latch();
    }
    for (const state of this.#decoded) this.#letGo(state);
  }

  async #maintain(signal: AbortSignal): Promise<void> {
    const slices = new Slices(this.#options.env);
    for (const _ of this.#slabs.maintain()) {
      // One step takes as long as some hundred small ones.
      let isDue = false;
      for (let i = 0; i < 32 && !isDue; i += 1) isDue = slices.due();
      if (isDue) await slices.pause();
      if (signal.aborted) return;
    }
  }

  /** Counts the decoded part of a state, and keeps it if the budget has room for it. */
  #charge(state: PackedState, view: object, part: number): void {
    if (state.kept <= 0) return;
    const more = Math.ceil(this.#slabs.rawLength(state) * DECODED_PER_BYTE * part) - state.viewBytes;
    if (!this.#options.budget.take(more)) {
      if (state.viewBytes > 0) this.#letGo(state);
      return;
    }
    state.viewBytes += more;
    state.keptView = view;
    this.#decoded.add(state);
    this.#work.open();
  }

  #letGo(state: PackedState): void {
    this.#decoded.delete(state);
    this.#options.budget.give(state.viewBytes);
    state.viewBytes = 0;
    state.keptView = undefined;
  }

  #sortOut(): void {
    const { budget } = this.#options;
    for (const state of this.#decoded) {
      if (!state.isSeen || budget.used > budget.maxBytes) this.#letGo(state);
      state.isSeen = false;
    }
  }

  // — bytes ——————————————————————————————————————————————————————————————

  #shapeOf(names: readonly string[]): ViewShape {
    if (names.length > MAX_SECTIONS) return NO_SECTIONS;
    const known = this.#knownShapes.get(names);
    if (known !== undefined) return known;
    // Not joined by a character: names may contain any, and objects of different shapes must not share one.
    const id = JSON.stringify(names);
    const shape = this.#shapes.get(id) ?? packedViewShapeOf(names);
    this.#shapes.set(id, shape);
    this.#knownShapes.set(names, shape);
    const [oldest] = this.#shapes.keys();
    if (this.#shapes.size > MAX_SHAPES && oldest !== undefined) this.#shapes.delete(oldest);
    return shape;
  }

  #texts(state: PackedState, path: Path): Readonly<Record<string, string>> | undefined {
    return this.#fromHead(state, (codec, { bytes, at, end }) => codec.readMap(bytes, at, end, path));
  }

  /** Reads from the first bytes of a packed state. A codec that needs more bytes throws. */
  #fromHead<R>(state: PackedState, read: (codec: ObjectCodec, lent: LentBytes) => R): R {
    const { codec, slab } = state;
    if (slab.dictionary !== undefined && codec.format === 'json') {
      try {
        return read(codec, this.#slabs.lend(state, HEAD_BYTES));
      } catch {
        // Falls through: read it from all bytes.
      }
    }
    return read(codec, this.#slabs.lend(state));
  }

  #decode(stored: Packed): object {
    if (!(stored instanceof PackedState)) return stored;
    const { bytes, at, end } = this.#slabs.lend(stored);
    return stored.codec.decode(bytes, at, end);
  }

  #hasSameBytes(one: PackedState, other: PackedState): boolean {
    if (this.#slabs.rawLength(one) !== this.#slabs.rawLength(other)) return false;
    const lent = this.#slabs.lend(one);
    // Lent bytes are valid until the next call.
    const isOverwritten = one.slab.dictionary !== undefined && other.slab.dictionary !== undefined;
    return this.#hasBytes(other, isOverwritten ? { ...lent, bytes: lent.bytes.slice() } : lent);
  }

  #hasBytes(state: PackedState, bytes: LentBytes): boolean {
    const length = bytes.end - bytes.at;
    return this.#slabs.rawLength(state) === length && hasSamePackedRange(bytes, this.#slabs.lend(state), length);
  }
}

/** Compares two ranges, four bytes at a time. */
function hasSamePackedRange(left: LentBytes, right: LentBytes, length: number): boolean {
  const a = new DataView(left.bytes.buffer, left.bytes.byteOffset + left.at, length);
  const b = new DataView(right.bytes.buffer, right.bytes.byteOffset + right.at, length);
  let i = 0;
  for (; i + 4 <= length; i += 4) if (a.getInt32(i) !== b.getInt32(i)) return false;
  for (; i < length; i += 1) if (left.bytes[left.at + i] !== right.bytes[right.at + i]) return false;
  return true;
}
