import type { Socket } from 'node:net';
import { pacedReader } from '../message/paced-reader.ts';
import { CLOSE, webSocketCloseFrame, OPCODE, webSocketFrame } from './web-socket-frames.ts';
import { acceptedHandshake, webSocketKeyFault } from './web-socket-handshake.ts';
import { MessageReader } from './message-reader.ts';
import { MAX_UNREAD_BYTES, type SocketExchange } from './watch-socket.ts';

export interface TunnelSocketOptions {
  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  readonly head: (status: number, headers: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Resolves when the socket has room again, or the client is gone. */
  readonly drained: (socket: Socket) => Promise<void>;
  /** The sub-protocol, which the client has offered. */
  readonly protocol: string;
  /** Called with bytes of the client. No more are read until it resolves; it never rejects. */
  readonly onData: (bytes: Buffer) => Promise<void>;
}

/** A stream of bytes in the messages of a WebSocket, regardless of message boundaries. */
export interface TunnelSocket {
  /** Returns false if there is no room for more; `drained` resolves when there is, or the client is gone. */
  write(bytes: Buffer): boolean;
  drained(): Promise<void>;
  /** Bytes that the client has not read yet. */
  readonly unread: number;
  end(): void;
}

/** Turns the connection of a request into a tunnel; undefined when it was refused. */
export async function openTunnelSocket(
  { request, response, gone }: SocketExchange,
  { head, drained, protocol, onData }: TunnelSocketOptions,
): Promise<TunnelSocket | undefined> {
  const { status, headers, body } = webSocketKeyFault(request.headers) ?? acceptedHandshake(request.headers, protocol);
  if (!(await head(status, headers))) return undefined;
  if (status !== 101) {
    response.end(body);
    return undefined;
  }
  response.flushHeaders();
  const { socket } = request;
  const write = (frame: Buffer): boolean => gone.aborted || socket.writableEnded || socket.write(frame);
  const close = (code: number): void => {
    write(webSocketCloseFrame(code));
    socket.end();
  };
  const reader = new MessageReader({
    message: pacedReader(socket, onData),
    ping: (payload) => {
      if (socket.writableLength < MAX_UNREAD_BYTES) write(webSocketFrame(OPCODE.pong, payload));
    },
    close: () => close(CLOSE.normal),
    protocolError: () => close(CLOSE.protocolError),
  });
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => reader.read(chunk));
  return {
    write: (bytes) => write(webSocketFrame(OPCODE.binary, bytes)),
    drained: () => (socket.writableNeedDrain ? drained(socket) : Promise.resolve()),
    get unread() {
      return socket.writableLength;
    },
    end: () => close(CLOSE.normal),
  };
}
