import { KubeError } from '../../core/errors.ts';
import { HASHED_BYTES, type LzDictionary, lzHash, NOWHERE, placeOfLzHash, lzWordsOf } from './lz-dictionary.ts';

/**
 * Compresses single objects against a dictionary.
 *
 * A block is a sequence of steps: some bytes as they are, then a copy from the dictionary or from what was unpacked before.
 *
 *   token   1 bit: copy from the dictionary · 3 bits: number of literals · 4 bits: length of the copy − 4
 *   …       7 literals or a copy of 19 are continued in bytes of 255 and a last one below it
 *   place   2 bytes: position in the dictionary, or distance back
 *
 * The last step has literals only: the block ends after them.
 *
 * Room rule: pure. Checks every length and place of a block it unpacks, so that no block reads or writes elsewhere.
 */

const MIN_MATCH = 4;
const MAX_DISTANCE = 65_535;
const FROM_DICTIONARY = 0x80;
const MORE_LITERALS = 7;
const MORE_LENGTH = 15;
/** A value for no match in the dictionary, whatever the position of the block. */
const NO_PLACE = 0x4000_0000;
/** A match in the dictionary that is this long is good enough. */
const LONG_MATCH = 32;

const OWN_BITS = 13;
/** Positions of the block that is being packed, by hash. Never cleared: positions of earlier blocks are below `base`. */
const places = new Int32Array(1 << OWN_BITS);
let base = 1;

/** Maximum number of bytes that `length` bytes can become. */
export function lzBound(length: number): number {
  return length + Math.ceil(length / 255) + 16;
}

/** Packs a range into `out` from `outAt` on, which needs room for `lzBound`. Returns the index after the block. */
export function lzPack(
  bytes: Uint8Array,
  from: number,
  end: number,
  dictionary: LzDictionary,
  out: Uint8Array,
  outAt: number,
): number {
  const { bytes: known, words: knownWords, places: knownPlaces } = dictionary;
  const knownEnd = known.length;
  const words = lzWordsOf(bytes);
  const lastWord = end - 4;
  const lastKnownWord = knownEnd - 4;
  if (base > 0x3fff_ffff - (end - from)) {
    places.fill(0);
    base = 1;
  }
  const shift = base - from;
  base += end - from;
  const lastSearch = end - HASHED_BYTES;
  let to = outAt;
  let literals = from;
  let at = from;
  /** The next place that is looked up by its hash. */
  let lookUpAt = from;
  let misses = 0;
  // Objects of one kind differ in values of the same length: after such a value, the dictionary continues like the
  // block.
  let alike = NO_PLACE;
  while (at <= lastSearch) {
    const word = words.getInt32(at, true);
    const goesOn = at + alike;
    let length = 0;
    let place = 0;
    let flag = 0;
    if (goesOn <= lastKnownWord && word === knownWords.getInt32(goesOn, true)) {
      place = goesOn;
      flag = FROM_DICTIONARY;
      let a = at + 4;
      let b = goesOn + 4;
      while (a <= lastWord && b <= lastKnownWord && words.getInt32(a, true) === knownWords.getInt32(b, true)) {
        a += 4;
        b += 4;
      }
      while (a < end && b < knownEnd && bytes[a] === known[b]) {
        a += 1;
        b += 1;
      }
      length = a - at;
    } else {
      if (at < lookUpAt) {
        at += 1;
        continue;
      }
      const hash = lzHash(words, at);
      const learned = knownPlaces[placeOfLzHash(hash)] as number;
      // Nothing is learned so near to the end that four bytes would not be there.
      if (learned !== NOWHERE && word === knownWords.getInt32(learned, true)) {
        place = learned;
        flag = FROM_DICTIONARY;
        let a = at + 4;
        let b = learned + 4;
        while (a <= lastWord && b <= lastKnownWord && words.getInt32(a, true) === knownWords.getInt32(b, true)) {
          a += 4;
          b += 4;
        }
        while (a < end && b < knownEnd && bytes[a] === known[b]) {
          a += 1;
          b += 1;
        }
        length = a - at;
      }
      const own = hash >>> (32 - OWN_BITS);
      const before = (places[own] as number) - shift;
      places[own] = at + shift;
      if (
        length < LONG_MATCH &&
        before >= from &&
        at - before <= MAX_DISTANCE &&
        word === words.getInt32(before, true)
      ) {
        let a = at + 4;
        let b = before + 4;
        while (a <= lastWord && words.getInt32(a, true) === words.getInt32(b, true)) {
          a += 4;
          b += 4;
        }
        while (a < end && bytes[a] === bytes[b]) {
          a += 1;
          b += 1;
        }
        if (a - at > length) {
          length = a - at;
          place = at - before;
          flag = 0;
        }
      }
      if (length === 0) {
        misses += 1;
        at += 1;
        lookUpAt = at + (misses >>> 1);
        continue;
      }
    }
    misses = 0;
    // The bytes before a match often match, too: they were not looked up, or their hash led elsewhere.
    if (flag === FROM_DICTIONARY) {
      while (at > literals && place > 0 && bytes[at - 1] === known[place - 1]) {
        at -= 1;
        place -= 1;
        length += 1;
      }
    } else {
      while (at > literals && at - place > from && bytes[at - 1] === bytes[at - place - 1]) {
        at -= 1;
        length += 1;
      }
    }
    const run = at - literals;
    const extra = length - MIN_MATCH;
    out[to] = flag | ((run < MORE_LITERALS ? run : MORE_LITERALS) << 4) | (extra < MORE_LENGTH ? extra : MORE_LENGTH);
    to += 1;
    if (run >= MORE_LITERALS) to = writeLzLength(out, to, run - MORE_LITERALS);
    for (let i = literals; i < at; i += 1) out[to++] = bytes[i] as number;
    if (extra >= MORE_LENGTH) to = writeLzLength(out, to, extra - MORE_LENGTH);
    out[to] = place & 0xff;
    out[to + 1] = place >>> 8;
    to += 2;
    at += length;
    literals = at;
    lookUpAt = at;
    if (flag === FROM_DICTIONARY) alike = place + length - at;
  }
  const run = end - literals;
  out[to] = (run < MORE_LITERALS ? run : MORE_LITERALS) << 4;
  to += 1;
  if (run >= MORE_LITERALS) to = writeLzLength(out, to, run - MORE_LITERALS);
  for (let i = literals; i < end; i += 1) out[to++] = bytes[i] as number;
  return to;
}

