import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { kinds, kubernetesVersion } from '@kube-informer/kubernetes/kinds';

const root = fileURLToPath(new URL('..', import.meta.url));

async function generatedFiles(): Promise<Map<string, string>> {
  const dir = join(root, 'src/generated');
  const found = (await readdir(dir, { recursive: true })).filter((path) => path.endsWith('.ts')).toSorted();
  return new Map(
    await Promise.all(found.map(async (path) => [path, await readFile(join(dir, path), 'utf8')] as const)),
  );
}

test('the version of Kubernetes is the same in the table, the manifest and the README', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { kubernetes: string };
  expect(manifest.kubernetes).toBe(kubernetesVersion);
  expect(await readFile(join(root, 'README.md'), 'utf8')).toContain(`Kubernetes ${kubernetesVersion}`);
});

test('every row of the table is complete, and none is there twice', () => {
  const names = kinds.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
  expect(new Set(names).size).toBe(names.length);
  for (const row of kinds) {
    for (const word of [row.version, row.resource, row.singular, row.kind]) expect(word).not.toBe('');
    expect(row.verbs.length).toBeGreaterThan(0);
    for (const { name, version, kind, verbs } of row.subresources) {
      expect([name, version, kind].every((word) => word !== '') && verbs.length > 0).toBe(true);
    }
  }
});

test('the table knows what a cluster is asked for by short name, category and scope', () => {
  const by = (resource: string) => kinds.find((kind) => kind.resource === resource);
  expect(by('deployments')).toMatchObject({
    group: 'apps',
    version: 'v1',
    shortNames: ['deploy'],
    categories: ['all'],
  });
  expect(by('deployments')?.subresources.find(({ name }) => name === 'scale')).toMatchObject({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
  });
  expect(by('nodes')?.namespaced).toBe(false);
  expect(by('namespaces')?.verbs).not.toContain('deletecollection');
});

test('only the tables have code that runs, and no file has a comment but the first line', async () => {
  for (const [path, text] of await generatedFiles()) {
    expect(text.match(/\/\/|\/\*/g)).toHaveLength(1);
    const runs = /^(?!import type |export type |export interface |\/\/| {2}readonly |\}|$).*$/m.test(text);
    expect([path, runs]).toEqual([path, path === 'kinds.ts' || path === 'protobuf.ts']);
  }
});
