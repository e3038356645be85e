/** Maximum size of a dictionary: positions in it have two bytes. */
const MAX_DICTIONARY_BYTES = 65_536;
/**
 * Size of the table in bits. It is small because it is used for nearly every byte and must stay in the
 * processor's cache.
 */
const PLACES_BITS = 15;
/** Value in `places` for no position. Nothing can begin there, because a hash covers more than the last byte. */
export const NOWHERE = 0xffff;
/** Number of bytes that one hash covers. With fewer, matches are found everywhere, and few are worth a copy. */
export const HASHED_BYTES = 6;
/** Minimum length of a repetition that is not learned a second time. */
const KNOWN_LENGTH = 24;
/** Maximum number of samples: more cost time and improve little. */
const MAX_SAMPLES = 100;
/** Samples between two pauses: some three milliseconds. */
const SAMPLES_PER_STEP = 20;

/** Texts that objects have in common. Never changed: blocks packed with it need it as it was. */
export interface LzDictionary {
  readonly bytes: Uint8Array;
  /** The same bytes, for reading four at once. */
  readonly words: DataView;
  /** Positions in `bytes`, by the first bits of the hash of the bytes that begin there; `NOWHERE` for none. */
  readonly places: Uint16Array;
}

/** A range of bytes to learn from. */
export interface LzSample {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

/** A hash of 32 bits, of which the first are the best. */
export function lzHash(words: DataView, at: number): number {
  const mixed = Math.imul(words.getInt32(at, true), 0x9e3779b1) ^ words.getUint16(at + 4, true);
  return Math.imul(mixed, 0x85ebca6b);
}

/** The index of a hash in `places`. */
export function placeOfLzHash(hash: number): number {
  return hash >>> (32 - PLACES_BITS);
}

/** Bytes as words: a DataView reads four at once from any place. */
export function lzWordsOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/**
 * Learns a dictionary of at most 64 KB, in steps. It takes from each sample what the samples before it did not have, so that
 * many different objects find room in it. Bytes that change between two steps make it worse, and not wrong.
 */
export function* trainLzDictionary(samples: readonly LzSample[]): Generator<void, LzDictionary> {
  const bytes = new Uint8Array(MAX_DICTIONARY_BYTES);
  const places = new Uint16Array(1 << PLACES_BITS).fill(NOWHERE);
  const stride = Math.max(1, Math.ceil(samples.length / MAX_SAMPLES));
  let used = 0;
  for (let i = 0; i < samples.length && used < MAX_DICTIONARY_BYTES; i += stride) {
    used = learnLzSample(bytes, places, used, samples[i] as LzSample);
    if ((i / stride) % SAMPLES_PER_STEP === SAMPLES_PER_STEP - 1) yield;
  }
  const learned = bytes.slice(0, used);
  return { bytes: learned, words: lzWordsOf(learned), places };
}

/** Appends the new parts of a sample. Returns the number of bytes now used. */
function learnLzSample(bytes: Uint8Array, places: Uint16Array, used: number, sample: LzSample): number {
  const { bytes: text, end } = sample;
  const words = lzWordsOf(text);
  const known = lzWordsOf(bytes);
  let to = used;
  let newFrom = sample.at;
  let at = newFrom;
  while (at + HASHED_BYTES <= end) {
    const place = places[placeOfLzHash(lzHash(words, at))] as number;
    const length = place === NOWHERE ? 0 : lengthOfKnownText(words, at, end, known, place, to);
    if (length < KNOWN_LENGTH) at += 1;
    else {
      to = appendLzText(bytes, places, to, text.subarray(newFrom, at));
      at += length;
      newFrom = at;
    }
  }
  return appendLzText(bytes, places, to, text.subarray(newFrom, end));
}

/** Number of bytes from `at` on that are known from `place` on. */
function lengthOfKnownText(
  words: DataView,
  at: number,
  end: number,
  known: DataView,
  place: number,
  knownEnd: number,
): number {
  const most = Math.min(end - at, knownEnd - place);
  let length = 0;
  while (length + 4 <= most && words.getInt32(at + length, true) === known.getInt32(place + length, true)) length += 4;
  while (length < most && words.getUint8(at + length) === known.getUint8(place + length)) length += 1;
  return length;
}

/** Appends a text to the first `used` bytes, as far as there is room. Returns the number of bytes now used. */
function appendLzText(bytes: Uint8Array, places: Uint16Array, used: number, text: Uint8Array): number {
  const length = Math.min(text.length, bytes.length - used);
  const end = used + length;
  bytes.set(length === text.length ? text : text.subarray(0, length), used);
  const words = lzWordsOf(bytes);
  for (let i = used; i + HASHED_BYTES <= end; i += 1) places[placeOfLzHash(lzHash(words, i))] = i;
  return end;
}
