import { once } from 'node:events';
import { createServer as createHttp1 } from 'node:https';
import { createSecureServer as createHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import type { Pair } from './certificates.ts';

/** The common part of HTTP/1.1 and HTTP/2 requests and responses. */
export interface Request {
  readonly method?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly socket: unknown;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

export interface Answer {
  readonly writable: boolean;
  writeHead(status: number, headers?: Record<string, string | string[]>): unknown;
  write(chunk: string | Uint8Array): boolean;
  end(chunk?: string | Uint8Array): unknown;
  flushHeaders(): void;
  on(event: string, listener: (...args: never[]) => void): unknown;
}

export type Handler = (request: Request, answer: Answer) => void;

/** A server on loopback with access to its sockets. */
export class Listening {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  /** Connections accepted since the start. */
  accepted = 0;

  constructor(server: Server) {
    this.server = server;
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
    server.on('tlsClientError', () => {});
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): URL {
    return new URL(`https://127.0.0.1:${this.port}`);
  }

  async listen({ port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {}): Promise<this> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return this;
  }

  /** RST on every connection. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

export interface ServerOptions {
  readonly pair: Pair;
  readonly protocol: 'h1' | 'h2';
  readonly handler: Handler;
  /** Streams per HTTP/2 connection. */
  readonly maxStreams?: number;
  /** Requests client certificates of this authority. */
  readonly clientCa?: string;
  readonly listen?: { readonly port: number; readonly host: string };
}

/** A real HTTP server of the platform over TLS: HTTP/1.1 or HTTP/2. */
export class ScriptedServer extends Listening {
  handshakes = 0;
  readonly seen: { method: string; url: string; headers: Request['headers'] }[] = [];

  static start({ pair, protocol, handler, maxStreams, clientCa, listen }: ServerOptions): Promise<ScriptedServer> {
    const tls = { ...pair, ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true }) };
    const settings = maxStreams === undefined ? {} : { settings: { maxConcurrentStreams: maxStreams } };
    const server = protocol === 'h1' ? createHttp1(tls) : createHttp2({ ...tls, ...settings });
    if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0; // connections end when the script says so
    const scripted = new ScriptedServer(server);
    server.on('secureConnection', () => (scripted.handshakes += 1));
    server.on('request', (request: Request, answer: Answer) => {
      const { method = '', url = '', headers } = request;
      scripted.seen.push({ method, url, headers });
      answer.on('error', () => {});
      handler(request, answer);
    });
    server.on('sessionError', () => {});
    return scripted.listen(listen);
  }
}

/** A TLS server whose bytes come from the script. */
export function rawTls(pair: Pair, alpn: string, script: (socket: TLSSocket) => void): Promise<Listening> {
  const server = createTls({ ...pair, ALPNProtocols: [alpn] }, (socket) => {
    socket.on('error', () => {});
    socket.resume(); // or its end is never seen
    script(socket);
  });
  return new Listening(server).listen();
}

/** A TCP server whose connections are handled by the script. */
export function rawTcp(script: (socket: Socket) => void = (socket) => void socket.resume()): Promise<Listening> {
  return new Listening(createTcp(script)).listen();
}

/** Writes `totalBytes` as fast as the client reads them; returns how many have been written. */
export function flood(answer: Pick<Answer, 'write' | 'on' | 'end'>, totalBytes: number): () => number {
  const chunk = Buffer.alloc(65_536, 'x');
  let written = 0;
  const more = (): void => {
    while (written < totalBytes) {
      written += chunk.length;
      if (!answer.write(chunk)) return;
    }
    answer.end();
  };
  answer.on('drain', more);
  more();
  return () => written;
}

/** Calls `answer` for every HTTP/1.1 request on a raw connection. */
export function onRequest(socket: Socket, answer: (head: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      text = text.slice(end + 4);
      answer(head);
    }
  });
}

const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const PREFACE_BYTES = 24;

