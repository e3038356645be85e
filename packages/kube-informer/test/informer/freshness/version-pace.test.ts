import { describe, expect, test } from 'vitest';
import { VersionPace } from '../../../src/informer/freshness/version-pace.ts';

const MINUTE = 60_000;

/** A pace of 100 versions a minute, measured four times. */
function steady(): VersionPace {
  const pace = new VersionPace();
  for (let minute = 0; minute <= 4; minute += 1) pace.reported(String(1_000 + minute * 100), minute * MINUTE);
  return pace;
}

describe('the pace of versions', () => {
  test('G22: one request measures the pace, and the next bookmark dates itself if it agrees', () => {
    const pace = new VersionPace();
    pace.reported('1000', 0);
    expect([pace.isSteady, pace.dateOf('1100', MINUTE)]).toEqual([false, undefined]);
    pace.reported('1100', MINUTE);
    expect([pace.isSteady, pace.dateOf('1200', 2 * MINUTE)]).toEqual([true, 2 * MINUTE]);
    expect([steady().isSteady, steady().dateOf('1500', 5 * MINUTE)]).toEqual([true, 5 * MINUTE]);
  });

  test('F81, G22: a young pace that was wrong dates nothing before three measurements have agreed', () => {
    const pace = new VersionPace();
    pace.reported('1000', 0);
    pace.reported('1100', MINUTE);
    expect([pace.dateOf('1150', 2 * MINUTE), pace.isSteady]).toEqual([undefined, false]);
    const dated: unknown[] = [];
    for (let minute = 2; minute <= 5; minute += 1) {
      pace.reported(String(1_000 + minute * 100), minute * MINUTE);
      dated.push(pace.dateOf(String(1_000 + minute * 100), minute * MINUTE + 1_000));
    }
    expect(dated).toEqual([undefined, undefined, 4 * MINUTE, 5 * MINUTE]);
  });

  test('G22: a pace that deviates again and again must agree more and more often: requests are cheaper than wrong dates', () => {
    const pace = new VersionPace();
    let [version, minute] = [1_000, 0];
    const measure = (moved: number): void => pace.reported(String((version += moved)), (minute += 1) * MINUTE);
    /** Even minutes until bookmarks are dated again, and then one that is not. */
    const evenMinutes = (): number => {
      let even = 0;
      for (; !pace.isSteady && even < 100; even += 1) measure(100);
      pace.dateOf(String(version + 30), (minute + 1) * MINUTE);
      return even;
    };
    measure(0);
    expect(Array.from({ length: 6 }, evenMinutes)).toEqual([1, 3, 5, 9, 17, 33]);
    expect(evenMinutes()).toBe(33);
    // A pace that has been even for some time is forgiven.
    while (!pace.isSteady) measure(100);
    for (let i = 0; i < 4; i += 1) measure(100);
    for (let i = 0; i < 2; i += 1) pace.dateOf(String(version + 30), (minute + 1) * MINUTE);
    expect(evenMinutes()).toBe(3);
  });

  test('F81: where nothing is written there is no pace, and nothing is dated', () => {
    const pace = new VersionPace();
    for (let minute = 0; minute <= 4; minute += 1) pace.reported('1000', minute * MINUTE);
    expect([pace.isSteady, pace.dateOf('1000', 5 * MINUTE)]).toEqual([false, undefined]);
  });

  test('F81: a bookmark that advanced by less than a minute’s writes dates nothing: the server may be cut off', () => {
    const pace = steady();
    expect(pace.dateOf('1450', 5 * MINUTE)).toBeUndefined();
    // One exception is forgiven, two are not.
    expect([pace.isSteady, pace.dateOf('1450', 6 * MINUTE), pace.isSteady]).toEqual([true, undefined, false]);
    const still = steady();
    expect(still.dateOf('1400', 5 * MINUTE)).toBeUndefined();
  });

  test('F81: one that advanced much further dates nothing either: the pace has changed', () => {
    expect(steady().dateOf('1800', 5 * MINUTE)).toBeUndefined();
  });

  test('a bookmark dates from when the pace had reached it, never from the future, and errors do not add up unseen', () => {
    const pace = steady();
    expect(pace.dateOf('1495', 5 * MINUTE)).toBe(4 * MINUTE + 57_000);
    // It agrees, so it is at most 4 s old; what comes next is dated from the pace all the same.
    expect(pace.dateOf('1591', 6 * MINUTE)).toBe(5 * MINUTE + 56_000);
    // Each minute is a little short: together they are too short.
    expect(pace.dateOf('1687', 7 * MINUTE)).toBeUndefined();
    expect(steady().dateOf('1503', 5 * MINUTE)).toBe(5 * MINUTE);
  });

  test('after a storage went back, or with versions without order, measuring starts anew', () => {
    const pace = steady();
    pace.reported('7', 5 * MINUTE);
    expect(pace.isSteady).toBe(false);
    const opaque = steady();
    opaque.reported('abc', 5 * MINUTE);
    expect([opaque.isSteady, opaque.dateOf('1500', 6 * MINUTE)]).toEqual([false, undefined]);
    expect(steady().dateOf('abc', 5 * MINUTE)).toBeUndefined();
  });

  test('versions of more digits than a number holds are compared exactly', () => {
    const pace = new VersionPace();
    const high = 10n ** 30n;
    for (let minute = 0; minute <= 4; minute += 1) pace.reported(String(high + BigInt(minute) * 100n), minute * MINUTE);
    expect(pace.dateOf(String(high + 500n), 5 * MINUTE)).toBe(5 * MINUTE);
  });

  /** Writes of others at 100 versions a minute; an event every half a minute, from the first minute on. */
  function listened(lateMs = 0): VersionPace {
    const pace = new VersionPace();
    pace.reported('1000', 0);
    for (let half = 2; half <= 6; half += 1) {
      const version = String(1_000 + half * 50 + (half - 1));
      pace.counted(version);
      pace.arrived(version, half * 30_000 + lateMs);
    }
    return pace;
  }

  test('G22: events measure the pace as well as reported versions do, and no request is needed', () => {
    const pace = listened();
    expect(pace.isSteady).toBe(true);
    // Four minutes of others, and the five events.
    expect(pace.dateOf('1405', 4 * MINUTE)).toBeCloseTo(4 * MINUTE);
  });

  test('F81: they do not date: a server that is behind sends events and bookmarks evenly, and late', () => {
    expect(listened(20_000).dateOf('1405', 4 * MINUTE + 20_000)).toBeUndefined();
  });

  test('G22: many writes of the resource itself do not change the pace, many writes of others do, for a while', () => {
    const own = steady();
    for (let i = 1; i <= 500; i += 1) own.counted(String(1_400 + i));
    expect(own.dateOf('2000', 5 * MINUTE)).toBe(5 * MINUTE);
    const others = steady();
    others.reported('1900', 5 * MINUTE);
    // An exception: the pace is the old one.
    expect([others.isSteady, others.dateOf('2000', 6 * MINUTE)]).toEqual([true, 6 * MINUTE]);
    others.reported('2900', 7 * MINUTE);
    others.reported('3900', 8 * MINUTE);
    expect(others.isSteady).toBe(false);
  });

  test('F81: events from before a report are not subtracted from the writes after it: the pace would look slower', () => {
    const pace = new VersionPace();
    pace.reported('1000', 0);
    for (let i = 1; i <= 90; i += 1) pace.counted(String(900 + i));
    pace.reported('1100', MINUTE);
    // Ten versions in a minute in which a hundred would have come: cut off.
    expect(pace.dateOf('1110', 2 * MINUTE)).toBeUndefined();
    expect(pace.isSteady).toBe(false);
  });

  test('G22: another pace is learned when it has been measured twice', () => {
    const pace = steady();
    for (let minute = 5; minute <= 8; minute += 1) pace.reported(String(1_400 + (minute - 4) * 300), minute * MINUTE);
    expect(pace.isSteady).toBe(false);
    pace.reported('2900', 9 * MINUTE);
    expect([pace.isSteady, pace.dateOf('3200', 10 * MINUTE)]).toEqual([true, 10 * MINUTE]);
  });
});
