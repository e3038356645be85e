import { channel } from 'node:diagnostics_channel';
import { linkedAbort, untilAborted } from '../../../core/async/abort.ts';
import type { Env } from '../../../core/env.ts';
import { abortError, hasCode, KubeError, errorMessageOf } from '../../../core/errors.ts';
import { dial, type Route } from './dial.ts';
import type { HttpConnection } from './exchange.ts';
import { H1Connection } from './http1.ts';
import { H2Connection } from './http2.ts';
import type { NodeTransportLimits } from '../node-transport-limits.ts';
import { startTimeout } from '../timeout.ts';
import type { TlsState } from './tls.ts';
import { transportFailureCause, isTransportTrustFailure, transportFailure } from '../transport-failure.ts';

export interface PoolOptions {
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  readonly route: Route;
  readonly origin: string;
  /** Host and port, for the `host` or `:authority` header. */
  readonly authority: string;
  /** Undefined for plain HTTP. */
  readonly tls: TlsState | undefined;
  readonly http2: boolean;
}

/** A connection being opened. */
interface Dial {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  /** Requests that wait for it. */
  waiting: number;
}

type Connection = H1Connection | H2Connection;

/** Streams assumed to fit on the first connection; kube-apiserver's default. */
const EXPECTED_STREAMS = 100;
/** An idle HTTP/2 connection is closed when another one has this many free streams. */
const ENOUGH_FREE_STREAMS = 10;

const events = channel('kube-informer:connection');

