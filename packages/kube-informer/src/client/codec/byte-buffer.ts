/** Maximum capacity kept after `clear`, so that one giant object does not hold its memory permanently. */
const MAX_KEPT_BYTES = 1_048_576;
/** Minimum capacity of an allocation. */
const MIN_BYTES = 4_096;

const NO_BYTES = new Uint8Array(0);

/**
 * Joins bytes that arrive in several chunks.
 *
 * Promises: the work is linear in the bytes for chunks of any size (the capacity doubles), and a million tiny chunks cost
 * their bytes, not a million objects. Keeps its memory between uses, up to 1 MB.
 *
 * Does not limit the size: the caller checks the length before it appends.
 *
 * Room rule: knows bytes. No JSON, no lines, no errors.
 */
export class ByteBuffer {
  #bytes: Uint8Array = NO_BYTES;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes allocated now. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(source: Uint8Array, from = 0, to: number = source.length): void {
    const length = this.#length + to - from;
    if (length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(length, this.#bytes.length * 2, MIN_BYTES));
      wider.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = wider;
    }
    this.#bytes.set(from === 0 && to === source.length ? source : source.subarray(from, to), this.#length);
    this.#length = length;
  }

  /** The appended bytes. A view: the next `append` or `clear` may change it. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = NO_BYTES;
  }
}