/** One HTTP/2 connection, frame by frame. Acknowledges SETTINGS and PING by itself; the script does the rest. */
export class FramePeer {
  readonly socket: Socket;
  readonly resets: { id: number; code: number }[] = [];
  pings = 0;
  answerPings = true;
  onRequest: (id: number) => void = () => {};
  #buffer = Buffer.alloc(0);
  #greeted = false;

  constructor(socket: Socket, maxStreams: number) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.frame(SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, 3]), u32(maxStreams)]));
  }

  /** Status 200, from the static table. */
  headers(id: number, options: { end?: boolean; more?: Buffer } = {}): void {
    this.frame(
      HEADERS,
      options.end === true ? 5 : 4,
      id,
      Buffer.concat([Buffer.from([0x88]), options.more ?? Buffer.alloc(0)]),
    );
  }

  data(id: number, text: string, end = false): void {
    this.frame(0, end ? 1 : 0, id, Buffer.from(text));
  }

  rst(id: number, code: number): void {
    this.frame(RST_STREAM, 0, id, u32(code));
  }

  goaway(lastId: number, code = 0): void {
    this.frame(GOAWAY, 0, 0, Buffer.concat([u32(lastId), u32(code)]));
  }

  frame(type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(id, 5);
    if (this.socket.writable) this.socket.write(Buffer.concat([head, payload]));
  }

  #read(chunk: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    if (!this.#greeted) {
      if (this.#buffer.length < PREFACE_BYTES) return;
      this.#buffer = this.#buffer.subarray(PREFACE_BYTES);
      this.#greeted = true;
    }
    while (this.#buffer.length >= 9) {
      const length = this.#buffer.readUIntBE(0, 3);
      if (this.#buffer.length < 9 + length) return;
      const [type, flags, id] = [this.#buffer[3], this.#buffer[4] as number, this.#buffer.readUInt32BE(5)];
      const payload = this.#buffer.subarray(9, 9 + length);
      this.#buffer = this.#buffer.subarray(9 + length);
      if (type === SETTINGS && (flags & 1) === 0) this.frame(SETTINGS, 1, 0);
      if (type === PING && (flags & 1) === 0) {
        this.pings += 1;
        if (this.answerPings) this.frame(PING, 1, 0, Buffer.from(payload));
      }
      if (type === RST_STREAM) this.resets.push({ id, code: payload.readUInt32BE(0) });
      if (type === HEADERS) this.onRequest(id);
    }
  }
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** An HTTP/2 server whose frames come from the script. */
export async function rawH2(
  pair: Pair,
  script: (peer: FramePeer) => void,
  maxStreams = 100,
): Promise<{ listening: Listening; peers: FramePeer[] }> {
  const peers: FramePeer[] = [];
  const listening = await rawTls(pair, 'h2', (socket) => {
    const peer = new FramePeer(socket, maxStreams);
    peers.push(peer);
    script(peer);
  });
  return { listening, peers };
}

/**
 * A TCP proxy between client and server that simulates network faults.
 *
 * A frozen direction drops its bytes silently.
 */
export class FaultProxy extends Listening {
  #lost: 'none' | 'both' | 'to-client' = 'none';

  static start(targetPort: number, port = 0): Promise<FaultProxy> {
    const server = createTcp();
    const proxy = new FaultProxy(server);
    server.on('connection', (near: Socket) => {
      const far = connect(targetPort, '127.0.0.1');
      far.on('error', () => near.destroy());
      near.on('data', (chunk: Buffer) => proxy.#lost === 'both' || far.write(chunk));
      far.on('data', (chunk: Buffer) => proxy.#lost !== 'none' || near.write(chunk));
      near.on('close', () => far.destroy());
      far.on('close', () => proxy.#lost !== 'none' || near.destroy());
    });
    return proxy.listen({ port });
  }

  freeze(direction: 'none' | 'both' | 'to-client' = 'both'): void {
    this.#lost = direction;
  }

  /** Sends FIN to every client; the server does not notice. */
  fin(): void {
    for (const socket of this.sockets) socket.end();
  }
}
