import { channel } from 'node:diagnostics_channel';
import { linkedAbort, untilAborted } from '../../../core/async/abort.ts';
import type { Env } from '../../../core/env.ts';
import { abortError, hasCode, KubeError, messageOf } from '../../../core/errors.ts';
import { dial, type Route } from './dial.ts';
import type { Lane } from './exchange.ts';
import { H1Connection } from './http1.ts';
import { H2Connection } from './http2.ts';
import { after, type NodeTransportLimits } from '../node-transport-limits.ts';
import type { TlsState } from './tls.ts';
import { because, isTrustFailure, transportError } from '../transport-failure.ts';

export interface PoolOptions {
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  readonly route: Route;
  readonly origin: string;
  /** What the server is called in requests. */
  readonly authority: string;
  /** Undefined: the server speaks plain HTTP. */
  readonly tls: TlsState | undefined;
  readonly http2: boolean;
}

/** A connection being made, and how many wait for it. */
interface Dial {
  readonly done: Promise<void>;
  readonly stop: AbortController;
  waiting: number;
}

type Connection = H1Connection | H2Connection;

/** Streams expected of a server not met yet; kube-apiserver's own number. */
const EXPECTED_STREAMS = 100;
/** An unused HTTP/2 connection is given up when another one has this much room. */
const ROOM_ENOUGH = 10;

const events = channel('kube-informer:connection');

