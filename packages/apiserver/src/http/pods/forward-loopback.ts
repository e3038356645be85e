import { connect, type Socket } from 'node:net';
import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';

/** A port of a pod, and the function that returns the server to connect to. */
export interface ForwardedPort {
  readonly pod: ApiObject;
  readonly port: number;
  readonly portForward: NonNullable<PodConnections['portForward']>;
}

/** A connection to the server on the loopback that acts as a port; it ends with the client. */
export async function connectForwardedPort(
  { pod, port, portForward }: ForwardedPort,
  gone: AbortSignal,
): Promise<Socket> {
  const local = await portForward({ pod, port });
  if (local === undefined) throw new Error(`nothing listens on port ${port}`);
  return new Promise((resolve, reject) => {
    // A client may end its half and still read.
    const server = connect({ host: '127.0.0.1', port: local, signal: gone, allowHalfOpen: true });
    server.once('error', reject);
    server.once('connect', () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/** The text that a client gets about a port that cannot be reached. */
export const forwardFailure = ({ pod, port }: ForwardedPort, error: unknown): string =>
  `error forwarding port ${port} to pod ${pod.metadata?.name}: ${error instanceof Error ? error.message : String(error)}`;
