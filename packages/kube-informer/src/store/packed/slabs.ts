import { KubeError } from '../../core/errors.ts';
import { lzBound, lzPack, lzUnpack } from './lz.ts';
import { type LzDictionary, trainLzDictionary, lzWordsOf } from './lz-dictionary.ts';
import { type PackedState, Slab } from './slab.ts';
import { SlabMemory } from './slab-memory.ts';

/**
 * Room for raw bytes of a first list. States that arrive are not packed at once, because many change again
 * soon. This is enough to learn a dictionary from, and little enough to be in the processor's cache when it
 * is packed.
 */
const MIN_YOUNG_BYTES = 16 * 1_048_576;
/**
 * Room for raw bytes of changes, relative to the objects themselves: a little more, so that states that are
 * replaced in turn are dropped before they are packed.
 */
const YOUNG_PER_LIVE = 1.25;
const MAX_YOUNG_BYTES = 128 * 1_048_576;
/** Bytes per round above which only states older than `RAW_ROUNDS` are packed. */
const QUIET_BYTES = 1_048_576;
const RAW_ROUNDS = 8;
/** Minimum size of a cache that is packed: in a smaller one, a dictionary would cost more. */
const MIN_PACKED_BYTES = 1_048_576;
/** Share of dead bytes above which a slab is compacted. */
const MAX_DEAD = 0.5;
/** Ratio of the current compression to that of a new dictionary from which another is learned. */
const WORSE_RATIO = 1.5;
/** Minimum number of raw bytes between two dictionaries. */
const MIN_BYTES_PER_DICTIONARY = 4 * 1_048_576;
/** Header of each packed state: its unpacked length and the checksum of the block. */
const HEADER_BYTES = 8;

/** Buffer for unpacking, shared by all calls: each content is read before the next call. */
let scratch = new Uint8Array(65_536);
let packing = new Uint8Array(lzBound(65_536));

/** Bytes of one state, valid until the next call. */
export interface LentBytes {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

/**
 * The bytes of one cache.
 *
 *   arrival ─► young slabs (raw, at most 16 to 128 MB, for seconds) ─► old slabs (packed) ─► compacted when half of one is dead
 *
 * Room rule: never waits; each step takes about a millisecond, and `maintain` is called between turns of the event loop.
 */
export class Slabs {
  /** Raw bytes of the states that the cache holds. */
  readonly #liveBytes: () => number;
  /** Number of maintenance rounds so far. */
  #round = 0;
  /** Young slabs, oldest first. */
  readonly #young = new Set<Slab>();
  readonly #old = new Set<Slab>();
  #arrival: Slab | undefined;
  #target: Slab | undefined;
  #dictionary: LzDictionary | undefined;
  /** Learns the next dictionary. */
  #training: Generator<void, LzDictionary> | undefined;
  /** Packed by raw bytes: of the first slab that was packed with the dictionary, and raw bytes since then. */
  #trainedRatio = 1;
  #sinceTraining = 0;
  #youngBytes = 0;
  /** Bytes that arrived since the last round. */
  #arrived = 0;
  readonly #memory = new SlabMemory();
  /** Bytes of slabs that only readers still hold, until they are collected. */
  #leftBytes = 0;
  /** Reuses the bytes of a slab that was garbage-collected. A state refers to its slab, so no reader is left. */
  readonly #left = new FinalizationRegistry<Uint8Array>((bytes) => {
    this.#leftBytes -= bytes.length;
    if (!this.#isQuiet) this.#memory.give(bytes);
  });
  /** Whether little arrived in the last round. */
  #isQuiet = false;

  constructor(liveBytes: () => number) {
    this.#liveBytes = liveBytes;
  }

  get youngBytes(): number {
    return this.#youngBytes;
  }

  get dictionaryBytes(): number {
    return this.#dictionary === undefined ? 0 : this.#dictionary.bytes.length + this.#dictionary.places.byteLength;
  }

