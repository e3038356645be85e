/**
 * What README says about installing, tried in an empty folder: the tarballs of `npm run pack`, one `npm install`, a
 * program with informer and server for tests, and the terminal program.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAll } from '../release/pack.mjs';

const PROGRAM = `
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';

const server = await startApiServer();
const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
const maps = cluster.informer('v1/configmaps', { namespace: 'default' });
await maps.synced({ timeoutMs: 30_000 });
await cluster.resource('v1/configmaps').create({ metadata: { name: 'first', namespace: 'default' } });
await maps.waitFor('default/first', (object) => object !== undefined, { timeoutMs: 30_000 });
console.log('an informer of the tarballs has seen', maps.list().map(({ metadata }) => metadata.name).join(', '));
await cluster.close();
await server.close();
`;

const folder = mkdtempSync(join(tmpdir(), 'tarballs-'));
const app = mkdtempSync(join(tmpdir(), 'empty-'));
try {
  const files = packAll(folder).map(({ filename }) => join(folder, filename));
  const run = (command, args) => execFileSync(command, args, { cwd: app, stdio: 'inherit' });
  writeFileSync(join(app, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...files]);
  writeFileSync(join(app, 'first.js'), PROGRAM);
  run(process.execPath, ['first.js']);
  run('npx', ['--no-install', 'kube-informer', '--version']);
} finally {
  for (const each of [folder, app]) rmSync(each, { recursive: true, force: true });
}
