import { randomBytes } from 'node:crypto';
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Target } from './target.ts';

const WITHIN_MS = 50_000;

/** One frame from the server. */
export interface Message {
  /** 1 text, 2 binary, 8 close, 9 ping, 10 pong. */
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The response to a handshake, and the connection if it is a WebSocket now. */
export interface Opened {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly socket?: RawWebSocket;
}

/** The headers of a handshake that every server accepts. */
export const HANDSHAKE = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  // The example of RFC 6455, whose response is known.
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  origin: 'https://localhost',
} as const;

/** Sends a GET with exactly these headers and the token of the target. */
export function openWebSocket(target: Target, path: string, headers: Record<string, string>): Promise<Opened> {
  const send = target.url.startsWith('https:') ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const options = { ...(target.ca === undefined ? {} : { ca: target.ca }), headers, agent: false as const };
    const call = send(`${target.url}${path}`, options);
    call.setTimeout(WITHIN_MS, () => call.destroy(new Error(`no response within ${WITHIN_MS} ms`)));
    call.on('error', reject);
    call.on('upgrade', (answer, socket: Socket, head: Buffer) =>
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: '',
        socket: new RawWebSocket(socket, head),
      }),
    );
    call.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
      answer.on('error', reject);
    });
    call.end();
  });
}

/** A WebSocket without a library between a case and the bytes. */
export class RawWebSocket implements Disposable {
  readonly #socket: Socket;
  #bytes: Buffer;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#bytes = head;
    socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** Sends a frame; `pieces` cuts it into writes of that many bytes. */
  async send(opcode: number, payload: Buffer | string, { isMasked = true, pieces = Infinity } = {}): Promise<void> {
    const bytes = Buffer.from(payload);
    const mask = isMasked ? randomBytes(4) : Buffer.alloc(0);
    const length =
      bytes.length <= 125 ? Buffer.of(bytes.length) : Buffer.of(126, (bytes.length >> 8) & 0xff, bytes.length & 0xff);
    length[0] = (length[0] as number) | (isMasked ? 0x80 : 0);
    const body = isMasked ? bytes.map((byte, index) => byte ^ (mask[index % 4] as number)) : bytes;
    const frame = Buffer.concat([Buffer.of(0x80 | opcode), length, mask, body]);
    for (let at = 0; at < frame.length; at += pieces) {
      this.#socket.write(frame.subarray(at, at + pieces));
      if (pieces < frame.length) await sleep(1);
    }
  }

  /** The next frame, or undefined when the connection is closed. */
  async next(): Promise<Message | undefined> {
    const deadline = AbortSignal.timeout(WITHIN_MS);
    for (;;) {
      const message = this.#take();
      if (message !== undefined) return message;
      if (this.#isClosed) return undefined;
      if (deadline.aborted) throw new Error(`no frame within ${WITHIN_MS} ms`);
      await Promise.race([
        new Promise<void>((resolve) => (this.#wake = resolve)),
        sleep(WITHIN_MS, undefined, { ref: false }),
      ]);
    }
  }

  /** The next text message as an event of a watch. */
  async event(): Promise<Frame> {
    const message = await this.next();
    if (message?.opcode !== 1) throw new Error(`expected a text frame, got ${message?.opcode}`);
    return JSON.parse(message.payload.toString()) as Frame;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(): Message | undefined {
    const bytes = this.#bytes;
    if (bytes.length < 2) return undefined;
    const short = (bytes[1] as number) & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < head) return undefined;
    const length = head === 2 ? short : head === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    if (bytes.length < head + length) return undefined;
    this.#bytes = bytes.subarray(head + length);
    return { opcode: (bytes[0] as number) & 0x0f, payload: bytes.subarray(head, head + length) };
  }
}
