import { expect, test } from 'vitest';
import { violationsOf } from '../../tools/lint/check-rooms.ts';

const house = {
  root: 'p/src',
  packages: ['other/core'],
  node: /(?:^|\/)node$/,
  rooms: { core: [], 'core/async': ['core'], store: ['core'] },
};
const check = (files: Readonly<Record<string, string>>, rooms: Record<string, string[]> = house.rooms): string[] =>
  violationsOf(new Map(Object.entries(files)), { houses: [{ ...house, rooms }], counted: ['p'] });

test('an import goes down only, and a room below another one counts as part of it', () => {
  expect(check({ 'p/src/store/a.ts': "import type { B } from '../core/async/b.ts';" })).toEqual([]);
  expect(check({ 'p/src/core/b.ts': "export { a } from '../store/a.ts';" })).toEqual([
    'p/src/core/b.ts: the room core may not import store (../store/a.ts)',
  ]);
  expect(check({ 'p/src/core/b.ts': "const { a } = await import('../store/a.ts');" })).toHaveLength(1);
  expect(check({ 'p/src/core/b.ts': "// from '../store/a.ts'\n/* also\n * from '../store/a.ts' */" })).toEqual([]);
});

test('rooms that are allowed to import each other are found when they do', () => {
  const rooms = { core: ['store'], store: ['core'] };
  const both = { 'p/src/core/b.ts': "import '../store/a.ts';", 'p/src/store/a.ts': "import '../core/b.ts';" };
  expect(check(both, rooms)).toEqual(['p/src: rooms import each other: core → store → core']);
});

test("a room that is not in the table, Node's modules elsewhere, and an entry imported from inside are found", () => {
  expect(check({ 'p/src/new/a.ts': '' })).toEqual(['p/src/new/a.ts: the room new is not in tools/lint/rooms.ts']);
  expect(check({ 'p/src/core/a.ts': "import { join } from 'node:path';" })).toHaveLength(1);
  expect(check({ 'p/src/core/node/a.ts': "import { join } from 'node:path';" }, { 'core/node': [] })).toEqual([]);
  expect(check({ 'p/src/store/a.ts': "import { b } from '../core/index.ts';" })).toHaveLength(1);
  expect(check({ 'p/src/core/index.ts': "export { a } from '../store/a.ts';" })).toEqual([]);
});

test('a folder has at most 20 source files; generated ones do not count', () => {
  const files = (folder: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p/${folder}/f${at}.ts`, '']));
  expect(check(files('test'))).toEqual(['p/test: 21 source files; a folder has at most 20']);
  expect(check(files('test/generated'))).toEqual([]);
});

test("another package is imported by an allowed entry only, in any quotes, and Node's modules also without a prefix", () => {
  expect(check({ 'p/src/core/a.ts': "import { a } from 'other/core';" })).toEqual([]);
  expect(check({ 'p/src/core/a.ts': 'import { a } from "other/client";' })).toEqual([
    'p/src/core/a.ts: p/src may not import other/client',
  ]);
  expect(check({ 'p/src/core/a.ts': "import { a } from '../../../other/src/a.ts';" })).toHaveLength(1);
  expect(check({ 'p/src/core/a.ts': "import fs from 'fs';" })).toHaveLength(1);
});
