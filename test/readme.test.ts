import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the snippet of the README is the one that runs', async () => {
  const [readme, example] = await Promise.all([
    readFile('README.md', 'utf8'),
    readFile('examples/first-informer.ts', 'utf8'),
  ]);
  const region = /\/\/ #region readme\n(?<code>[\s\S]*?)\/\/ #endregion/.exec(example)?.groups?.['code'];
  const snippet = /<!-- cut from examples\/first-informer.ts -->\n```ts\n(?<code>[\s\S]*?)```/.exec(readme)?.groups?.[
    'code'
  ];
  expect(region).toBeDefined();
  expect(snippet).toBe(region);
});
