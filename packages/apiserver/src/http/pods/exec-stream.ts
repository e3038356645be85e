import { PassThrough } from 'node:stream';
import type { ApiObject } from '../../core/kube-object.ts';
import type { ExecResult, PodConnections } from '../../core/connected-pod.ts';
import { type ChannelSocketOptions, openChannelSocket } from '../web-socket/channel-socket.ts';
import type { SocketExchange } from '../web-socket/watch-socket.ts';

/** Numbers of the streams of a command. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3 } as const;

/** Parameters of a request to run a command. */
export interface ExecParameters {
  readonly pod: ApiObject;
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

type Opening = Pick<ChannelSocketOptions, 'head' | 'drained'>;

/** Runs a command by the user's function, with its streams over a WebSocket. */
export async function serveExecStream(
  exchange: SocketExchange,
  opening: Opening,
  parameters: ExecParameters,
  exec: NonNullable<PodConnections['exec']>,
): Promise<void> {
  const { pod, container, command, tty } = parameters;
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
  const writer =
    (channel: number, isWanted: boolean) =>
    async (data: string | Uint8Array): Promise<void> => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (isWanted && bytes.length > 0) await socket.send(channel, bytes);
    };
  const stdout = writer(CHANNEL.stdout, parameters.stdout);
  // A terminal has one screen for both.
  const stderr = tty ? stdout : writer(CHANNEL.stderr, parameters.stderr);
  // An empty message tells the client that the streams are open.
  const first = parameters.stdout ? CHANNEL.stdout : parameters.stderr ? CHANNEL.stderr : CHANNEL.error;
  await socket.send(first, Buffer.alloc(0));
  let end: ExecEnd;
  try {
    const request = { pod, container, command, tty, stdin, stdout, stderr, signal: exchange.gone };
    const result = (await exec(request)) ?? {};
    await writeRestOfExecStream(result, stdout, stderr);
    end = endOfExecStream(result.exitCode ?? 0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    end = { text: why, status: { metadata: {}, status: 'Failure', message: why, reason: 'InternalError', code: 500 } };
  }
  if (socket.hasStatus) await socket.send(CHANNEL.error, Buffer.from(JSON.stringify(end.status)));
  else if (end.text !== '') await socket.send(CHANNEL.error, Buffer.from(end.text));
  socket.close();
}

interface ExecEnd {
  /** For clients from before there was a status. */
  readonly text: string;
  readonly status: object;
}

type Write = (data: string | Uint8Array) => Promise<void>;

async function writeRestOfExecStream(
  { stdout, stderr }: ExecResult,
  writeOut: Write,
  writeError: Write,
): Promise<void> {
  if (stdout !== undefined) await writeOut(stdout);
  if (stderr !== undefined) await writeError(stderr);
}

function endOfExecStream(exitCode: number): ExecEnd {
  if (exitCode === 0) return { text: '', status: { metadata: {}, status: 'Success' } };
  const message = `command terminated with non-zero exit code: exit status ${exitCode}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(exitCode) }] };
  return { text: message, status: { metadata: {}, status: 'Failure', message, reason: 'NonZeroExitCode', details } };
}
