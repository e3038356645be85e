import { KubeError } from '../../core/errors.ts';
import { ByteBuffer } from './byte-buffer.ts';

const LF = 0x0a;
const NO_BYTES = new Uint8Array(0);

/**
 * Cuts a stream of chunks into lines. Only the byte LF ends a line.
 *
 * Promises: each byte is searched once and copied only if its line does not lie in one chunk; a line that grows over
 * the bound is refused as soon as it does, whether or not its end is in sight; a chunk that is used up is let go.
 *
 * Room rule: knows bytes. What a line means, and who sends more chunks, is not its business.
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

  /** Bytes of the line cut last. */
  get lastLength(): number {
    return this.#length;
  }

  /** Where the line cut last is, for messages. */
  get place(): string {
    const start = this.#nextStart - this.#length - 1;
    return `line ${this.#number} (${this.#length} bytes, from byte ${start} of the stream)`;
  }

  /** Bytes after the last LF. */
  get rest(): Uint8Array {
    return this.#rest.view();
  }

  /** More bytes. Only when `next` had nothing left. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** The next line without its LF, good until the next call; undefined when its end has not arrived. */
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
