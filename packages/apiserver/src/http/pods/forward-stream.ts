import { connect, type Socket } from 'node:net';
import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import { type ChannelSocket, type ChannelSocketOptions, openChannelSocket } from '../web-socket/channel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';

/** Each port has two streams: its bytes, and errors about it. */
const CHANNELS_PER_PORT = 2;

/** Joins a client with servers on the loopback that stand for the ports of a pod. */
export async function serveForwardStream(
  exchange: SocketExchange,
  opening: Pick<ChannelSocketOptions, 'head' | 'drained'>,
  { pod, ports }: { readonly pod: ApiObject; readonly ports: readonly number[] },
  portForward: NonNullable<PodConnections['portForward']>,
): Promise<void> {
  const servers = new Map<number, Socket>();
  /** Bytes that came before the server was connected. */
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
    const fail = async (why: string): Promise<void> => {
      const text = `error forwarding port ${port} to pod ${pod.metadata?.name}: ${why}`;
      await socket.send(channel + 1, Buffer.from(text));
    };
    const number = Buffer.of(port & 0xff, port >> 8);
    // The first message of each stream is the number of the port.
    await socket.send(channel, number);
    await socket.send(channel + 1, number);
    try {
      const local = await portForward({ pod, port });
      if (local === undefined) throw new Error(`nothing listens on port ${port}`);
      const server = await connectForward(local, exchange.gone);
      servers.set(channel, server);
      for (const data of early.get(channel) ?? []) server.write(data);
      early.delete(channel);
      joinForwardStreams(server, socket, channel, { fail, ended });
      socket.resume();
    } catch (error) {
      await fail(error instanceof Error ? error.message : String(error));
      socket.resume();
      ended();
    }
  }
}

/** A connection to a server on the loopback; it ends with the client. */
function connectForward(port: number, gone: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const server = connect({ host: '127.0.0.1', port, signal: gone });
    server.once('error', reject);
    server.once('connect', () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

interface Joint {
  readonly fail: (why: string) => Promise<void>;
  readonly ended: () => void;
}

function joinForwardStreams(server: Socket, socket: ChannelSocket, channel: number, { fail, ended }: Joint): void {
  server.on('data', (data: Buffer) => {
    server.pause();
    void socket.send(channel, data).then(() => server.resume());
  });
  server.on('drain', () => socket.resume());
  server.on('error', (error) => void fail(error.message));
  server.once('close', ended);
}
