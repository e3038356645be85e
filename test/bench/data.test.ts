import { expect, test } from 'vitest';
import { makePod, makeWidget, selectorOf } from '../../bench/data/workload.ts';
import { withDefaults } from '../../bench/server/fill-etcd.ts';

test('the same number gives the same pod in every run', () => {
  expect(makePod('randomised', 7)).toEqual(makePod('randomised', 7));
  expect(makePod('randomised', 7)).not.toEqual(makePod('randomised', 8));
});

test('friendly pods of one app are alike, randomised ones are not', () => {
  // Pods 3 and 203 are of the same app.
  const checksum = (data: 'friendly' | 'randomised', i: number): unknown =>
    (makePod(data, i).metadata['annotations'] as Record<string, string>)['example.com/checksum'];
  expect(checksum('friendly', 3)).toBe(checksum('friendly', 203));
  expect(checksum('randomised', 3)).not.toBe(checksum('randomised', 203));
});

test('a selector finds the first objects of its size', () => {
  const labels = (i: number): Record<string, string> =>
    makePod('friendly', i).metadata['labels'] as Record<string, string>;
  const matches = (i: number): boolean =>
    selectorOf('friendly', 1_000)
      .split(',')
      .every((part) => labels(i)[part.split('=')[0] as string] === part.split('=')[1]);
  expect([0, 999, 1_000, 2_000].map(matches)).toEqual([true, true, false, false]);
});

test('a widget has the content of the pod with its number', () => {
  const { apiVersion, kind, ...rest } = makeWidget('friendly', 5);
  expect([apiVersion, kind]).toEqual(['bench.example.com/v1', 'Widget']);
  expect(rest).toEqual(makePod('friendly', 5));
});

test('a stored object has the defaults of the template and its own values and labels', () => {
  const template = {
    spec: { dnsPolicy: 'ClusterFirst', containers: [{ name: 'a', tty: false }] },
    labels: { big: 'yes' },
  };
  const own = { spec: { containers: [{ name: 'b' }] }, labels: { small: 'yes' } };
  expect(withDefaults(template, own)).toEqual({
    spec: { dnsPolicy: 'ClusterFirst', containers: [{ name: 'b', tty: false }] },
    labels: { small: 'yes' },
  });
});
