import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Env } from '../../../core/env.ts';
import type { Wire } from './dial.ts';
import { exchange, type HttpConnection, type OutgoingRequest } from './exchange.ts';
import type { NodeTransportLimits } from '../node-transport-limits.ts';
import { transportFailureCause, transportFailure } from '../transport-failure.ts';
import type { TransportResponse } from '../transport.ts';

/** The owner of a connection: the pool. */
export interface H2Owner {
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  readonly origin: string;
  readonly authority: string;
  /** Called when the last stream has ended. */
  idle(connection: H2Connection): void;
  closed(connection: H2Connection): void;
}

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_FLAG_END_STREAM } = constants;

/** Interval of the check for a reset that went unnoticed. */
const LOOK_EVERY_MS = 1_000;

/** Maximum number of streams the server may reset in a row before the connection is retired. */
const MAX_RESETS = 2;

/** Flow-control window of a stream. A server delivers at most one window per round trip, and a slow reader buffers at most one. */
const STREAM_WINDOW = 1 << 20;
/** Flow-control window of the connection. Refilled as bytes arrive, even if no stream reads them. */
const CONNECTION_WINDOW = 1 << 25;
/**
 * Maximum memory of a session in MB. With Node's default of 10, new streams are refused while a few full windows are
 * buffered.
 */
const SESSION_MEMORY = 1_024;
/** Headers that HTTP/2 does not allow. */
const NOT_IN_H2: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * One HTTP/2 connection and its streams.
 *
 * Takes no more streams than the server allows: `freeStreams` is 0 when it is full; requests never queue inside. Pings
 * while streams are open and no bytes arrive; a ping without a response ends the connection and all its streams. After
 * GOAWAY, a refused stream or several reset ones it takes no new streams and lets the others finish. While idle it does
 * not keep the process alive.
 */
export class H2Connection implements HttpConnection {
  readonly protocol = 'h2' as const;
  readonly #wire: Wire;
  readonly #owner: H2Owner;
  readonly #session: ClientHttp2Session;
  #streams = 0;
  #served = 0;
  #retiring = false;
  #endReason: unknown;
  #lastByteAt: number;
  #idleSince: number;
  /** Streams reset by the server in a row. */
  #resets = 0;
  #pingLoopRuns = false;
  /** The running ping, shared by all callers. */
  #pinging: Promise<void> | undefined;
  /** Wakes the ping loop when no stream is left. */
  #allStreamsEnded = new AbortController();

