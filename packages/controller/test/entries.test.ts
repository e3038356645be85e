import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const entriesOf = async (folder: string): Promise<string[]> => {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { exports: object };
  return Object.keys(exports).filter((entry) => entry !== './package.json');
};

test('CTR-01: only public entries of kube-informer are imported, and the embedded server only for tests', async () => {
  expect(await entriesOf(root)).toEqual(['.', './election', './events', './queue', './testing']);
  const allowed = (await entriesOf(join(root, '../kube-informer'))).map((entry) => `kube-informer${entry.slice(1)}`);
  const files = (await readdir(join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const text = await readFile(join(root, 'src', file), 'utf8');
    const imported = [...text.matchAll(/(?:from|import\() ?'(?!\.)([^']+)'/g)].map(([, name = '']) => name);
    const isForTests = file.startsWith('testing');
    for (const name of imported) {
      if (name.startsWith('kube-informer')) expect(allowed, file).toContain(name);
      if (!isForTests) expect(name, file).not.toMatch(/apiserver|^yaml$|^kube-informer\/testing$/);
    }
  }
});