/**
 * The connections to one server.
 *
 * HTTP/2: requests share connections, up to the server's maximum of streams; when all are full, another is opened.
 * HTTP/1.1: one request per connection, idle ones are reused. A request never waits for another request to end, only for
 * a connection that is being opened; when no request waits for it any more, opening it is cancelled.
 *
 * Room rule: knows connections and their use. Nothing of the meaning of requests.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<H2Connection>();
  /** Connections, least recently used first. */
  readonly #sockets = new Set<H1Connection>();
  readonly #dials = new Set<Dial>();
  /** Incremented when certificates change; a connection opened with older ones is not used. */
  #generation = 0;
  #protocol: 'unknown' | 'h1' | 'h2';
  #expectedStreams = EXPECTED_STREAMS;
  #handshakes = 0;
  #closed = false;
  #onEmpty = (): void => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#protocol = options.tls === undefined || !options.http2 ? 'h1' : 'unknown';
  }

  get connections(): number {
    return this.#sessions.size + this.#sockets.size;
  }

  get handshakes(): number {
    return this.#handshakes;
  }

  /**
   * Reserves a connection for one request. `careful`: checks that a reused connection is alive, because the request must
   * not be sent a second time.
   */
  async acquire(signal: AbortSignal, what: string, careful: boolean): Promise<HttpConnection> {
    for (;;) {
      if (signal.aborted) throw abortError(signal, what);
      if (this.#closed) throw new KubeError('ILLEGAL_STATE', `${what}: the transport is closed`);
      // A credential plugin may just have renewed the client certificate for this request.
      this.#adoptTls();
      const connection = this.#take();
      if (connection !== undefined) {
        if (!careful || (await this.#isAlive(connection, signal, what))) return connection;
        continue;
      }
      try {
        await this.#waitForDial(this.#joinableDial() ?? this.#startDial(), signal, what);
      } catch (error) {
        throw hasCode(error, 'ABORTED') ? error : transportFailure(what, error, { notSent: true });
      }
    }
  }

  /** Closes idle HTTP/1.1 connections. When one is found dead, the others usually are too. */
  dropIdle(): void {
    for (const socket of this.#sockets) if (!socket.busy) socket.destroy();
  }

  /** Reads certificate files again. Resolves true when something changed. */
  async refreshTls(): Promise<boolean> {
    await this.#options.tls?.refresh();
    return this.#adoptTls();
  }

  /** Closes all connections; resolves when they are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = transportFailureCause('ERR_TRANSPORT_CLOSED', 'the transport was closed');
    for (const { stop } of this.#dials) stop.abort(reason);
    this.#destroyAll(reason);
    if (this.connections === 0) return;
    await new Promise<void>((resolve) => {
      const before = this.#onEmpty;
      this.#onEmpty = () => {
        before();
        resolve();
      };
    });
  }

  #take(): Connection | undefined {
    for (const session of this.#sessions) {
      // Not `retire`: a graceful close never completes on a dead connection.
      if (session.stale) session.destroy();
      if (session.freeStreams === 0) continue;
      session.take();
      return session;
    }
    // The most recently used one is the least likely to be dead.
    for (const socket of [...this.#sockets].reverse()) {
      if (socket.busy) continue;
      if (socket.usable(this.#options.limits.idleSocketMs)) {
        socket.take();
        return socket;
      }
      socket.destroy();
    }
    return undefined;
  }

  /**
   * Whether a reused connection is alive. HTTP/2: pings, if no byte came for a while. HTTP/1.1: lets Node
   * process a close that has already arrived.
   */
  async #isAlive(connection: Connection, signal: AbortSignal, what: string): Promise<boolean> {
    if (connection instanceof H2Connection) {
      let isAlive = false;
      try {
        isAlive = await untilAborted(connection.isAlive(), signal, what);
      } finally {
        if (!isAlive) connection.giveBack();
      }
      return isAlive;
    }
    if (!connection.reused) return true;
    // Two turns: the first may end before the event loop polls the sockets.
    await this.#options.env.yield();
    await this.#options.env.yield();
    if (connection.open) return true;
    connection.destroy();
    return false;
  }

  /** A connection being opened that will have a stream for one more request. */
  #joinableDial(): Dial | undefined {
    if (this.#protocol === 'h1') return undefined;
    for (const candidate of this.#dials) if (candidate.waiting < this.#expectedStreams) return candidate;
    return undefined;
  }

  #startDial(): Dial {
    const stop = new AbortController();
    const started: Dial = { stop, waiting: 0, done: this.#connect(stop.signal) };
    this.#dials.add(started);
    const forget = (): void => void this.#dials.delete(started);
    started.done.then(forget, forget);
    return started;
  }

  async #waitForDial(joined: Dial, signal: AbortSignal, what: string): Promise<void> {
    joined.waiting += 1;
    try {
      await untilAborted(joined.done, signal, what);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        this.#dials.delete(joined); // first, so that no request joins a cancelled dial
        joined.stop.abort(new Error('no request waits for this connection any more'));
      }
    }
  }

  /** Opens a connection and adds it; opens another if certificates changed meanwhile. */
  async #connect(signal: AbortSignal): Promise<void> {
    const { tls } = this.#options;
    for (let refreshed = false; ;) {
      await tls?.refreshForHandshake();
      this.#adoptTls();
      const generation = this.#generation;
      try {
        const made = await this.#openConnection(signal);
        if (generation === this.#generation && !signal.aborted) return this.#add(made);
        made.destroy();
        signal.throwIfAborted();
      } catch (error) {
        // The server may use a new authority that is already in the file.
        if (refreshed || signal.aborted || !isTransportTrustFailure(error)) throw error;
        refreshed = true;
        await this.#refreshQuietly();
        if (generation === this.#generation) throw error;
      }
    }
  }

  async #openConnection(signal: AbortSignal): Promise<Connection> {
    const { env, limits, route, tls, http2, origin, authority } = this.#options;
    const end = linkedAbort(signal);
    const ms = limits.connectTimeoutMs;
    const cancelTimeout = startTimeout(env, ms, () =>
      end.abort(transportFailureCause('ERR_CONNECT_TIMEOUT', `no connection within ${ms} ms`)),
    );
    const closed = (connection: Connection): void => this.#remove(connection);
    try {
      // Reading the certificates takes milliseconds, and the first request of a program as many: each gets a turn of its own.
      await env.yield();
      const wire = await dial(route, tls?.view(), http2 ? ['h2', 'http/1.1'] : ['http/1.1'], end.signal);
      if (tls !== undefined) this.#handshakes += 1;
      if (wire.protocol === 'http/1.1') {
        return new H1Connection(wire, { env, authority, closed, released: (socket) => this.#onReleased(socket) });
      }
      const idle = (session: H2Connection): void => this.#onIdle(session);
      return await H2Connection.open(wire, { env, limits, origin, authority, idle, closed }, end.signal);
    } finally {
      cancelTimeout();
      end[Symbol.dispose]();
    }
  }

  #add(made: Connection): void {
    if (made instanceof H2Connection) {
      if (made.maxStreams === 0) {
        made.destroy();
        throw transportFailureCause('ERR_HTTP2_NO_STREAMS', 'the server allows no HTTP/2 streams');
      }
      this.#protocol = 'h2';
      this.#expectedStreams = made.maxStreams;
      this.#sessions.add(made);
    } else {
      this.#protocol = 'h1';
      this.#sockets.add(made);
    }
    this.#publish('open', made);
  }

  #remove(connection: Connection): void {
    const known = this.#sessions.delete(connection as H2Connection) || this.#sockets.delete(connection as H1Connection);
    if (known) this.#publish('close', connection);
    if (this.connections === 0) this.#onEmpty();
  }

  #onReleased(socket: H1Connection): void {
    this.#sockets.delete(socket);
    this.#sockets.add(socket);
    let spare = [...this.#sockets].filter(({ busy }) => !busy).length - this.#options.limits.maxIdleSockets;
    for (const oldest of this.#sockets) {
      if (spare <= 0) return;
      if (oldest.busy) continue;
      oldest.destroy();
      spare -= 1;
    }
  }

  #onIdle(session: H2Connection): void {
    for (const other of this.#sessions)
      if (other !== session && other.freeStreams >= ENOUGH_FREE_STREAMS) return session.retire();
  }

  async #refreshQuietly(): Promise<void> {
    await this.refreshTls().catch((error: unknown) => {
      this.#options.env.log('warn', 'certificate files could not be read again', { error: errorMessageOf(error) });
    });
  }

  /** Adopts changed certificates. Connections with old ones close now (client certificate) or when they are idle (authority). */
  #adoptTls(): boolean {
    const change = this.#options.tls?.adopt() ?? 'none';
    if (change === 'none') return false;
    this.#generation += 1;
    if (change === 'certificate') {
      this.#destroyAll(
        transportFailureCause('ERR_CERTIFICATE_CHANGED', 'the client certificate was replaced by a new one'),
      );
    } else {
      for (const connection of [...this.#sessions, ...this.#sockets]) connection.retire();
    }
    return true;
  }

  #destroyAll(reason: Error): void {
    for (const connection of [...this.#sessions, ...this.#sockets]) connection.destroy(reason);
  }

  #publish(type: 'open' | 'close', { protocol }: Connection): void {
    if (events.hasSubscribers) events.publish({ type, protocol, server: this.#options.origin });
  }
}