/**
 * The connections to one server.
 *
 * HTTP/2: requests share connections, each as full as the server allows; when all are full another is made. HTTP/1.1:
 * one request per connection, unused ones are used again. Nobody waits for somebody else's request to end: the only
 * wait is for a connection being made, and if all who wait for it leave, it is given up.
 *
 * Room rule: connections and who may use them. Knows nothing of what requests mean.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #sessions = new Set<H2Connection>();
  /** In order of their last use. */
  readonly #sockets = new Set<H1Connection>();
  readonly #dials = new Set<Dial>();
  /** Goes up when certificates change; a connection made with older ones is not used. */
  #generation = 0;
  #speaks: 'unknown' | 'h1' | 'h2';
  #seats = EXPECTED_STREAMS;
  #handshakes = 0;
  #closed = false;
  #emptied = (): void => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#speaks = options.tls === undefined || !options.http2 ? 'h1' : 'unknown';
  }

  get connections(): number {
    return this.#sessions.size + this.#sockets.size;
  }

  get handshakes(): number {
    return this.#handshakes;
  }

  /**
   * A connection for one request, taken in its name. `careful`: a used one is looked at twice, because the request must
   * not be sent again if it turns out to be dead.
   */
  async acquire(signal: AbortSignal, what: string, careful: boolean): Promise<Lane> {
    for (;;) {
      if (signal.aborted) throw abortError(signal, what);
      if (this.#closed) throw new KubeError('ILLEGAL_STATE', `${what}: the transport is closed`);
      // Credentials are asked for before a request is sent; a certificate that came with them is for this one already.
      this.#adopt();
      const lane = this.#take();
      if (lane !== undefined) {
        if (!careful || (await this.#lives(lane, signal, what))) return lane;
        continue;
      }
      try {
        await this.#wait(this.#joinable() ?? this.#start(), signal, what);
      } catch (error) {
        throw hasCode(error, 'ABORTED') ? error : transportError(what, error, { notSent: true });
      }
    }
  }

  /** Drops unused HTTP/1.1 connections: one of them was found dead, and it is seldom alone. */
  dropIdle(): void {
    for (const socket of this.#sockets) if (!socket.busy) socket.destroy();
  }

  /** Reads certificate files again. Resolves true when something changed. */
  async refreshTls(): Promise<boolean> {
    await this.#options.tls?.refresh();
    return this.#adopt();
  }

  /** Ends all connections; resolves when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    const reason = because('ERR_TRANSPORT_CLOSED', 'the transport was closed');
    for (const { stop } of this.#dials) stop.abort(reason);
    this.#destroyAll(reason);
    if (this.connections === 0) return;
    await new Promise<void>((resolve) => {
      const before = this.#emptied;
      this.#emptied = () => {
        before();
        resolve();
      };
    });
  }

  #take(): Connection | undefined {
    for (const session of this.#sessions) {
      // Not `retire`: if the way to the server is dead, a polite end never comes.
      if (session.stale) session.destroy();
      if (session.room === 0) continue;
      session.take();
      return session;
    }
    // The one used last is the least likely to be dead.
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

  /** HTTP/2: asks, if it was quiet for long. HTTP/1.1: lets the news of a closed connection arrive, if it is on this machine already. */
  async #lives(lane: Connection, signal: AbortSignal, what: string): Promise<boolean> {
    if (lane instanceof H2Connection) {
      let lives = false;
      try {
        lives = await untilAborted(lane.lives(), signal, what);
      } finally {
        if (!lives) lane.giveBack();
      }
      return lives;
    }
    if (!lane.reused) return true;
    // Two turns: the first may end before the sockets were asked.
    await this.#options.env.yield();
    await this.#options.env.yield();
    if (lane.open) return true;
    lane.destroy();
    return false;
  }

  /** A connection being made that will have room for one more. */
  #joinable(): Dial | undefined {
    if (this.#speaks === 'h1') return undefined;
    for (const candidate of this.#dials) if (candidate.waiting < this.#seats) return candidate;
    return undefined;
  }

  #start(): Dial {
    const stop = new AbortController();
    const started: Dial = { stop, waiting: 0, done: this.#connect(stop.signal) };
    this.#dials.add(started);
    const forget = (): void => void this.#dials.delete(started);
    started.done.then(forget, forget);
    return started;
  }

  async #wait(joined: Dial, signal: AbortSignal, what: string): Promise<void> {
    joined.waiting += 1;
    try {
      await untilAborted(joined.done, signal, what);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        this.#dials.delete(joined); // nobody may join what is being given up
        joined.stop.abort(new Error('nobody waits for this connection any more'));
      }
    }
  }

  /** Makes one connection and adds it. Certificates that changed meanwhile mean: once more. */
  async #connect(signal: AbortSignal): Promise<void> {
    const { tls } = this.#options;
    for (let refreshed = false; ;) {
      await tls?.refreshForHandshake();
      this.#adopt();
      const generation = this.#generation;
      try {
        const made = await this.#make(signal);
        if (generation === this.#generation && !signal.aborted) return this.#add(made);
        made.destroy();
        signal.throwIfAborted();
      } catch (error) {
        // The server may have new certificates of a new authority, which is in the file already.
        if (refreshed || signal.aborted || !isTrustFailure(error)) throw error;
        refreshed = true;
        await this.#refreshQuietly();
        if (generation === this.#generation) throw error;
      }
    }
  }

  async #make(signal: AbortSignal): Promise<Connection> {
    const { env, limits, route, tls, http2, origin, authority } = this.#options;
    const end = linkedAbort(signal);
    const ms = limits.connectTimeoutMs;
    const inTime = after(env, ms, () => end.abort(because('ERR_CONNECT_TIMEOUT', `no connection within ${ms} ms`)));
    const closed = (connection: Connection): void => this.#remove(connection);
    try {
      const wire = await dial(route, tls?.view(), http2 ? ['h2', 'http/1.1'] : ['http/1.1'], end.signal);
      if (tls !== undefined) this.#handshakes += 1;
      if (wire.protocol === 'http/1.1') {
        return new H1Connection(wire, { env, authority, closed, released: (socket) => this.#released(socket) });
      }
      const idle = (session: H2Connection): void => this.#idle(session);
      return await H2Connection.open(wire, { env, limits, origin, authority, idle, closed }, end.signal);
    } finally {
      inTime();
      end[Symbol.dispose]();
    }
  }

  #add(made: Connection): void {
    if (made instanceof H2Connection) {
      if (made.most === 0) {
        made.destroy();
        throw because('ERR_HTTP2_NO_STREAMS', 'the server allows no HTTP/2 stream');
      }
      this.#speaks = 'h2';
      this.#seats = made.most;
      this.#sessions.add(made);
    } else {
      this.#speaks = 'h1';
      this.#sockets.add(made);
    }
    this.#publish('open', made);
  }

  #remove(connection: Connection): void {
    const known = this.#sessions.delete(connection as H2Connection) || this.#sockets.delete(connection as H1Connection);
    if (known) this.#publish('close', connection);
    if (this.connections === 0) this.#emptied();
  }

  #released(socket: H1Connection): void {
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

  #idle(session: H2Connection): void {
    for (const other of this.#sessions) if (other !== session && other.room >= ROOM_ENOUGH) return session.retire();
  }

  async #refreshQuietly(): Promise<void> {
    await this.refreshTls().catch((error: unknown) => {
      this.#options.env.log('warn', 'certificate files could not be read again', { error: messageOf(error) });
    });
  }

  /** Takes over changed certificates: what was made with the old ones ends, at once or when it is no longer used. */
  #adopt(): boolean {
    const change = this.#options.tls?.look() ?? 'none';
    if (change === 'none') return false;
    this.#generation += 1;
    if (change === 'identity') {
      this.#destroyAll(because('ERR_CERTIFICATE_CHANGED', 'the client certificate was replaced by a new one'));
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
