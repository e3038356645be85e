import type { ApiObject } from '../../core/kube-object.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import { badRequestStatusError } from '../../core/status-error.ts';
import { isWebSocketRequest } from '../message/web-socket-request.ts';
import type { ChannelSocketOptions } from '../web-socket/channel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';
import { serveExecStream } from './exec-stream.ts';
import { serveForwardStream } from './forward-stream.ts';

/** A request for a connection to a pod. */
export interface PodConnectionCall {
  readonly exchange: SocketExchange & { readonly query: URLSearchParams };
  readonly opening: Pick<ChannelSocketOptions, 'head' | 'drained'>;
  readonly pod: ApiObject;
  /** The container that the request means; empty for a port. */
  readonly container: string;
}

/** Answers a request for a connection by the functions of the user. */
export async function servePodConnection(call: PodConnectionCall, by: PodConnections): Promise<void> {
  const { exchange, opening, pod, container } = call;
  const { query, request } = exchange;
  if (!isWebSocketRequest(request.headers))
    throw badRequestStatusError(
      (request.headers.upgrade ?? '') === ''
        ? 'Upgrade request required'
        : 'the embedded API server knows connections over WebSocket only, not SPDY: use a client that has them (kubectl 1.31 or newer)',
    );
  if (container === '' && by.portForward !== undefined) {
    const ports = query.getAll('ports').flatMap((text) => text.split(',')).map(Number); // prettier-ignore
    if (ports.length === 0) throw badRequestStatusError('you must specify at least 1 port');
    const wrong = ports.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
    if (wrong !== undefined) throw badRequestStatusError(`port ${wrong} is invalid`);
    return serveForwardStream(exchange, opening, { pod, ports }, by.portForward);
  }
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
  return serveExecStream(exchange, opening, parameters, by.exec);
}
