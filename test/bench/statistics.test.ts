import { expect, test } from 'vitest';
import { quantile, ratioOf, spreadOf } from '../../bench/measure/statistics.ts';

test('a spread is the median of the rounds, with the least and the most', () => {
  expect(spreadOf([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9, rounds: 3 });
  expect(spreadOf([4, 1, 2, 3]).median).toBe(2.5);
  expect(() => spreadOf([])).toThrow('at least one round');
});

test('a quantile lies between its neighbours', () => {
  const values = Array.from({ length: 101 }, (_, i) => i);
  expect(quantile(values, 0.99)).toBe(99);
  expect(quantile([10, 20], 0.25)).toBe(12.5);
  expect(quantile([7], 0.99)).toBe(7);
});

test('a ratio compares within rounds, so a round on a busy machine does not count twice', () => {
  // Both took ten times as long in the second round.
  expect(ratioOf([1, 10, 1], [2, 20, 2])).toBe(0.5);
  // The ratio of the medians would be 1.
  expect(ratioOf([1, 10, 10], [10, 100, 10])).toBe(0.1);
});
