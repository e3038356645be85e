import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import type { Env } from '../../../core/env.ts';
import { abortError, KubeError } from '../../../core/errors.ts';
import { safeCause } from '../../secrets/redact.ts';

export interface ProgramCall {
  /** For errors: `credential plugin "aws"`. */
  readonly what: string;
  /** Absolute. */
  readonly path: string;
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether a person at the terminal may be asked: the program shares our stdin and may take its time. */
  readonly isInteractive: boolean;
  readonly timeoutMs: number;
  /** Gets what an interactive program writes to stderr, as it comes: its questions. */
  readonly onPrompt: (text: string) => void;
  readonly signal: AbortSignal;
  readonly env: Env;
}

export interface ProgramResult {
  readonly stdout: Uint8Array;
  /** The beginning of it. */
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly killedBy: string | null;
}

const MOST_STDOUT = 1 << 20;
const MOST_STDERR = 64 << 10;
/** A child of the program that keeps the pipe open must not keep us: the program itself has ended. */
const DRAIN_MS = 1_000;

/**
 * Runs a program without a shell and collects what it prints.
 *
 * Promises: stdout beyond 1 MiB, the timeout, and an abort each kill the program with everything it started (its
 * process group; on Windows the program alone), and reject. What it prints never gets into an error here.
 * An exit code other than 0 is a result, not an error.
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
      kill(child, isInteractive);
      fail(abortError(signal, what));
    };
    try {
      child = start(call);
    } catch (error) {
      fail(new KubeError('CREDENTIALS', `${what} could not be started`, { cause: safeCause(error) }));
      return;
    }
    signal.addEventListener('abort', aborted, { once: true });

    const stdout: Uint8Array[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Uint8Array) => {
      stdout.push(chunk);
      length += chunk.length;
      if (length <= MOST_STDOUT) return;
      kill(child, isInteractive);
      fail(new KubeError('CREDENTIALS', `${what} printed more than ${MOST_STDOUT >> 20} MiB and was killed`));
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      // Read to the end even when it is no longer kept: a full pipe would stop the program.
      if (stderr.length < MOST_STDERR) stderr += text.slice(0, MOST_STDERR - stderr.length);
      if (isInteractive) call.onPrompt(text);
    });

    const done = (exitCode: number | null, killedBy: string | null): void => {
      settle();
      resolve({ stdout: joined(stdout), stderr, exitCode, killedBy });
    };
    child.on('error', (error) =>
      fail(new KubeError('CREDENTIALS', `${what} could not be started`, { cause: safeCause(error) })),
    );
    child.on('close', done);
    child.on('exit', (exitCode, killedBy) => {
      void env.sleep(DRAIN_MS, over.signal).then(() => (over.signal.aborted ? undefined : done(exitCode, killedBy)));
    });
    void env.sleep(timeoutMs, over.signal).then(() => {
      if (over.signal.aborted) return;
      kill(child, isInteractive);
      fail(new KubeError('CREDENTIALS', `${what} did not end within ${timeoutMs / 1000} s and was killed`));
    });
  });
}

function start(call: ProgramCall): ChildProcess {
  return spawn(call.path, call.args, {
    shell: false,
    windowsHide: true,
    env: call.variables,
    stdio: [call.isInteractive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
    // Its own process group, so that everything it starts can be killed with it. Somebody who is to answer
    // questions at the terminal must stay in ours.
    detached: !call.isInteractive && process.platform !== 'win32',
  });
}

function kill(child: ChildProcess, isInteractive: boolean): void {
  if (child.pid === undefined) return;
  try {
    if (isInteractive || process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
