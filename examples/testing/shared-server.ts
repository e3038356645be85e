/** One server for all test files: `globalSetup` of Vitest, `globalSetup` and `globalTeardown` of Jest. */
// #region setup
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '@kube-informer/apiserver';

let server: ApiServer | undefined;
let folder = '';

async function setup(): Promise<void> {
  server = await startApiServer({
    manifests: process.env['MANIFESTS'] ?? 'config/crd/*.yaml', // files, folders, patterns
    controllers: 'all',
  });
  folder = await mkdtemp(join(tmpdir(), 'kube-'));
  process.env['KUBECONFIG'] = join(folder, 'config'); // test files run in processes that inherit it
  await server.writeKubeconfig(process.env['KUBECONFIG']);
}

export async function teardown(): Promise<void> {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
}

/** Vitest calls what this returns at the end; Jest calls its `globalTeardown`. */
export default async (): Promise<() => Promise<void>> => {
  await setup();
  return teardown;
};
// #endregion
