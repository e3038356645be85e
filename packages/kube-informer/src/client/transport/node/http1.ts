import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Env } from '../../../core/env.ts';
import type { Wire } from './dial.ts';
import { type Call, exchange, type Lane } from './exchange.ts';
import { transportError } from '../transport-failure.ts';
import type { TransportResponse } from '../transport.ts';

/** Who owns the connection. */
export interface H1Owner {
  readonly env: Env;
  /** `host` header. */
  readonly authority: string;
  /** Free for the next request. */
  released(connection: H1Connection): void;
  closed(connection: H1Connection): void;
}

/**
 * One HTTP/1.1 connection: one request at a time, used again when the answer was read to its end.
 *
 * While unused it does not keep the process alive, and a byte from the server ends it: nobody asked for one.
 */
export class H1Connection implements Lane {
  readonly protocol = 'http/1.1' as const;
  readonly #wire: Wire;
  readonly #owner: H1Owner;
  #busy = false;
  #leaving = false;
  #served = 0;
  #idleSince = 0;
  #serverIdleMs = Number.POSITIVE_INFINITY;
  #endReason: unknown;

  constructor(wire: Wire, owner: H1Owner) {
    this.#wire = wire;
    this.#owner = owner;
    const { socket } = wire;
    // What node:http says when a request is done and its connection may carry another.
    socket.on('free', () => this.#freed());
    socket.on('error', (error) => {
      this.#endReason ??= error;
    });
    socket.on('close', () => owner.closed(this));
    this.#rest();
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

  /** At both ends, as far as is known. */
  get open(): boolean {
    const { socket } = this.#wire;
    return !socket.destroyed && socket.writable && !socket.readableEnded;
  }

  /** Worth a try: open, and not unused for too long in our eyes or in the server's. */
  usable(idleMs: number): boolean {
    return this.open && this.#owner.env.now() - this.#idleSince < Math.min(idleMs, this.#serverIdleMs);
  }

  take(): void {
    this.#busy = true;
    this.#served += 1;
    this.#wire.tcp.ref();
    this.#wire.socket.removeListener('data', this.#unasked);
  }

  /** Ends after the request it carries, if any. */
  retire(): void {
    this.#leaving = true;
    if (!this.#busy) this.destroy();
  }

  destroy(reason?: Error): void {
    this.#endReason ??= reason;
    this.#wire.socket.destroy();
    this.#wire.tcp.destroy();
  }

  send(call: Call): Promise<TransportResponse> {
    const { request, what } = call;
    return exchange(call, (ears) => {
      let failure: unknown;
      const why = (): unknown => this.#endReason ?? failure;
      const turn = this.#served;
      // With compression the last bytes are read after the connection went on to somebody else.
      const cancel = (): void => {
        if (this.#busy && this.#served === turn) this.destroy();
      };
      const asking = this.#open(call);
      asking.on('error', (error) => {
        failure ??= error;
        ears.broken(transportError(what, why(), { plain: this.#isPlain && !this.reused }));
      });
      asking.on('response', (answer) => {
        const { statusCode = 0 } = answer;
        const headers = headersOf(answer.rawHeaders);
        const [, seconds] = /\btimeout=(\d{1,6})\b/i.exec(headers.get('keep-alive') ?? '') ?? [];
        // The server's clock started when it sent its answer; a second is for the way.
        if (seconds !== undefined) this.#serverIdleMs = Number(seconds) * 1_000 - 1_000;
        ears.answered(statusCode, headers, {
          stream: answer,
          pinged: false,
          complete: () => answer.complete,
          failure: why,
          cancel,
          leave: () => (answer.complete ? drained(answer) : Promise.resolve(cancel())),
        });
      });
      asking.end(request.body);
      return cancel;
    });
  }

  #open({ request: { method, path }, headers }: Call): ClientRequest {
    const all = { ...headers, host: this.#owner.authority, connection: 'keep-alive' };
    return httpRequest({
      method,
      path,
      headers: all as Record<string, string | string[]>,
      setHost: false,
      createConnection: () => this.#wire.socket,
    });
  }

  #freed(): void {
    if (this.#leaving) return this.destroy();
    this.#rest();
    this.#owner.released(this);
  }

  #rest(): void {
    this.#busy = false;
    this.#idleSince = this.#owner.env.now();
    this.#wire.tcp.unref();
    this.#wire.socket.on('data', this.#unasked);
  }

  readonly #unasked = (): void => this.destroy();
}

/** Reads what is here already; then the connection is free. */
async function drained(answer: IncomingMessage): Promise<void> {
  if (answer.readableEnded) return;
  const end = new Promise((resolve) => answer.once('end', resolve));
  while (answer.read() !== null);
  await end;
}

function headersOf(raw: IncomingMessage['rawHeaders']): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}
