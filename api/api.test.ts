import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

/** The declarations a user can reach from an entry point, in order of first mention. */
async function surface(dist: string, file: string, seen = new Set<string>()): Promise<string> {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = (await readFile(file, 'utf8')).replace(/\n?\/\/# sourceMappingURL.*/, '');
  let out = `// ${relative(dist, file)}\n${text}\n`;
  for (const [, path] of text.matchAll(/from '(\.[^']+)\.ts'/g))
    out += await surface(dist, join(dirname(file), `${path}.d.ts`), seen);
  return out;
}

test.each([
  ['kube-informer', 'kube-informer', 'index.d.ts'],
  ['kube-informer-client', 'kube-informer', 'client/index.d.ts'],
  ['kube-informer-compat', 'kube-informer', 'compat/index.d.ts'],
  ['kube-informer-core', 'kube-informer', 'core/index.d.ts'],
  ['kube-informer-informer', 'kube-informer', 'informer/index.d.ts'],
  ['kube-informer-prometheus', 'kube-informer', 'prometheus/index.d.ts'],
  ['kube-informer-store', 'kube-informer', 'store/index.d.ts'],
  ['kube-informer-testing', 'kube-informer', 'testing/index.d.ts'],
  ['apiserver', 'apiserver', 'index.d.ts'],
  ['inspector', 'inspector', 'index.d.ts'],
])('the public API of %s is the one we reviewed', async (name, home, entry) => {
  const dist = join('packages', home, 'dist');
  await expect(await surface(dist, join(dist, entry))).toMatchFileSnapshot(`${name}.d.ts`);
});
