import type { Env } from 'kube-informer/core';
import type { Safe } from '../text/safe.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A stream for text. */
export interface Output {
  /** Whether it is a terminal that can move its cursor. */
  readonly isTerminal: boolean;
  size(): Size;
  write(text: Safe): void;
  /** Resolves when the output buffer is empty, or the reader is gone. */
  drained(): Promise<void>;
  /** Adds a listener for changes of the size. Returns a function that removes it. */
  onResize(listener: () => void): () => void;
}

export interface Keyboard {
  /** Delivers what the terminal sends, without echo: one key or several at once. Returns a function that removes the listener. */
  onKey(listener: (chunk: string) => void): () => void;
}

/** The reason a command should stop. */
export type Interruption = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'output closed' | 'keyboard';

/**
 * Everything a command uses of the process it runs in.
 *
 * Promises: `signal` aborts once, when the user or the system stops the command; functions passed to `onExit`
 * are called on every exit that a process can detect, and must be quick and synchronous.
 *
 * Room rule: commands use this instead of `process`; only `system-host.ts` uses `process`.
 */
export interface Host {
  readonly env: Env;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Undefined if stdin is not a terminal. */
  readonly keyboard: Keyboard | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  interrupt(why: Interruption): void;
  onExit(cleanup: () => void): () => void;
  /** Stops the process as Ctrl-Z does; `resumed` is called when it continues. */
  suspend(resumed: () => void): void;
  /**
   * Runs a command with this process' streams, and resolves with its exit code, or 128 plus the number of the
   * signal that ended it. Until then, signals go to the command and do not abort `signal`. Rejects if it
   * cannot be started.
   */
  runCommand(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<number>;
  memory(): { readonly rssBytes: number; readonly heapBytes: number };
}
