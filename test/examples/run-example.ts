import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';

export interface RunOptions {
  readonly args?: readonly string[];
  /** Variables besides PATH. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Path of the Node program. @default the one that runs the test */
  readonly node?: string;
  /** Whether the file runs as it is; others are loaded from source. @default false */
  readonly isBundled?: boolean;
}

/** A running example. */
export interface Running {
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  readonly printed: () => string;
  /** The lines of its error output so far, without warnings about slow lists. */
  readonly complaints: () => readonly string[];
  /** Waits for it to print something, with a deadline that is long enough for a busy machine. */
  prints(expected: RegExp | string): Promise<void>;
  /** Waits for exit code 0 with nothing on stderr except warnings about slow lists; resolves to its output. */
  ended(): Promise<string>;
  /** Sends a signal as a person or a kubelet does, and waits for the end. */
  interrupt(signal?: NodeJS.Signals): Promise<string>;
}

/** The error output without warnings about slow lists: on a busy machine every list may be slow. */
export const withoutSlowLists = (stderr: string): string =>
  stderr.replace(/^kube-informer warn: Reflector (?:ListAndWatch|WatchList) was slow\b.*\n/gm, '');

// In one process: the tsx command is two, and the outer one passes a signal on late.
const FLAGS = ['--conditions=@kube-informer/source', `--import=${import.meta.resolve('tsx')}`];

/** Starts a file with only the given variables in its environment. */
export function runExample(
  file: string,
  { args = [], env = {}, cwd, node = process.execPath, isBundled = false }: RunOptions = {},
): Running {
  const child = spawn(node, [...(isBundled ? [] : FLAGS), file, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = async (): Promise<string> => {
    const [code, signal] = await closed;
    if (code !== 0 || withoutSlowLists(stderr) !== '')
      throw new Error(`${file} ended with ${code ?? signal}\n${stdout}${stderr}`);
    return stdout;
  };
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    child,
    printed: () => stdout,
    complaints: () =>
      withoutSlowLists(stderr)
        .split('\n')
        .filter((line) => line !== ''),
    async prints(expected) {
      await expect
        .poll(() => (isOver() && stderr !== '' ? `${stdout}\nand ended: ${stderr}` : stdout), { timeout: 90_000 })
        .toMatch(expected);
    },
    ended,
    async interrupt(signal = 'SIGINT') {
      child.kill(signal);
      return ended();
    },
  };
}
