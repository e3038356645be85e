const MIN_BYTES = 4096;
const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
/** Largest number that a double holds exactly. */
const EXACT = Number.MAX_SAFE_INTEGER;
const MAX_INT_64 = 2n ** 63n - 1n;
const MIN_INT_64 = -(2n ** 63n);

/**
 * Writes a message from its last byte to its first.
 *
 * The length of a nested message comes before it. When writing backwards, the length is known by then, so
 * nothing is measured in advance or copied twice. The caller writes the last field first.
 */
export class ReverseWriter {
  #buffer = Buffer.allocUnsafe(MIN_BYTES);
  #at = MIN_BYTES;

  /** Number of bytes written so far, which marks the start of a nested message. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** A copy of everything written; the writer is empty afterwards. */
  take(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(this.#at));
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#at = this.#buffer.length;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  bytes(number: number, content: Uint8Array): void {
    this.raw(content);
    this.head(number, content.length);
  }

  text(number: number, content: string): void {
    const length = Buffer.byteLength(content);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(content, this.#at, length);
    this.head(number, length);
  }

  /** Writes the head of a nested message before everything written since `start`. */
  close(number: number, start: number): void {
    this.head(number, this.length - start);
  }

  /** Writes the head of a nested message whose content is kept elsewhere. */
  head(number: number, length: number): void {
    this.#varint(length);
    this.#varint(number * 8 + BYTES);
  }

  flag(number: number, on: boolean): void {
    this.#reserve(1);
    this.#buffer[--this.#at] = on ? 1 : 0;
    this.#varint(number * 8 + VARINT);
  }

  /** Writes a whole number. Negative ones take ten bytes, even if the field has 32 bits. */
  integer(number: number, value: number): void {
    const whole = Math.trunc(value);
    if (whole >= 0 && whole <= EXACT) this.#varint(whole);
    else this.#bigVarint(Number.isFinite(whole) ? BigInt(whole) : 0n);
    this.#varint(number * 8 + VARINT);
  }

  double(number: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
    this.#varint(number * 8 + FIXED_64);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1;
    this.#reserve(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) | 0x80;
    this.#buffer[at] = rest;
  }

  /** Writes a large number. One that a double has rounded beyond 64 bits becomes the nearest that fits. */
  #bigVarint(value: bigint): void {
    const fitting = value > MAX_INT_64 ? MAX_INT_64 : value < MIN_INT_64 ? MIN_INT_64 : value;
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, fitting);
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#at) return;
    const used = this.length;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + bytes));
    this.#buffer.copy(grown, grown.length - used, this.#at);
    this.#buffer = grown;
    this.#at = grown.length - used;
  }
}
