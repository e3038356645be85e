/** Room that is kept for the next use; one giant must not hold its memory for ever. */
const KEEP_BYTES = 1_048_576;
/** Smallest room worth asking for. */
const FIRST_BYTES = 4_096;

const NO_BYTES = new Uint8Array(0);

/**
 * Bytes put together from pieces, for what does not arrive in one chunk.
 *
 * Promises: the work is linear in the bytes whatever the size of the pieces (room is doubled, never added to), and
 * a million tiny chunks cost their bytes, not a million objects. Keeps its room between uses, up to 1 MB.
 *
 * Does not promise: a bound. Who appends checks the length first.
 *
 * Room rule: knows bytes. No JSON, no lines, no errors.
 */
export class ByteBuffer {
  #bytes: Uint8Array = NO_BYTES;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Room held at the moment. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(source: Uint8Array, from = 0, to: number = source.length): void {
    const length = this.#length + to - from;
    if (length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(length, this.#bytes.length * 2, FIRST_BYTES));
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length);
    this.#length = length;
  }

  /** What was appended. A view: the next `append` or `clear` may change it. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > KEEP_BYTES) this.#bytes = NO_BYTES;
  }
}
