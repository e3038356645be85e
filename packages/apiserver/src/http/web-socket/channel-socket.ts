import type { Socket } from 'node:net';
import { webSocketProtocols } from '../message/web-socket-request.ts';
import { CLOSE, webSocketCloseFrame, OPCODE, webSocketFrame } from './web-socket-frames.ts';
import { acceptedHandshake, refusedHandshake, webSocketKeyFault } from './web-socket-handshake.ts';
import { MessageReader } from './message-reader.ts';
import { MAX_UNREAD_BYTES, type SocketExchange } from './watch-socket.ts';

/** Sub-protocols of connections to pods. Messages of those with `base64` are text. */
const PROTOCOLS: ReadonlySet<string> = new Set([
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v4.base64.channel.k8s.io',
  'channel.k8s.io',
  'base64.channel.k8s.io',
]);

/** Message type from v5 on: the client closes the channel whose number is the next byte. */
const CLOSE_CHANNEL = 255;

export interface ChannelSocketOptions {
  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  readonly head: (status: number, headers: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Resolves when the socket has room again, or the client is gone. */
  readonly drained: (socket: Socket) => Promise<void>;
  /** Called with data of the client; returns false to receive no more until `resume`. */
  readonly onData: (channel: number, data: Buffer) => boolean;
  /** Called when the client closes a channel; undefined for all channels. */
  readonly onClose: (channel: number | undefined) => void;
}

/** Several streams over one WebSocket: the first byte of a message is the number of its stream. */
export interface ChannelSocket {
  /** Whether the result of a command is a Status. Before v4 it is a text. */
  readonly hasStatus: boolean;
  send(channel: number, data: Uint8Array): Promise<void>;
  /** Continues reading after `onData` has returned false. */
  resume(): void;
  close(): void;
}

/** Turns the connection of a request into a socket with channels; undefined when it was refused. */
export async function openChannelSocket(
  exchange: SocketExchange,
  { head, drained, onData, onClose }: ChannelSocketOptions,
): Promise<ChannelSocket | undefined> {
  const { request, response, gone } = exchange;
  const offered = webSocketProtocols(request.headers);
  const protocol = offered.find((one) => PROTOCOLS.has(one));
  const fault =
    webSocketKeyFault(request.headers) ??
    (protocol === undefined && offered.length > 0 ? refusedHandshake(403) : undefined);
  const { status, headers, body } = fault ?? acceptedHandshake(request.headers, protocol);
  if (!(await head(status, headers))) return undefined;
  if (status !== 101) {
    response.end(body);
    return undefined;
  }
  response.flushHeaders();
  const { socket } = request;
  const isText = protocol?.includes('base64') === true;
  const write = (frame: Buffer): boolean => gone.aborted || socket.writableEnded || socket.write(frame);
  const close = (code: number): void => {
    onClose(undefined);
    write(webSocketCloseFrame(code));
    socket.end();
  };
  const reader = new MessageReader({
    message: (data) => {
      const channel = isText ? Number(data.subarray(0, 1).toString()) : data[0];
      if (channel === undefined || Number.isNaN(channel)) return;
      const rest = isText ? Buffer.from(data.subarray(1).toString(), 'base64') : data.subarray(1);
      if (channel === CLOSE_CHANNEL) onClose(rest[0]);
      else if (!onData(channel, rest)) socket.pause();
    },
    ping: (payload) => {
      // A client that pings and does not read would fill the memory.
      if (socket.writableLength < MAX_UNREAD_BYTES) write(webSocketFrame(OPCODE.pong, payload));
    },
    close: () => close(CLOSE.normal),
    protocolError: () => close(CLOSE.protocolError),
  });
  gone.addEventListener('abort', () => onClose(undefined), { once: true });
  // Node's own listener feeds the parser of HTTP, which would refuse the client's frames.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => reader.read(chunk));
  return {
    hasStatus: protocol?.startsWith('v') === true,
    resume: () => void socket.resume(),
    close: () => close(CLOSE.normal),
    async send(channel, data) {
      exchange.bytes += data.length;
      const message = isText
        ? Buffer.from(`${channel}${Buffer.from(data).toString('base64')}`)
        : Buffer.concat([Buffer.of(channel), data]);
      if (!write(webSocketFrame(isText ? OPCODE.text : OPCODE.binary, message))) await drained(socket);
    },
  };
}
