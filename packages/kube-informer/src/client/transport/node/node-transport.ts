import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { type Env, systemEnv } from '../../../core/env.ts';
import { messageOf, requireOption } from '../../../core/errors.ts';
import { isPublicAddress } from '../addresses.ts';
import type { TlsSource } from '../tls-settings.ts';
import { publishRequest, type RequestEvent } from '../diagnostics.ts';
import type { Call, Lane } from './exchange.ts';
import { limitsFrom, type NodeTransportLimits } from '../node-transport-limits.ts';
import { Pool } from './pool.ts';
import { bareHost, checkProxy } from './proxy-tunnel.ts';
import { TlsState } from './tls.ts';
import { checkRequest, describeRequest, withoutQuery } from '../request-check.ts';
import { reasonOf, wasNotSent } from '../transport-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

export interface NodeTransportOptions {
  /** Scheme, host and port count; the path belongs to the requests. */
  readonly server: URL;
  readonly tls: TlsSource;
  /** http, https (both by CONNECT) or socks5. User and password in it are used and never printed. */
  readonly proxy?: URL;
  readonly env?: Env;
  /** False: HTTP/1.1 only. @default true */
  readonly http2?: boolean;
  /** Do not ask for gzip. @default false */
  readonly disableCompression?: boolean;
  readonly limits?: Partial<NodeTransportLimits>;
  /** Connect only to addresses that `isPublicAddress` accepts, after the name was looked up. @default false */
  readonly publicAddressesOnly?: boolean;
  /** Asked for every new connection. @default the platform's, which does not remember answers */
  readonly lookup?: LookupFunction;
}

export interface NodeTransportStats {
  readonly connections: number;
  /** Requests that were sent and whose answers were not read to the end yet. */
  readonly streams: number;
  /** TLS handshakes since the start. */
  readonly handshakes: number;
}

export interface NodeTransport extends Transport {
  stats(): NodeTransportStats;
  /**
   * Reads certificate files again; resolves true when something changed. After a change of the authority new
   * connections use it and old ones end when they are no longer used; after a change of the client certificate all
   * connections end now. Done by itself before handshakes, after a handshake that failed for lack of trust, and
   * every minute while requests run.
   */
  refreshTls(): Promise<boolean>;
}

/** Beyond this a server that keeps refusing streams is not asked again by us. */
const MOST_SENDS = 3;
/** Before the second send of a refused request; twice as long before the third. */
const REFUSED_PAUSE_MS = 50;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** A connection that died before the server said a word on it. */
const DIED: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);

/**
 * Connects to one server as one user: HTTP/2 where the server offers it, HTTP/1.1 otherwise.
 *
 * Opens nothing before the first request. The kept connections do not keep the process alive while no request runs.
 */
export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const { server, proxy } = options;
  const known = server.protocol === 'https:' || server.protocol === 'http:';
  requireOption(known, 'server', 'an http or https URL', server.protocol);
  if (proxy !== undefined) checkProxy(proxy);
  // Through a proxy nobody could check the address that is connected to.
  const isChecked = options.publicAddressesOnly !== true || proxy === undefined;
  requireOption(isChecked, 'publicAddressesOnly', 'no proxy beside it', 'one');
  return new PooledTransport(options);
}

type Outcome = Pick<RequestEvent, 'protocol' | 'status' | 'error'>;

/**
 * Sends each request on a connection of the pool.
 *
 * A request is put on the wire a second time in two cases only, both the pool's business and invisible above: the
 * server said it did not look at it (refused stream, GOAWAY), or a kept connection turned out to be dead before a
 * single byte came back and the request changes nothing (GET, HEAD, OPTIONS). Who was refused waits a little first.
 */
class PooledTransport implements NodeTransport {
  readonly #options: NodeTransportOptions;
  readonly #env: Env;
  readonly #limits: NodeTransportLimits;
  readonly #pool: Pool;
  #streams = 0;
  #busy = new AbortController();

