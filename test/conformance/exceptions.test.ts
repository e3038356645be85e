import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exceptionRows, OLD, WITHOUT_STREAMING_LISTS } from './exceptions.ts';

test('README.md lists the exceptions of every version, and no others', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const listed = readme.split('\n').filter((line) => /^\| (WatchList=false|1\.26) \|/.test(line));
  expect(listed).toEqual([...exceptionRows('WatchList=false', WITHOUT_STREAMING_LISTS), ...exceptionRows('1.26', OLD)]);
});
