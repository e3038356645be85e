import type { Socket } from 'node:net';

type Ends = Pick<Socket, 'localPort' | 'remoteAddress' | 'remotePort'>;

const open = new Map<string, Socket>();

const listenerConnectionName = ({ localPort, remoteAddress, remotePort }: Ends): string =>
  `${localPort} ${remoteAddress} ${remotePort}`;

/**
 * The TCP connections of all servers of this process.
 *
 * A request over TLS or HTTP/2 knows only a proxy of its connection's socket, and that cannot be reset.
 */
export function rememberListenerConnection(socket: Socket): void {
  const name = listenerConnectionName(socket);
  open.set(name, socket);
  socket.once('close', () => {
    if (open.get(name) === socket) open.delete(name);
  });
}

/** The connection below a request's socket, as long as it is open. */
export const listenerConnection = (socket: Ends): Socket | undefined => open.get(listenerConnectionName(socket));
