import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = import.meta.dirname;
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A platform that runs our programs from their source. */
export interface Runtime {
  readonly name: 'node' | 'deno' | 'bun';
  readonly command: string;
  readonly args: readonly string[];
}

export interface Ended {
  /** The JSON lines the program printed. */
  readonly lines: readonly unknown[];
  readonly stderr: string;
  /** 0 if it ended by itself without an error; a signal if it had to be killed. */
  readonly code: number | string;
}

const SOURCE = '--conditions=@kube-informer/source';
// Deno needs permissions: the network and variables for every client, files only for those that read some.
const DENO = ['run', '--quiet', '--no-prompt', '--allow-env', '--allow-net=127.0.0.1', '--allow-read'];

/** The runtimes of `npm ci --prefix test/runtimes`, or those on PATH if it has none for this machine. */
export const runtimes: Readonly<Record<Runtime['name'], Runtime | undefined>> = {
  node: { name: 'node', command: process.execPath, args: [join(repository, 'node_modules/tsx/dist/cli.mjs'), SOURCE] },
  deno: runtime('deno', '@deno/linux-x64-glibc/deno', [...DENO, SOURCE]),
  bun: runtime('bun', '@oven/bun-linux-x64/bin/bun', [SOURCE]),
};

function runtime(name: 'deno' | 'bun', file: string, args: readonly string[]): Runtime | undefined {
  const own = join(here, 'node_modules', file);
  const command = existsSync(own) ? own : onPath(name);
  return command === undefined ? undefined : { name, command, args };
}

/** The first of these programs on PATH. */
export function onPath(...names: readonly string[]): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find((file) => existsSync(file));
}

/** Runs a program of test/platform and waits until it ends by itself. */
export function run(
  { command, args }: Runtime,
  program: string,
  settings: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:(?:https?|all|no)_proxy|kubeconfig)$/i.test(name),
  );
  const options = {
    cwd: repository,
    timeout: 150_000,
    // Deno looks for updates, through the proxy whose requests are counted.
    env: {
      ...Object.fromEntries(inherited),
      DENO_NO_UPDATE_CHECK: '1',
      PROGRAM_SETTINGS: JSON.stringify(settings),
      ...env,
    },
  };
  return new Promise((resolve) => {
    execFile(command, [...args, join(repository, 'test/platform', program)], options, (error, stdout, stderr) =>
      resolve({
        lines: stdout.split('\n').flatMap((line): unknown[] => (line.startsWith('{') ? [JSON.parse(line)] : [])),
        stderr,
        code: error === null ? 0 : (error.signal ?? error.code ?? 'failed'),
      }),
    );
  });
}