  constructor(options: NodeTransportOptions) {
    const { server, tls, proxy, env = systemEnv, http2 = true, limits = {}, lookup, publicAddressesOnly } = options;
    this.#options = options;
    this.#env = env;
    this.#limits = limitsFrom(limits);
    const secure = server.protocol === 'https:';
    const target = { host: bareHost(server), port: Number(server.port) || (secure ? 443 : 80) };
    this.#pool = new Pool({
      env,
      limits: this.#limits,
      route: {
        target,
        proxy,
        lookup,
        accepts: publicAddressesOnly === true ? isPublicAddress : undefined,
        tcpKeepAliveMs: this.#limits.tcpKeepAliveMs,
      },
      origin: server.origin,
      authority: server.host,
      tls: secure ? new TlsState(tls, target.host, env) : undefined,
      http2,
    });
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    checkRequest(request);
    // A hundred watches under one signal are no leak, whatever the platform's guess says.
    setMaxListeners(0, request.signal);
    const what = describeRequest(request);
    const safe = SAFE.has(request.method);
    for (let sends = 1; ; sends += 1) {
      const began = this.#env.now();
      const tell = (outcome: Outcome): void => this.#publish(request, sends, began, outcome);
      let lane: Lane | undefined;
      let heard = 0;
      try {
        lane = await this.#pool.acquire(request.signal, what, !safe);
        heard = lane.bytesRead;
        const answer = await lane.send(this.#call(request, what));
        tell({ protocol: lane.protocol, status: answer.status });
        return answer;
      } catch (error) {
        const reason = reasonOf(error) ?? 'TRANSPORT';
        tell({ ...(lane === undefined ? {} : { protocol: lane.protocol }), error: reason });
        if (lane === undefined || sends >= MOST_SENDS || request.signal.aborted) throw error;
        const stale = safe && lane.reused && lane.bytesRead === heard && DIED.has(reason);
        if (!stale && !wasNotSent(error)) throw error;
        this.#pool.dropIdle();
        if (reason === 'ERR_HTTP2_STREAM_REFUSED') await this.#pause(sends, request.signal);
      }
    }
  }

  close(): Promise<void> {
    this.#busy.abort();
    return this.#pool.close();
  }

  stats(): NodeTransportStats {
    return { connections: this.#pool.connections, streams: this.#streams, handshakes: this.#pool.handshakes };
  }

  refreshTls(): Promise<boolean> {
    return this.#pool.refreshTls();
  }

  #call(request: TransportRequest, what: string): Call {
    const headers: Record<string, string | readonly string[]> = { ...request.headers };
    if (this.#options.disableCompression !== true) headers['accept-encoding'] ??= 'gzip';
    const { body } = request;
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    this.#streams += 1;
    if (this.#streams === 1) void this.#lookAtCertificates();
    const onDone = (): void => {
      this.#streams -= 1;
      if (this.#streams > 0) return;
      this.#busy.abort();
      this.#busy = new AbortController();
    };
    return { request, what, headers, env: this.#env, limits: this.#limits, onDone };
  }

  /** A watch may run for an hour; a certificate must not have to wait for it. */
  async #lookAtCertificates(): Promise<void> {
    const { tlsRefreshMs } = this.#limits;
    const { signal } = this.#busy;
    if (tlsRefreshMs === 0 || this.#options.server.protocol !== 'https:') return;
    for (;;) {
      await this.#env.sleep(tlsRefreshMs, signal);
      if (signal.aborted) return;
      await this.refreshTls().catch((error: unknown) => {
        this.#env.log('warn', 'certificate files could not be read again', { error: messageOf(error) });
      });
    }
  }

  /** Of different lengths, so that all who were refused together do not come back together. */
  #pause(sends: number, signal: AbortSignal): Promise<void> {
    return this.#env.sleep(REFUSED_PAUSE_MS * sends * (0.5 + this.#env.random()), signal);
  }

  #publish({ method, path }: TransportRequest, attempt: number, began: number, outcome: Outcome): void {
    const { origin: server } = this.#options.server;
    const ms = this.#env.now() - began;
    publishRequest(() => ({ method, path: withoutQuery(path), server, attempt, ms, ...outcome }));
  }
}
