import { PassThrough } from 'node:stream';
import type { PodConnections } from '../../core/connected-pod.ts';
import { openChannelSocket } from '../web-socket/channel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';
import { type ExecParameters, runExecCommand } from './exec-command.ts';
import type { PodConnectionOpening } from './pod-connection-opening.ts';

/** Numbers of the streams of a command. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3 } as const;

/** Runs a command with its streams over a WebSocket. */
export async function serveExecChannels(
  exchange: SocketExchange,
  opening: PodConnectionOpening,
  parameters: ExecParameters,
  exec: NonNullable<PodConnections['exec']>,
): Promise<void> {
  const stdin = new PassThrough();
  const socket = await openChannelSocket(exchange, {
    ...opening,
    onData: (channel, data) =>
      channel !== CHANNEL.stdin || !parameters.stdin || stdin.writableEnded || stdin.write(data),
    onClose: (channel) => {
      if (channel === undefined || channel === CHANNEL.stdin) stdin.end();
    },
  });
  if (socket === undefined) return;
  stdin.on('drain', () => socket.resume());
  if (!parameters.stdin) stdin.end();
  // An empty message tells the client that the streams are open.
  const first = parameters.stdout ? CHANNEL.stdout : parameters.stderr ? CHANNEL.stderr : CHANNEL.error;
  await socket.send(first, Buffer.alloc(0));
  const streams = {
    stdin,
    send: (stream: keyof typeof CHANNEL, data: Uint8Array) => socket.send(CHANNEL[stream], data),
    hasStatus: socket.hasStatus,
    signal: exchange.gone,
  };
  await runExecCommand(parameters, streams, exec);
  socket.close();
}
