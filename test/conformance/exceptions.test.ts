import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exceptionRows, OLD, WITHOUT_STREAMING_LISTS } from './exceptions.ts';

const ALL = { 'WatchList=false': WITHOUT_STREAMING_LISTS, '1.26': OLD };

test('README.md lists the exceptions of every server, and no others', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const table = readme.split('| server | cases | what it does |\n|---|---|---|\n')[1]?.split('\n\n')[0];
  expect(table?.split('\n')).toEqual(
    Object.entries(ALL).flatMap(([server, exceptions]) => exceptionRows(server, exceptions)),
  );
});

test('a time-out is never the failure that was expected', () => {
  const late = [
    'Test timed out in 180000ms.\nIf this is a long-running test, pass a timeout value as the last argument',
    'no frame within 50000 ms',
    'no answer to GET /api/v1/configmaps within 40000 ms',
    'timed out after 60000 ms: Pods are admitted',
  ];
  for (const { cases, failure } of Object.values(ALL).flat()) {
    expect(
      late.filter((message) => failure.test(message)),
      cases.join(', '),
    ).toEqual([]);
  }
});
