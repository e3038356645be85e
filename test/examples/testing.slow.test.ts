import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { example, run } from './rig.ts';
import { runExample } from './run-example.ts';

const execute = promisify(execFile);

async function manifests(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' } };
  await writeFile(join(folder, 'settings.json'), JSON.stringify(map));
  return join(folder, '*.json');
}

example('testing/node-test.ts', 'has a recipe for node:test, and it passes', async () => {
  expect(await run('examples/testing/node-test.ts').ended()).toMatch(/pass 2[\s\S]*fail 0/);
});

test('the recipe for Vitest passes: one server, a namespace for each file', async () => {
  const config = join(await mkdtemp(join(tmpdir(), 'vitest-')), 'vitest.config.mjs');
  onTestFinished(() => rm(join(config, '..'), { recursive: true }));
  const conditions = ['@kube-informer/source', 'node'];
  const test = { globalSetup: './shared-server.ts', include: ['orders.spec.ts'], reporters: ['json'], testTimeout: 90_000, hookTimeout: 90_000 };
  const root = join(process.cwd(), 'examples/testing');
  await writeFile(config, `export default ${JSON.stringify({ root, resolve: { conditions }, ssr: { resolve: { conditions } }, test })}`);
  const env = { PATH: process.env['PATH'] ?? '', NODE_OPTIONS: '--conditions=@kube-informer/source', MANIFESTS: await manifests() };
  const { stdout, stderr } = await execute(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--config', config], { env });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, numPassedTests: 1 });
  // The server has ended with the run.
  expect(stderr).not.toContain('close timed out');
}); // prettier-ignore

test('the setup and teardown for Jest start and end the server', async () => {
  const code = `
    import { existsSync, readFileSync } from 'node:fs';
    import setup from '${join(process.cwd(), 'examples/testing/shared-server.ts')}';
    import teardown from '${join(process.cwd(), 'examples/testing/shared-server-teardown.ts')}';
    await setup();
    const file = process.env.KUBECONFIG;
    console.log(readFileSync(file, 'utf8').includes('server: '));
    await teardown();
    console.log(existsSync(file));`;
  const program = join(await mkdtemp(join(tmpdir(), 'jest-')), 'program.mts');
  onTestFinished(() => rm(join(program, '..'), { recursive: true }));
  await writeFile(program, code);
  expect(await runExample(program, { env: { MANIFESTS: await manifests() } }).ended()).toBe('true\nfalse\n');
}); // prettier-ignore
