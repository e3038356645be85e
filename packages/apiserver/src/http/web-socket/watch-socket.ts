import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FrameCodec, WatchSink } from '../../storage/watch/watch-sink.ts';
import { CLOSE, webSocketCloseFrame, FrameReader, OPCODE, webSocketFrame } from './web-socket-frames.ts';
import { webSocketHandshake } from './web-socket-handshake.ts';

/** Number of bytes before every protobuf frame that contain its length. A WebSocket message has its own length. */
const PROTOBUF_LENGTH_BYTES = 4;

/** Maximum number of bytes that the client has not read; above it, pings get no response. */
export const MAX_UNREAD_BYTES: number = 64 * 1024;

/** The request that becomes a WebSocket. */
export interface SocketExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the connection is closed. */
  readonly gone: AbortSignal;
  /** Bytes of the body sent so far. */
  bytes: number;
}

export interface WatchSocketOptions {
  readonly codec: FrameCodec;
  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  readonly head: (status: number, headers: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Resolves when the socket has room again, or the client is gone. */
  readonly drained: (socket: Socket) => Promise<void>;
}

/**
 * Turns the connection of a request into a WebSocket and returns the sink of its watch: one message per
 * event, text for JSON, binary for protobuf. Undefined when the handshake was refused, or a fault has sent
 * the response.
 *
 * The response still owns the socket and is never ended, so that its end, faults and the request log work as
 * for every other watch.
 */
export async function openWatchSocket(
  exchange: SocketExchange,
  { codec, head, drained }: WatchSocketOptions,
): Promise<WatchSink | undefined> {
  const { request, response, gone } = exchange;
  const { status, headers, body } = webSocketHandshake(request.headers);
  if (!(await head(status, headers))) return undefined;
  if (status !== 101) {
    response.end(body);
    return undefined;
  }
  response.flushHeaders();
  const { socket } = request;
  const send = (frame: Buffer): void => {
    if (!gone.aborted && !socket.writableEnded) socket.write(frame);
  };
  const close = (code: number): void => {
    send(webSocketCloseFrame(code));
    socket.end();
  };
  const frames = new FrameReader({
    ping: (payload) => {
      // A client that pings and does not read would fill the memory. Not every ping needs a response (RFC 6455, section 5.5.3).
      if (socket.writableLength < MAX_UNREAD_BYTES) send(webSocketFrame(OPCODE.pong, payload));
    },
    close: () => close(CLOSE.normal),
    protocolError: () => close(CLOSE.protocolError),
  });
  // Node's own listener feeds the parser of HTTP, which would refuse the client's frames.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => frames.read(chunk));
  const isText = codec.encoding === 'json';
  return {
    codec,
    singleFrames: true,
    write: (bytes) => {
      // Empty if the form has ended the stream instead of sending an event.
      if (bytes.length === 0) return;
      exchange.bytes += bytes.length;
      send(
        isText
          ? webSocketFrame(OPCODE.text, bytes)
          : webSocketFrame(OPCODE.binary, bytes.subarray(PROTOBUF_LENGTH_BYTES)),
      );
    },
    get queued() {
      return socket.writableLength;
    },
    drained: () => drained(socket),
    end: () => close(CLOSE.normal),
  };
}
