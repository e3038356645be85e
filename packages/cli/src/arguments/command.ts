import type { Host } from '../host/host.ts';
import type { Invocation, OptionSpec } from './invocation.ts';

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
