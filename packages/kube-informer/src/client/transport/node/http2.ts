import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Env } from '../../../core/env.ts';
import type { Wire } from './dial.ts';
import { type Call, exchange, type Lane } from './exchange.ts';
import type { NodeTransportLimits } from '../node-transport-limits.ts';
import { because, transportError } from '../transport-failure.ts';
import type { TransportResponse } from '../transport.ts';

/** Who owns the connection. */
export interface H2Owner {
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  readonly origin: string;
  readonly authority: string;
  /** No stream is left. */
  idle(connection: H2Connection): void;
  closed(connection: H2Connection): void;
}

const { NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_FLAG_END_STREAM } = constants;

/** Streams reset by the server one after the other, without an answer between them, that are enough of a connection. */
const MOST_RESETS = 2;

/** Bytes a stream may have under way: a far server delivers at most one window per round trip. Bounds what a slow reader costs. */
const STREAM_WINDOW = 1 << 20;
/** The same for all streams of the connection. It is refilled as bytes come in, whoever reads them. */
const CONNECTION_WINDOW = 1 << 25;
/** In MB. The platform's 10 refuses new streams while a few full windows are buffered. */
const SESSION_MEMORY = 1_024;
/** Belong to a connection, not to a stream. */
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
 * Takes no more streams than the server allows: `room` says when it is full, nothing waits inside. While streams are
 * open and nothing was heard for a while it pings; a ping without an answer ends the connection and every stream with it.
 * After GOAWAY, a refused stream or several that were reset it takes no new streams and lets the others finish. Unused, it
 * does not keep the process alive.
 */
export class H2Connection implements Lane {
  readonly protocol = 'h2' as const;
  readonly #wire: Wire;
  readonly #owner: H2Owner;
  readonly #session: ClientHttp2Session;
  #streams = 0;
  #served = 0;
  #leaving = false;
  #endReason: unknown;
  #heardAt: number;
  #idleSince: number;
  /** In a row, by the server. */
  #resets = 0;
  #watching = false;
  /** The ping on its way; one is enough for all who want to know. */
  #pinging: Promise<void> | undefined;
  /** Wakes the watch when there is nothing left to watch. */
  #quiet = new AbortController();

