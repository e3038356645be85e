import { parseArgs, type ParseArgsConfig } from 'node:util';
import { defined, KubeError } from 'kube-informer/core';
import { escapeText } from '../text/escape.ts';

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Whether it may be repeated. */
  readonly multiple?: boolean;
  /** Placeholder for the value in the help. */
  readonly value?: string;
  readonly help: string;
  /** The accepted values. */
  readonly choices?: readonly string[];
}

/** The parsed arguments of a command. */
export class Invocation {
  readonly positionals: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(positionals: readonly string[], values: Readonly<Record<string, unknown>>) {
    this.positionals = positionals;
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }

  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Throws INVALID_OPTION unless the value is a whole number in the range. */
  number(name: string, { min, max, fallback }: { min: number; max: number; fallback: number }): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw invocationError(`--${name}: expected a whole number from ${min} to ${max}, got ${quoteInvocationWord(text)}`);
  }
}

/** Parses the arguments after a command's name. Throws INVALID_OPTION if they do not match `specs`. */
export function parseInvocation(args: readonly string[], specs: Readonly<Record<string, OptionSpec>>): Invocation {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { type, short, multiple }] of Object.entries(specs)) {
    options[name] = { type, ...defined({ short, multiple }) };
  }
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (cause) {
    throw invocationOptionError(cause, specs);
  }
  for (const [name, { choices }] of Object.entries(specs)) {
    const given = parsed.values[name];
    const isChoice = (choice: string): boolean =>
      choice.endsWith('=') ? typeof given === 'string' && given.startsWith(choice) : given === choice;
    if (choices === undefined || typeof given !== 'string' || choices.some(isChoice)) continue;
    throw invocationError(`--${name}: expected ${choices.join(', ')}, got ${quoteInvocationWord(given)}`);
  }
  return new Invocation(parsed.positionals, parsed.values);
}

export function invocationError(message: string, cause?: unknown): KubeError {
  return new KubeError('INVALID_OPTION', message, defined({ cause }));
}

export const quoteInvocationWord = (text: string): string => JSON.stringify(escapeText(text));

/** Maximum edit distance of a suggestion. */
const MAX_EDITS = 2;

/** Finds the candidate that was probably meant, or undefined. A candidate more than half different is not suggested. */
export function nearestInvocationWord(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let smallest = Math.min(MAX_EDITS + 1, Math.ceil(word.length / 2));
  for (const candidate of candidates) {
    const isBeginning = candidate.startsWith(word) && word.length > 1;
    const distance = isBeginning ? 0 : invocationWordDistance(word, candidate, smallest);
    if (distance < smallest) [best, smallest] = [candidate, distance];
  }
  return best;
}

function invocationOptionError(cause: unknown, specs: Readonly<Record<string, OptionSpec>>): KubeError {
  const { code = '', message = '' } = cause as { code?: string; message?: string };
  const [, option = ''] = /'(-{1,2}[^' ]+)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearestInvocationWord(option.replace(/^-+/, ''), Object.keys(specs));
    const hint = near === undefined ? '' : `; did you mean --${near}?`;
    return invocationError(`unknown option ${quoteInvocationWord(option)}${hint}`, cause);
  }
  // The first sentence of Node's message is good; the rest is advice about its API.
  return invocationError(escapeText(message.split(/\. |\n/)[0] ?? message), cause);
}

/** Edit distance of two words, capped at `max`. */
function invocationWordDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) >= max || a.length > 64) return max;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? max;
}
