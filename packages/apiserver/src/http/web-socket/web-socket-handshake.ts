import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { defined } from 'kube-informer/core';
import { webSocketProtocols } from '../message/web-socket-request.ts';

/** The GUID of RFC 6455, section 1.3. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export interface Handshake {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of a refusal. */
  readonly body: string;
}

/**
 * The response to a request for a WebSocket, like a real server's.
 *
 * A client must send an `Origin` that is any URL. It may offer one sub-protocol, which is always accepted;
 * with several the request is refused.
 */
export function webSocketHandshake(headers: IncomingHttpHeaders): Handshake {
  const fault = webSocketKeyFault(headers);
  if (fault !== undefined) return fault;
  if (!isHandshakeOrigin(headers.origin ?? '')) return refusedHandshake(403);
  const protocols = webSocketProtocols(headers);
  if (protocols.length > 1) return refusedHandshake(400);
  return acceptedHandshake(headers, protocols[0]);
}

/** The refusal of a request that is not a handshake. */
export function webSocketKeyFault(headers: IncomingHttpHeaders): Handshake | undefined {
  if ((headers['sec-websocket-key'] ?? '') === '') return refusedHandshake(400, 'mismatch challenge/response');
  if (headers['sec-websocket-version'] !== '13')
    return refusedHandshake(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': '13' });
  return undefined;
}

export function acceptedHandshake(headers: IncomingHttpHeaders, protocol: string | undefined): Handshake {
  return {
    status: 101,
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': createHash('sha1')
        .update(`${headers['sec-websocket-key']}${ACCEPT_SUFFIX}`)
        .digest('base64'),
      ...defined({ 'sec-websocket-protocol': protocol }),
    },
    body: '',
  };
}

export const refusedHandshake = (status: number, body = '', headers: Record<string, string> = {}): Handshake => ({
  status,
  // The real server no longer uses HTTP at that point: it sends no other header, and closes the connection.
  headers: { ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) },
  body,
});

/** Like Go's `url.ParseRequestURI`, accepts an absolute URL or a path. */
const isHandshakeOrigin = (origin: string): boolean => origin.startsWith('/') || URL.canParse(origin);
