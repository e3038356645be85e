import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pacedReader } from '../message/paced-reader.ts';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

/** The header in which both sides name the protocol of their streams. */
const PROTOCOL_HEADER = 'x-stream-protocol-version';

/** The request that becomes a SPDY connection. */
export interface SpdyExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the connection is closed. */
  readonly gone: AbortSignal;
}

export interface SpdyUpgradeOptions {
  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  readonly head: (status: number, headers: Readonly<Record<string, string | string[]>>) => Promise<boolean>;
  /** Resolves when the socket has room again, or the client is gone. */
  readonly drained: (socket: Socket) => Promise<void>;
  /** Supported protocols of streams. The first one that the client also names is chosen. */
  readonly protocols: readonly string[];
  readonly accept: (stream: SpdyStream) => void;
}

/** A connection and the protocol of its streams. */
export interface UpgradedSpdy {
  readonly connection: SpdyConnection;
  readonly protocol: string;
}

/** Turns the connection of a request into a SPDY connection; undefined when it was refused. */
export async function upgradeToSpdy(
  { request, response, gone }: SpdyExchange,
  { head, drained, protocols, accept }: SpdyUpgradeOptions,
): Promise<UpgradedSpdy | undefined> {
  const offered = offeredSpdyProtocols(request.headers);
  const protocol = protocols.find((one) => offered.includes(one));
  if (protocol === undefined) {
    const body =
      offered.length === 0
        ? 'unable to upgrade: X-Stream-Protocol-Version is required\n'
        : `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${protocols.join(' ')}]\n`;
    const headers = {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-accepted-stream-protocol-versions': [...protocols],
    };
    if (await head(offered.length === 0 ? 400 : 403, headers)) response.end(body);
    return undefined;
  }
  const accepted = { connection: 'Upgrade', upgrade: 'SPDY/3.1', [PROTOCOL_HEADER]: protocol };
  if (!(await head(101, accepted))) return undefined;
  response.flushHeaders();
  const { socket } = request;
  const transport = {
    write: (frame: Buffer) => gone.aborted || socket.writableEnded || socket.write(frame),
    drained: () => (socket.writableNeedDrain ? drained(socket) : Promise.resolve()),
    get unread() {
      return socket.writableLength;
    },
    end: () => void socket.end(),
  };
  const connection = new SpdyConnection(transport, accept);
  gone.addEventListener('abort', () => connection.cut(), { once: true });
  // Node's own listener feeds the parser of HTTP, which would refuse the client's frames.
  socket.removeAllListeners('data');
  socket.on(
    'data',
    pacedReader(socket, (chunk) => connection.read(chunk)),
  );
  return { connection, protocol };
}

const offeredSpdyProtocols = (headers: IncomingHttpHeaders): string[] =>
  [headers[PROTOCOL_HEADER] ?? '']
    .flat()
    .flatMap((value) => value.split(','))
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
