import { expect, test } from 'vitest';
import { AGE } from '../../src/columns/column.ts';
import { orderByColumn, columnOrderText } from '../../src/columns/column-order.ts';

test('texts sort as a person would: numbers, durations and fractions by value, then words', () => {
  const texts = ['b', '10', '9', '2d', '3h', '45s', '1/3', '0/2', 'A', '3 (4m ago)', '<none>'];
  expect(texts.toSorted((a, b) => (columnOrderText(a) < columnOrderText(b) ? -1 : 1))).toEqual([
    '0/2', '1/3', '3 (4m ago)', '9', '10', '45s', '3h', '2d', '<none>', 'A', 'b',
  ]); // prettier-ignore
});

test('ages sort by the time of creation, the youngest first, whenever they are asked', () => {
  const at = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });
  const { orderOf } = orderByColumn(AGE, 0, false);
  expect(orderOf(at('2026-02-01T00:00:00Z')) < orderOf(at('2026-01-31T23:59:59Z'))).toBe(true);
});
