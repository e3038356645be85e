import { describe, expect, test } from 'vitest';
import { isEqual, hasEqualContent } from '../../../src/core/object/equal.ts';

class Point {
  readonly x: number;
  constructor(x: number) {
    this.x = x;
  }
}
class Sealed {
  readonly #x: number;
  constructor(x: number) {
    this.#x = x;
  }
  get double(): number {
    return this.#x * 2;
  }
}

describe('isEqual', () => {
  const equal: [string, unknown, unknown][] = [
    ['JSON', { a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }],
    ['NaN', { a: Number.NaN }, { a: Number.NaN }],
    ['a Date of the same time', new Date(5), new Date(5)],
    ['an invalid Date', new Date(Number.NaN), new Date(Number.NaN)],
    ['a Map', new Map([['a', { n: 1 }]]), new Map([['a', { n: 1 }]])],
    ['a Set', new Set(['a', 'b']), new Set(['a', 'b'])],
    ['bytes', new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    ['no bytes', new Uint8Array(0), new Uint8Array(0)],
    ['instances of a class', new Point(1), new Point(1)],
  ];
  test.each(equal)('G3, G18: %s is equal', (_, one, other) => expect(isEqual({ v: one }, { v: other })).toBe(true));

  const different: [string, unknown, unknown][] = [
    ['a Date of another time', new Date(5), new Date(6)],
    ['a Map with another value', new Map([['a', 1]]), new Map([['a', 2]])],
    ['a Map with another key', new Map([['a', 1]]), new Map([['b', 1]])],
    ['an empty Map', new Map([['a', 1]]), new Map()],
    ['a Set with another member', new Set(['a']), new Set(['b'])],
    ['a Set and a Map', new Set([1]), new Map([[1, 1]])],
    ['a Date and an object', new Date(5), {}],
    ['an array and an object', [], {}],
    ['other bytes', new Uint8Array([1]), new Uint8Array([2])],
    ['instances of two classes', new Point(1), { x: 1 }],
    ['instances that show nothing', new Sealed(1), new Sealed(1)],
    ['regular expressions', /a/, /b/],
    ['a field that is undefined and one that is missing', { a: undefined }, {}],
  ];
  test.each(different)('G3: %s is not', (_, one, other) => expect(isEqual({ v: one }, { v: other })).toBe(false));

  test('S34: ends with cycles', () => {
    const cycle = (): object => {
      const parent: Record<string, unknown> = { name: 'p' };
      parent['child'] = { parent };
      return parent;
    };
    expect(isEqual(cycle(), cycle())).toBe(true);
  });
});

test('CON-02: a type that only one state carries is not a difference, another type is', () => {
  const bare = { metadata: { name: 'a' }, spec: { n: 1 } };
  const typed = { ...bare, apiVersion: 'v1', kind: 'Pod' };
  expect(hasEqualContent(bare, typed)).toBe(true);
  expect(hasEqualContent({ ...bare, kind: 'Pod' }, typed)).toBe(true);
  expect(hasEqualContent({ ...typed, kind: 'Node' }, typed)).toBe(false);
  expect(hasEqualContent({ ...bare, spec: { n: 2 } }, typed)).toBe(false);
});

test('S34: a cycle costs thousands of comparisons, not millions: a relist compares every object', () => {
  let reads = 0;
  const cyclic = (): object => {
    const object = { name: 'a', self: {} as object };
    const back = {
      get owner(): object {
        reads += 1;
        return object;
      },
    };
    object.self = back;
    return object;
  };
  expect(isEqual(cyclic(), cyclic())).toBe(true);
  expect(reads).toBeLessThan(50_000);
});