/**
 * Unpacks the block from `at` to `end` into the first bytes of `out`: all of it, or at least `enough` bytes
 * of it. Returns how many bytes were unpacked. Throws LIST_INVALID for a corrupt block.
 */
export function lzUnpack(
  block: Uint8Array,
  at: number,
  end: number,
  dictionary: LzDictionary,
  out: Uint8Array,
  enough: number = Number.POSITIVE_INFINITY,
): number {
  const { bytes: known, words: knownWords } = dictionary;
  const outWords = lzWordsOf(out);
  const room = out.length;
  let from = at;
  let to = 0;
  while (from < end) {
    const token = block[from] as number;
    from += 1;
    let run = (token >>> 4) & 7;
    if (run === MORE_LITERALS) {
      for (;;) {
        if (from >= end) throw brokenLzBlock();
        const more = block[from] as number;
        from += 1;
        run += more;
        if (more !== 255) break;
      }
    }
    if (run > end - from || run > room - to) throw brokenLzBlock();
    for (const stop = from + run; from < stop;) out[to++] = block[from++] as number;
    if (from === end) {
      if ((token & 0x8f) !== 0) throw brokenLzBlock();
      return to;
    }
    let length = (token & 15) + MIN_MATCH;
    if (length === MORE_LENGTH + MIN_MATCH) {
      for (;;) {
        if (from >= end) throw brokenLzBlock();
        const more = block[from] as number;
        from += 1;
        length += more;
        if (more !== 255) break;
      }
    }
    if (from + 2 > end || length > room - to) throw brokenLzBlock();
    const place = (block[from] as number) | ((block[from + 1] as number) << 8);
    from += 2;
    if ((token & FROM_DICTIONARY) !== 0) {
      if (place + length > known.length) throw brokenLzBlock();
      if (length >= 128) {
        out.set(known.subarray(place, place + length), to);
        to += length;
      } else {
        const stop = place + length;
        let i = place;
        for (; i <= stop - 4; i += 4, to += 4) outWords.setInt32(to, knownWords.getInt32(i, true), true);
        while (i < stop) out[to++] = known[i++] as number;
      }
    } else {
      if (place === 0 || place > to) throw brokenLzBlock();
      // Byte by byte: the copy may overlap what it writes.
      for (let i = to - place, stop = i + length; i < stop;) out[to++] = out[i++] as number;
    }
    if (to >= enough) return to;
  }
  throw brokenLzBlock();
}

function writeLzLength(out: Uint8Array, at: number, length: number): number {
  let to = at;
  let left = length;
  while (left >= 255) {
    out[to] = 255;
    to += 1;
    left -= 255;
  }
  out[to] = left;
  return to + 1;
}

function brokenLzBlock(): KubeError {
  return new KubeError('LIST_INVALID', 'the bytes of a cached object are damaged: this is a bug, or broken memory');
}