  /** Allocated bytes, and the part of them that no state of the cache uses. */
  measure(): { readonly held: number; readonly pinned: number } {
    let held = this.#leftBytes + this.#memory.freeBytes;
    let pinned = this.#leftBytes;
    for (const slab of [...this.#young, ...this.#old]) {
      held += slab.bytes.length;
      pinned += slab.dead;
    }
    return { held, pinned };
  }

  /** Copies a range of bytes to the end of the slab that it returns. */
  take(bytes: Uint8Array, at: number, end: number): Slab {
    const length = end - at;
    if (this.#arrival === undefined || this.#arrival.room < length) this.#openYoung(length);
    const slab = this.#arrival as Slab;
    slab.bytes.set(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end), slab.used);
    slab.used += length;
    this.#arrived += length;
    return slab;
  }

  /** The raw bytes of a state: all, or for packed ones at least `enough` of them. */
  lend(state: PackedState, enough?: number): LentBytes {
    const { slab, at, end } = state;
    if (slab.dictionary === undefined) return { bytes: slab.bytes, at, end };
    const length = this.rawLength(state);
    if (scratch.length < length) scratch = new Uint8Array(length * 2);
    // A new view each time: code that compares two ranges by identity must not take them for the same.
    const room = scratch.subarray(0, length);
    const unpacked = lzUnpack(slab.bytes, at + HEADER_BYTES, end, slab.dictionary, room, enough);
    if (enough === undefined && unpacked !== length) throw damagedPackedSlab();
    return { bytes: room, at: 0, end: unpacked };
  }

  /** Length of a state when it is not packed. */
  rawLength({ slab, at, end }: PackedState): number {
    return slab.dictionary === undefined ? end - at : readPackedSlabUint32(slab.bytes, at);
  }

  /** Records that the cache has dropped a state. */
  died({ slab, at, end }: PackedState): void {
    slab.dead += end - at;
    if (slab.dead < slab.used || slab === this.#arrival || slab === this.#target) return;
    if (this.#young.delete(slab)) this.#youngBytes -= slab.bytes.length;
    else if (!this.#old.delete(slab)) return;
    this.#leave(slab);
  }

  /** The cache takes a state again that it had let go: its slab may be one that only readers hold. */
  restore(state: PackedState): void {
    const { bytes, at, end } = this.lend(state);
    const slab = this.take(bytes, at, end);
    state.slab = slab;
    state.at = slab.used - (end - at);
    state.end = slab.used;
    slab.states.push(state);
  }

  /** Whether `maintain` has something to do. */
  get needsWork(): boolean {
    if (this.#youngBytes >= MIN_PACKED_BYTES) return true;
    for (const slab of this.#old) if (isPackedSlabMostlyDead(slab) && slab !== this.#target) return true;
    return false;
  }

  /** Packs states, all or those that have been there for some rounds, and compacts: one slab for each step. */
  *maintain(): Generator<void> {
    const isQuiet = this.#arrived < QUIET_BYTES;
    this.#isQuiet = isQuiet;
    this.#arrived = 0;
    this.#round += 1;
    if (this.#youngBytes >= MIN_PACKED_BYTES) {
      for (const slab of this.#young) {
        if (!isQuiet && slab.round > this.#round - RAW_ROUNDS) break;
        while (!this.#hasLearned()) yield;
        // Its last states may have died in the meantime.
        if (this.#young.has(slab)) this.#packYoung(slab);
        yield;
      }
    }
    if (isQuiet) this.#memory.clear();
    const sparse = [...this.#old].filter((slab) => slab !== this.#target && isPackedSlabMostlyDead(slab));
    for (const slab of sparse) {
      // Its last states may have died in the meantime.
      if (!this.#old.delete(slab)) continue;
      this.#moveAll(slab);
      yield;
    }
  }

  #openYoung(length: number): void {
    const room = Math.min(MAX_YOUNG_BYTES, Math.max(MIN_YOUNG_BYTES, this.#liveBytes() * YOUNG_PER_LIVE));
    // Two at most: after a large cache has become small, the rest is packed in slices.
    for (let i = 0; i < 2 && this.#youngBytes >= room && this.#hasLearned(); i += 1) {
      const [oldest] = this.#young;
      if (oldest !== undefined) this.#packYoung(oldest);
    }
    const slab = new Slab(this.#memory.take(length), this.#round);
    this.#arrival = slab;
    this.#young.add(slab);
    this.#youngBytes += slab.bytes.length;
  }

  #packYoung(slab: Slab): void {
    this.#young.delete(slab);
    if (slab === this.#arrival) this.#arrival = undefined;
    this.#youngBytes -= slab.bytes.length;
    this.#moveAll(slab);
  }

  #ratio(): number {
    const { used = 0, raw = 0 } = this.#target ?? {};
    return raw === 0 ? this.#trainedRatio : used / raw;
  }

  /** Whether there is a dictionary to pack with. If not, learns a part of one: all of it takes longer than a step may. */
  #hasLearned(): boolean {
    if (this.#training === undefined) {
      const isWorse =
        this.#sinceTraining >= MIN_BYTES_PER_DICTIONARY && this.#ratio() > this.#trainedRatio * WORSE_RATIO;
      if (this.#dictionary !== undefined && !isWorse) return true;
      const samples = [...this.#young].flatMap(({ bytes, states }) =>
        states.map(({ at, end }) => ({ bytes, at, end })),
      );
      this.#training = trainLzDictionary(samples);
    }
    const { done, value } = this.#training.next();
    if (done !== true) return false;
    this.#training = undefined;
    this.#dictionary = value;
    this.#target = undefined;
    this.#sinceTraining = 0;
    this.#trainedRatio = 1;
    return false;
  }

  /** Moves every state that is not dead to the end of the old slabs. */
  #moveAll(slab: Slab): void {
    let isEmptied = slab.dictionary === undefined;
    for (const state of slab.states) {
      // A state that another compaction has moved is not in this slab any more.
      if (state.slab !== slab) continue;
      if (state.kept >= 0) this.#moveState(state, slab);
      // Holders of a dead state read it here.
      else isEmptied = false;
    }
    slab.states = [];
    if (isEmptied) this.#memory.give(slab.bytes);
    else this.#leave(slab);
  }

  /** Drops a slab that the cache no longer uses; readers of its states keep it alive. */
  #leave(slab: Slab): void {
    slab.states = [];
    this.#leftBytes += slab.bytes.length;
    this.#left.register(slab, slab.bytes);
  }

  #moveState(state: PackedState, from: Slab): void {
    const dictionary = this.#dictionary as LzDictionary;
    const raw = this.rawLength(state);
    let block: LentBytes;
    if (from.dictionary === dictionary) {
      requirePackedSlabSum(from, state);
      block = { bytes: from.bytes, at: state.at, end: state.end };
    } else block = this.#packed(this.lend(state), dictionary);
    const length = block.end - block.at;
    if (this.#target === undefined || this.#target.room < length) {
      if (this.#target !== undefined && this.#trainedRatio === 1) this.#trainedRatio = this.#ratio();
      this.#target = new Slab(this.#memory.take(length), this.#round, dictionary);
      this.#old.add(this.#target);
    }
    const slab = this.#target;
    slab.bytes.set(block.bytes.subarray(block.at, block.end), slab.used);
    state.slab = slab;
    state.at = slab.used;
    state.end = slab.used + length;
    // While it is not in the cache, the name will still be read.
    if (state.kept > 0) state.name = undefined;
    slab.used += length;
    slab.raw += raw;
    slab.states.push(state);
  }

  #packed({ bytes, at, end }: LentBytes, dictionary: LzDictionary): LentBytes {
    const bound = HEADER_BYTES + lzBound(end - at);
    if (packing.length < bound) packing = new Uint8Array(bound * 2);
    const to = lzPack(bytes, at, end, dictionary, packing, HEADER_BYTES);
    writePackedSlabUint32(packing, 0, end - at);
    writePackedSlabUint32(packing, 4, packedSlabSum(packing, HEADER_BYTES, to));
    this.#sinceTraining += end - at;
    return { bytes: packing, at: 0, end: to };
  }
}

/** Throws LIST_INVALID if the block of a packed state has changed since it was written. */
export function requirePackedSlabSum(slab: Slab, { at, end }: PackedState): void {
  if (slab.dictionary === undefined) return;
  if (readPackedSlabUint32(slab.bytes, at + 4) !== packedSlabSum(slab.bytes, at + HEADER_BYTES, end))
    throw damagedPackedSlab();
}

function isPackedSlabMostlyDead({ dead, used }: Slab): boolean {
  return dead > used * MAX_DEAD;
}

/** The checksum of a block: FNV-1a, four bytes at a time. */
function packedSlabSum(bytes: Uint8Array, from: number, end: number): number {
  const words = lzWordsOf(bytes);
  let sum = 0x811c9dc5;
  let i = from;
  for (; i + 4 <= end; i += 4) {
    sum = Math.imul(sum ^ words.getInt32(i, true), 0x01000193);
    // A product carries no bit downwards: without this, the last bytes of a word would hardly count.
    sum ^= sum >>> 15;
  }
  for (; i < end; i += 1) sum = Math.imul(sum ^ (bytes[i] as number), 0x01000193);
  return sum >>> 0;
}

function readPackedSlabUint32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

function writePackedSlabUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i += 1) bytes[at + i] = (value >>> (8 * i)) & 0xff;
}

function damagedPackedSlab(): KubeError {
  return new KubeError('LIST_INVALID', 'the bytes of a cached object are damaged: this is a bug, or broken memory');
}
