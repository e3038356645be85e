import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const readme = await readFile('README.md', 'utf8');
const snippets = [...readme.matchAll(/<!-- cut from (?<file>\S+) -->\n```ts\n(?<code>[\s\S]*?)```/g)];

test('every TypeScript snippet of the README is cut from a file', () => {
  expect([...readme.matchAll(/```ts\n/g)]).toHaveLength(snippets.length);
  expect(snippets.length).toBeGreaterThan(1);
});

test.each(snippets.map(({ groups }) => [groups?.['file'] as string, groups?.['code'] as string]))(
  'the snippet of %s is the one that compiles and runs',
  async (file, code) => {
    const region = /\/\/ #region readme\n(?<code>[\s\S]*?)\/\/ #endregion/.exec(await readFile(file, 'utf8'));
    expect(code).toBe(region?.groups?.['code']);
  },
);
