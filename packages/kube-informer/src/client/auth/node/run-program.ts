import { type ChildProcess, spawn } from 'node:child_process';
import type { Env } from '../../../core/env.ts';
import { abortError, KubeError } from '../../../core/errors.ts';
import { redactForSafeError } from '../../../core/safe-error.ts';
import { process } from '../../config/node/node-process.ts';

export interface ProgramCall {
  /** For errors: `credential plugin "aws"`. */
  readonly what: string;
  /** Absolute path. */
  readonly path: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether the program may ask questions at the terminal: it inherits stdin. */
  readonly isInteractive: boolean;
  readonly timeoutMs: number;
  /** Receives the stderr of an interactive program as it is written: its questions. */
  readonly onPrompt: (text: string) => void;
  readonly signal: AbortSignal;
  readonly env: Env;
}

export interface ProgramResult {
  readonly stdout: Uint8Array;
  /** Standard error, at most the first 64 KiB. */
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly killedBy: string | null;
}

const MAX_STDOUT = 1 << 20;
const MAX_STDERR = 64 << 10;
/** Maximum wait for the end of the output after the program has exited: a child of it may keep the pipe open. */
const DRAIN_MS = 1_000;

/**
 * Runs a program without a shell and collects what it prints.
 *
 * Promises: more than 1 MiB of stdout, the timeout and an abort each kill the program and its process group (on
 * Windows the program alone) and reject. Errors never quote its output. An exit code other than 0 is a result, not an
 * error.
 */
export function runProgram(call: ProgramCall): Promise<ProgramResult> {
  const { what, signal, env, isInteractive, timeoutMs } = call;
  if (signal.aborted) return Promise.reject(abortError(signal, what));
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    let child: ChildProcess;
    const settle = (): void => {
      over.abort();
      signal.removeEventListener('abort', aborted);
      child?.stdout?.destroy();
      child?.stderr?.destroy();
    };
    const fail = (error: KubeError): void => {
      settle();
      reject(error);
    };
    const aborted = (): void => {
      killRunOfProgram(child, isInteractive);
      fail(abortError(signal, what));
    };
    try {
      child = startRunOfProgram(call);
    } catch (error) {
      fail(runProgramNotStarted(what, error));
      return;
    }
    signal.addEventListener('abort', aborted, { once: true });

    const stdout: Uint8Array[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Uint8Array) => {
      stdout.push(chunk);
      length += chunk.length;
      if (length <= MAX_STDOUT) return;
      killRunOfProgram(child, isInteractive);
      fail(new KubeError('CREDENTIALS', `${what} printed more than ${MAX_STDOUT >> 20} MiB and was killed`));
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Read to the end even if the rest is dropped: a full pipe would block the program.
      if (stderr.length < MAX_STDERR) stderr += text.slice(0, MAX_STDERR - stderr.length);
      if (isInteractive) call.onPrompt(text);
    });

    const done = (exitCode: number | null, killedBy: string | null): void => {
      settle();
      resolve({ stdout: outputOfRunProgram(stdout), stderr, exitCode, killedBy });
    };
    child.on('error', (error) => fail(runProgramNotStarted(what, error)));
    child.on('close', done);
    child.on('exit', (exitCode, killedBy) => {
      void env.sleep(DRAIN_MS, over.signal).then(() => (over.signal.aborted ? undefined : done(exitCode, killedBy)));
    });
    void env.sleep(timeoutMs, over.signal).then(() => {
      if (over.signal.aborted) return;
      killRunOfProgram(child, isInteractive);
      fail(new KubeError('CREDENTIALS', `${what} did not exit within ${timeoutMs / 1000} s and was killed`));
    });
  });
}

/** Messages for system error codes of a program that was found. */
const NOT_STARTED: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'the interpreter in its first line (#!) was not found'],
  ['EACCES', 'this user may not execute it'],
  ['EPERM', 'this user may not execute it'],
  ['ENOEXEC', 'it is not a program for this system'],
  ['E2BIG', 'its arguments and variables are too long'],
  ['EAGAIN', 'there are too many processes'],
]);

function runProgramNotStarted(what: string, error: unknown): KubeError {
  const { code } = error as { code?: unknown };
  const why =
    typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)
      ? `: ${NOT_STARTED.get(code) ?? 'the system refused it'} (${code})`
      : '';
  return new KubeError('CREDENTIALS', `${what} could not be started${why}`, { cause: redactForSafeError(error) });
}

function startRunOfProgram(call: ProgramCall): ChildProcess {
  return spawn(call.path, call.args, {
    shell: false,
    windowsHide: true,
    env: call.variables,
    stdio: [call.isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    // A new process group, so that its children can be killed with it. An interactive program must stay in this
    // one to read from the terminal.
    detached: !call.isInteractive && process.platform !== 'win32',
  });
}

function killRunOfProgram(child: ChildProcess, isInteractive: boolean): void {
  if (child.pid === undefined) return;
  try {
    if (isInteractive || process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}

function outputOfRunProgram(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
