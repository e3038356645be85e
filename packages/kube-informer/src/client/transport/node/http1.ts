import type { ClientRequest, IncomingMessage } from 'node:http';
// From node:https, also for plain sockets: importing node:http makes Node 26 load its fetch and WebSocket, some 35 ms.
import { request as httpRequest } from 'node:https';
import { TLSSocket } from 'node:tls';
import type { Env } from '../../../core/env.ts';
import type { Wire } from './dial.ts';
import { exchange, type HttpConnection, type OutgoingRequest } from './exchange.ts';
import { transportFailureCause, transportFailure } from '../transport-failure.ts';
import type { TransportResponse } from '../transport.ts';

/** The owner of a connection: the pool. */
export interface H1Owner {
  readonly env: Env;
  /** Value of the `host` header. */
  readonly authority: string;
  /** Called when the connection is free for the next request. */
  released(connection: H1Connection): void;
  closed(connection: H1Connection): void;
}

/**
 * One HTTP/1.1 connection: one request at a time, reused after the response was read to its end.
 *
 * While idle it does not keep the process alive, and an unexpected byte from the server closes it.
 */
export class H1Connection implements HttpConnection {
  readonly protocol = 'http/1.1' as const;
  readonly #wire: Wire;
  readonly #owner: H1Owner;
  #busy = false;
  #retiring = false;
  #served = 0;
  #idleSince = 0;
  #serverIdleMs = Number.POSITIVE_INFINITY;
  #endReason: unknown;

  constructor(wire: Wire, owner: H1Owner) {
    this.#wire = wire;
    this.#owner = owner;
    const { socket } = wire;
    // node:http emits `free` when the connection may carry another request.
    socket.on('free', () => this.#onFree());
    socket.on('error', (error) => {
      this.#endReason ??= error;
    });
    socket.on('close', () => owner.closed(this));
    this.#becomeIdle();
  }

  get reused(): boolean {
    return this.#served > 1;
  }

  get #isPlain(): boolean {
    return !(this.#wire.socket instanceof TLSSocket);
  }

  get bytesRead(): number {
    return this.#wire.socket.bytesRead;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Whether it is open in both directions, as far as known. */
  get open(): boolean {
    const { socket } = this.#wire;
    return !socket.destroyed && socket.writable && !socket.readableEnded;
  }

  /** Whether it is open, and idle for less than `idleMs` and the server's own keep-alive timeout. */
  usable(idleMs: number): boolean {
    return this.open && this.#owner.env.now() - this.#idleSince < Math.min(idleMs, this.#serverIdleMs);
  }

  take(): void {
    this.#busy = true;
    this.#served += 1;
    this.#wire.tcp.ref();
    this.#wire.socket.removeListener('data', this.#closeOnData);
  }

  /** Closes after the current request, or now if there is none. */
  retire(): void {
    this.#retiring = true;
    if (!this.#busy) this.destroy();
  }

  destroy(reason?: Error): void {
    this.#endReason ??= reason;
    this.#wire.socket.destroy();
    this.#wire.tcp.destroy();
  }

  send(outgoing: OutgoingRequest): Promise<TransportResponse> {
    const { request, what } = outgoing;
    return exchange(outgoing, (listener) => {
      let failure: unknown;
      const why = (): unknown => this.#endReason ?? failure;
      const turn = this.#served;
      // A compressed body may still be read when the connection already carries the next request.
      const cancel = (): void => {
        if (this.#busy && this.#served === turn) this.destroy();
      };
      const asking = this.#open(outgoing);
      asking.on('error', (error) => {
        failure ??= error;
        listener.onError(transportFailure(what, why(), { plain: this.#isPlain && !this.reused }));
      });
      // The request did not ask for another protocol. Node would drop the connection, and the request would wait for its timeout.
      asking.on('upgrade', (_, socket) => {
        socket.destroy();
        const cause = transportFailureCause(
          'ERR_UPGRADE',
          'the server switches to another protocol; is there a proxy in between?',
        );
        listener.onError(transportFailure(what, cause));
      });
      asking.on('response', (response) => {
        const { statusCode = 0 } = response;
        const headers = http1Headers(response.rawHeaders);
        const [, seconds] = /\btimeout=(\d{1,6})\b/i.exec(headers.get('keep-alive') ?? '') ?? [];
        // The server's timeout began when it sent the response; one second allows for the network.
        if (seconds !== undefined) this.#serverIdleMs = Number(seconds) * 1_000 - 1_000;
        listener.onResponse(statusCode, headers, {
          stream: response,
          pinged: false,
          complete: () => response.complete,
          failure: why,
          cancel,
          leave: () => (response.complete ? drainHttp1Response(response) : Promise.resolve(cancel())),
        });
      });
      asking.end(request.body);
      return cancel;
    });
  }

  #open({ request: { method, path }, headers }: OutgoingRequest): ClientRequest {
    const all = { ...headers, host: this.#owner.authority, connection: 'keep-alive' };
    return httpRequest({
      method,
      path,
      headers: all as Record<string, string | string[]>,
      setHost: false,
      createConnection: () => this.#wire.socket,
    });
  }

  #onFree(): void {
    if (this.#retiring) return this.destroy();
    this.#becomeIdle();
    this.#owner.released(this);
  }

  #becomeIdle(): void {
    this.#busy = false;
    this.#idleSince = this.#owner.env.now();
    this.#wire.tcp.unref();
    this.#wire.socket.on('data', this.#closeOnData);
  }

  readonly #closeOnData = (): void => this.destroy();
}

/** Reads the bytes that have arrived; then the connection is free. */
async function drainHttp1Response(response: IncomingMessage): Promise<void> {
  if (response.readableEnded) return;
  const end = new Promise((resolve) => response.once('end', resolve));
  while (response.read() !== null);
  await end;
}

function http1Headers(raw: IncomingMessage['rawHeaders']): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
