/** The value of a field on the wire. */
export type WireValue = number | Uint8Array;

export interface WireField {
  readonly number: number;
  readonly wireType: number;
  readonly value: WireValue;
}

/** Thrown for bytes that are not protobuf, with the message of real servers. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/**
 * The fields of one message, in the order they were sent, unknown ones included.
 *
 * Whole numbers beyond 2^53 lose their last digits, as they do in JSON.
 */
export function* protobufWireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new WireError('unexpected EOF');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new WireError('proto: integer overflow');
  };
  const take = (length: number): number => {
    const start = at;
    if (length < 0 || start + length > bytes.length) throw new WireError('unexpected EOF');
    at += length;
    return start;
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (number === 0) throw new WireError(`proto: illegal tag 0 (wire type ${tag})`);
    if (wireType === VARINT) yield { number, wireType, value: Number(varint()) };
    else if (wireType === FIXED_64) yield { number, wireType, value: view.getFloat64(take(8), true) };
    else if (wireType === FIXED_32) yield { number, wireType, value: view.getFloat32(take(4), true) };
    else if (wireType === BYTES) {
      const length = Number(varint());
      const start = take(length);
      yield { number, wireType, value: bytes.subarray(start, start + length) };
    } else throw new WireError(`proto: illegal wireType ${wireType}`);
  }
}

/** Builds a message that `protobufWireFields` can read. Only the shapes that OpenAPI documents need. */
export class WireWriter {
  readonly #parts: Uint8Array[] = [];

  message(number: number, content: WireWriter | Uint8Array): this {
    const bytes = content instanceof WireWriter ? content.bytes() : content;
    this.#parts.push(protobufWireVarintBytes(number * 8 + BYTES), protobufWireVarintBytes(bytes.length), bytes);
    return this;
  }

  text(number: number, content: string): this {
    return this.message(number, Buffer.from(content));
  }

  /** Writes a boolean. False is left out: an absent field is false. */
  flag(number: number, on: boolean): this {
    if (on) this.#parts.push(protobufWireVarintBytes(number * 8 + VARINT), protobufWireVarintBytes(1));
    return this;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

function protobufWireVarintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
