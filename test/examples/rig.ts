import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiObject, type ApiServer, startApiServer } from '@kube-informer/apiserver';
import { onTestFinished, test } from 'vitest';
import { bundlePrograms } from '../../tools/build/bundle-programs.ts';
import { runExample, type Running, type RunOptions } from './run-example.ts';

/** Examples that need what this suite has not: a real server, another client, a browser. */
const ELSEWHERE = /^auth\/|^web\/|\.mjs$/;
/** Parts of a program that has a folder of its own, and of the recipe for test runners. */
const PARTS = /^\w+\/[\w-]+\/(?!main\.ts$)|\.spec\.ts$|\/shared-server/;

/** The programs in examples/ that this suite runs: `informers/informer.ts`, `controllers/dns/main.ts`. */
export async function examples(): Promise<string[]> {
  const files = (await readdir('examples', { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  return files.filter((file) => file.endsWith('.ts') && !ELSEWHERE.test(file) && !PARTS.test(file));
}

const programs = await bundlePrograms((await examples()).map((file) => `examples/${file}`));

/** Starts an example, bundled from its source. */
export const run = (file: string, options?: RunOptions): Running =>
  runExample(programs.path(file), { ...options, isBundled: true });

export function example(file: string, title: string, body: () => Promise<void>, timeout = 240_000): void {
  test(`examples/${file} ${title}`, body, timeout);
}

export interface Rig {
  readonly server: ApiServer;
  readonly dir: string;
  readonly env: { readonly KUBECONFIG: string };
}

/** A server with these objects, and the variable that leads to it. */
export async function rig(...objects: readonly ApiObject[]): Promise<Rig> {
  const server = await startApiServer();
  onTestFinished(() => server.close());
  server.load(objects);
  const dir = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const KUBECONFIG = join(dir, 'kubeconfig');
  await server.writeKubeconfig(KUBECONFIG);
  return { server, dir, env: { KUBECONFIG } };
}

/** The response of the address that an example has printed. */
export async function asked(printed: string, path = ''): Promise<{ status: number; text: string }> {
  const [, url = ''] = /ask (http:\S+)/.exec(printed) ?? [];
  const response = await fetch(new URL(path, url));
  return { status: response.status, text: await response.text() };
}
