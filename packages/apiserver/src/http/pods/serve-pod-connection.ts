import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import { isWebSocketRequest, webSocketProtocols } from '../message/web-socket-request.ts';
import { FORWARD_TUNNEL, isSpdyRequest } from '../message/spdy-request.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';
import type { PodConnectionOpening } from './pod-connection-opening.ts';

/** A request for a connection to a pod. */
export interface PodConnectionCall {
  readonly exchange: SocketExchange & { readonly query: URLSearchParams };
  readonly opening: PodConnectionOpening;
  readonly pod: ApiObject;
  /** The container of the request; empty for a port. */
  readonly container: string;
}

/** Responds to a request for a connection with the functions of the user. */
export async function servePodConnection(call: PodConnectionCall, by: PodConnections): Promise<void> {
  const { exchange, opening, pod, container } = call;
  const { query, request } = exchange;
  const isSpdy = isSpdyRequest(request.headers);
  if (!isSpdy && !isWebSocketRequest(request.headers)) throw badRequestStatusError('Upgrade request required');
  if (container === '' && by.portForward !== undefined) return serveForward(call, isSpdy, by.portForward);
  if (by.exec === undefined) return undefined;
  const isSet = (name: string, otherwise: boolean): boolean =>
    query.has(name) ? ['true', '1'].includes(query.get(name) ?? '') : otherwise;
  const parameters = {
    pod,
    container,
    command: query.getAll('command'),
    stdin: isSet('stdin', false),
    // These are on by default for both.
    stdout: isSet('stdout', true),
    stderr: isSet('stderr', true),
    tty: isSet('tty', false),
  };
  if (isSpdy) return (await import('./exec-spdy.ts')).serveExecSpdy(exchange, opening, parameters, by.exec);
  return (await import('./exec-channels.ts')).serveExecChannels(exchange, opening, parameters, by.exec);
}

async function serveForward(
  { exchange, opening, pod }: PodConnectionCall,
  isSpdy: boolean,
  portForward: NonNullable<PodConnections['portForward']>,
): Promise<void> {
  const { query, request } = exchange;
  const hasTunnel = !isSpdy && webSocketProtocols(request.headers).includes(FORWARD_TUNNEL);
  if (isSpdy || hasTunnel) {
    // Streams name their ports themselves.
    const { serveForwardSpdy, serveForwardTunnel } = await import('./forward-spdy.ts');
    return (isSpdy ? serveForwardSpdy : serveForwardTunnel)(exchange, opening, { pod, portForward });
  }
  const ports = query.getAll('ports').flatMap((text) => text.split(',')).map(Number); // prettier-ignore
  if (ports.length === 0) throw badRequestStatusError('you must specify at least 1 port');
  const wrong = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
  if (wrong !== undefined) throw badRequestStatusError(`port ${wrong} is invalid`);
  const { serveForwardChannels } = await import('./forward-channels.ts');
  return serveForwardChannels(exchange, opening, { pod, ports }, portForward);
}
