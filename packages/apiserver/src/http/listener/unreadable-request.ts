import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { methodNotAllowedStatusError } from '../../core/status-error.ts';

/** A server whose HTTP/1.1 parser may fail. */
interface Parsing {
  on(event: 'clientError', listener: (error: NodeJS.ErrnoException, socket: Duplex) => void): unknown;
  on(event: 'connect', listener: (request: IncomingMessage, socket: Duplex) => void): unknown;
}

/**
 * Responds to HTTP/1.1 requests that cannot be parsed: an unknown method, or an error in the rest. Only the error is
 * known, so the response is the same for every path and user.
 */
export function respondToUnreadableRequest(server: Parsing): void {
  server.on('clientError', (error, socket) => {
    // The client is gone.
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (error.code === 'HPE_INVALID_METHOD') refuseUnreadableRequestMethod(socket);
    else sendUnreadableRequestResponse(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400);
  });
  server.on('connect', (_request, socket) => refuseUnreadableRequestMethod(socket));
}

function refuseUnreadableRequestMethod(socket: Duplex): void {
  sendUnreadableRequestResponse(
    socket,
    405,
    'application/json',
    `${JSON.stringify(methodNotAllowedStatusError().status)}\n`,
  );
}

function sendUnreadableRequestResponse(
  socket: Duplex,
  code: number,
  type = 'text/plain; charset=utf-8',
  body = '',
): void {
  const line = `${code} ${STATUS_CODES[code]}`;
  const text = body === '' ? line : body;
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}
