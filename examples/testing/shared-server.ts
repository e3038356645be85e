/** One server for all test files: `globalSetup` of Vitest (both functions), `globalSetup` and `globalTeardown` of Jest (the default exports). */
// #region setup
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '@kube-informer/apiserver';

let server: ApiServer | undefined;
let folder = '';

export async function setup(): Promise<void> {
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

export default (): Promise<void> => setup();
// #endregion
