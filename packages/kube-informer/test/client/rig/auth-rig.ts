import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** A promise that is resolved from outside. */
export function latch(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}

/** A directory that goes away with the test. */
export class TempDir implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<TempDir> {
    return new TempDir(await mkdtemp(join(tmpdir(), 'auth-')));
  }

  join(...parts: string[]): string {
    return join(this.path, ...parts);
  }

  /** Writes a file, and the directories above it. Objects become JSON. */
  async write(name: string, content: string | Uint8Array | object): Promise<string> {
    const path = this.join(name);
    await mkdir(dirname(path), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(path, isRaw ? content : JSON.stringify(content));
    return path;
  }

  /** A small program: a Node script that runs without a shell. */
  async script(name: string, body: string): Promise<string> {
    const path = await this.write(name, `#!${process.execPath}\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

export interface KubeconfigParts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
}

/** A kubeconfig with one of each, called `dev`. */
export function kubeconfig(parts: KubeconfigParts = {}): object {
  const { cluster = {}, user = {}, context = {} } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'dev', cluster: { server: 'https://dev.example.com:6443', ...cluster } }],
    users: [{ name: 'dev', user }],
    contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'dev', ...context } }],
  };
}

/** The error a promise or a function ends with. */
export async function failure(work: () => unknown): Promise<Error & { readonly code?: string }> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a failure, got none');
}

/** All texts that printing a value can show. */
export function everyPrint(value: unknown): string {
  const deep = { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null } as const;
  const seen: string[] = [
    inspect(value, deep),
    inspect(value, { ...deep, customInspect: false }),
    json(value),
    String(value),
  ];
  for (let at = value, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1)
    seen.push(at.message, at.stack ?? '', json(Object.assign({}, at)));
  return seen.join('\n');
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch (error) {
    return String(error);
  }
}

/** Waits for something in the real world, with a deadline. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 30_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`timed out after ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
