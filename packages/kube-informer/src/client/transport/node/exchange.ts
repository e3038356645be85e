import type { Env } from '../../../core/env.ts';
import { abortError, type KubeError } from '../../../core/errors.ts';
import { Body, type BodySource } from './body.ts';
import type { NodeTransportLimits } from '../node-transport-limits.ts';
import { startTimeout } from '../timeout.ts';
import { transportFailureCause, transportFailure } from '../transport-failure.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';

/** A request to send, for either HTTP version. */
export interface OutgoingRequest {
  readonly request: TransportRequest;
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  /** Lower-case names; the HTTP version adds its own. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  /** Called once, when the body has ended or the request has failed. */
  readonly onDone: () => void;
}

/** A connection reserved for one request. */
export interface HttpConnection {
  readonly protocol: 'h2' | 'http/1.1';
  /** Whether the connection carried requests before, so that it may have broken unnoticed. */
  readonly reused: boolean;
  /** Bytes received so far. */
  readonly bytesRead: number;
  send(outgoing: OutgoingRequest): Promise<TransportResponse>;
}

/** Receives the outcome of a request from its connection. */
export interface ExchangeListener {
  onResponse(status: number, headers: ReadonlyMap<string, string>, source: BodySource): void;
  onError(error: KubeError): void;
}

/**
 * Sends a request and resolves with its response at status and headers. Rejects at the headers timeout or an abort.
 *
 * `start` sends the request and returns a function that cancels it.
 */
export function exchange(
  outgoing: OutgoingRequest,
  start: (listener: ExchangeListener) => () => void,
): Promise<TransportResponse> {
  const { request, what, env, limits } = outgoing;
  const { signal, longLived = false } = request;
  const timeoutMs =
    request.headersTimeoutMs ?? (longLived ? limits.longLivedHeadersTimeoutMs : limits.headersTimeoutMs);
  return new Promise((resolve, reject) => {
    let waiting = true;
    let cancel = (): void => {};
    const settle = (): void => {
      waiting = false;
      cancelTimeout();
      signal.removeEventListener('abort', aborted);
    };
    const onError = (error: KubeError): void => {
      if (!waiting) return;
      settle();
      cancel();
      outgoing.onDone();
      reject(error);
    };
    const aborted = (): void => onError(abortError(signal, what));
    const cancelTimeout = startTimeout(env, timeoutMs, () =>
      onError(transportFailure(what, exchangeTimeoutCause(timeoutMs, longLived))),
    );
    signal.addEventListener('abort', aborted, { once: true });
    cancel = start({
      onError,
      onResponse(status, headers, source) {
        if (!waiting) return source.cancel();
        settle();
        resolve({ status, headers, body: exchangeBody(outgoing, status, headers, source) });
      },
    });
    if (!waiting) cancel(); // failed before `start` returned
    else if (signal.aborted) aborted();
  });
}

function exchangeTimeoutCause(ms: number, longLived: boolean): Error {
  // Some proxies buffer a response until it has a few kilobytes, which a quiet watch never has.
  const hint = longLived ? '; a proxy that buffers short responses can cause this' : '';
  return transportFailureCause('ERR_HEADERS_TIMEOUT', `no status and headers within ${ms} ms${hint}`);
}

function exchangeBody(
  outgoing: OutgoingRequest,
  status: number,
  headers: ReadonlyMap<string, string>,
  source: BodySource,
): Body {
  const { request, what, env, limits, onDone } = outgoing;
  const { signal, longLived = false, mayBeSilent = false } = request;
  const empty = request.method === 'HEAD' || status === 204 || status === 304 || headers.get('content-length') === '0';
  return new Body(source, {
    what,
    env,
    signal,
    empty,
    gzip: !empty && /^(x-)?gzip$/i.test(headers.get('content-encoding') ?? ''),
    maxBytes: longLived ? 0 : limits.maxResponseBytes,
    silenceMs: mayBeSilent || (longLived && source.pinged) ? 0 : limits.silenceMs,
    onDone,
  });
}
