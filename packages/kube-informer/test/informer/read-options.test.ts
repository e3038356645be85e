import { describe, expect, test } from 'vitest';
import { readOptionsNameVersion, checkReadOptions } from '../../src/informer/read-options.ts';
import { coded } from './rig/informer-rig.ts';

describe('freshness', () => {
  test('G19, G20: versions are reached in their own order; those without an order only when they are equal', () => {
    expect([
      readOptionsNameVersion('10', '9'),
      readOptionsNameVersion('9', '10'),
      readOptionsNameVersion('9', '9'),
      readOptionsNameVersion('', '1'),
    ]).toEqual([true, false, true, false]);
    expect([
      readOptionsNameVersion('abc', 'abc'),
      readOptionsNameVersion('abd', 'abc'),
      readOptionsNameVersion('9007199254740993', '9007199254740992'),
    ]).toEqual([true, false, true]);
  });

  test('G19: a refused read reports what it required and what the cache has', () => {
    const cache = { staleForMs: 500, resourceVersion: '' };
    expect(() => checkReadOptions('pods', cache, {})).not.toThrow();
    expect(() => checkReadOptions('pods', cache, { maxStalenessMs: 500 })).not.toThrow();
    expect(() => checkReadOptions('pods', cache, { maxStalenessMs: 499 })).toThrow(
      /pods was last known to be current 500 ms ago, maxStalenessMs is 499/,
    );
    expect(() => checkReadOptions('pods', cache, { notOlderThan: '1' })).toThrow(
      /pods is at version \(none\), notOlderThan is 1/,
    );
    expect(() => checkReadOptions('pods', cache, { notOlderThan: '1' })).toThrow(coded('STALE_CACHE'));
  });
});
