import { guardedCallback, guardedPromise, type UserCode } from '../../../core/guarded.ts';
import { linkedAbort } from '../../../core/async/abort.ts';
import { defined } from '../../../core/defined.ts';
import { type Env, guardedEnv, systemEnv } from '../../../core/env.ts';
import { abortError, isKubeError, KubeError, requireOption } from '../../../core/errors.ts';
import { publishRequestDiagnostics, type RequestEvent } from '../diagnostics.ts';
import { checkRequest, describeCheckedRequest, pathOfCheckedRequest } from '../request-check.ts';
import { SilenceWatch } from '../silence.ts';
import { startTimeout } from '../timeout.ts';
import { transportFailureCause, transportFailure, transportFailureReason } from '../transport-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

/** The part of `fetch` that the transport uses; every platform's fits. */
export interface FetchLike {
  (url: string, init: FetchInit): Promise<FetchResponse>;
  /** Called when the transport is closed. */
  readonly close?: () => void;
}

export interface FetchInit {
  readonly method: string;
  readonly headers: [string, string][];
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
  readonly redirect: 'manual';
  readonly cache: 'no-store';
  readonly credentials: 'omit' | 'same-origin' | 'include';
  readonly referrerPolicy: 'no-referrer';
}

export interface FetchResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  readonly body: { getReader(): ChunkReader } | null;
}

export interface ChunkReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

export interface FetchTransportOptions {
  /** URL of the server. Only scheme, host and port are used; the path belongs to the requests. */
  readonly server: URL;
  /** @default the platform's */
  readonly fetch?: UserCode<FetchLike>;
  readonly env?: UserCode<Env>;
  /** Whether the platform adds cookies of its own. @default 'same-origin' */
  readonly credentials?: FetchInit['credentials'];
  /** @default 60_000 */
  readonly headersTimeoutMs?: number;
  /** @default 30_000 */
  readonly longLivedHeadersTimeoutMs?: number;
  /** A body fails when it brings no byte for this long while the reader waits. @default 75_000 */
  readonly silenceMs?: number;
  /** Maximum size of a body after decompression; not for long-lived ones. 0: no limit. @default 1 GiB */
  readonly maxResponseBytes?: number;
}

/**
 * The transport for browsers, Deno and Bun: the platform's `fetch`.
 *
 * Limits of `fetch`: no client certificates, no certificate authority, no proxy, no unverified certificates, no pings
 * (silence finds dead connections on every HTTP version), no repeated headers, no separate connect timeout. A browser
 * hides the target of a redirect, so the error does not name it. The platform handles compression.
 */
export function createFetchTransport(options: FetchTransportOptions): Transport {
  const { protocol } = options.server;
  requireOption(protocol === 'https:' || protocol === 'http:', 'server', 'an http or https URL', protocol);
  return new FetchTransport(options);
}

class FetchTransport implements Transport {
  readonly #options: FetchTransportOptions;
  readonly #env: Env;
  readonly #request: (url: string, init: FetchInit) => Promise<FetchResponse>;
  readonly #closeFetch: () => void;
  readonly #closed = new AbortController();

  constructor(options: FetchTransportOptions) {
    this.#options = options;
    this.#env = guardedEnv(options.env ?? systemEnv);
    // Looked up at each request: a program may replace the platform's later.
    const platform: FetchLike = (url, init) => (globalThis.fetch as unknown as FetchLike)(url, init);
    const { fetch = platform } = options;
    this.#request = guardedPromise(fetch);
    this.#closeFetch = guardedCallback(this.#env, 'fetch.close', () => (fetch as FetchLike).close?.());
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    checkRequest(request);
    const what = describeCheckedRequest(request);
    const { signal, longLived = false } = request;
    const began = this.#env.now();
    if (signal.aborted) throw abortError(signal, what);
    if (this.#closed.signal.aborted) throw new KubeError('ILLEGAL_STATE', `${what}: the transport is closed`);
    const { headersTimeoutMs = 60_000, longLivedHeadersTimeoutMs = 30_000 } = this.#options;
    const timeoutMs = request.headersTimeoutMs ?? (longLived ? longLivedHeadersTimeoutMs : headersTimeoutMs);
    const body = new FetchBody(what, request, this.#closed.signal, this.#env, this.#options);
    const cancelTimeout = startTimeout(this.#env, timeoutMs, () =>
      body.fail(transportFailureCause('ERR_HEADERS_TIMEOUT', `no status and headers within ${timeoutMs} ms`)),
    );
    try {
      const response = await body.unlessEnded(this.#fetch(request, body.signal));
      if (response.type === 'opaqueredirect') {
        throw transportFailureCause('ERR_REDIRECT_HIDDEN', 'the server redirects; redirects are never followed');
      }
      const headers = new Map<string, string>();
      response.headers.forEach((value, name) => headers.set(name.toLowerCase(), value));
      body.open(response, headers);
      this.#publish(request, began, { status: response.status });
      return { status: response.status, headers, body };
    } catch (error) {
      body.fail(error);
      this.#publish(request, began, { error: transportFailureReason(body.failure) ?? 'TRANSPORT' });
      throw body.failure;
    } finally {
      cancelTimeout();
    }
  }

  close(): Promise<void> {
    if (this.#closed.signal.aborted) return Promise.resolve();
    this.#closed.abort(transportFailureCause('ERR_TRANSPORT_CLOSED', 'the transport was closed'));
    this.#closeFetch();
    return Promise.resolve();
  }

  #publish({ method, path }: TransportRequest, began: number, how: Pick<RequestEvent, 'status' | 'error'>): void {
    const { origin: server } = this.#options.server;
    const ms = this.#env.now() - began;
    publishRequestDiagnostics(() => ({ method, path: pathOfCheckedRequest(path), server, attempt: 1, ms, ...how }));
  }

  #fetch({ method, path, headers, body }: TransportRequest, signal: AbortSignal): Promise<FetchResponse> {
    const { server, credentials = 'same-origin' } = this.#options;
    const pairs: [string, string][] = [];
    for (const [name, value] of Object.entries(headers)) {
      const values = typeof value === 'string' ? [value] : value;
      // fetch would join them with a comma, which means something else to the server.
      requireOption(values.length < 2, `header ${name}`, 'one value: fetch cannot send several', values.length);
      for (const one of values) pairs.push([name, one]);
    }
    return this.#request(server.origin + path, {
      method,
      headers: pairs,
      signal,
      redirect: 'manual',
      cache: 'no-store',
      credentials,
      referrerPolicy: 'no-referrer',
      ...defined({ body: body as string | Uint8Array<ArrayBuffer> | undefined }),
    });
  }
}

