import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOlder } from '../../../../src/core/object/resource-version.ts';
import { ListOrder, listVersion, Versions, watchListVersion } from '../../../../src/informer/reflector/versions.ts';

function rig(...steps: (readonly ['list' | 'event', string])[]): Versions {
  const versions = new Versions();
  for (const [kind, version] of steps) {
    if (kind === 'list') versions.replaced(version, false);
    else versions.advance(version);
  }
  return versions;
}

function order(version: string, ...items: readonly (string | undefined)[]): ListOrder {
  const list = new ListOrder(version);
  for (const item of items) list.observe(item);
  return list;
}

describe('which version is asked for', () => {
  test.each([
    ['nothing seen', '', false, '', { resourceVersion: '' }],
    ['nothing seen, any state will do', '', false, '0', { resourceVersion: '0' }],
    ['something seen', '10', false, '', { resourceVersion: '10', resourceVersionMatch: 'NotOlderThan' }],
    [
      'something seen, any state would have done at first',
      '10',
      false,
      '0',
      { resourceVersion: '10', resourceVersionMatch: 'NotOlderThan' },
    ],
    ['what was seen cannot be had', '10', true, '0', { resourceVersion: '' }],
    ['what was seen is no place in history', '0', false, '', { resourceVersion: '0' }],
  ] as const)('REF-04: %s', (_, high, unavailable, first, asked) => {
    expect(listVersion(high, unavailable, first)).toEqual(asked);
  });

  test.each([
    ['', false, ''],
    ['10', false, '10'],
    ['10', true, ''],
  ])('WLS-02: a streamed list after %j, unavailable: %s, starts from %j', (high, unavailable, start) => {
    expect(watchListVersion(high, unavailable)).toBe(start);
  });
});

describe('bookkeeping', () => {
  test('G2: a list and events move the place, and the highest is remembered', () => {
    const versions = rig(['list', '10'], ['event', '12']);
    expect([versions.last, versions.high]).toEqual(['12', '12']);
  });

  test('G1: an older event moves nothing, and one of the same version is not older', () => {
    const versions = rig(['list', '10'], ['event', '12'], ['event', '11']);
    expect(versions.last).toBe('12');
    expect(versions.isStale('11')).toBe(true);
    expect(versions.isStale('12')).toBe(false);
  });

  test('Trap 1: versions are compared as texts of digits: more digits than a double holds, and 9 before 10', () => {
    const versions = rig(['list', '9007199254740993'], ['event', '9007199254740995']);
    expect(versions.isStale('9007199254740994')).toBe(true);
    expect(versions.isStale('10000000000000000')).toBe(false);
    expect(rig(['list', '9']).isStale('10')).toBe(false);
    expect(rig(['list', '10']).isStale('9')).toBe(true);
  });

  test('G3: a new epoch starts from its own version, and is counted', () => {
    const versions = rig(['list', '100']);
    versions.replaced('40', true);
    expect([versions.last, versions.high, versions.epochs]).toEqual(['40', '40', 1]);
    expect(versions.isStale('41')).toBe(false);
  });

  test('F46: a list older than its items shows that versions cannot be ordered; from then on nothing is stale', () => {
    const versions = rig(['list', '10']);
    versions.judge(order('10', '10', undefined));
    expect(versions.ordered).toBe(true);
    versions.judge(order('10', '10', '11'));
    expect(versions.ordered).toBe(false);
    expect(versions.isStale('1')).toBe(false);
    versions.replaced('3', false);
    expect([versions.last, versions.high]).toEqual(['3', '3']);
  });

  test.each(['', '0', 'etag', '0010', '10a'])('F46: a list at the version %j has no order', (version) => {
    const versions = new Versions();
    versions.judge(order(version));
    expect(versions.ordered).toBe(false);
  });

  test('F46: after one list without order, two ordered ones in a row restore the comparison; an empty list shows nothing', () => {
    const versions = rig(['list', '100']);
    versions.judge(order(''));
    versions.replaced('', false);
    expect([versions.ordered, versions.last, versions.high]).toEqual([false, '', '100']);
    versions.judge(order('110'));
    versions.judge(order('111', '101'));
    expect(versions.ordered).toBe(false);
    versions.judge(order('112', '113'));
    versions.judge(order('114', '101'));
    expect(versions.ordered).toBe(false);
    versions.judge(order('115', '101'));
    versions.replaced('115', false);
    expect(versions.ordered).toBe(true);
    expect(versions.isStale('114')).toBe(true);
  });

  test('G1, F46: versions seen while they had no order are not compared with later ones that have one', () => {
    const versions = rig(['list', '100']);
    const relist = (version: string): void => {
      versions.judge(order(version, '101'));
      versions.replaced(version, false);
    };
    versions.judge(order(''));
    relist('110');
    versions.advance('99999999999999999999999');
    relist('111');
    expect([versions.ordered, versions.last, versions.high]).toEqual([true, '111', '111']);
    expect(versions.isStale('112')).toBe(false);
  });

  test('G1: a new event between the confirmed version and a mark that was seen once disproves the mark; a replay does not', () => {
    const versions = rig(['list', '100'], ['event', '101'], ['event', '103']);
    for (const seen of ['99', '100', '101', '103', '104']) expect(versions.disproves(seen)).toBe(false);
    expect(versions.disproves('102')).toBe(true);
    versions.advance('99999999999999999999999');
    expect(versions.disproves('103')).toBe(false);
    expect(versions.disproves('104')).toBe(true);
    versions.replaced('104', true);
    expect([versions.high, versions.disproves('105'), versions.isStale('105')]).toEqual(['104', false, false]);
  });

  test('G1, F46: a server whose streams go back after list after list has no order; once or twice may be an accident', () => {
    const versions = rig(['list', '100']);
    const relist = (): void => versions.judge(order('100', '99'));
    for (let round = 0; round < 3; round += 1) {
      versions.disproved();
      expect(versions.unavailable).toBe(true);
      relist();
      versions.disproved();
      relist();
      expect(versions.ordered).toBe(true);
      relist();
    }
    for (let round = 0; round < 3; round += 1) {
      expect(versions.ordered).toBe(true);
      relist();
      versions.disproved();
    }
    expect(versions.ordered).toBe(false);
    relist();
    relist();
    expect(versions.ordered).toBe(true);
  });

  test('G1, G2: property: inside an epoch neither the place nor the highest version ever goes back', () => {
    const version = fc.bigInt({ min: 1n, max: 10n ** 20n }).map(String);
    const step = fc.tuple(fc.constantFrom('list', 'event', 'epoch'), version);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const versions = new Versions();
        let highest = 0n;
        for (const [kind, at] of steps) {
          const before = { last: versions.last, high: versions.high };
          if (kind === 'epoch') {
            versions.replaced(at, true);
            highest = BigInt(at);
          } else if (kind === 'event') {
            versions.advance(at);
            highest = BigInt(at) > highest ? BigInt(at) : highest;
          } else if (!versions.isStale(at)) {
            // As the reflector does it: a stale list is refused, not handed on.
            versions.replaced(at, false);
            highest = BigInt(at) > highest ? BigInt(at) : highest;
          }
          if (kind !== 'epoch') {
            expect(isOlder(versions.last, before.last)).toBe(false);
            expect(isOlder(versions.high, before.high)).toBe(false);
          }
          expect(versions.high).toBe(highest === 0n ? '' : String(highest));
          expect(versions.last).toBe(versions.high);
        }
      }),
    );
  });
});