  private constructor(wire: Wire, owner: H2Owner) {
    this.#wire = wire;
    this.#owner = owner;
    this.#heardAt = owner.env.now();
    this.#idleSince = this.#heardAt;
    this.#session = connect(owner.origin, {
      createConnection: () => wire.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY,
    });
    this.#session.on('error', (error) => {
      this.#endReason ??= error;
    });
    this.#session.on('close', () => {
      this.#leaving = true;
      this.#quiet.abort();
      wire.tcp.destroy();
      owner.closed(this);
    });
  }

  /** Resolves when the server has said how many streams it allows. `signal` ends the wait, and the connection. */
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

  /** Streams the server allows at a time. */
  get most(): number {
    return this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
  }

  /** Streams that can be opened now. A session that has heard GOAWAY is `closed`, though its streams go on. */
  get room(): number {
    return this.#leaving || this.#session.closed ? 0 : Math.max(0, this.most - this.#streams);
  }

  /** Without a stream for so long that the server, or somebody on the way, may have forgotten it. */
  get stale(): boolean {
    const { env, limits } = this.#owner;
    return this.#streams === 0 && env.now() - this.#idleSince >= limits.idleSocketMs;
  }

  /** Reserves a stream, for one `send` or `giveBack`. */
  take(): void {
    this.#streams += 1;
    this.#served += 1;
    this.#wire.tcp.ref();
    if (!this.#watching) void this.#watch();
  }

  /** The stream is not needed after all. */
  giveBack(): void {
    this.#released();
  }

  /** Resolves whether a reserved stream can be used: the server was heard a moment ago, or answers a ping. */
  async lives(): Promise<boolean> {
    const { env, limits } = this.#owner;
    if (env.now() - this.#heardAt >= limits.pingAfterMs) await this.#ping();
    return !this.#leaving && !this.#session.closed;
  }

  /** No new streams; ends with the last of those that run. */
  retire(): void {
    this.#leaving = true;
    if (this.#streams === 0) this.#session.close();
  }

  destroy(reason?: Error): void {
    this.#endReason ??= reason;
    this.#leaving = true;
    this.#session.destroy(reason);
    this.#wire.tcp.destroy();
  }

  send(call: Call): Promise<TransportResponse> {
    const { what, request } = call;
    return exchange(call, (ears) => {
      let stream: ClientHttp2Stream;
      try {
        stream = this.#session.request(this.#headers(call), { endStream: request.body === undefined });
      } catch (error) {
        this.#released();
        ears.broken(transportError(what, this.#endReason ?? error, { notSent: true }));
        return () => {};
      }
      const ended = this.#observe(stream);
      let ours = false;
      const cancel = (): void => {
        ours ||= !stream.closed;
        stream.close(NGHTTP2_CANCEL);
        stream.destroy();
      };
      let answered = false;
      let held = true;
      const release = (): void => {
        if (held) this.#released();
        held = false;
      };
      // Closed at both ends already; `close` comes a little later, and would make the next request think it is full.
      stream.on('end', () => ended() && stream.writableFinished && release());
      stream.on('error', () => {}); // told by `close`
      stream.on('close', () => {
        if (!ours) this.#judge(stream.rstCode, answered);
        release();
        if (answered) return;
        const refused = stream.rstCode === NGHTTP2_REFUSED_STREAM;
        const why = refused
          ? because('ERR_HTTP2_STREAM_REFUSED', 'the server refused the stream without looking at it')
          : this.#why(stream);
        ears.broken(transportError(what, why, { notSent: refused }));
      });
      stream.on('response', (headers: IncomingHttpHeaders & IncomingHttpStatusHeader, flags: number) => {
        answered = true;
        this.#resets = 0;
        this.#heardAt = this.#owner.env.now();
        const { ':status': status = 0 } = headers;
        ears.answered(status, headersOf(headers), {
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

  #headers({ request: { method, path }, headers }: Call): Record<string, string | string[]> {
    const all: Record<string, string | readonly string[]> = {
      ':method': method,
      ':scheme': 'https',
      ':authority': this.#owner.authority,
      ':path': path,
    };
    for (const [name, value] of Object.entries(headers)) if (!NOT_IN_H2.has(name)) all[name] = value;
    return all as Record<string, string | string[]>;
  }

  /**
   * Notes every arrival, and whether the server ended the stream.
   *
   * The platform ends the readable side for END_STREAM and for a reset with code 0 alike; but only for the former does it
   * do so while the stream is open.
   */
  #observe(stream: ClientHttp2Stream): () => boolean {
    let ended = false;
    const push = stream.push.bind(stream);
    stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (chunk !== null) this.#heardAt = this.#owner.env.now();
      else if (!stream.closed) ended = true;
      return push(chunk, encoding);
    };
    return () => ended;
  }

  /** A server, or a proxy before it, that has trouble with a connection has none with the next one, more often than not. */
  #judge(code: number | undefined, answered: boolean): void {
    if (!answered && (code === NGHTTP2_INTERNAL_ERROR || code === NGHTTP2_CANCEL)) this.#resets += 1;
    if (code === NGHTTP2_REFUSED_STREAM || this.#resets >= MOST_RESETS) this.retire();
  }

  #why(stream: ClientHttp2Stream): unknown {
    const cut = `the stream was closed before its end (code ${stream.rstCode ?? 0})`;
    return this.#endReason ?? stream.errored ?? because('ERR_STREAM_PREMATURE_CLOSE', cut);
  }

  #released(): void {
    this.#streams -= 1;
    if (this.#streams > 0) return;
    this.#idleSince = this.#owner.env.now();
    this.#wire.tcp.unref();
    this.#quiet.abort();
    this.#quiet = new AbortController();
    if (this.#leaving) this.#session.close();
    this.#owner.idle(this);
  }

  /** Runs while streams are open. A ping on its way is waited for even if they end, so that nobody inherits a dead connection. */
  async #watch(): Promise<void> {
    const { env, limits } = this.#owner;
    this.#watching = true;
    while (this.#streams > 0 && !this.#session.destroyed) {
      const ms = this.#heardAt + limits.pingAfterMs - env.now();
      if (ms > 0) await env.sleep(ms, this.#quiet.signal);
      else await this.#ping();
    }
    this.#watching = false;
  }

  #ping(): Promise<void> {
    this.#pinging ??= this.#askedForLife().finally(() => {
      this.#pinging = undefined;
    });
    return this.#pinging;
  }

  async #askedForLife(): Promise<void> {
    const { env, limits } = this.#owner;
    const before = this.bytesRead;
    const answered = new AbortController();
    this.#session.ping(() => answered.abort()); // also called when the session ends
    await env.sleep(limits.pingTimeoutMs, answered.signal);
    // When the whole process stood still, its time is over before it has read what came meanwhile.
    if (!answered.signal.aborted) await env.yield();
    // Any byte is a sign of life: the answer may be behind a lot of data.
    if (answered.signal.aborted || this.bytesRead > before) this.#heardAt = env.now();
    else this.destroy(because('ERR_PING_TIMEOUT', `ping timeout: no answer within ${limits.pingTimeoutMs} ms`));
  }
}

function headersOf(from: IncomingHttpHeaders): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined || name.startsWith(':')) continue;
    headers.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return headers;
}
