import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/run.ts';
import { fakeHost } from '../rigs/fake-host.ts';

/** A kubeconfig whose user is a program that leaves a trace, and prints no credential. */
async function rig() {
  const folder = await mkdtemp(join(tmpdir(), 'exec-'));
  const trace = join(folder, 'trace');
  const plugin = join(folder, 'plugin');
  await writeFile(plugin, `#!/bin/sh\necho ran >> '${trace}'\nexit 1\n`);
  await chmod(plugin, 0o700);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { exec } }],
  };
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const get = async (...policy: string[]) => {
    const host = fakeHost({ realTime: true });
    const code = await run(['get', 'pods', '--kubeconfig', kubeconfig, ...policy], host);
    const ran = await readFile(trace, 'utf8').catch(() => '');
    return { code, ran: ran !== '', stderr: host.stderr.text };
  };
  return { get, plugin };
}

test.each([['deny'], ['aws,gcloud'], ['/usr/bin/false']])(
  'S15: --exec-policy %s runs no plugin that it does not name',
  async (policy) => {
    const { get } = await rig();
    const { code, ran, stderr } = await get('--exec-policy', policy);
    expect([code === 0, ran]).toEqual([false, false]);
    expect(stderr).toContain('execPolicy');
  },
);

test('S15: --exec-policy with a path runs that plugin, and without the option every plugin runs', async () => {
  const named = await rig();
  expect((await named.get('--exec-policy', `aws, ${named.plugin}`)).ran).toBe(true);
  const any = await rig();
  expect((await any.get()).ran).toBe(true);
});

test('S15: a policy that is neither a word nor a list of programs is refused', async () => {
  const { get } = await rig();
  expect(await get('--exec-policy', '../plugin')).toMatchObject({ code: 2, ran: false });
});
