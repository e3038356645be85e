/**
 * What README says about installing, tried in an empty folder after `npm init -y`: the tarballs of `npm run pack`, one `npm install`,
 * a program with informer and server for tests, the terminal program, and README's first informer on the demo's workloads.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

const root = fileURLToPath(new URL('../..', import.meta.url));

function firstInformer() {
  const block = /<!-- cut from examples\/informers\/informer\.ts -->\n```ts\n([^`]*(?:`[^`]+`[^`]*)*?)```\n/.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  );
  if (block === null) throw new Error('README.md has no block that is cut from examples/informers/informer.ts');
  return block[1];
}

/** Runs it as README says, waits for its first pod and its count, and interrupts it. */
async function firstRun(cwd) {
  const bin = join(cwd, 'node_modules', '.bin', 'kube-informer');
  const tsx = join(root, 'node_modules', '.bin', 'tsx');
  const args = ['serve', '--profile', 'demo', '--exec', '--', tsx, 'informer.mts'];
  const child = spawn(bin, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], timeout: 120_000 });
  let printed = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (/^\+ shop\/\S+ /m.test(printed) && / pods in shop$/m.test(printed)) child.kill('SIGINT');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (!/ pods in shop$/m.test(printed))
    throw new Error(`README's first informer has not printed its pods:\n${printed}`);
  console.log(printed.split('\n').slice(0, 3).join('\n'));
}

const folder = mkdtempSync(join(tmpdir(), 'tarballs-'));
const app = mkdtempSync(join(tmpdir(), 'empty-'));
try {
  const files = packAll(folder).map(({ filename }) => join(folder, filename));
  const run = (command, args) => execFileSync(command, args, { cwd: app, stdio: 'inherit' });
  run('npm', ['init', '-y']);
  run('npm', ['install', '--no-audit', '--no-fund', ...files]);
  writeFileSync(join(app, 'first.mjs'), PROGRAM);
  run(process.execPath, ['first.mjs']);
  run('npx', ['--no-install', 'kube-informer', '--version']);
  writeFileSync(join(app, 'informer.mts'), firstInformer());
  await firstRun(app);
} finally {
  for (const each of [folder, app]) rmSync(each, { recursive: true, force: true });
}
