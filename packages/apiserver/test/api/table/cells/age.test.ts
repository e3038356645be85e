import { expect, test } from 'vitest';
import { ageCellSince, humanAgeCell } from '../../../../src/api/table/cells/age-cell.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

test.each([
  [-3 * S, '<invalid>'],
  [-2 * S, '<invalid>'],
  [-2 * S + 1, '0s'],
  [-1, '0s'],
  [0, '0s'],
  [999, '0s'],
  [S, '1s'],
  [2 * M - 1, '119s'],
  [2 * M, '2m'],
  [2 * M + S, '2m1s'],
  [10 * M - 1, '9m59s'],
  [10 * M, '10m'],
  [3 * H - 1, '179m'],
  [3 * H, '3h'],
  [3 * H + M, '3h1m'],
  [8 * H - 1, '7h59m'],
  [8 * H, '8h'],
  [48 * H - 1, '47h'],
  [2 * D, '2d'],
  [2 * D + H, '2d1h'],
  [8 * D - 1, '7d23h'],
  [8 * D, '8d'],
  [2 * Y - 1, '729d'],
  [2 * Y, '2y'],
  [2 * Y + D, '2y1d'],
  [8 * Y - 1, '7y364d'],
  [8 * Y, '8y'],
  [12 * Y + 300 * D, '12y'],
])('%d ms are shown as %s', (ms, text) => {
  expect(humanAgeCell(ms)).toBe(text);
});

test('an object without a creation time has no age', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  expect(ageCellSince('2026-01-01T00:00:00Z', now)).toBe('60s');
  expect(ageCellSince('2026-01-01T00:00:30.500000Z', now)).toBe('29s');
  for (const nothing of [undefined, null, '']) expect(ageCellSince(nothing, now)).toBe('<unknown>');
});
