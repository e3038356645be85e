import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, type ApiServerOptions, startApiServer } from '@kube-informer/apiserver';
import { onTestFinished } from 'vitest';
import { bundlePrograms } from '../../../../tools/build/bundle-programs.ts';

const programs = await bundlePrograms(['packages/cli/src/main.ts', 'packages/cli/src/host/system-host.ts']);

/** The command that runs the program, bundled from its sources. */
export const PROGRAM: readonly string[] = [process.execPath, programs.path('packages/cli/src/main.ts')];
/** The bundled module `system-host.ts`. */
export const SYSTEM_HOST: string = programs.path('packages/cli/src/host/system-host.ts');

/** Long enough for a machine that is busy with other tests. */
const DEADLINE_MS = 90_000;

export interface Running {
  readonly out: string;
  readonly error: string;
  /** Resolves as soon as the output matches. */
  says(pattern: RegExp): Promise<void>;
  send(signal: NodeJS.Signals): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** Runs the program in a child process, which is killed after the test. */
export function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  return follow(spawn(PROGRAM[0] as string, [...PROGRAM.slice(1), ...args], { env: clean(environment), stdio: ['ignore', 'pipe', 'pipe'] }));
} // prettier-ignore

export function follow(child: ChildProcess): Running {
  let [out, error] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (error += text));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    get out() {
      return out;
    },
    get error() {
      return error;
    },
    says: (pattern) =>
      until(
        () => pattern.test(out) || pattern.test(error),
        () => `${pattern} was not printed:\n${out}\n--- stderr:\n${error}`,
      ),
    send: (signal) => void child.kill(signal),
    ended,
  };
}

/** Runs the program to its end. */
export async function finished(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | string; readonly out: string; readonly error: string }> {
  const running = start(args, environment);
  const code = await running.ended;
  return { code, out: running.out, error: running.error };
}

export async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (const end = Date.now() + DEADLINE_MS; !(await holds());) {
    if (Date.now() > end) throw new Error(`timed out after ${DEADLINE_MS} ms: ${what()}`);
    await sleep(20);
  }
}

export interface Rig {
  readonly server: ApiServer;
  /** Options that connect to the server. */
  readonly to: readonly string[];
  /** A temporary folder. */
  readonly folder: string;
}

/** Starts a server for one test. */
export async function serverRig(options: ApiServerOptions = {}): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-cli-'));
  const server = await startApiServer(options);
  onTestFinished(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await server.writeKubeconfig(kubeconfig);
  return { server, to: ['--kubeconfig', kubeconfig], folder };
}

export const configMap = (name: string, data: Record<string, string> = {}, more: object = {}): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...more },
  data,
}); // prettier-ignore

/** An environment without settings of the machine. */
function clean(environment: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], HOME: '/nonexistent', ...environment };
}
