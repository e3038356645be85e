import { expect, test } from 'vitest';
import { tableViolations } from '../../tools/lint/check-tables.ts';
import { shippedSources } from './sources.ts';

const check = (files: Readonly<Record<string, string>>): string[] =>
  tableViolations(Object.entries(files).map(([path, text]) => ({ path, text })));
const TABLE = 'export const T: Readonly<Record<string, number>> = { a: 1 };\n';

test.each([
  ['a name', `${TABLE}export const f = (name: string) => T[name];`],
  ['a call', `${TABLE}export const f = (name: string) => T[name.toLowerCase()];`],
  ['a template', `${TABLE}export const f = (name: string) => T[\`\${name}\`];`],
  ['the operator in', `${TABLE}export const f = (name: string) => name in T;`],
  ['a write', 'const t: Record<string, number> = {};\nexport const f = (name: string) => (t[name] = 1);'],
  [
    'a table inside a function',
    'export function f(n: string) {\n  const t: Record<string, 1> = { a: 1 }; return t[n]; }',
  ],
  ['a literal without a name', "\nexport const f = (n: string) => ({ a: 1 } as const)[n as 'a'];"],
  [
    'a cast in a literal without a type',
    'const T = { a: 1 };\nexport const f = (n: string) => T[n as keyof typeof T];',
  ],
  ['a cast in a closed table', "const T: Record<'a', 1> = { a: 1 };\nexport const f = (n: string) => T[n as 'a'];"],
])('S61: a lookup by %s is found', (_, text) => {
  expect(check({ 'a.ts': text })).toEqual([expect.stringMatching(/^a\.ts:2: .* make it a Map$/)]);
});

test('S61: a table of another file is found where it is looked up', () => {
  const user = "import { T as U } from './a.ts';\nexport const f = (name: string) => U[name];";
  expect(check({ 'x/a.ts': TABLE, 'x/b.ts': user })).toEqual([expect.stringMatching(/^x\/b\.ts:2: U /)]);
});

test.each([
  ['a literal key', `${TABLE}export const f = T['a'];`],
  ['keys that the compiler knows', "const T: Record<'a', 1> = { a: 1 };\nexport const f = (n: 'a') => T[n];"],
  ['numbers', 'const T: Record<number, 1> = { 1: 1 };\nexport const f = (n: number) => T[n];'],
  ['a Map', 'const T = new Map([["a", 1]]);\nexport const f = (n: string) => T.get(n);'],
  [
    'an object that inherits nothing',
    'const T: Record<string, 1> = Object.create(null);\nexport const f = (n: string) => T[n];',
  ],
  ['a delete', 'const T: Record<string, 1> = { a: 1 };\nexport const f = (n: string) => delete T[n];'],
])('S61: %s is allowed', (_, text) => {
  expect(check({ 'a.ts': text })).toEqual([]);
});

test('S61: no package has such a lookup', () => {
  const files = shippedSources().filter(({ path }) => !path.includes('/generated/'));
  expect(files.length).toBeGreaterThan(300);
  expect(tableViolations(files)).toEqual([]);
});
