import { expect, expectTypeOf, test } from 'vitest';
import { defined } from '../../src/core/defined.ts';

test('fields that are undefined are left out; null, false, zero and empty texts stay', () => {
  const kept = defined({ a: undefined, b: null, c: false, d: 0, e: '' });
  expect(Object.entries(kept)).toEqual([['b', null], ['c', false], ['d', 0], ['e', '']]); // prettier-ignore
});

test('only own fields are copied, and the argument is not changed', () => {
  const fields = Object.assign(Object.create({ inherited: 1 }) as object, { own: 1, none: undefined });
  expect(defined(fields)).toStrictEqual({ own: 1 });
  expect(Object.keys(fields)).toEqual(['own', 'none']);
});

test('a field that may be undefined is optional, every other one stays required', () => {
  const uid = undefined as string | undefined;
  const kept = defined({ name: 'a' as string, uid });
  expectTypeOf(kept.name).toEqualTypeOf<string>();
  // Fails to compile if `uid` may be undefined: exactOptionalPropertyTypes is on.
  const meta: { readonly name: string; readonly uid?: string } = kept;
  expect(meta).toStrictEqual({ name: 'a' });
});
