import { KubeError } from '../../core/errors.ts';
import { ByteBuffer } from './byte-buffer.ts';

const LF = 0x0a;
const NO_BYTES = new Uint8Array(0);

/**
 * Cuts a stream of chunks into lines. Only the byte LF ends a line.
 *
 * Promises: each byte is searched once and copied only if its line spans chunks; a line longer than the maximum is
 * refused as soon as it exceeds it, before its end has arrived; a consumed chunk is released.
 *
 * Room rule: knows bytes. Not what a line means, nor where chunks come from.
 */
export class LineCutter {
  readonly #maxBytes: number;
  readonly #rest = new ByteBuffer();
  #chunk: Uint8Array = NO_BYTES;
  #at = 0;
  #isJoined = false;
  #number = 0;
  #length = 0;
  #nextStart = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    const length = this.#rest.length + to - from;
    if (length > this.#maxBytes) throw this.#tooLong();
    if (found === -1) {
      this.#rest.append(chunk, from, to);
      this.#chunk = NO_BYTES;
      this.#at = 0;
      return undefined;
    }
    this.#at = found + 1;
    this.#number += 1;
    this.#length = length;
    this.#nextStart += length + 1;
    if (length === to - from) return chunk.subarray(from, to);
    this.#rest.append(chunk, from, to);
    this.#isJoined = true;
    return this.#rest.view();
  }

  #tooLong(): KubeError {
    return new KubeError(
      'WATCH_DECODE',
      `the watch cannot be read: line ${this.#number + 1} (from byte ${this.#nextStart} of the stream) is longer than ` +
        `${this.#maxBytes} bytes (option maxFrameBytes)`,
    );
  }
}
