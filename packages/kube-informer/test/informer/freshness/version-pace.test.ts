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

  /** Writes of others at 100 versions a minute; an event every half a minute, from the first minute on. */
  function listened(lateMs = 0): VersionPace {
    const pace = new VersionPace();
    pace.told('1000', 0);
    for (let half = 2; half <= 6; half += 1) {
      pace.counted();
      pace.arrived(String(1_000 + half * 50 + (half - 1)), half * 30_000 + lateMs);
    }
    return pace;
  }

  test('G22: events measure the pace as well as answers do, and nobody needs to ask', () => {
    const pace = listened();
    expect(pace.isSteady).toBe(true);
    // Four minutes of others, and the five events.
    expect(pace.dateOf('1405', 4 * MINUTE)).toBeCloseTo(4 * MINUTE);
  });

  test('F81: they do not date: a server that is behind sends events and bookmarks evenly, and late', () => {
    expect([listened(20_000).isSteady, listened(20_000).dateOf('1405', 4 * MINUTE + 20_000)]).toEqual([
      true,
      undefined,
    ]);
  });

  test('G22: many writes of the resource itself are no other pace, many writes of others are, for a while', () => {
    const own = steady();
    for (let i = 0; i < 500; i += 1) own.counted();
    expect(own.dateOf('2000', 5 * MINUTE)).toBe(5 * MINUTE);
    const others = steady();
    others.told('1900', 5 * MINUTE);
    expect(others.isSteady).toBe(false);
    // An exception: the pace is the old one.
    for (let minute = 6; minute <= 8; minute += 1) others.told(String(1_400 + minute * 100), minute * MINUTE);
    expect([others.isSteady, others.dateOf('2300', 9 * MINUTE)]).toEqual([true, 9 * MINUTE]);
  });

  test('G22: another pace is learned when it has been measured twice', () => {
    const pace = steady();
    for (let minute = 5; minute <= 8; minute += 1) pace.told(String(1_400 + (minute - 4) * 300), minute * MINUTE);
    expect(pace.isSteady).toBe(false);
    pace.told('2900', 9 * MINUTE);
    expect([pace.isSteady, pace.dateOf('3200', 10 * MINUTE)]).toEqual([true, 10 * MINUTE]);
  });
});