/**
 * One request and the body of its response. Ends once: read to the end, left by the reader, aborted, or failed. Then the
 * platform's request is aborted and all listeners are removed from the caller's signal.
 */
class FetchBody implements AsyncIterableIterator<Uint8Array> {
  readonly #what: string;
  readonly #outer: AbortSignal;
  readonly #closed: AbortSignal;
  readonly #inner: ReturnType<typeof linkedAbort>;
  readonly #silence: SilenceWatch | undefined;
  readonly #maxBytes: number;
  #reader: ChunkReader | undefined;
  #bytes = 0;
  #declared: number | undefined;
  #state: 'open' | 'ended' = 'open';
  #interrupt: (error: KubeError) => void = () => {};
  failure: KubeError | undefined;

  constructor(what: string, request: TransportRequest, closed: AbortSignal, env: Env, options: FetchTransportOptions) {
    const { silenceMs = 75_000, maxResponseBytes = 1_073_741_824 } = options;
    this.#what = what;
    this.#outer = request.signal;
    this.#closed = closed;
    this.#inner = linkedAbort(request.signal);
    this.#maxBytes = request.longLived === true ? 0 : maxResponseBytes;
    if (request.mayBeSilent !== true) {
      this.#silence = new SilenceWatch(env, silenceMs, () =>
        this.fail(transportFailureCause('ERR_SILENT', `silent: no byte for ${silenceMs} ms`)),
      );
    }
    this.#outer.addEventListener('abort', this.#aborted, { once: true });
    closed.addEventListener('abort', this.#aborted, { once: true });
  }

  /** The signal for `fetch`. */
  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  open(response: FetchResponse, headers: ReadonlyMap<string, string>): void {
    // Not every platform checks the length itself; that of a compressed body does not limit the decoded bytes.
    const length = headers.has('content-encoding') ? undefined : headers.get('content-length');
    this.#declared = length === undefined || response.body === null ? undefined : Number(length);
    this.#reader = response.body?.getReader();
    if (this.#reader === undefined) this.#settle();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.failure !== undefined) throw this.failure;
    if (this.#state === 'ended' || this.#reader === undefined) return { value: undefined, done: true };
    this.#silence?.waiting();
    try {
      const { done, value } = await this.unlessEnded(this.#reader.read());
      this.#silence?.satisfied();
      if (!done && value !== undefined) return { value: this.#counted(value), done: false };
      if (this.#declared !== undefined && this.#bytes < this.#declared) {
        throw transportFailureCause('ERR_STREAM_PREMATURE_CLOSE', 'the connection ended before the end of the body');
      }
      this.#settle();
      return { value: undefined, done: true };
    } catch (error) {
      this.fail(error);
      throw this.failure as unknown;
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#settle()) this.#inner.abort();
    return Promise.resolve({ value: undefined, done: true });
  }

  fail(cause: unknown): void {
    if (this.#state !== 'open') return;
    const failure = isKubeError(cause) ? cause : transportFailure(this.#what, cause);
    this.failure = failure;
    this.#settle();
    this.#inner.abort(failure);
    this.#interrupt(failure);
  }

  /** Settles like `work`, or rejects as soon as this body fails: not every platform's fetch honours its signal. */
  unlessEnded<R>(work: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#interrupt = reject;
      work.then(resolve, reject);
      if (this.failure !== undefined) reject(this.failure);
    });
  }

  #counted(chunk: Uint8Array): Uint8Array {
    this.#bytes += chunk.length;
    if (this.#maxBytes === 0 || this.#bytes <= this.#maxBytes) return chunk;
    throw transportFailureCause(
      'ERR_BODY_TOO_LARGE',
      `the body is larger than maxResponseBytes (${this.#maxBytes} bytes)`,
    );
  }

  readonly #aborted = (): void =>
    this.fail(this.#outer.aborted ? abortError(this.#outer, this.#what) : this.#closed.reason);

  #settle(): boolean {
    if (this.#state !== 'open') return false;
    this.#state = 'ended';
    this.#silence?.stop();
    this.#outer.removeEventListener('abort', this.#aborted);
    this.#closed.removeEventListener('abort', this.#aborted);
    this.#inner[Symbol.dispose]();
    return true;
  }
}
