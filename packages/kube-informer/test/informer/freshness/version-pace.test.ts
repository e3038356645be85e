import { describe, expect, test } from 'vitest';
import { VersionPace } from '../../../src/informer/freshness/version-pace.ts';

const MINUTE = 60_000;

/** A pace of 100 versions a minute, measured four times. */
function steady(): VersionPace {
  const pace = new VersionPace();
  for (let minute = 0; minute <= 4; minute += 1) pace.told(String(1_000 + minute * 100), minute * MINUTE);
  return pace;
}

describe('the pace of versions', () => {
  test('G22: nothing is dated before the pace has been even for some minutes', () => {
    const pace = new VersionPace();
    pace.told('1000', 0);
    pace.told('1100', MINUTE);
    pace.told('1200', 2 * MINUTE);
    expect([pace.isSteady, pace.dateOf('1300', 3 * MINUTE)]).toEqual([false, undefined]);
    expect([steady().isSteady, steady().dateOf('1500', 5 * MINUTE)]).toEqual([true, 5 * MINUTE]);
  });

  test('F81: a bookmark that moved on less than a minute of this cluster dates nothing: the server may be cut off', () => {
    const pace = steady();
    expect([pace.dateOf('1450', 5 * MINUTE), pace.isSteady]).toEqual([undefined, false]);
    const still = steady();
    expect(still.dateOf('1400', 5 * MINUTE)).toBeUndefined();
  });

  test('F81: one that moved on much further dates nothing either: the pace is another now', () => {
    expect(steady().dateOf('1800', 5 * MINUTE)).toBeUndefined();
  });

  test('a bookmark dates from when the pace had reached it, never from the future, and errors do not add up unseen', () => {
    const pace = steady();
    expect(pace.dateOf('1495', 5 * MINUTE)).toBe(4 * MINUTE + 57_000);
    expect(pace.dateOf('1591', 6 * MINUTE)).toBe(5 * MINUTE + 54_600);
    // Each minute is a little short: together they are too short.
    expect(pace.dateOf('1687', 7 * MINUTE)).toBeUndefined();
    expect(steady().dateOf('1503', 5 * MINUTE)).toBe(5 * MINUTE);
  });

  test('G22: a burst that the stream delivered itself does not end the pace: bookmarks are dated from the last event', () => {
    const pace = steady();
    pace.heard('1800', 4 * MINUTE + 30_000);
    expect([pace.dateOf('1850', 5 * MINUTE), pace.isSteady]).toEqual([5 * MINUTE, true]);
    const cutOff = steady();
    cutOff.heard('1800', 4 * MINUTE + 30_000);
    expect(cutOff.dateOf('1810', 5 * MINUTE)).toBeUndefined();
  });

  test('an answer that is older than an event says nothing about the pace', () => {
    const pace = steady();
    pace.heard('1480', 5 * MINUTE);
    pace.told('1479', 5 * MINUTE - 10);
    expect([pace.isSteady, pace.dateOf('1580', 6 * MINUTE)]).toEqual([true, 6 * MINUTE]);
  });

  test('a storage that went back, and versions without order, begin anew', () => {
    const pace = steady();
    pace.told('7', 5 * MINUTE);
    expect(pace.isSteady).toBe(false);
    const opaque = steady();
    opaque.told('abc', 5 * MINUTE);
    expect([opaque.isSteady, opaque.dateOf('1500', 6 * MINUTE)]).toEqual([false, undefined]);
    expect(steady().dateOf('abc', 5 * MINUTE)).toBeUndefined();
  });

  test('versions of more digits than a number holds are compared exactly', () => {
    const pace = new VersionPace();
    const high = 10n ** 30n;
    for (let minute = 0; minute <= 4; minute += 1) pace.told(String(high + BigInt(minute) * 100n), minute * MINUTE);
    expect(pace.dateOf(String(high + 500n), 5 * MINUTE)).toBe(5 * MINUTE);
  });
});
