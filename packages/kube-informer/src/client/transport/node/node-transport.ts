import type { UserCode } from '../../../core/guarded.ts';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { NOT_NEEDED } from '../../../core/async/abort.ts';
import { defined } from '../../../core/defined.ts';
import { type Env, guardedEnv, systemEnv } from '../../../core/env.ts';
import { errorMessageOf, requireOption } from '../../../core/errors.ts';
import { addressWithoutBrackets, isPublicAddress } from '../addresses.ts';
import type { TlsSource } from '../tls-settings.ts';
import { publishRequestDiagnostics, type RequestEvent } from '../diagnostics.ts';
import type { HttpConnection, OutgoingRequest } from './exchange.ts';
import { checkedTransportLimits, type NodeTransportLimits } from '../node-transport-limits.ts';
import { Pool } from './pool.ts';
import { checkProxyTunnel } from './proxy-tunnel.ts';
import { TlsState } from './tls.ts';
import { checkRequest, describeCheckedRequest, pathOfCheckedRequest } from '../request-check.ts';
import { transportFailureReason, isUnsentTransportFailure } from '../transport-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

export interface NodeTransportOptions {
  /** URL of the server. Only scheme, host and port are used; the path belongs to the requests. */
  readonly server: URL;
  readonly tls: TlsSource;
  /** http, https (both by CONNECT) or socks5. User and password in it are used and never printed. */
  readonly proxy?: URL;
  readonly env?: UserCode<Env>;
  /** False for HTTP/1.1 only. @default true */
  readonly http2?: boolean;
  /** Does not request gzip. @default false */
  readonly disableCompression?: boolean;
  readonly limits?: Partial<NodeTransportLimits>;
  /** Connects only to addresses that `isPublicAddress` accepts, checked after the lookup. @default false */
  readonly publicAddressesOnly?: boolean;
  /** Called for every new connection. @default Node's lookup, which does not cache */
  readonly lookup?: LookupFunction;
}

export interface NodeTransportStats {
  readonly connections: number;
  /** Requests whose response was not read to the end yet. */
  readonly streams: number;
  /** TLS handshakes since the start. */
  readonly handshakes: number;
}

export interface NodeTransport extends Transport {
  stats(): NodeTransportStats;
  /**
   * Reads certificate files again; resolves true when something changed. A new authority applies to new connections, and
   * old ones close when their requests end; a new client certificate closes all connections now. Happens automatically
   * before handshakes, after a handshake that failed for lack of trust, and every minute while requests run.
   */
  refreshTls(): Promise<boolean>;
}

/** Maximum number of times a request is sent when the server keeps refusing its stream. */
const MAX_SENDS = 3;
/** Pause before a refused request is sent again; twice as long before the third time. */
const REFUSED_PAUSE_MS = 50;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Codes of a connection that died before a byte of the response came. */
const DIED: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);

/**
 * Connects to one server as one user: HTTP/2 where the server offers it, HTTP/1.1 otherwise.
 *
 * Opens no connection before the first request. Idle connections do not keep the process alive.
 */
export function createNodeTransport(options: NodeTransportOptions): NodeTransport {
  const { server, proxy } = options;
  const known = server.protocol === 'https:' || server.protocol === 'http:';
  requireOption(known, 'server', 'an http or https URL', server.protocol);
  if (proxy !== undefined) checkProxyTunnel(proxy);
  // A proxy does the lookup itself, so the address could not be checked.
  const isChecked = options.publicAddressesOnly !== true || proxy === undefined;
  requireOption(isChecked, 'publicAddressesOnly', 'no proxy with it', 'a proxy');
  return new PooledTransport(options);
}

type Outcome = Pick<RequestEvent, 'protocol' | 'status' | 'error'>;

