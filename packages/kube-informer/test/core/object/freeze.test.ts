import { expect, test } from 'vitest';
import { deepFreeze } from '../../../src/core/object/freeze.ts';

/** The paths of values that can still be changed. */
function unfrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, inner]) => unfrozen(inner, `${path}/${name}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}

test('freezes objects in arrays, arrays in arrays, and what is in them', () => {
  const object = {
    spec: { lists: [[{ a: [] }], [1, { b: { c: [{}] } }]], empty: [], none: null },
    items: [{}, [], 'x'],
  };
  expect(unfrozen(object)).not.toEqual([]);
  expect(unfrozen(deepFreeze(object))).toEqual([]);
});

test('ends at cycles, and at any depth', () => {
  const cycle: { self?: unknown; list: unknown[] } = { list: [] };
  cycle.self = cycle;
  cycle.list.push(cycle.list, cycle);
  deepFreeze(cycle);
  expect([cycle, cycle.list].every((each) => Object.isFrozen(each))).toBe(true);

  let deep: unknown[] = [];
  const innermost = deep;
  for (let i = 0; i < 100_000; i += 1) deep = [deep];
  deepFreeze(deep);
  expect(Object.isFrozen(innermost)).toBe(true);
});
