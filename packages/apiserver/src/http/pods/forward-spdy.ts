import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import { FORWARD_TUNNEL } from '../message/spdy-request.ts';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import { upgradeToSpdy } from '../spdy/spdy-upgrade.ts';
import { openTunnelSocket } from '../web-socket/tunnel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';
import { connectForwardedPort, type ForwardedPort, forwardFailure } from './forward-loopback.ts';
import type { PodConnectionOpening } from './pod-connection-opening.ts';

const PROTOCOL = 'portforward.k8s.io';

interface ForwardOptions {
  readonly pod: ApiObject;
  readonly portForward: NonNullable<PodConnections['portForward']>;
}

/** Forwards connections over SPDY, for kubectl before 1.31. */
export async function serveForwardSpdy(
  exchange: SocketExchange,
  opening: PodConnectionOpening,
  options: ForwardOptions,
): Promise<void> {
  const accept = pairedForwardStreams(options, exchange.gone);
  await upgradeToSpdy(exchange, { ...opening, protocols: [PROTOCOL], accept });
}

/** Forwards connections over SPDY inside a WebSocket, for kubectl from 1.31 on. */
export async function serveForwardTunnel(
  exchange: SocketExchange,
  opening: PodConnectionOpening,
  options: ForwardOptions,
): Promise<void> {
  let connection: SpdyConnection | undefined;
  const tunnel = await openTunnelSocket(exchange, {
    ...opening,
    protocol: FORWARD_TUNNEL,
    onData: async (bytes) => connection?.read(bytes),
  });
  if (tunnel === undefined) return;
  const spdy = (connection = new SpdyConnection(tunnel, pairedForwardStreams(options, exchange.gone)));
  exchange.gone.addEventListener('abort', () => spdy.cut(), { once: true });
}

/**
 * Pairs the two streams of each connection: its bytes, and errors about it. Clients number the pairs; the
 * oldest clients do not, but open one pair after the other.
 */
function pairedForwardStreams({ pod, portForward }: ForwardOptions, gone: AbortSignal): (stream: SpdyStream) => void {
  /** Streams whose other half has not arrived yet. */
  const halves = new Map<string, SpdyStream>();
  return (stream) => {
    const type = stream.headers.get('streamtype') ?? '';
    const port = Number(stream.headers.get('port') ?? '');
    const isPort = Number.isInteger(port) && port > 0 && port <= 65_535;
    if (!isPort || (type !== 'error' && type !== 'data')) return void stream.destroy();
    const pair = stream.headers.get('requestid') ?? `port ${port}`;
    const other = halves.get(pair);
    if (other === undefined) {
      halves.set(pair, stream);
      stream.once('close', () => void (halves.get(pair) === stream && halves.delete(pair)));
      return;
    }
    if (other.headers.get('streamtype') === type) return void stream.destroy();
    halves.delete(pair);
    const [data, errors] = type === 'data' ? [stream, other] : [other, stream];
    void forwardSpdyPair({ pod, port, portForward }, data, errors, gone);
  };
}

/** Forwards one connection. Never rejects: errors are sent to the client. */
async function forwardSpdyPair(
  forwarded: ForwardedPort,
  data: SpdyStream,
  errors: SpdyStream,
  gone: AbortSignal,
): Promise<void> {
  errors.resume();
  try {
    const server = await connectForwardedPort(forwarded, gone);
    await joinedForwardStreams(data, server);
  } catch (error) {
    errors.write(forwardFailure(forwarded, error));
    data.destroy();
  }
  errors.end();
}

/** Copies in both directions. Resolves when both have ended, or the client is gone; rejects when the server fails. */
async function joinedForwardStreams(data: SpdyStream, server: Duplex): Promise<void> {
  data.pipe(server);
  server.pipe(data);
  data.once('close', () => server.destroy());
  try {
    await finished(server);
  } catch (error) {
    // Destroyed because the client has reset its stream.
    if (!data.destroyed) throw error;
  }
}
