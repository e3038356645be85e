import type { Host } from './host.ts';
import type { Invocation, OptionSpec } from './arguments.ts';

/** What a command ends with. Other programs look at these numbers. */
export const EXIT = {
  fine: 0,
  /** Something failed, or what was looked for is not so. */
  failed: 1,
  /** The command was not understood. */
  usage: 2,
  /** Interrupted before it was done; commands that run until they are interrupted end fine. */
  interrupted: 130,
} as const;

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows the name: `<resource> [name …]`. */
  readonly usage: string;
  /** More about it, a paragraph. */
  readonly about?: string;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** How many words may follow. @default any number */
  readonly words?: { readonly min?: number; readonly max?: number };
  /** Resolves with the exit code. What it throws is told to the person and ends with `failed` or `usage`. */
  run(invocation: Invocation, host: Host): Promise<number>;
}