/**
 * Sends each request on a connection of the pool.
 *
 * Sends a request again in two cases only, both invisible to the caller: the server did not process it (refused stream,
 * GOAWAY), or a reused connection was dead before a byte came back and the request changes nothing (GET, HEAD, OPTIONS).
 * Pauses before it repeats a refused request.
 */
class PooledTransport implements NodeTransport {
  readonly #options: NodeTransportOptions;
  readonly #env: Env;
  readonly #limits: NodeTransportLimits;
  readonly #pool: Pool;
  #streams = 0;
  #busy = new AbortController();

  constructor(options: NodeTransportOptions) {
    const { server, tls, proxy, http2 = true, limits = {}, lookup, publicAddressesOnly } = options;
    const env = guardedEnv(options.env ?? systemEnv);
    this.#options = options;
    this.#env = env;
    this.#limits = checkedTransportLimits(limits);
    const secure = server.protocol === 'https:';
    const target = { host: addressWithoutBrackets(server), port: Number(server.port) || (secure ? 443 : 80) };
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
    // Many requests under one signal are not a leak; turns off Node's warning.
    setMaxListeners(0, request.signal);
    const what = describeCheckedRequest(request);
    const safe = SAFE.has(request.method);
    for (let sends = 1; ; sends += 1) {
      const began = this.#env.now();
      const publish = (outcome: Outcome): void => this.#publish(request, sends, began, outcome);
      let connection: HttpConnection | undefined;
      let bytesBefore = 0;
      try {
        connection = await this.#pool.acquire(request.signal, what, !safe);
        bytesBefore = connection.bytesRead;
        const response = await connection.send(this.#outgoing(request, what));
        publish({ protocol: connection.protocol, status: response.status });
        return response;
      } catch (error) {
        const reason = transportFailureReason(error) ?? 'TRANSPORT';
        publish(defined({ protocol: connection?.protocol, error: reason }));
        if (connection === undefined || sends >= MAX_SENDS || request.signal.aborted) throw error;
        const stale = safe && connection.reused && connection.bytesRead === bytesBefore && DIED.has(reason);
        if (!stale && !isUnsentTransportFailure(error)) throw error;
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

  #outgoing(request: TransportRequest, what: string): OutgoingRequest {
    const headers: Record<string, string | readonly string[]> = { ...request.headers };
    if (this.#options.disableCompression !== true) headers['accept-encoding'] ??= 'gzip';
    const { body } = request;
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    this.#streams += 1;
    if (this.#streams === 1) void this.#refreshTlsWhileBusy();
    const onDone = (): void => {
      this.#streams -= 1;
      if (this.#streams > 0) return;
      this.#busy.abort(NOT_NEEDED);
      this.#busy = new AbortController();
    };
    return { request, what, headers, env: this.#env, limits: this.#limits, onDone };
  }

  /** Reads certificate files while requests run: a rotation must not wait for a watch that lasts an hour. */
  async #refreshTlsWhileBusy(): Promise<void> {
    const { tlsRefreshMs } = this.#limits;
    const { signal } = this.#busy;
    if (tlsRefreshMs === 0 || this.#options.server.protocol !== 'https:') return;
    for (;;) {
      await this.#env.sleep(tlsRefreshMs, signal);
      if (signal.aborted) return;
      await this.refreshTls().catch((error: unknown) => {
        this.#env.log('warn', 'certificate files could not be read again', { error: errorMessageOf(error) });
      });
    }
  }

  /** Jittered, so that requests refused together are not sent again together. */
  #pause(sends: number, signal: AbortSignal): Promise<void> {
    return this.#env.sleep(REFUSED_PAUSE_MS * sends * (0.5 + this.#env.random()), signal);
  }

  #publish({ method, path }: TransportRequest, attempt: number, began: number, outcome: Outcome): void {
    const { origin: server } = this.#options.server;
    const ms = this.#env.now() - began;
    publishRequestDiagnostics(() => ({ method, path: pathOfCheckedRequest(path), server, attempt, ms, ...outcome }));
  }
}
