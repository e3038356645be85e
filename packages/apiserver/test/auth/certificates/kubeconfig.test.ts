import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type KubeconfigOptions,
  kubeconfigFor,
  kubeconfigText,
  writeKubeconfig,
} from '../../../src/auth/certificates/kubeconfig-text.ts';

const URL_ = 'https://127.0.0.1:6443';

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  try {
    await work(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

test('one context points to one cluster and one user, with everything inside', () => {
  expect(kubeconfigFor({ url: URL_, ca: 'CA', token: 't', clientCertificate: { certificate: 'C', key: 'K' } })).toEqual(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'kube-informer', cluster: { server: URL_, 'certificate-authority-data': 'Q0E=' } }],
      users: [
        { name: 'kube-informer', user: { token: 't', 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' } },
      ],
      contexts: [
        { name: 'kube-informer', context: { cluster: 'kube-informer', namespace: 'default', user: 'kube-informer' } },
      ],
      'current-context': 'kube-informer',
    },
  );
});

test.each<KubeconfigOptions>([
  { url: URL_ },
  { url: 'http://[::1]:1', token: '0123', namespace: 'no', name: 'a: b # c' },
  { url: URL_, ca: 'a\nb', token: 'true', name: '"quoted" \\ ü', namespace: '1e5' },
])('the text of %j parses to the object', (options) => {
  const config = kubeconfigFor(options);
  expect(parse(kubeconfigText(config))).toEqual(config);
});

test('only the owner can read the file, whatever was there before, and nothing else is left behind', () =>
  inFolder(async (dir) => {
    const path = join(dir, 'config');
    await writeFile(path, 'old');
    await chmod(path, 0o644);
    await writeKubeconfig(path, 'new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(dir)).toEqual(['config']);
  }));

test('missing folders are made', () =>
  inFolder(async (dir) => {
    await writeKubeconfig(join(dir, 'a/b/config'), 'x');
    expect(await readFile(join(dir, 'a/b/config'), 'utf8')).toBe('x');
  }));

test('a failure leaves no half-written file', () =>
  inFolder(async (dir) => {
    await writeKubeconfig(join(dir, 'taken/inside'), 'x');
    await expect(writeKubeconfig(join(dir, 'taken'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST|directory/);
    expect(await readdir(dir)).toEqual(['taken']);
  }));
