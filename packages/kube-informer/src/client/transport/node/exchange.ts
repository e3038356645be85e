import type { Env } from '../../../core/env.ts';
import { abortError, type KubeError } from '../../../core/errors.ts';
import { Body, type BodySource } from './body.ts';
import { after, type NodeTransportLimits } from '../node-transport-limits.ts';
import { because, transportError } from '../transport-failure.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';

/** One request on its way, whatever HTTP version carries it. */
export interface Call {
  readonly request: TransportRequest;
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  /** Lower-case names, complete except for what the version adds. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly env: Env;
  readonly limits: NodeTransportLimits;
  /** Called once, when the last byte was read or nothing more will be. */
  readonly onDone: () => void;
}

/** A connection with room for one more request. */
export interface Lane {
  readonly protocol: 'h2' | 'http/1.1';
  /** It carried requests before this one, so it may have died unnoticed. */
  readonly reused: boolean;
  /** Bytes heard so far. */
  readonly bytesRead: number;
  send(call: Call): Promise<TransportResponse>;
}

/** What a connection tells about the request it carries. */
export interface Ears {
  answered(status: number, headers: ReadonlyMap<string, string>, source: BodySource): void;
  broken(error: KubeError): void;
}

/**
 * Waits for status and headers: at most the headers timeout, and not beyond an abort. Then hands over to the body.
 *
 * `start` puts the request on the wire and returns how to take it off again.
 */
export function exchange(call: Call, start: (ears: Ears) => () => void): Promise<TransportResponse> {
  const { request, what, env, limits } = call;
  const { signal, longLived = false } = request;
  const timeoutMs =
    request.headersTimeoutMs ?? (longLived ? limits.longLivedHeadersTimeoutMs : limits.headersTimeoutMs);
  return new Promise((resolve, reject) => {
    let waiting = true;
    let cancel = (): void => {};
    const settle = (): void => {
      waiting = false;
      inTime();
      signal.removeEventListener('abort', aborted);
    };
    const broken = (error: KubeError): void => {
      if (!waiting) return;
      settle();
      cancel();
      call.onDone();
      reject(error);
    };
    const aborted = (): void => broken(abortError(signal, what));
    const inTime = after(env, timeoutMs, () => broken(transportError(what, tooLate(timeoutMs, longLived))));
    signal.addEventListener('abort', aborted, { once: true });
    cancel = start({
      broken,
      answered(status, headers, source) {
        if (!waiting) return source.cancel();
        settle();
        resolve({ status, headers, body: bodyOf(call, status, headers, source) });
      },
    });
    if (!waiting) cancel(); // refused before it began
    else if (signal.aborted) aborted();
  });
}

function tooLate(ms: number, longLived: boolean): Error {
  // Some proxies hold an answer back until it has a few kilobytes, which a quiet watch never has.
  const hint = longLived ? '; a proxy that holds back short answers looks like this' : '';
  return because('ERR_HEADERS_TIMEOUT', `no status and headers within ${ms} ms${hint}`);
}

function bodyOf(call: Call, status: number, headers: ReadonlyMap<string, string>, source: BodySource): Body {
  const { request, what, env, limits, onDone } = call;
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
