/** Kinds of frames, RFC 6455 section 5.2. */
export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export type Opcode = (typeof OPCODE)[keyof typeof OPCODE];

/** Reasons of a close frame, RFC 6455 section 7.4.1. */
export const CLOSE = { normal: 1000, protocolError: 1002 } as const;

const FINAL = 0x80;
const MASKED = 0x80;
const LENGTH_BITS = 0x7f;
/** Maximum length in the second byte; the next two values announce 2 and 8 bytes of length. */
const MAX_SHORT_LENGTH = 125;
const TWO_BYTE_LENGTH = 126;
const EIGHT_BYTE_LENGTH = 127;
const MAX_TWO_BYTE_LENGTH = 0xffff;
const MASK_BYTES = 4;

/** A whole message as one frame. Servers do not mask. */
export function webSocketFrame(opcode: Opcode, payload: Buffer): Buffer {
  const { length } = payload;
  if (length <= MAX_SHORT_LENGTH) return Buffer.concat([Buffer.of(FINAL | opcode, length), payload]);
  if (length <= MAX_TWO_BYTE_LENGTH)
    return Buffer.concat([Buffer.of(FINAL | opcode, TWO_BYTE_LENGTH, length >> 8, length & 0xff), payload]);
  const head = Buffer.alloc(10);
  head[0] = FINAL | opcode;
  head[1] = EIGHT_BYTE_LENGTH;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

export function webSocketCloseFrame(status: number): Buffer {
  return webSocketFrame(OPCODE.close, Buffer.of(status >> 8, status & 0xff));
}

/** Control frames of a client. Data is ignored: a watch does not use it. */
export interface FrameEvents {
  ping(payload: Buffer): void;
  close(): void;
  /** Called for a frame without a mask. Nothing is read after it. */
  protocolError(): void;
}

/**
 * Reads the frames of a client from chunks of any size.
 *
 * Keeps at most a head and the payload of a ping, 139 bytes; data is skipped as it arrives, so a client cannot fill memory.
 */
export class FrameReader {
  readonly #events: FrameEvents;
  #head: Buffer = Buffer.alloc(0);
  /** Number of bytes of the current frame still to skip. */
  #skip = 0n;
  #isOver = false;

  constructor(events: FrameEvents) {
    this.#events = events;
  }

  read(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isOver) rest = this.#skip > 0n ? this.#skipData(rest) : this.#readHead(rest);
  }

  #skipData(chunk: Buffer): Buffer {
    const taken = this.#skip < BigInt(chunk.length) ? Number(this.#skip) : chunk.length;
    this.#skip -= BigInt(taken);
    return chunk.subarray(taken);
  }

  /** Reads the head, and the payload of a control frame. Returns the bytes after it. */
  #readHead(chunk: Buffer): Buffer {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const lengthBytes = bytes.length < 2 ? 0 : webSocketFrameLengthBytes(bytes);
    const headBytes = 2 + lengthBytes + MASK_BYTES;
    if (bytes.length >= 2 && ((bytes[1] as number) & MASKED) === 0) return this.#fail();
    if (bytes.length < headBytes) return this.#keep(bytes);
    const length = webSocketPayloadLength(bytes, lengthBytes);
    const opcode = (bytes[0] as number) & 0x0f;
    if (opcode === OPCODE.close) {
      this.#isOver = true;
      this.#events.close();
      return NOTHING;
    }
    // The response to a ping that is longer than the standard allows contains as much of it as fits.
    const wanted = opcode === OPCODE.ping ? Math.min(Number(length), MAX_SHORT_LENGTH) : 0;
    if (bytes.length < headBytes + wanted) return this.#keep(bytes);
    this.#head = NOTHING;
    this.#skip = length - BigInt(wanted);
    if (opcode === OPCODE.ping) {
      const mask = bytes.subarray(headBytes - MASK_BYTES, headBytes);
      this.#events.ping(unmaskedWebSocketFrame(bytes.subarray(headBytes, headBytes + wanted), mask));
    }
    return bytes.subarray(headBytes + wanted);
  }

  #keep(bytes: Buffer): Buffer {
    this.#head = Buffer.from(bytes);
    return NOTHING;
  }

  #fail(): Buffer {
    this.#isOver = true;
    this.#events.protocolError();
    return NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

function webSocketFrameLengthBytes(bytes: Buffer): number {
  const short = (bytes[1] as number) & LENGTH_BITS;
  return short === TWO_BYTE_LENGTH ? 2 : short === EIGHT_BYTE_LENGTH ? 8 : 0;
}

function webSocketPayloadLength(bytes: Buffer, lengthBytes: number): bigint {
  if (lengthBytes === 0) return BigInt((bytes[1] as number) & LENGTH_BITS);
  return lengthBytes === 2 ? BigInt(bytes.readUInt16BE(2)) : bytes.readBigUInt64BE(2) & 0x7fff_ffff_ffff_ffffn;
}

const unmaskedWebSocketFrame = (payload: Buffer, mask: Buffer): Buffer =>
  Buffer.from(payload.map((byte, index) => byte ^ (mask[index % MASK_BYTES] as number)));
