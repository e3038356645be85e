import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { constants, createDeflate, inflateSync } from 'node:zlib';
import type { ApiServer } from '../../src/index.ts';
import { SPDY_HEADER_DICTIONARY } from '../../src/http/spdy/spdy-header-dictionary.ts';

/** A frame of the server: `type` is 0 for data. */
export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  /** The stream of a data frame, or the first number of a control frame. */
  readonly id: number;
  readonly payload: Buffer;
}

/** The response to a request for SPDY, and the connection if it is one now. */
export interface OpenedSpdy {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly client?: SpdyClient;
}

/** Sends a POST that asks for SPDY. */
export function openSpdy(
  { url, ca, token }: ApiServer,
  path: string,
  protocols: string | readonly string[] = ['v4.channel.k8s.io', 'channel.k8s.io'],
): Promise<OpenedSpdy> {
  const send = url.startsWith('https:') ? tlsRequest : plainRequest;
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'Upgrade',
    upgrade: 'SPDY/3.1',
    ...(protocols.length === 0 ? {} : { 'x-stream-protocol-version': protocols as string }),
  };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, agent: false as const, ...(ca === undefined ? {} : { ca }) };
    const call = send(`${url}${path}`, options);
    call.on('error', reject);
    call.on('upgrade', (answer, socket: Socket, head: Buffer) =>
      resolve({ status: 101, headers: answer.headers, body: '', client: new SpdyClient(socket, head) }),
    );
    call.on('response', (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    call.end();
  });
}

/** Bytes in and out of a SPDY connection, through a socket or a tunnel. */
export interface SpdyWire {
  write(bytes: Buffer): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
  destroy(): unknown;
  pause?(): unknown;
}

/** A SPDY client that sends what it is told, also what no client should. */
export class SpdyClient implements Disposable {
  readonly #wire: SpdyWire;
  readonly #deflate = createDeflate({ dictionary: SPDY_HEADER_DICTIONARY });
  /** Compressed headers of the server so far. */
  #replies: Buffer = Buffer.alloc(0);
  #bytes: Buffer;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(wire: SpdyWire, head: Buffer = Buffer.alloc(0)) {
    this.#wire = wire;
    this.#bytes = head;
    wire.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    wire.on('error', () => {});
    wire.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  raw(bytes: Buffer): void {
    this.#wire.write(bytes);
  }

  /** Reads no more. */
  pause(): void {
    this.#wire.pause?.();
  }

  control(type: number, payload: Buffer, flags = 0): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(payload.length, 4);
    head[4] = flags;
    this.raw(Buffer.concat([head, payload]));
  }

  async open(id: number, headers: Record<string, string>, flags = 0): Promise<void> {
    this.control(1, Buffer.concat([numbers(id, 0), Buffer.alloc(2), await this.compressed(headers)]), flags);
  }

  data(id: number, data: string | Buffer, isLast = false): void {
    const bytes = Buffer.from(data);
    const head = numbers(id, bytes.length);
    head[4] = isLast ? 1 : 0;
    this.raw(Buffer.concat([head, bytes]));
  }

  /** Headers behind those that were compressed before. */
  async compressed(headers: Record<string, string>): Promise<Buffer> {
    const texts = Object.entries(headers).flatMap(([name, value]) =>
      [name, value].flatMap((text) => [numbers(Buffer.byteLength(text)), Buffer.from(text)]),
    );
    const parts: Buffer[] = [];
    const take = (part: Buffer): void => void parts.push(part);
    this.#deflate.on('data', take);
    this.#deflate.write(Buffer.concat([numbers(Object.keys(headers).length), ...texts]));
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    this.#deflate.off('data', take);
    return Buffer.concat(parts);
  }

  /** The next frame, or undefined when the connection is closed. */
  async next(): Promise<ReceivedFrame | undefined> {
    for (;;) {
      const frame = this.#take();
      if (frame !== undefined) return frame;
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** The next frame of a type. */
  async find(type: number): Promise<ReceivedFrame> {
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) throw new Error(`closed before a frame of type ${type}`);
      if (frame.type === type) return frame;
    }
  }

  /** Data of each stream until the connection is closed; what has ended properly has a dot behind it. */
  async texts(): Promise<Record<number, string>> {
    const texts: Record<number, string> = {};
    for (let frame = await this.next(); frame !== undefined; frame = await this.next())
      if (frame.type === 0)
        texts[frame.id] = (texts[frame.id] ?? '') + frame.payload.toString() + (frame.flags === 1 ? '.' : '');
    return texts;
  }

  /** The number of headers in a SYN_REPLY, decompressed by the rules of zlib. */
  headersIn({ payload }: ReceivedFrame): number {
    this.#replies = Buffer.concat([this.#replies, payload.subarray(4)]);
    const options = { dictionary: SPDY_HEADER_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH };
    return inflateSync(this.#replies, options).subarray(-4).readUInt32BE();
  }

  #take(): ReceivedFrame | undefined {
    if (this.#bytes.length < 8) return undefined;
    const size = this.#bytes.readUIntBE(5, 3);
    if (this.#bytes.length < 8 + size) return undefined;
    const [head, payload] = [this.#bytes.subarray(0, 8), this.#bytes.subarray(8, 8 + size)];
    this.#bytes = this.#bytes.subarray(8 + size);
    const isControl = (head[0] as number) === 0x80;
    return {
      type: isControl ? head.readUInt16BE(2) : 0,
      flags: head[4] as number,
      id: isControl ? (size < 4 ? 0 : payload.readUInt32BE(0)) : head.readUInt32BE(0),
      payload,
    };
  }

  [Symbol.dispose](): void {
    this.#wire.destroy();
    this.#deflate.destroy();
  }
}

/** Numbers of four bytes. */
export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
