// oxlint-disable no-restricted-globals -- the only file of this package that uses the process
import { type ChildProcess, spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { KubeError, systemEnv } from 'kube-informer/core';
import { EXIT } from './exit-code.ts';
import { escapeText } from '../text/escape.ts';
import type { Host, Interruption, Keyboard, Output, Size } from './host.ts';

/** Size if neither the environment nor the terminal has one. */
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

/** Time for a clean exit: connections are closed, a log is written. A second signal exits at once. */
const EXIT_MS = 5_000;

/** The process this program runs in. Call it once: it listens for signals. */
export function systemHost(): Host {
  const stop = new AbortController();
  // Many parts of a command listen to this signal.
  setMaxListeners(0, stop.signal);
  const interrupt = (why: Interruption): void => {
    if (stop.signal.aborted) return;
    stop.abort(why);
    // A command may be blocked in a call that ignores the signal, such as a file operation on a dead network mount.
    setTimeout(() => process.exit(EXIT.interrupted), EXIT_MS).unref();
  };
  const cleanups = new Set<() => void>();
  const cleanUp = (): void => {
    for (const cleanup of cleanups) cleanup();
    cleanups.clear();
  };
  const pendingWarnings: string[] = [];
  process.on('exit', () => {
    cleanUp();
    process.stderr.write(pendingWarnings.join(''));
  });
  // Node prints warnings to stderr, which would corrupt a full screen.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const line = `${escapeText(`${name}: ${message}`)}\n`;
    if (cleanups.size > 0) pendingWarnings.push(line);
    else process.stderr.write(line);
  });
  let child: ChildProcess | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Ctrl-C in a terminal reaches the child by itself; twice, it would end without a clean-up.
      if (child !== undefined) return signal === 'SIGINT' && process.stdin.isTTY ? undefined : void child.kill(signal);
      // A second signal exits without a clean-up.
      if (stop.signal.aborted) process.exit(EXIT.interrupted);
      interrupt(signal);
    });
  }
  return {
    env: systemEnv,
    stdout: systemHostOutput(process.stdout, interrupt),
    stderr: systemHostOutput(process.stderr, interrupt),
    keyboard: systemHostKeyboard(process.stdin),
    environment: process.env,
    signal: stop.signal,
    interrupt,
    onExit(cleanup) {
      cleanups.add(cleanup);
      return () => void cleanups.delete(cleanup);
    },
    suspend(resumed) {
      process.once('SIGCONT', resumed);
      process.kill(process.pid, 'SIGTSTP');
    },
    async runCommand([program = '', ...args], environment) {
      if (stop.signal.aborted) return EXIT.interrupted;
      child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
      try {
        return await systemHostChildEnd(child);
      } finally {
        child = undefined;
      }
    },
    memory() {
      const { rss, heapUsed } = process.memoryUsage();
      return { rssBytes: rss, heapBytes: heapUsed };
    },
  };
}

function systemHostOutput(stream: NodeJS.WriteStream, interrupt: (why: Interruption) => void): Output {
  let isClosed = false;
  // COLUMNS and LINES apply until the terminal is resized.
  let wasResized = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  stream.on('drain', wake);
  stream.on('error', () => {
    isClosed = true;
    wake();
    // The reader closed the pipe, as `| head` does. Any other write error cannot be reported either.
    interrupt('output closed');
  });
  return {
    isTerminal: stream.isTTY && process.env['TERM'] !== 'dumb',
    size() {
      const environment = wasResized ? undefined : process.env;
      return {
        columns: systemHostNumber(environment?.['COLUMNS']) ?? stream.columns ?? DEFAULT_SIZE.columns,
        rows: systemHostNumber(environment?.['LINES']) ?? stream.rows ?? DEFAULT_SIZE.rows,
      };
    },
    write(text) {
      if (!isClosed) stream.write(text);
    },
    drained: () =>
      isClosed || !stream.writableNeedDrain ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve)),
    onResize(listener) {
      const resized = (): void => {
        wasResized = true;
        listener();
      };
      stream.on('resize', resized);
      return () => void stream.off('resize', resized);
    },
  };
}

function systemHostChildEnd(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new KubeError('INVALID_OPTION', `cannot run ${JSON.stringify(child.spawnfile)}: ${cause.message}`, { cause }),
      ),
    );
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function systemHostKeyboard(stream: NodeJS.ReadStream): Keyboard | undefined {
  if (!stream.isTTY) return undefined;
  return {
    onKey(listener) {
      // A character may arrive in two pieces.
      const decoder = new StringDecoder('utf8');
      const onData = (bytes: Buffer): void => listener(decoder.write(bytes));
      stream.setRawMode(true);
      stream.on('data', onData);
      stream.resume();
      return () => {
        stream.off('data', onData);
        stream.setRawMode(false);
        stream.pause();
      };
    },
  };
}

function systemHostNumber(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
