import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const DIST = 'packages/kube-informer/dist';

/** The declarations a user can reach from an entry point, in order of first mention. */
async function surface(file: string, seen = new Set<string>()): Promise<string> {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = (await readFile(file, 'utf8')).replace(/\n?\/\/# sourceMappingURL.*/, '');
  let out = `// ${relative(DIST, file)}\n${text}\n`;
  for (const [, path] of text.matchAll(/from '(\.[^']+)\.ts'/g))
    out += await surface(join(dirname(file), `${path}.d.ts`), seen);
  return out;
}

test.each([
  ['kube-informer', 'index.d.ts'],
  ['kube-informer-client', 'client/index.d.ts'],
  ['kube-informer-compat', 'compat/index.d.ts'],
  ['kube-informer-core', 'core/index.d.ts'],
  ['kube-informer-informer', 'informer/index.d.ts'],
  ['kube-informer-prometheus', 'prometheus/index.d.ts'],
  ['kube-informer-testing', 'testing/index.d.ts'],
])('the public API of %s is the one we reviewed', async (name, entry) => {
  await expect(await surface(join(DIST, entry))).toMatchFileSnapshot(`${name}.d.ts`);
});
