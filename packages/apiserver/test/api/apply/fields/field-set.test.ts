import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FieldPath, FieldSet } from '../../../../src/api/apply/structured-merge/field-set.ts';
import {
  sortPathElements,
  keyPathElement,
  parsePathElement,
  showPathElements,
  valuePathElement,
} from '../../../../src/api/apply/structured-merge/path-element.ts';

const STEPS = ['f:a', 'f:b', 'k:{"name":"x"}', 'v:"x"', 'i:0'];

const paths = fc.array(fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 4 }), { maxLength: 12 });

/** A reference implementation of a set of paths. */
const texts = (some: Iterable<FieldPath>): Set<string> => new Set([...some].map((path) => path.join('/')));

const contents = (set: FieldSet): string[] => [...texts(set.paths())].toSorted();

const holds = (law: (left: FieldPath[], right: FieldPath[]) => void): void =>
  fc.assert(fc.property(paths, paths, (left, right) => law(left, right)));

test('a set has the paths that were added, and no others', () => {
  holds((left, right) => {
    const set = new FieldSet(left);
    expect(contents(set)).toEqual([...texts(left)].toSorted());
    for (const path of right) expect(set.hasPath(path)).toBe(texts(left).has(path.join('/')));
    expect(set.hasPath([])).toBe(false);
  });
});

test('union, intersection and difference are those of their paths', () => {
  holds((left, right) => {
    const [a, b] = [new FieldSet(left), new FieldSet(right)];
    const [as, bs] = [texts(left), texts(right)];
    expect(contents(a.union(b))).toEqual([...new Set([...as, ...bs])].toSorted());
    expect(contents(a.intersection(b))).toEqual([...as].filter((path) => bs.has(path)).toSorted());
    expect(contents(a.difference(b))).toEqual([...as].filter((path) => !bs.has(path)).toSorted());
    expect(a.equals(b)).toBe([...as].every((path) => bs.has(path)) && as.size === bs.size);
    expect(contents(a)).toEqual([...as].toSorted());
  });
});

test('without takes a path with everything below it', () => {
  holds((left, right) => {
    const gone = right.map((path) => path.join('/'));
    const isGone = (path: string): boolean => gone.some((one) => path === one || path.startsWith(`${one}/`));
    const left_ = [...texts(left)].filter((path) => !isGone(path));
    expect(contents(new FieldSet(left).without(new FieldSet(right)))).toEqual(left_.toSorted());
  });
});

test('FieldsV1 reads back as the same set', () => {
  holds((left) => {
    const set = new FieldSet(left);
    const again = FieldSet.fromFieldsV1(set.toFieldsV1());
    expect(again.equals(set)).toBe(true);
    expect(JSON.stringify(again.toFieldsV1())).toBe(JSON.stringify(set.toFieldsV1()));
  });
});

test('an item that is owned besides its fields has a dot', () => {
  const set = new FieldSet([
    ['f:ports', 'k:{"port":80}', 'f:name'],
    ['f:ports', 'k:{"port":80}'],
  ]);
  expect(set.toFieldsV1()).toEqual({ 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} } } });
});

test('steps are in the order of a real server: fields, keys, values, indexes, numbers by size', () => {
  const steps = [
    'i:10',
    'i:9',
    'v:"b"',
    'v:10',
    'v:9',
    'v:true',
    'k:{"port":80}',
    'k:{"port":9}',
    'k:{"name":"z"}',
    'f:b',
    'f:B',
  ];
  expect(sortPathElements(steps)).toEqual([
    'f:B', 'f:b', 'k:{"name":"z"}', 'k:{"port":9}', 'k:{"port":80}', 'v:9', 'v:10', 'v:"b"', 'v:true', 'i:9', 'i:10',
  ]); // prettier-ignore
  expect(sortPathElements(['k:{"a":1,"b":1}', 'k:{"a":1}', 'k:{"a":0,"z":1}'])).toEqual([
    'k:{"a":0,"z":1}',
    'k:{"a":1}',
    'k:{"a":1,"b":1}',
  ]);
});

test('keys are sorted and written as Go writes them', () => {
  expect(
    keyPathElement([
      ['protocol', 'TCP'],
      ['containerPort', 80],
    ]),
  ).toBe('k:{"containerPort":80,"protocol":"TCP"}');
  expect(valuePathElement('<a&b>')).toBe(String.raw`v:"\u003ca\u0026b\u003e"`);
  expect(parsePathElement('k:{ "b": 1, "a": "<" }')).toBe(String.raw`k:{"a":"\u003c","b":1}`);
});

test('paths are shown as messages show them', () => {
  expect(showPathElements(['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'])).toBe(
    '.spec.ports[port=80,protocol="TCP"].name',
  );
  expect(showPathElements(['f:finalizers', 'v:"x"', 'i:3'])).toBe('.finalizers[="x"][3]');
});

test('an unknown kind of step is skipped; an invalid one is refused', () => {
  expect(FieldSet.fromFieldsV1({ 'z:future': {}, 'f:a': {} }).toFieldsV1()).toEqual({ 'f:a': {} });
  for (const key of ['x', 'name', 'v:{', 'k:[', 'i:one'])
    expect(() => FieldSet.fromFieldsV1({ [key]: {} }), key).toThrow();
  expect(() => FieldSet.fromFieldsV1({ 'f:a': 1 })).toThrow();
});

test('the union of deep sets takes time linear in their size', () => {
  const path = Array.from({ length: 200 }, () => 'f:a');
  const deep = new FieldSet([path]);
  // Two visits per level would be 2^200 steps.
  expect(deep.union(new FieldSet([[...path, 'f:b']])).hasPath(path)).toBe(true);
});
