import type { IncomingHttpHeaders } from 'node:http';

const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Whether a request asks to become a WebSocket. HTTP/2 has no such headers. */
export function isWebSocketRequest(headers: IncomingHttpHeaders): boolean {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return false;
  return (headers.connection ?? '').split(',').some((option) => option.trim().toLowerCase() === 'upgrade');
}

/** The sub-protocols that the client offers; its token, which browsers can send in no other way, is not one of them. */
export function webSocketProtocols(headers: IncomingHttpHeaders): string[] {
  return offeredWebSocketProtocols(headers).filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL));
}

/**
 * The `Authorization` header of a client that sends its token as a sub-protocol. An invalid token is kept as
 * it is: no user has it, so the request gets 401. As on a real server, there must be another sub-protocol
 * that can be chosen.
 */
export function webSocketAuthorization(headers: IncomingHttpHeaders): string | undefined {
  if (!isWebSocketRequest(headers)) return undefined;
  const [token] = offeredWebSocketProtocols(headers).filter((protocol) => protocol.startsWith(BEARER_PROTOCOL));
  if (token === undefined) return undefined;
  const encoded = token.slice(BEARER_PROTOCOL.length);
  if (webSocketProtocols(headers).length === 0) return `Bearer ${encoded}`;
  return `Bearer ${Buffer.from(encoded, 'base64url').toString()}`;
}

const offeredWebSocketProtocols = (headers: IncomingHttpHeaders): string[] =>
  (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
