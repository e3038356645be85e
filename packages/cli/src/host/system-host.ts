// oxlint-disable no-restricted-globals -- the one file of this package that knows the process
import { setMaxListeners } from 'node:events';
import { systemEnv } from 'kube-informer/core';
import { EXIT } from './exit-code.ts';
import { escapeText } from '../text/escape.ts';
import type { Host, Interruption, Keyboard, Output, Size } from './host.ts';

/** Where nobody says how large it is. */
const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

/** For a clean end on a busy machine: connections closed, a log written. Whoever cannot wait asks again. */
const PATIENCE_MS = 5_000;

/** The process this program runs in. Call it once: it listens for signals. */
export function systemHost(): Host {
  const stop = new AbortController();
  // Everything that runs listens to this one, and that may be much.
  setMaxListeners(0, stop.signal);
  const interrupt = (why: Interruption): void => {
    if (stop.signal.aborted) return;
    stop.abort(why);
    // A command may wait for something that hears no signal: a folder of a network that is gone, a path under /proc.
    setTimeout(() => process.exit(EXIT.interrupted), PATIENCE_MS).unref();
  };
  const cleanups = new Set<() => void>();
  const cleanUp = (): void => {
    for (const cleanup of cleanups) cleanup();
    cleanups.clear();
  };
  const held: string[] = [];
  process.on('exit', () => {
    cleanUp();
    process.stderr.write(held.join(''));
  });
  // Node writes warnings itself, into the middle of a screen if there is one.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const line = `${escapeText(`${name}: ${message}`)}\n`;
    if (cleanups.size > 0) held.push(line);
    else process.stderr.write(line);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Who asks twice does not want to wait for a clean end.
      if (stop.signal.aborted) process.exit(EXIT.interrupted);
      interrupt(signal);
    });
  }
  return {
    env: systemEnv,
    stdout: output(process.stdout, interrupt),
    stderr: output(process.stderr, interrupt),
    keyboard: keyboard(process.stdin),
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
    memory() {
      const { rss, heapUsed } = process.memoryUsage();
      return { rssBytes: rss, heapBytes: heapUsed };
    },
  };
}

function output(stream: NodeJS.WriteStream, interrupt: (why: Interruption) => void): Output {
  let isGone = false;
  // What was said in the environment holds until the terminal itself says something else.
  let wasResized = false;
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  stream.on('drain', wake);
  stream.on('error', () => {
    isGone = true;
    wake();
    // `| head` has seen enough. Nobody is left to tell about any other failure.
    interrupt('output closed');
  });
  return {
    isTerminal: stream.isTTY && process.env['TERM'] !== 'dumb',
    size() {
      const said = wasResized ? undefined : process.env;
      return {
        columns: positive(said?.['COLUMNS']) ?? stream.columns ?? DEFAULT_SIZE.columns,
        rows: positive(said?.['LINES']) ?? stream.rows ?? DEFAULT_SIZE.rows,
      };
    },
    write(text) {
      if (!isGone) stream.write(text);
    },
    drained: () =>
      isGone || !stream.writableNeedDrain ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve)),
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

function keyboard(stream: NodeJS.ReadStream): Keyboard | undefined {
  if (!stream.isTTY) return undefined;
  return {
    onKey(listener) {
      const heard = (bytes: Buffer): void => listener(bytes.toString('latin1'));
      stream.setRawMode(true);
      stream.on('data', heard);
      stream.resume();
      return () => {
        stream.off('data', heard);
        stream.setRawMode(false);
        stream.pause();
      };
    },
  };
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}
