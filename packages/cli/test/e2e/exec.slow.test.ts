import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { finished, start } from '../rigs/child.ts';

/** A program for `--exec`. */
const node = (code: string): readonly string[] => [process.execPath, '--input-type=module', '-e', code];

test('serve --exec runs a command with a kubeconfig of the server, and exits with its exit code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'exec-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'from-file', namespace: 'default' } };
  await writeFile(join(folder, 'map.json'), JSON.stringify(manifest));
  const code = `
    import { readFileSync } from 'node:fs';
    import { get } from 'node:https';
    const config = readFileSync(process.env.KUBECONFIG, 'utf8');
    const value = (name) => new RegExp(name + ': "?([^"\\n]+)').exec(config)[1];
    const ca = Buffer.from(value('certificate-authority-data'), 'base64');
    const headers = { authorization: 'Bearer ' + value('token') };
    get(value('server') + '/api/v1/namespaces/default/configmaps/from-file', { ca, headers }, (response) => {
      console.log('status ' + response.statusCode + ' at ' + process.env.KUBECONFIG);
      process.exit(7);
    });`;
  const { code: exit, out, error } = await finished(['serve', '-f', folder, '--exec', '--', ...node(code)]);
  expect(error).toMatch(/^Kubernetes API at https:\S+ \(profile envtest\)\n$/);
  expect(exit).toBe(7);
  const [, kubeconfig = ''] = /^status 200 at (\S+)\n$/.exec(out) ?? [];
  expect(kubeconfig).not.toBe('');
  expect(existsSync(kubeconfig)).toBe(false);
});

test('serve --exec passes signals on and waits for the command', async () => {
  const code = `
    process.on('SIGTERM', () => { console.log('bye'); process.exit(5); });
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const running = start(['serve', '--exec', '--', ...node(code)]);
  await running.says(/ready/);
  running.send('SIGTERM');
  expect(await running.ended).toBe(5);
  expect(running.out).toBe('ready\nbye\n');
});

test('serve --exec tells a command that is ended by a signal, and one that cannot be started', async () => {
  const killed = await finished(['serve', '--exec', '--', ...node(`process.kill(process.pid, 'SIGKILL')`)]);
  expect(killed.code).toBe(137);
  const missing = await finished(['serve', '--exec', '--', '/no/such/program']);
  expect(missing.code).toBe(2);
  expect(missing.error).toContain('cannot run "/no/such/program"');
});

test.each([
  ['dev', 200],
  ['rbac', 403],
])('serve --auth %s: a user without roles gets %i', async (auth, status) => {
  const code = `
    import { readFileSync } from 'node:fs';
    import { get } from 'node:https';
    const config = readFileSync(process.env.KUBECONFIG, 'utf8');
    const value = (name) => new RegExp(name + ': "?([^"\\n]+)').exec(config)[1];
    const ca = Buffer.from(value('certificate-authority-data'), 'base64');
    const headers = { authorization: 'Bearer ' + value('token'), 'impersonate-user': 'ann' };
    get(value('server') + '/api/v1/namespaces/default/pods', { ca, headers }, ({ statusCode }) => {
      console.log(statusCode);
      process.exit();
    });`;
  const { out } = await finished(['serve', '--auth', auth, '--exec', '--', ...node(code)]);
  expect(out).toBe(`${status}\n`);
});
