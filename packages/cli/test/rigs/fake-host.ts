import { fakeEnv, type FakeEnv } from 'kube-informer/testing';
import { systemEnv } from 'kube-informer/core';
import type { Host, Interruption, Output, Size } from '../../src/host/host.ts';

export interface FakeOutput extends Output {
  readonly text: string;
  resize(size: Size): void;
}

export interface FakeHost extends Host {
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  type(key: string): void;
  /** Calls the exit handlers. */
  exit(): void;
}

export interface FakeHostOptions {
  readonly isTerminal?: boolean;
  readonly size?: Size;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Uses real time, for tests with a real server. */
  readonly realTime?: boolean;
}

/** A Host without a process: output is recorded, and the test sends keys. */
export function fakeHost(options: FakeHostOptions = {}): FakeHost & { readonly env: FakeEnv } {
  const { isTerminal = false, size = { columns: 80, rows: 10 }, environment = {}, realTime = false } = options;
  const stop = new AbortController();
  const cleanups = new Set<() => void>();
  const keys = new Set<(key: string) => void>();
  return {
    env: realTime ? ({ ...systemEnv, log: () => {} } as unknown as FakeEnv) : fakeEnv(),
    stdout: fakeOutput(isTerminal, size),
    stderr: fakeOutput(isTerminal, size),
    keyboard: {
      onKey(listener) {
        keys.add(listener);
        return () => void keys.delete(listener);
      },
    },
    environment,
    signal: stop.signal,
    interrupt: (why: Interruption) => stop.abort(why),
    onExit(cleanup) {
      cleanups.add(cleanup);
      return () => void cleanups.delete(cleanup);
    },
    suspend: (resumed) => resumed(),
    runCommand: () => Promise.reject(new Error('a fake host runs no commands')),
    memory: () => ({ rssBytes: 100_000_000, heapBytes: 20_000_000 }),
    type: (key) => keys.forEach((listener) => listener(key)),
    exit: () => cleanups.forEach((cleanup) => cleanup()),
  };
}

function fakeOutput(isTerminal: boolean, first: Size): FakeOutput {
  let text = '';
  let size = first;
  const listeners = new Set<() => void>();
  return {
    isTerminal,
    get text() {
      return text;
    },
    size: () => size,
    write: (more) => void (text += more),
    drained: () => Promise.resolve(),
    onResize(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    resize(next) {
      size = next;
      listeners.forEach((listener) => listener());
    },
  };
}

/** A minimal terminal emulator: returns the screen after these bytes. */
export function screenOf(
  bytes: string,
  { columns, rows }: Size,
): { readonly lines: string[]; readonly isAlternate: boolean; readonly hasCursor: boolean } {
  let grid = Array.from({ length: rows }, () => ' '.repeat(columns));
  let [row, column, isAlternate, hasCursor] = [0, 0, false, true];
  // oxlint-disable-next-line no-control-regex
  for (const [, parameters = '', command, character] of bytes.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|([\s\S])/gu)) {
    if (command === 'H') [row = 1, column = 1] = parameters.split(';').map(Number);
    if (command === 'H') [row, column] = [row - 1, column - 1];
    else if (command === 'K') grid[row] = (grid[row] ?? '').slice(0, column).padEnd(columns);
    else if (command === 'J') grid = grid.map(() => ' '.repeat(columns));
    else if (parameters === '?1049') isAlternate = command === 'h';
    else if (parameters === '?25') hasCursor = command === 'h';
    else if (character === '\n') [row, column] = [row + 1, 0];
    else if (character !== undefined) {
      const line = grid[row] ?? '';
      grid[row] = line.slice(0, column) + character + line.slice(column + 1);
      column += 1;
    }
  }
  return { lines: grid.map((line) => line.trimEnd()), isAlternate, hasCursor };
}