  private constructor(wire: Wire, owner: H2Owner) {
    this.#wire = wire;
    this.#owner = owner;
    this.#lastByteAt = owner.env.now();
    this.#idleSince = this.#lastByteAt;
    this.#session = connect(owner.origin, {
      createConnection: () => wire.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY,
    });
    this.#session.on('error', (error) => {
      this.#endReason ??= error;
    });
    this.#session.on('close', () => {
      this.#retiring = true;
      this.#allStreamsEnded.abort();
      wire.tcp.destroy();
      owner.closed(this);
    });
  }

  /** Resolves when the server has sent its settings. An abort of `signal` ends the connection. */
  static open(wire: Wire, owner: H2Owner, signal: AbortSignal): Promise<H2Connection> {
    return new Promise((resolve, reject) => {
      const connection = new H2Connection(wire, owner);
      const session = connection.#session;
      const aborted = (): void => connection.destroy(signal.reason as Error);
      const failed = (): void => {
        signal.removeEventListener('abort', aborted);
        reject(connection.#endReason ?? new Error('the server closed the connection before its first HTTP/2 frame'));
      };
      signal.addEventListener('abort', aborted, { once: true });
      session.once('close', failed);
      session.once('remoteSettings', () => {
        session.removeListener('close', failed);
        signal.removeEventListener('abort', aborted);
        session.setLocalWindowSize(CONNECTION_WINDOW);
        wire.tcp.unref();
        resolve(connection);
      });
      if (signal.aborted) aborted();
    });
  }

  get reused(): boolean {
    return this.#served > 1;
  }

  get bytesRead(): number {
    return this.#wire.socket.bytesRead;
  }

  /** Maximum number of concurrent streams the server allows. */
  get maxStreams(): number {
    return this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
  }

  /** Number of streams that can be opened now. After GOAWAY a session is `closed`, though its streams continue. */
  get freeStreams(): number {
    return this.#retiring || this.#session.closed ? 0 : Math.max(0, this.maxStreams - this.#streams);
  }

  /** Whether it was idle for so long that the server, or a firewall in between, may have dropped the connection. */
  get stale(): boolean {
    const { env, limits } = this.#owner;
    return this.#streams === 0 && env.now() - this.#idleSince >= limits.idleSocketMs;
  }

  /** Reserves a stream. Must be followed by one `send` or `giveBack`. */
  take(): void {
    this.#streams += 1;
    this.#served += 1;
    this.#wire.tcp.ref();
    if (!this.#pingLoopRuns) void this.#pingWhileBusy();
  }

  /** Returns a reserved stream that is not used. */
  giveBack(): void {
    this.#released();
  }

  /** Resolves true when bytes arrived recently or the server responds to a ping. */
  async isAlive(): Promise<boolean> {
    const { env, limits } = this.#owner;
    if (env.now() - this.#lastByteAt >= limits.pingAfterMs) await this.#ping();
    return !this.#retiring && !this.#session.closed;
  }

  /** Takes no new streams; closes after the last running one. */
  retire(): void {
    this.#retiring = true;
    if (this.#streams === 0) this.#session.close();
  }

  destroy(reason?: Error): void {
    this.#endReason ??= reason;
    this.#retiring = true;
    this.#session.destroy(reason);
    this.#wire.tcp.destroy();
  }

  send(outgoing: OutgoingRequest): Promise<TransportResponse> {
    const { what, request } = outgoing;
    return exchange(outgoing, (listener) => {
      let stream: ClientHttp2Stream;
      try {
        stream = this.#session.request(this.#headers(outgoing), { endStream: request.body === undefined });
      } catch (error) {
        this.#released();
        listener.onError(transportFailure(what, this.#endReason ?? error, { notSent: true }));
        return () => {};
      }
      const ended = this.#observeEnd(stream);
      let ours = false;
      const cancel = (): void => {
        ours ||= !stream.closed;
        stream.close(NGHTTP2_CANCEL);
        stream.destroy();
      };
      let hasResponse = false;
      let held = true;
      const release = (): void => {
        if (held) this.#released();
        held = false;
      };
      // Both sides have ended. `close` follows later; until then the next request would find the connection full.
      stream.on('end', () => ended() && stream.writableFinished && release());
      stream.on('error', () => {}); // reported by `close`
      stream.on('close', () => {
        if (!ours) this.#onStreamClosed(stream.rstCode, hasResponse);
        release();
        if (hasResponse) return;
        const refused = stream.rstCode === NGHTTP2_REFUSED_STREAM;
        const why = refused
          ? transportFailureCause('ERR_HTTP2_STREAM_REFUSED', 'the server refused the stream without processing it')
          : this.#why(stream);
        listener.onError(transportFailure(what, why, { notSent: refused }));
      });
      stream.on('response', (headers: IncomingHttpHeaders & IncomingHttpStatusHeader, flags: number) => {
        hasResponse = true;
        this.#resets = 0;
        this.#lastByteAt = this.#owner.env.now();
        const { ':status': status = 0 } = headers;
        listener.onResponse(status, http2Headers(headers), {
          stream,
          pinged: true,
          complete: () => (flags & NGHTTP2_FLAG_END_STREAM) !== 0 || ended(),
          failure: () => this.#why(stream),
          cancel,
          leave: () => Promise.resolve(cancel()),
        });
      });
      if (request.body !== undefined) stream.end(request.body);
      return cancel;
    });
  }

  #headers({ request: { method, path }, headers }: OutgoingRequest): Record<string, string | string[]> {
    return {
      ':method': method,
      ':scheme': 'https',
      ':authority': this.#owner.authority,
      ':path': path,
      ...(Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_IN_H2.has(name))) as Record<
        string,
        string | string[]
      >),
    };
  }

  /**
   * Records when bytes arrive. Returns whether the server ended the stream.
   *
   * Node ends the readable side both for END_STREAM and for a reset with code 0, but only for END_STREAM while the stream
   * is still open.
   */
  #observeEnd(stream: ClientHttp2Stream): () => boolean {
    let ended = false;
    const push = stream.push.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk !== null) this.#lastByteAt = this.#owner.env.now();
      else if (!stream.closed) ended = true;
      return push(chunk, encoding);
    };
    return () => ended;
  }

  /** Retires a connection whose streams are reset or refused: a new connection often works where this one does not. */
  #onStreamClosed(code: number | undefined, hasResponse: boolean): void {
    if (!hasResponse && (code === NGHTTP2_INTERNAL_ERROR || code === NGHTTP2_CANCEL)) this.#resets += 1;
    if (code === NGHTTP2_REFUSED_STREAM || this.#resets >= MAX_RESETS) this.retire();
  }

  #why(stream: ClientHttp2Stream): unknown {
    const cut = `the stream was closed before its end (code ${stream.rstCode ?? 0})`;
    return this.#endReason ?? stream.errored ?? transportFailureCause('ERR_STREAM_PREMATURE_CLOSE', cut);
  }

  #released(): void {
    this.#streams -= 1;
    if (this.#streams > 0) return;
    this.#idleSince = this.#owner.env.now();
    this.#wire.tcp.unref();
    this.#allStreamsEnded.abort();
    this.#allStreamsEnded = new AbortController();
    if (this.#retiring) this.#session.close();
    this.#owner.idle(this);
  }

  /** Pings while streams are open. Waits for a running ping even if they end, so that the next request gets no dead connection. */
  async #pingWhileBusy(): Promise<void> {
    const { env, limits } = this.#owner;
    this.#pingLoopRuns = true;
    while (this.#streams > 0 && !this.#session.destroyed) {
      const ms = this.#lastByteAt + limits.pingAfterMs - env.now();
      if (isLostHttp2Connection(this.#wire.tcp))
        this.destroy(
          Object.assign(new Error('the connection was reset while it was written to'), { code: 'ECONNRESET' }),
        );
      else if (ms > 0) await env.sleep(Math.min(ms, LOOK_EVERY_MS), this.#allStreamsEnded.signal);
      else await this.#ping();
    }
    this.#pingLoopRuns = false;
  }

  #ping(): Promise<void> {
    this.#pinging ??= this.#sendPing().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async #sendPing(): Promise<void> {
    const { env, limits } = this.#owner;
    const before = this.bytesRead;
    const responded = new AbortController();
    this.#session.ping(() => responded.abort()); // also called when the session ends
    await env.sleep(limits.pingTimeoutMs, responded.signal);
    // After a suspended process wakes up, the timer fires before the bytes that arrived meanwhile are read.
    if (!responded.signal.aborted) await env.yield();
    // Any byte is a sign of life: the response to the ping may be behind a lot of data.
    if (responded.signal.aborted || this.bytesRead > before) this.#lastByteAt = env.now();
    else
      this.destroy(
        transportFailureCause('ERR_PING_TIMEOUT', `ping timeout: no response within ${limits.pingTimeoutMs} ms`),
      );
  }
}

/**
 * Whether the server has reset the connection without an event from Node.
 *
 * Node stops reading an HTTP/2 connection while it writes to it. When that write fails below TLS, it never
 * completes: nothing is read or written, and no event is emitted. Only the handle has the error, and it
 * cannot be read in another way.
 */
function isLostHttp2Connection(socket: Socket): boolean {
  const { _handle: handle } = socket as { _handle?: { getpeername?(name: object): number } | null };
  return !socket.destroyed && (handle?.getpeername?.({}) ?? 0) !== 0;
}

function http2Headers(from: IncomingHttpHeaders): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || name.startsWith(':')) continue;
    headers.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return headers;
}
