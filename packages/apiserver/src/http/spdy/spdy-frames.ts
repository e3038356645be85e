/** Types of control frames that are supported here (SPDY/3.1, section 2.6). */
export const SPDY_TYPE = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Status codes of RST_STREAM. */
export const SPDY_RESET = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5 } as const;

/** Status codes of GOAWAY. */
export const SPDY_GO_AWAY = { ok: 0, protocolError: 1 } as const;

const CONTROL = 0x8000;
const VERSION = 3;
const HEAD_BYTES = 8;
const FLAG_FIN = 1;
/** Bits of a stream's id: the first bit has another meaning. */
const ID_BITS = 0x7fff_ffff;

/** Maximum length of a frame: Go's clients send at most 32 KiB at a time. */
const MAX_FRAME_BYTES = 1024 * 1024;

/** Maximum number of parts of an unfinished frame that are kept as they came. */
const MAX_PARTS = 1_000;

/** One frame of a client. `isLast`: it is the last one of its stream. */
export type SpdyFrame =
  | { readonly kind: 'data'; readonly stream: number; readonly isLast: boolean; readonly payload: Buffer }
  | { readonly kind: 'control'; readonly type: number; readonly isLast: boolean; readonly payload: Buffer };

/** Cuts bytes into frames. Keeps at most one unfinished frame. */
export class SpdyFrameReader {
  #parts: Buffer[] = [];
  #length = 0;

  /** The frames that are complete with this chunk. Throws for a frame of another version, or one that is too long. */
  *read(chunk: Buffer): Generator<SpdyFrame> {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    // A frame that comes byte by byte: each part costs more than its byte.
    if (this.#parts.length > MAX_PARTS) this.#parts = [Buffer.concat(this.#parts)];
    while (this.#length >= HEAD_BYTES) {
      const head = this.#joined(HEAD_BYTES);
      const size = head.readUIntBE(5, 3);
      if (size > MAX_FRAME_BYTES) throw new Error(`a frame of ${size} bytes`);
      if (this.#length < HEAD_BYTES + size) return;
      const frame = this.#joined(HEAD_BYTES + size);
      this.#parts = [frame.subarray(HEAD_BYTES + size)];
      this.#length -= HEAD_BYTES + size;
      yield parseSpdyFrame(frame, size);
    }
  }

  /** The first part, at least this long. Joins parts once per frame, not once per chunk. */
  #joined(length: number): Buffer {
    if ((this.#parts[0]?.length ?? 0) < length) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] as Buffer;
  }
}

function parseSpdyFrame(frame: Buffer, size: number): SpdyFrame {
  const isLast = ((frame[4] as number) & FLAG_FIN) !== 0;
  const payload = frame.subarray(HEAD_BYTES, HEAD_BYTES + size);
  const first = frame.readUInt16BE(0);
  if ((first & CONTROL) === 0) return { kind: 'data', stream: frame.readUInt32BE(0), isLast, payload };
  if (first !== (CONTROL | VERSION)) throw new Error(`a frame of version ${first & ~CONTROL}`);
  return { kind: 'control', type: frame.readUInt16BE(2), isLast, payload };
}

/** The id of a stream at the start of a control frame's payload. Throws when the frame is too short. */
export const spdyStreamId = (payload: Buffer): number => payload.readUInt32BE(0) & ID_BITS;

export function spdyDataFrame(stream: number, data: Uint8Array, isLast: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(data.length, 4);
  head[4] = isLast ? FLAG_FIN : 0;
  return Buffer.concat([head, data]);
}

export function spdyControlFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(CONTROL | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

/** A control frame that consists of four-byte numbers: all but those with headers. */
export function spdyNumbersFrame(type: number, ...numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) payload.writeUInt32BE(number, 4 * index);
  return spdyControlFrame(type, payload);
}
