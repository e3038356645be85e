import { BYTES, WireError } from './wire-cursor.ts';

const NO_BYTES = new Uint8Array(0);
const MAX_VARINT_BYTES = 10;
/**
 * Pieces up to this length that span chunks share one buffer: a buffer for each would keep the garbage
 * collector busy.
 */
const SHARED_BYTES = 262_144;

/** A range of bytes. Valid until more bytes are read. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
}

/**
 * Cuts a stream of chunks into pieces whose length is known before their bytes arrive.
 *
 * Promises: a piece inside one chunk is a range of it; a piece that spans chunks is copied once; of a piece that is too long only the beginning is kept, and nothing is allocated for the rest.
 *
 * Room rule: knows lengths. Not what a piece means.
 */
export class PieceReader {
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;
  #chunkStart = 0;
  /** The piece that spans chunks. */
  #partial: Uint8Array | undefined;
  #filled = 0;
  #shared: Uint8Array = NO_BYTES;
  /** Bytes of the piece that have not been read, kept or not. */
  #left = -1;
  /** The varint that spans chunks. */
  #value = 0;
  #scale = 1;
  #count = 0;
  #tag: number | undefined;

  /** Bytes read so far. */
  get position(): number {
    return this.#chunkStart + this.#at;
  }

  /** Bytes of the chunk that have not been read. */
  get available(): number {
    return this.#chunk.length - this.#at;
  }

  /** Adds a chunk. Call it only when everything has been read. */
  push(chunk: Uint8Array): void {
    this.#chunkStart += this.#chunk.length;
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** Whether a piece, a tag or a length has begun and not ended. */
  get isInside(): boolean {
    return this.#left > 0 || this.#count > 0 || this.#tag !== undefined;
  }

  /** The next field of a message: its number and length. Undefined when more bytes are needed. */
  header(): { readonly number: number; readonly length: number } | undefined {
    if (this.#tag === undefined) {
      const tag = this.#varint();
      if (tag === undefined) return undefined;
      if ((tag & 7) !== BYTES || tag < 8 || tag > 0xffff_ffff) throw new WireError('a field has no length');
      this.#tag = tag;
    }
    const length = this.#varint();
    if (length === undefined) return undefined;
    const number = this.#tag >>> 3;
    this.#tag = undefined;
    return { number, length };
  }

  /** The next `length` bytes, of which at most `kept` are returned. Undefined when more bytes are needed. */
  piece(length: number, kept: number = length): Piece | undefined {
    if (this.#left === -1) {
      const at = this.#at;
      if (this.available >= length) {
        this.#at += length;
        return { bytes: this.#chunk, at, end: at + Math.min(kept, length) };
      }
      this.#left = length;
      this.#partial = this.#room(Math.min(kept, length));
      this.#filled = 0;
    }
    const partial = this.#partial as Uint8Array;
    const taken = Math.min(this.#left, this.available);
    const copied = Math.min(taken, partial.length - this.#filled);
    partial.set(this.#chunk.subarray(this.#at, this.#at + copied), this.#filled);
    this.#filled += copied;
    this.#at += taken;
    this.#left -= taken;
    if (this.#left > 0) return undefined;
    this.#left = -1;
    this.#partial = undefined;
    return { bytes: partial, at: 0, end: partial.length };
  }

  #room(length: number): Uint8Array {
    if (length > SHARED_BYTES) return new Uint8Array(length);
    if (this.#shared.length < length) this.#shared = new Uint8Array(Math.min(SHARED_BYTES, length * 2));
    return this.#shared.subarray(0, length);
  }

  /** A varint, which may span chunks. Lengths beyond 2^53 are refused by every limit, so rounding does not matter. */
  #varint(): number | undefined {
    while (this.#at < this.#chunk.length) {
      const byte = this.#chunk[this.#at] as number;
      this.#at += 1;
      this.#count += 1;
      if (this.#count > MAX_VARINT_BYTES) throw new WireError('a number has more than ten bytes');
      this.#value += (byte & 0x7f) * this.#scale;
      this.#scale *= 128;
      if (byte >= 0x80) continue;
      const value = this.#value;
      this.#value = 0;
      this.#scale = 1;
      this.#count = 0;
      return value;
    }
    return undefined;
  }
}
