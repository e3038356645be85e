import fc from 'fast-check';
import type { KubeObject } from 'kube-informer';
import { expect, test } from 'vitest';
import { diffCommandLines } from '../../src/commands/diff-command.ts';
import { changeTextLine, changeSummaryText } from '../../src/diff/change-text.ts';
import { changesBetween } from '../../src/diff/diff-changes.ts';
import { plainStyle } from '../../src/text/style.ts';
import { safe } from '../../src/text/safe.ts';

test('a change has a path, the old and the new value', () => {
  const before = { status: { phase: 'Pending' }, spec: { replicas: 1 } };
  const after = { status: { phase: 'Running', podIP: '10.0.0.1' }, spec: { replicas: 1 } };
  expect(changesBetween(before, after).map((change) => changeTextLine(change, plainStyle))).toEqual([
    '~ status.phase: Pending → Running',
    '+ status.podIP: 10.0.0.1',
  ]);
});

test('list items are compared by name if they have one', () => {
  const before = { c: [{ name: 'a', image: '1' }, { name: 'b', image: '1' }] }; // prettier-ignore
  const after = { c: [{ name: 'new', image: '9' }, { name: 'b', image: '2' }] }; // prettier-ignore
  expect(changesBetween(before, after).map(({ path }) => path)).toEqual([
    'c[name=new]',
    'c[name=b].image',
    'c[name=a]',
  ]);
  expect(changesBetween({ l: [1, 2] }, { l: [1, 3] }).map(({ path }) => path)).toEqual(['l[1]']);
});

test('resourceVersion and managedFields are not compared', () => {
  const before = { metadata: { resourceVersion: '1', managedFields: [1], labels: { 'a.b/c': 'x' } } };
  const after = { metadata: { resourceVersion: '2', managedFields: [2], labels: { 'a.b/c': 'y' } } };
  expect(changesBetween(before, after)).toEqual([{ path: 'metadata.labels["a.b/c"]', before: 'x', after: 'y' }]);
});

test('S30: a field named __proto__ is an ordinary field', () => {
  const before: unknown = JSON.parse('{"data":{"__proto__":"a"}}');
  const after: unknown = JSON.parse('{"data":{"__proto__":"b"}}');
  expect(changesBetween(before, after)).toEqual([{ path: 'data.__proto__', before: 'a', after: 'b' }]);
  expect(changesBetween({ data: {} }, after)).toEqual([{ path: 'data.__proto__', before: undefined, after: 'b' }]);
});

test('changes are reported exactly where two objects differ', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify({ spec: value }));
      const [before, after] = [plain(a), plain(b)];
      expect(changesBetween(before, before)).toEqual([]);
      const isSame = JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
      if (!isSame) expect(changesBetween(before, after).length).toBeGreaterThan(0);
    }),
  );
});

test('S36: values and paths with escape sequences are escaped, on one line of limited length', () => {
  const hostile = '\u001b]0;owned\u0007\nnext';
  const line = changeTextLine({ path: `data["${hostile}"]`, before: hostile, after: 'x'.repeat(1_000) }, plainStyle);
  expect(line).not.toMatch(/\p{Cc}/u);
  expect(line.length).toBeLessThan(400);
  expect(changeSummaryText([{ path: 'a', before: undefined, after: hostile }, { path: 'b', before: 1, after: 2 }], 1)).toBe(
    'a: <none> → "\\u001b]0;owned\\u0007\\nnext" and 1 more',
  ); // prettier-ignore
});

test('diff prints every version of an object, and nothing for one without a change', () => {
  const object = (version: string, phase: string): KubeObject =>
    ({ metadata: { name: 'web', resourceVersion: version }, status: { phase } }) as KubeObject;
  const lines = (event: Parameters<typeof diffCommandLines>[1]): string[] =>
    diffCommandLines(safe`pod/web`, event, (one) => one, 0, plainStyle).map((line) => line.replace(/^\d\d:\d\d:\d\d/, 'TIME'));
  const update = { type: 'update', key: 'a/web', replaced: false, resync: false } as const;
  expect(lines({ type: 'add', key: 'a/web', object: object('1', 'Pending'), initial: true })).toEqual(['TIME  pod/web is at version 1']);
  expect(lines({ ...update, old: object('1', 'Pending'), object: object('2', 'Running') })).toEqual(['TIME  pod/web version 2', '  ~ status.phase: Pending → Running']);
  expect(lines({ ...update, old: object('2', 'Running'), object: object('3', 'Running') })).toEqual([]);
  expect(lines({ type: 'delete', key: 'a/web', object: object('4', 'Running'), finalStateUnknown: false })).toEqual(['TIME  pod/web was deleted']);
}); // prettier-ignore

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]); // prettier-ignore
}
