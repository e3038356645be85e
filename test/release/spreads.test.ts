import { expect, test } from 'vitest';
import { spreadViolations } from '../../tools/lint/check-spreads.ts';

const check = (expression: string): string[] =>
  spreadViolations([{ path: 'a.ts', text: `declare const a: any, f: any;\nexport const b = ${expression};` }]);

test.each([
  ['a field', '{ ...(a === undefined ? {} : { a }) }'],
  ['another name', '{ ...(a === undefined ? {} : { c: a }) }'],
  ['the other order', '{ ...(a !== undefined ? { a } : {}) }'],
  ['a field of a field', '{ ...(a?.c === undefined ? {} : { c: a.c }) }'],
  ['two fields of a value', '{ ...(a === undefined ? {} : { c: a.c, d: a.d }) }'],
  ['a whole object', 'a === undefined ? {} : { a }'],
])('an optional field without defined() is found: %s', (_, expression) => {
  expect(check(expression)).toEqual(['a.ts:2: use defined({ … })']);
});

test.each([
  ['a computed value', '{ ...(a === undefined ? {} : { c: f(a) }) }'],
  ['a nested object', '{ ...(a === undefined ? {} : { c: { a } }) }'],
  ['another condition', "{ ...(a === '' ? {} : { a }) }"],
  ['two objects', 'a === undefined ? { c: 1 } : { a }'],
])('a conditional that defined() does not make shorter is allowed: %s', (_, expression) => {
  expect(check(expression)).toEqual([]);
});
