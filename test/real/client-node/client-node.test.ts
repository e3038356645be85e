import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '@kube-informer/apiserver';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasClientNode, nodeFor } from '../harness/client-node.ts';

const PROGRAM = fileURLToPath(new URL('../../runtimes/client-node.mjs', import.meta.url));
if (!hasClientNode) console.warn('\nSKIPPED: @kubernetes/client-node: run "npm ci --prefix test/runtimes" first\n');

async function played(node: string, name: string): Promise<Record<string, unknown>> {
  await using server = await startApiServer();
  const dir = await mkdtemp(join(tmpdir(), 'client-node-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const kubeconfig = join(dir, 'kubeconfig');
  await server.writeKubeconfig(kubeconfig);
  const output = await new Promise<string>((resolve, reject) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir, KUBECONFIG: kubeconfig };
    execFile(node, [PROGRAM, name], { env, timeout: 170_000 }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${stdout}\n${stderr}`, { cause: error })),
    );
  });
  const steps = output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { step: string; got?: unknown });
  return Object.fromEntries(steps.map(({ step, ...said }) => [step, 'got' in said ? said.got : said]));
}

describe.skipIf(!hasClientNode).each(['client-node-1', 'client-node-2'])('%s on the embedded server', (name) => {
  const node = nodeFor(name);
  if (node === undefined) console.warn(`\nSKIPPED: ${name}: it needs Node 22.19, this is ${process.version}\n`);

  test.skipIf(node === undefined)('lists, watches, informers, writes and errors work', async () => {
    const exists = 'configmaps "one" already exists';
    expect(await played(node as string, name)).toEqual({
      'create a namespace': { phase: 'Active' },
      create: { a: '1' },
      'create again': { failed: 409, reason: 'AlreadyExists', message: exists },
      'create an invalid one': { failed: 422, reason: 'Invalid', message: expect.stringContaining('"Bad_Name"') },
      read: ['one', true, 'string'],
      'read nothing': { failed: 404, reason: 'NotFound', message: 'configmaps "nothing" not found' },
      list: [['one', 'two'], ['one'], ['two']],
      replace: { a: '2' },
      'replace a stale one': { failed: 409, reason: 'Conflict', message: expect.stringContaining('has been modified') },
      'patch as JSON': { a: '3', b: '1' },
      'patch by merge': { a: '3', c: '1' },
      'patch strategically': { a: '3', c: '1', d: '1' },
      apply: ['tester Apply'],
      'apply with a conflict': { failed: 409, reason: 'Conflict', message: expect.stringContaining('"tester"') },
      'a deployment and its scale': [1, '25%', 3],
      'a custom resource': [['Widget', 3]],
      'who am I': 'admin',
      watch: ['ADDED watched', 'DELETED watched'],
      'an informer': { seen: ['add three', 'update one', 'delete two'], names: ['applied', 'one', 'three'] },
      delete: 'Success',
      'delete again': { failed: 404, reason: 'NotFound', message: 'configmaps "one" not found' },
      'delete all': 0,
    });
  });
});
