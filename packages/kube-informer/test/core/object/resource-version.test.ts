import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareVersions,
  isOlder,
  isOrderedVersion,
  isVersionPlaceInHistory,
  newerVersion,
} from '../../../src/core/object/resource-version.ts';

const digits = fc.constantFrom(...'0123456789'.split(''));
/** A version that has an order: up to 40 digits, the first not 0. */
const ordered = fc
  .tuple(fc.constantFrom(...'123456789'.split('')), fc.string({ unit: digits, maxLength: 39 }))
  .map(([first, rest]) => first + rest);
/** Two of them that differ in a few digits only, where a comparison of doubles would see no difference. */
const neighbours = fc
  .tuple(
    ordered,
    fc.string({ unit: digits, minLength: 1, maxLength: 2 }),
    fc.string({ unit: digits, minLength: 1, maxLength: 2 }),
  )
  .map(([head, a, b]) => [head + a, head + b] as const);
const pairs = fc.oneof(fc.tuple(ordered, ordered), neighbours);
const opaque = fc.oneof(
  fc.constantFrom('', '0', '007', '-1', '+1', '1.5', '1e3', '0x10', ' 1', '1 ', '1_000', 'abc', '１２', '12\n', 'NaN'),
  fc.string().filter((text) => !/^[1-9]\d*$/.test(text)),
);

const sign = (order: number | undefined): number | undefined => (order === undefined ? undefined : Math.sign(order));

function bySize(a: string, b: string): number {
  const [left, right] = [BigInt(a), BigInt(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

describe('compareVersions', () => {
  test('F54: digit strings of up to 40 digits compare as the whole numbers they stand for', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        expect(sign(compareVersions(a, b))).toBe(bySize(a, b));
      }),
      { numRuns: 2_000 },
    );
  });

  test('F54: numbers that are the same double are still distinguished', () => {
    expect(sign(compareVersions('9007199254740992', '9007199254740993'))).toBe(-1);
    expect(sign(compareVersions('1000000000000000000000001', '1000000000000000000000000'))).toBe(1);
    expect(sign(compareVersions('9', '10'))).toBe(-1);
  });

  test('F54: swapping the two sides reverses the result', () => {
    const any = fc.option(fc.oneof(ordered, opaque), { nil: undefined });
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [there, back] = [sign(compareVersions(a, b)), sign(compareVersions(b, a))];
        expect(back).toBe(there === undefined ? undefined : 0 - there);
      }),
    );
  });

  test('F54: the order is transitive', () => {
    fc.assert(
      fc.property(ordered, ordered, ordered, (a, b, c) => {
        const [first, second, third] = [a, b, c].sort((x, y) => compareVersions(x, y) ?? Number.NaN);
        expect(isOlder(third, second) || isOlder(third, first) || isOlder(second, first)).toBe(false);
      }),
    );
  });

  test('F54: an opaque version can only be equal; its order is unknown', () => {
    fc.assert(
      fc.property(opaque, fc.oneof(ordered, opaque), (a, b) => {
        expect(compareVersions(a, b)).toBe(a === b && a !== '' ? 0 : undefined);
        expect(compareVersions(b, a)).toBe(a === b && a !== '' ? 0 : undefined);
      }),
    );
  });

  test('a missing or empty version has no order, not even to itself', () => {
    expect(compareVersions(undefined, undefined)).toBeUndefined();
    expect(compareVersions(undefined, '1')).toBeUndefined();
    expect(compareVersions('1', undefined)).toBeUndefined();
    expect(compareVersions('', '')).toBeUndefined();
    expect(compareVersions('', '1')).toBeUndefined();
  });

  test('"0" means any state, not a version before 1', () => {
    expect(compareVersions('0', '1')).toBeUndefined();
    expect(compareVersions('1', '0')).toBeUndefined();
  });

  test('S33: 1 MB of digits is compared by reading each of them at most once', () => {
    const charCodeAt = Reflect.get(String.prototype, 'charCodeAt') as (this: string, at: number) => number;
    let reads = 0;
    const counting = function (this: string, at: number): number {
      reads += 1;
      return charCodeAt.call(this, at);
    };
    const million = '9'.repeat(1_000_000);
    let order: number | undefined;
    let strange: number | undefined;
    Object.defineProperty(String.prototype, 'charCodeAt', { value: counting, configurable: true, writable: true });
    try {
      order = compareVersions(million, `${million.slice(1)}8`);
      strange = compareVersions(`${million}x`, `1${million}`);
    } finally {
      Object.defineProperty(String.prototype, 'charCodeAt', { value: charCodeAt, configurable: true, writable: true });
    }
    expect(sign(order)).toBe(1);
    expect(strange).toBeUndefined();
    expect(reads).toBeGreaterThanOrEqual(2 * million.length);
    expect(reads).toBeLessThanOrEqual(4 * million.length + 4);
  });
});

describe('what follows from the order', () => {
  test('isOlder is true only where the order is known', () => {
    expect([isOlder('1', '2'), isOlder('2', '1'), isOlder('1', '1')]).toEqual([true, false, false]);
    expect([isOlder('a', 'b'), isOlder('', '1'), isOlder(undefined, '1'), isOlder('1', undefined)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('newerVersion keeps the higher one, and the later arrival where the order is unknown', () => {
    expect([newerVersion('9', '10'), newerVersion('10', '9'), newerVersion('7', '7')]).toEqual(['10', '10', '7']);
    expect([newerVersion('a', 'b'), newerVersion('b', 'a'), newerVersion('5', 'x')]).toEqual(['b', 'a', 'x']);
  });

  test('isOrdered accepts digit strings without leading zeros and nothing else', () => {
    fc.assert(fc.property(ordered, (version) => isOrderedVersion(version)));
    fc.assert(fc.property(opaque, (version) => !isOrderedVersion(version)));
  });

  test('a watch can continue from any version but "" and "0"', () => {
    expect(['', '0', '1', 'abc', '00'].map(isVersionPlaceInHistory)).toEqual([false, false, true, true, true]);
  });
});
