import { KubeError } from '../../core/errors.ts';
import { ByteBuffer } from './byte-buffer.ts';

const LF = 0x0a;
const NO_BYTES = new Uint8Array(0);
/**
 * A line this many times longer than the maximum is refused, even where long lines are cut: no object is that
 * large.
 */
const MAX_EXCESS = 16;

/**
 * Cuts a stream of chunks into lines. Only the byte LF ends a line.
 *
 * Promises: each byte is searched once and copied only if its line spans chunks; no more than the maximum is
 * kept of a line; a consumed chunk is released. A line longer than the maximum is refused as soon as it
 * exceeds it, before its end has arrived; with `cut`, its beginning is returned once its end has arrived.
 *
 * Room rule: knows bytes. Not what a line means, nor where chunks come from.
 */
export class LineCutter {
  readonly #maxBytes: number;
  readonly #maxLength: number;
  readonly #rest = new ByteBuffer();
  /** Bytes of the current line that were not kept. */
  #dropped = 0;
  #isCut = false;
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;
  #isJoined = false;
  #number = 0;
  #length = 0;
  #nextStart = 0;

  constructor(maxBytes: number, tooLong: 'refuse' | 'cut' = 'refuse') {
    this.#maxBytes = maxBytes;
    this.#maxLength = tooLong === 'cut' ? maxBytes * MAX_EXCESS : maxBytes;
  }

  /** Whether the last line was longer than the maximum, so that only its beginning was returned. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Length of the last line in bytes. */
  get lastLength(): number {
    return this.#length;
  }

  /** Position of the last line, for messages. */
  get place(): string {
    const start = this.#nextStart - this.#length - 1;
    return `line ${this.#number} (${this.#length} bytes, from byte ${start} of the stream)`;
  }

  /** Bytes after the last LF. */
  get rest(): Uint8Array {
    return this.#rest.view();
  }

  /** Whether a line has begun and its end has not arrived. Valid after `next` returned undefined. */
  get isUnfinished(): boolean {
    return !this.#isJoined && this.#rest.length > 0;
  }

  /** Adds a chunk. Call it only after `next` returned undefined. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The next line without its LF, valid until the next call; undefined when its end has not arrived. */
  next(): Uint8Array | undefined {
    if (this.#isJoined) {
      this.#rest.clear();
      this.#isJoined = false;
    }
    const chunk = this.#chunk;
    const from = this.#at;
    if (from === chunk.length) return undefined;
    const found = chunk.indexOf(LF, from);
    const to = found === -1 ? chunk.length : found;
    const length = this.#rest.length + this.#dropped + to - from;
    if (length > this.#maxLength) throw this.#tooLong();
    if (found === -1) {
      this.#keep(chunk, from, to);
      this.#chunk = NO_BYTES;
      this.#at = 0;
      return undefined;
    }
    this.#at = found + 1;
    this.#number += 1;
    this.#length = length;
    this.#nextStart += length + 1;
    this.#isCut = length > this.#maxBytes;
    if (length === to - from) return chunk.subarray(from, Math.min(to, from + this.#maxBytes));
    this.#keep(chunk, from, to);
    this.#dropped = 0;
    this.#isJoined = true;
    return this.#rest.view();
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    const kept = Math.min(to, from + this.#maxBytes - this.#rest.length);
    this.#rest.append(chunk, from, kept);
    this.#dropped += to - kept;
  }

  #tooLong(): KubeError {
    return new KubeError(
      'WATCH_DECODE',
      `the watch cannot be read: line ${this.#number + 1} (from byte ${this.#nextStart} of the stream) is longer than ` +
        `${this.#maxLength} bytes (option maxFrameBytes)`,
    );
  }
}
