import type { Env } from 'kube-informer/core';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Where text goes. Whatever is written must have been made safe before: an Output cannot tell our escapes from others'. */
export interface Output {
  /** Whether somebody looks at it, on something that can move its cursor. */
  readonly isTerminal: boolean;
  size(): Size;
  write(text: string): void;
  /** Resolves when what was written is on its way, or will never be. */
  drained(): Promise<void>;
  /** Returns what ends it. */
  onResize(listener: () => void): () => void;
}

export interface Keyboard {
  /** Keys as the terminal sends them, unechoed, while somebody listens. Returns what ends it. */
  onKey(listener: (key: string) => void): () => void;
}

/** Why a command is asked to end. */
export type Interruption = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'output closed' | 'keyboard';

/**
 * Everything a command takes from the process it runs in.
 *
 * Promises: `signal` aborts once, when the person or the system wants an end; what `onExit` was given is called on every
 * way out that a process can notice, and must then be quick and synchronous.
 *
 * Room rule: commands know this and nothing of `process`; only `system-host.ts` does.
 */
export interface Host {
  readonly env: Env;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Undefined where nobody can type. */
  readonly keyboard: Keyboard | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  interrupt(why: Interruption): void;
  onExit(cleanup: () => void): () => void;
  /** Stops the process as Ctrl-Z does; `resumed` is called when it goes on. */
  suspend(resumed: () => void): void;
  memory(): { readonly rssBytes: number; readonly heapBytes: number };
}
