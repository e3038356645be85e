import type { Socket } from 'node:net';
import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import { type ChannelSocket, openChannelSocket } from '../web-socket/channel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';
import { connectForwardedPort, forwardFailure } from './forward-loopback.ts';
import type { PodConnectionOpening } from './pod-connection-opening.ts';

/** Each port has two streams: its bytes, and errors about it. */
const CHANNELS_PER_PORT = 2;

/** Connects a client with the servers on the loopback that act as the ports of a pod. */
export async function serveForwardChannels(
  exchange: SocketExchange,
  opening: PodConnectionOpening,
  { pod, ports }: { readonly pod: ApiObject; readonly ports: readonly number[] },
  portForward: NonNullable<PodConnections['portForward']>,
): Promise<void> {
  const servers = new Map<number, Socket>();
  /** Bytes that arrived before the server was connected. */
  const early = new Map<number, Buffer[]>();
  const socket = await openChannelSocket(exchange, {
    ...opening,
    onData: (channel, data) => {
      const server = servers.get(channel);
      if (server !== undefined) return server.write(data);
      early.set(channel, [...(early.get(channel) ?? []), data]);
      return false;
    },
    onClose: (channel) => {
      for (const [of, server] of servers) if (channel === undefined || channel === of) server.end();
    },
  });
  if (socket === undefined) return;
  let open = ports.length;
  const ended = (): void => {
    open -= 1;
    if (open === 0) socket.close();
  };
  for (const [index, port] of ports.entries()) {
    const channel = index * CHANNELS_PER_PORT;
    const forwarded = { pod, port, portForward };
    const fail = (error: unknown): Promise<void> =>
      socket.send(channel + 1, Buffer.from(forwardFailure(forwarded, error)));
    const number = Buffer.of(port & 0xff, port >> 8);
    // The first message of each stream is the number of the port.
    await socket.send(channel, number);
    await socket.send(channel + 1, number);
    try {
      const server = await connectForwardedPort(forwarded, exchange.gone);
      servers.set(channel, server);
      for (const data of early.get(channel) ?? []) server.write(data);
      early.delete(channel);
      joinForwardStreams(server, socket, channel, { fail, ended });
      socket.resume();
    } catch (error) {
      await fail(error);
      socket.resume();
      ended();
    }
  }
}

interface Joint {
  readonly fail: (error: unknown) => Promise<void>;
  readonly ended: () => void;
}

function joinForwardStreams(server: Socket, socket: ChannelSocket, channel: number, { fail, ended }: Joint): void {
  server.on('data', (data: Buffer) => {
    server.pause();
    void socket.send(channel, data).then(() => server.resume());
  });
  server.on('drain', () => socket.resume());
  server.on('error', (error) => void fail(error));
  server.once('close', ended);
}
