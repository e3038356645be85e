import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BUGS } from './zoo.ts';

const SOURCE = fileURLToPath(new URL('../../../packages/kube-informer/src/', import.meta.url));

// The bugs themselves are planted by the slow tests; a renamed function or file should fail at once.
test('the text that each planted bug changes is in its file exactly once', () => {
  const changes = BUGS.flatMap(({ name, changes }) => changes.map((change) => ({ name, ...change })));
  const stale = changes.filter(({ file, find }) => readFileSync(join(SOURCE, file), 'utf8').split(find).length !== 2);
  expect(stale.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});
