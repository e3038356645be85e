import { describe, expect, test } from 'vitest';
import { findRoundedInteger } from '../../../src/client/codec/rounded-integer.ts';

describe('F54: integers that JavaScript rounds', () => {
  test.each<[string, unknown, string]>([
    ['in an object', { spec: { id: 2 ** 53 } }, 'spec.id'],
    ['negative', { spec: { id: -(2 ** 53) - 2 } }, 'spec.id'],
    ['the largest int64', { spec: { ids: [1, 2 ** 63] } }, 'spec.ids[1]'],
    ['at the top', 2 ** 60, ''],
  ])('F54: %s', (_, value, path) => expect(findRoundedInteger(JSON.stringify(value))).toBe(path));

  test.each<[string, unknown]>([
    ['the largest exact integer', { id: Number.MAX_SAFE_INTEGER }],
    ['a fraction of many digits', { x: 1 / 3 }],
    ['a number with an exponent', { x: 1e21 }],
    ['digits in a string', { image: `sha256:${'1234567890'.repeat(6)}`, quantity: '9223372036854775807' }],
    ['digits in a name', { '9223372036854775807': 1 }],
  ])('F54: not %s', (_, value) => expect(findRoundedInteger(JSON.stringify(value))).toBeUndefined());

  test('S34: in an object nested ten thousand deep', () => {
    const text = `${'{"a":'.repeat(10_000)}9007199254740993${'}'.repeat(10_000)}`;
    expect(findRoundedInteger(text)?.length).toBe(2 * 10_000 - 1);
  });
});
