import { OPCODE } from './web-socket-frames.ts';

/** Maximum length of a message: kubectl and others send at most 32 KiB at a time. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

const MASK_BYTES = 4;

export interface MessageEvents {
  message(data: Buffer, isText: boolean): void;
  ping(payload: Buffer): void;
  close(): void;
  /** Called for a frame without a mask, or a message that is too long. Nothing is read after it. */
  protocolError(): void;
}

/** Reads whole messages of a client from chunks of any size (RFC 6455, section 5). */
export class MessageReader {
  readonly #events: MessageEvents;
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #isText = false;
  #isOver = false;

  constructor(events: MessageEvents) {
    this.#events = events;
  }

  read(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.#isOver && this.#readFrame());
  }

  /** Reads one frame. False if it is not complete yet. */
  #readFrame(): boolean {
    const bytes = this.#rest;
    if (bytes.length < 2) return false;
    const [first, second] = [bytes[0] as number, bytes[1] as number];
    const short = second & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    const start = 2 + lengthBytes + MASK_BYTES;
    if ((second & 0x80) === 0) return this.#fail();
    if (bytes.length < start) return false;
    const length = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const kept = this.#parts.reduce((sum, part) => sum + part.length, 0);
    if (length + kept > MAX_MESSAGE_BYTES) return this.#fail();
    if (bytes.length < start + length) return false;
    const mask = bytes.subarray(start - MASK_BYTES, start);
    const payload = Buffer.from(bytes.subarray(start, start + length));
    for (let i = 0; i < length; i += 1) payload[i] = (payload[i] as number) ^ (mask[i % MASK_BYTES] as number);
    this.#rest = bytes.subarray(start + length);
    this.#take(first & 0x0f, (first & 0x80) !== 0, payload);
    return true;
  } // prettier-ignore

  #take(opcode: number, isFinal: boolean, payload: Buffer): void {
    if (opcode === OPCODE.ping) return this.#events.ping(payload.subarray(0, 125));
    if (opcode === OPCODE.pong) return;
    if (opcode === OPCODE.close) {
      this.#isOver = true;
      return this.#events.close();
    }
    if (opcode !== 0) this.#isText = opcode === OPCODE.text;
    this.#parts.push(payload);
    if (!isFinal) return;
    const data = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#events.message(data, this.#isText);
  }

  #fail(): false {
    this.#isOver = true;
    this.#events.protocolError();
    return false;
  }
}
