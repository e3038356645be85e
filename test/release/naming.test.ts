import { expect, test } from 'vitest';
import { namingViolations } from '../../tools/lint/check-names.ts';
import { functionsOf } from '../../tools/lint/functions.ts';
import { NameReader, stemOf, stemsOf } from '../../tools/lint/name-reader.ts';

const paths = [
  'packages/server/src/storage/watch-cache.ts',
  'packages/server/src/storage/index.ts',
  'packages/server/src/auth/tokens.ts',
  'packages/client/src/auth/token-file.ts',
  'packages/client/src/list-watch/pager.ts',
  'packages/client/src/reflector/watch-list.ts',
  'packages/client/src/list-watch/list-watch.ts',
];
const readAt = (name: string, path: string): { files: readonly string[]; file: number; room: number } => {
  const { files, file, room } = new NameReader(paths, [{ name, path }]).read({ name, path });
  return { files, file, room };
};

test('forms of a word have one stem, and terms keep their own', () => {
  expect(['validate', 'validates', 'validated', 'validation'].map((word) => stemOf(word))).toEqual(
    Array.from({ length: 4 }, () => 'validat'),
  );
  expect(stemOf('policies')).toBe(stemOf('policy'));
  expect(stemOf('selector')).not.toBe(stemOf('selection'));
  expect(stemsOf('isOpenApiV2PathOfPods')).toEqual(['openapi', 'v2', 'path', 'pod']);
  expect(stemsOf('token-file')).toEqual(stemsOf('tokenFiles'));
});

test('a name that has all words of one file name finds that file', () => {
  const path = 'packages/client/src/auth/token-file.ts';
  expect(readAt('readTokenFile', path)).toEqual({ files: [path], file: 1, room: 1 });
  expect(readAt('readTokens', path)).toMatchObject({ file: 0, room: 0 });
});

test('the order of words decides between files that have the same words', () => {
  const path = 'packages/client/src/reflector/watch-list.ts';
  expect(readAt('interruptWatchList', path).files).toEqual([path]);
  expect(readAt('requireListWatch', path).files).toEqual(['packages/client/src/list-watch/list-watch.ts']);
});

test('files that fit equally share the guess; a name without a word of any path finds none', () => {
  const twins = ['packages/a/src/x/pods.ts', 'packages/b/src/y/pods.ts'];
  const named = { name: 'podName', path: 'packages/a/src/x/pods.ts' };
  expect(new NameReader(twins, [named]).read(named)).toMatchObject({ files: twins, file: 0.5, room: 0.5 });
  expect(readAt('frobnicate', 'packages/server/src/auth/tokens.ts')).toEqual({ files: [], file: 0, room: 0 });
});

test('a word that many functions have counts less than a rare one', () => {
  const files = ['packages/a/src/x/text.ts', 'packages/a/src/y/lease.ts'];
  const many = files.map((path) => ({ name: 'someText', path }));
  const named = { name: 'leaseText', path: 'packages/a/src/y/lease.ts' };
  expect(new NameReader(files, [...many, named]).read(named).files).toEqual(['packages/a/src/y/lease.ts']);
});

test('functions are declarations and constants at the top of a file', () => {
  const text = `export function a() { function inner() {} }
const b = () => 1; export const c = function () {}; const d = 1; class E { f() {} }`;
  expect(functionsOf({ path: 'x.ts', text }).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('two files with one name, and names that tell too little, are violations', () => {
  const functions = [{ name: 'frobnicate', path: 'packages/a/src/x/pods.ts' }];
  expect(namingViolations(['packages/a/src/x/pods.ts', 'packages/a/src/index.ts'], functions, {})).toEqual([]);
  expect(namingViolations(['packages/a/src/x/pods.ts', 'packages/b/src/y/pods.ts'], functions, {})).toEqual([
    'packages/b/src/y/pods.ts: packages/a/src/x/pods.ts has the same name',
  ]);
  expect(
    namingViolations(['packages/a/src/x/pods.ts'], functions, { 'packages/a/src': { files: 50, rooms: 50 } }),
  ).toEqual([expect.stringContaining('packages/a/src: names tell 0.0 % of the files and 0.0 % of the rooms')]);
});
