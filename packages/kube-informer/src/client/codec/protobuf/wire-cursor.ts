/** Wire types: how the bytes of a field end. */
export const VARINT = 0;
export const FIXED_64 = 1;
export const BYTES = 2;
export const FIXED_32 = 5;

/** Varints of up to seven bytes are exact as doubles; BigInt for all of them would be slow for every timestamp. */
const MAX_EXACT_BYTES = 7;
const MAX_VARINT_BYTES = 10;

/** Bytes that are not a protobuf message. The message quotes nothing of the content, which may be a Secret. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/**
 * A position in the bytes of a message. Moves forward only, and never beyond the `end` that a call is given.
 *
 * One cursor serves all nested messages, so that decoding allocates nothing but the result.
 */
export class WireCursor {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /**
   * Reads a signed varint. A number beyond 2^53 is rounded to the double that `JSON.parse` gives for the same digits.
   */
  varint(end: number): number {
    const { bytes } = this;
    const from = this.at;
    if (from < end) {
      const first = bytes[from] as number;
      if (first < 0x80) {
        this.at = from + 1;
        return first;
      }
    }
    let value = 0;
    let scale = 1;
    const most = Math.min(end, from + MAX_EXACT_BYTES);
    for (let at = from; at < most; at += 1) {
      const byte = bytes[at] as number;
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) {
        this.at = at + 1;
        return value;
      }
    }
    return this.#longVarint(end);
  }

  /** Reads a varint of more than seven bytes; negative numbers have ten. */
  #longVarint(end: number): number {
    let value = 0n;
    for (let i = 0; i < MAX_VARINT_BYTES; i += 1) {
      if (this.at >= end) throw new WireError('it ends inside a number');
      const byte = this.bytes[this.at] as number;
      this.at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw new WireError('a number has more than ten bytes');
  }

  /** Reads a length and returns where the field of that length ends. */
  endOfField(end: number): number {
    const length = this.varint(end);
    const to = this.at + length;
    if (length < 0 || to > end) throw new WireError('a field is longer than the message around it');
    return to;
  }

  /** Moves behind a field whose tag has been read. */
  skip(wireType: number, end: number): void {
    if (wireType === VARINT) this.varint(end);
    else if (wireType === BYTES) this.at = this.endOfField(end);
    else if (wireType === FIXED_64 || wireType === FIXED_32) this.#take(wireType === FIXED_64 ? 8 : 4, end);
    else throw new WireError(`a field has the wire type ${wireType}`);
  }

  double(end: number): number {
    const from = this.#take(8, end);
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + from, 8).getFloat64(0, true);
  }

  #take(length: number, end: number): number {
    const from = this.at;
    if (from + length > end) throw new WireError('it ends inside a number');
    this.at = from + length;
    return from;
  }

  /** Reads text up to `to`. Bytes that are not UTF-8 become U+FFFD, as in the JSON of a Go server. */
  text(to: number): string {
    const from = this.at;
    this.at = to;
    return to - from <= MAX_SHARED_TEXT
      ? sharedTextAtWireCursor(this.bytes, from, to)
      : decodeWireText(this.bytes, from, to);
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

type Slice = (this: Uint8Array, from: number, to: number) => string;

/** Node's decoder takes a range and is several times faster than TextDecoder for short texts. */
const utf8Slice = (globalThis as { Buffer?: { prototype?: { utf8Slice?: Slice } } }).Buffer?.prototype?.utf8Slice;

export const decodeWireText: (bytes: Uint8Array, from: number, to: number) => string =
  utf8Slice === undefined || !decodesWireLikeCursor(utf8Slice)
    ? decodePortableTextAtWireCursor
    : (bytes, from, to) => (from === to ? '' : utf8Slice.call(bytes, from, to));

/** Decodes text on platforms without Node's buffers. */
export function decodePortableTextAtWireCursor(bytes: Uint8Array, from: number, to: number): string {
  return from === to ? '' : decoder.decode(bytes.subarray(from, to));
}

/** Whether a platform's `utf8Slice` decodes like TextDecoder: Bun and Deno have Buffers of their own. */
function decodesWireLikeCursor(slice: Slice): boolean {
  const sample = Uint8Array.of(0x21, 0xef, 0xbb, 0xbf, 0xc3, 0xa9, 0xff, 0x61, 0x21);
  try {
    return slice.call(sample, 1, 8) === decoder.decode(sample.subarray(1, 8));
  } catch {
    return false; // it accepts only its own Buffers
  }
}

/** Maximum length of texts that are shared; longer ones rarely repeat. */
const MAX_SHARED_TEXT = 32;
const SHARED_BITS = 12;
const sharedTexts: string[] = Array.from({ length: 1 << SHARED_BITS }, () => '');

/**
 * The text, shared with the last one that had the same bytes: objects of a cluster repeat their short texts, such as names of
 * nodes and values of labels, and one comparison costs less than one more string. Texts that are not ASCII are not shared.
 */
function sharedTextAtWireCursor(bytes: Uint8Array, from: number, to: number): string {
  const length = to - from;
  if (length === 0) return '';
  // The hash covers five characters: texts that differ only elsewhere replace each other in their slot.
  const middle = from + (length >>> 1);
  const ends =
    ((bytes[from] as number) << 8) ^ (bytes[to - 1] as number) ^ ((bytes[from + (length >>> 2)] as number) << 16);
  const inside = ((bytes[middle] as number) << 4) ^ ((bytes[to - 1 - (length >>> 3)] as number) << 12) ^ length;
  const hash = Math.imul(ends ^ (inside << 7), 0x9e3779b1);
  const slot = hash >>> (32 - SHARED_BITS);
  const known = sharedTexts[slot] as string;
  if (isTextAtWireCursor(known, bytes, from, to)) return known;
  const text = decodeWireText(bytes, from, to);
  sharedTexts[slot] = text;
  return text;
}

function isTextAtWireCursor(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) !== bytes[from + i]) return false;
  return true;
}
