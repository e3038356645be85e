import type { Host } from '../host/host.ts';
import type { Invocation, OptionSpec } from './invocation.ts';

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Arguments after the name: `<resource> [name …]`. */
  readonly usage: string;
  /** A paragraph for the command's help. */
  readonly about?: string;
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Number of positional arguments. @default any number */
  readonly positionals?: { readonly min?: number; readonly max?: number };
  /** Resolves with the exit code. An error is reported, and the program exits with `failed` or `usage`. */
  run(invocation: Invocation, host: Host): Promise<number>;
}
