import type { ApiObject } from '../../core/kube-object.ts';
import type { ExecResult, PodConnections } from '../../core/connected-pod.ts';

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

/** The streams of a command, over any protocol. */
export interface ExecStreams {
  readonly stdin: AsyncIterable<Buffer>;
  /** Resolves when there is room for more, or the client is gone. */
  readonly send: (stream: 'stdout' | 'stderr' | 'error', data: Uint8Array) => Promise<void>;
  /** Whether the end of a command is sent as a Status. Before v4 it is a text, sent only if the command failed. */
  readonly hasStatus: boolean;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** Runs a command with the user's function, and sends its output and result. */
export async function runExecCommand(
  { pod, container, command, tty, ...wanted }: ExecParameters,
  { stdin, send, hasStatus, signal }: ExecStreams,
  exec: NonNullable<PodConnections['exec']>,
): Promise<void> {
  const writer =
    (stream: 'stdout' | 'stderr') =>
    async (data: string | Uint8Array): Promise<void> => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      if (wanted[stream] && bytes.length > 0) await send(stream, bytes);
    };
  const stdout = writer('stdout');
  // A terminal shows stdout and stderr on one screen.
  const stderr = tty ? stdout : writer('stderr');
  let end: ExecEnd;
  try {
    const result = (await exec({ pod, container, command, tty, stdin, stdout, stderr, signal })) ?? {};
    await writeRestOfExec(result, stdout, stderr);
    end = endOfExec(result.exitCode ?? 0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    end = { text: why, status: { metadata: {}, status: 'Failure', message: why, reason: 'InternalError', code: 500 } };
  }
  if (hasStatus) await send('error', Buffer.from(JSON.stringify(end.status)));
  else if (end.text !== '') await send('error', Buffer.from(end.text));
}

interface ExecEnd {
  /** The result as text, for clients older than v4. */
  readonly text: string;
  readonly status: object;
}

type Write = (data: string | Uint8Array) => Promise<void>;

async function writeRestOfExec({ stdout, stderr }: ExecResult, writeOut: Write, writeError: Write): Promise<void> {
  if (stdout !== undefined) await writeOut(stdout);
  if (stderr !== undefined) await writeError(stderr);
}

function endOfExec(exitCode: number): ExecEnd {
  if (exitCode === 0) return { text: '', status: { metadata: {}, status: 'Success' } };
  const message = `command terminated with non-zero exit code: exit status ${exitCode}`;
  const details = { causes: [{ reason: 'ExitCode', message: String(exitCode) }] };
  return { text: message, status: { metadata: {}, status: 'Failure', message, reason: 'NonZeroExitCode', details } };
}
