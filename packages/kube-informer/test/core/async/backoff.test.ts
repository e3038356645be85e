import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backoff, type BackoffOptions, RetryWithDeadline } from '../../../src/core/async/backoff.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { isInternalError } from '../../../src/core/status.ts';
import { FakeClock, fakeEnv } from '../../../src/testing/fake-clock.ts';

const MINUTE = 60_000;
/** The largest number below 1, which is as far as `random()` goes. */
const ALMOST_ONE = 1 - Number.EPSILON / 2;
/** Delays before jitter. */
const BASES = [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000];

interface Rig {
  readonly clock: FakeClock;
  readonly backoff: Backoff;
  /** The next `count` delays, asked for one right after another. */
  readonly take: (count: number) => number[];
}

function rig(options: BackoffOptions = {}, random: number | (() => number) = 0): Rig {
  const clock = new FakeClock();
  const backoff = new Backoff(fakeEnv({ clock, random }), options);
  return { clock, backoff, take: (count) => Array.from({ length: count }, () => backoff.next()) };
}

describe('Backoff', () => {
  test('BKO-01: by default 800 ms, doubling up to 30 s, plus up to as much jitter, reset after 2 min', () => {
    const { take, clock } = rig({}, 0);
    expect(take(BASES.length)).toEqual(BASES);
    clock.freeze(2 * MINUTE + 1);
    expect(take(1)).toEqual([800]);
    expect(rig({}, 0.5).take(1)).toEqual([1_200]);
  });

  test('BKO-01: an explicit undefined does not undo a default', () => {
    const unset = {
      initialMs: undefined,
      maxMs: undefined,
      factor: undefined,
      jitter: undefined,
      resetAfterMs: undefined,
    };
    expect(rig(unset as unknown as BackoffOptions, 0.5).take(9)).toEqual(BASES.map((base) => base * 1.5));
  });

  test('BKO-02: the delay is the base plus a random share of it, and growth stops at the cap', () => {
    for (const random of [0, 0.25, 0.5, 0.75]) {
      expect(rig({}, random).take(BASES.length)).toEqual(BASES.map((base) => base + base * random));
    }
  });

  test('BKO-02: the ranges are 0.8-1.6, 1.6-3.2, 3.2-6.4, 6.4-12.8, 12.8-25.6, 25.6-51.2, then 30-60 s forever', () => {
    const [low, high] = [rig({}, 0).take(50), rig({}, ALMOST_ONE).take(50)];
    const ranges = low.map((from, i) => [from / 1_000, Number(((high[i] ?? 0) / 1_000).toFixed(6))]);
    expect(ranges.slice(0, 6)).toEqual([
      [0.8, 1.6],
      [1.6, 3.2],
      [3.2, 6.4],
      [6.4, 12.8],
      [12.8, 25.6],
      [25.6, 51.2],
    ]);
    expect(new Set(ranges.slice(6).map(String))).toEqual(new Set(['30,60']));
  });

  test('BKO-02: jitter does not affect the growth', () => {
    const draws = [ALMOST_ONE, ALMOST_ONE, ALMOST_ONE, 0];
    const { take } = rig({}, () => draws.shift() ?? 0);
    expect(take(4).at(-1)).toBe(6_400);
  });

  test('BKO-03: more than two minutes without a request start over', () => {
    const { take, clock } = rig();
    take(5);
    clock.freeze(2 * MINUTE + 1);
    expect(take(3)).toEqual([800, 1_600, 3_200]);
  });

  test('BKO-03: exactly two minutes do not start over', () => {
    const { take, clock } = rig();
    take(2);
    clock.freeze(2 * MINUTE);
    expect(take(1)).toEqual([3_200]);
    clock.freeze(2 * MINUTE);
    expect(take(1)).toEqual([6_400]);
  });

  test('BKO-03: in a long outage the delay never falls back, however long it lasts', () => {
    const { take, clock } = rig({}, ALMOST_ONE);
    const delays: number[] = [];
    // Two hours of failures: each waits its delay and then takes half a minute to fail again.
    while (clock.now() < 120 * MINUTE) {
      const [delay = 0] = take(1);
      delays.push(delay);
      clock.freeze(delay + 30_000);
    }
    expect(delays.slice(0, 3).map(Math.round)).toEqual([1_600, 3_200, 6_400]);
    expect(Math.min(...delays.slice(6))).toBeGreaterThanOrEqual(30_000);
    expect(delays.length).toBeGreaterThan(80);
  });

  test('BKO-03: quiet is counted from the last request, not from the last start', () => {
    const { take, clock } = rig();
    for (let i = 0; i < 10; i += 1) {
      take(1);
      clock.freeze(MINUTE);
    }
    clock.freeze(MINUTE);
    expect(take(1)).toEqual([30_000]);
    clock.freeze(2 * MINUTE + 1);
    expect(take(1)).toEqual([800]);
  });

  test('BKO-03: a wall clock that jumps resets nothing', () => {
    const { take, clock } = rig();
    take(3);
    clock.jumpWall(10 * MINUTE);
    expect(take(1)).toEqual([6_400]);
  });

  test('BKO-07: custom values replace the defaults and keep the two-minute reset', () => {
    const { take, clock } = rig({ initialMs: 10, factor: 2, maxMs: 100, jitter: 0 }, ALMOST_ONE);
    const delays = take(5);
    expect(delays).toEqual([10, 20, 40, 80, 100]);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(250);
    clock.freeze(2 * MINUTE);
    expect(take(1)).toEqual([100]);
    clock.freeze(2 * MINUTE + 1);
    expect(take(1)).toEqual([10]);
  });

  test('BKO-07: the quiet time is an option too', () => {
    const { take, clock } = rig({ resetAfterMs: 1_000 });
    take(3);
    clock.freeze(1_000);
    expect(take(1)).toEqual([6_400]);
    clock.freeze(1_001);
    expect(take(1)).toEqual([800]);
  });

  test('BKO-07: factor 0 disables growth and reset: always the first delay', () => {
    const { take, clock } = rig({ initialMs: 50, factor: 0 }, 0.5);
    expect(take(20)).toEqual(Array.from({ length: 20 }, () => 75));
    clock.freeze(10 * MINUTE);
    expect(take(2)).toEqual([75, 75]);
  });

  test.each<[string, BackoffOptions]>([
    ['initialMs 0', { initialMs: 0 }],
    ['initialMs infinite', { initialMs: Number.POSITIVE_INFINITY, maxMs: Number.POSITIVE_INFINITY }],
    ['maxMs below initialMs', { initialMs: 100, maxMs: 99 }],
    ['maxMs infinite', { maxMs: Number.POSITIVE_INFINITY }],
    ['factor negative', { factor: -1 }],
    ['factor not a number', { factor: Number.NaN }],
    ['jitter above 1', { jitter: 1.01 }],
    ['jitter negative', { jitter: -0.1 }],
    ['resetAfterMs 0', { resetAfterMs: 0 }],
    ['resetAfterMs not a number', { resetAfterMs: Number.NaN }],
  ])('BKO-07: %s is refused', (_, options) => {
    let error: unknown;
    try {
      rig(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('F67: random numbers at either extreme keep every delay between the first one and twice the cap', () => {
    const draws = [0, ALMOST_ONE];
    for (const random of [() => 0, () => ALMOST_ONE, () => draws.reverse()[0] ?? 0]) {
      const delays = rig({}, random).take(200);
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(800);
      expect(Math.max(...delays)).toBeLessThanOrEqual(60_000);
      expect(Math.min(...delays.slice(6))).toBeGreaterThanOrEqual(30_000);
    }
  });

  test('BKO-02, BKO-03, BKO-07: property: delays are those of a model that counts requests since the last quiet time', () => {
    // Powers of two, so that model and code round alike.
    const options = fc.record({
      initialMs: fc.constantFrom(1, 10, 800),
      maxMs: fc.constantFrom(800, 1_000, 30_000),
      factor: fc.constantFrom(0, 0.5, 1, 2, 4),
      jitter: fc.constantFrom(0, 0.5, 1),
      resetAfterMs: fc.constantFrom(500, 120_000),
    });
    const request = fc.record({
      gapMs: fc.oneof(fc.constantFrom(0, 499, 500, 501, 119_999, 120_000, 120_001), fc.nat(200_000)),
      draw: fc.constantFrom(0, 0.25, 0.5, ALMOST_ONE),
    });
    fc.assert(
      fc.property(options, fc.array(request, { maxLength: 30 }), (chosen, requests) => {
        let draw = 0;
        const { clock, backoff } = rig(chosen, () => draw);
        let growths = 0;
        for (const [i, one] of requests.entries()) {
          clock.freeze(one.gapMs);
          if (i > 0) growths = one.gapMs > chosen.resetAfterMs ? 0 : growths + 1;
          const base = chosen.factor === 0 ? chosen.initialMs : chosen.initialMs * chosen.factor ** growths;
          const capped = Math.min(base, chosen.maxMs);
          draw = one.draw;
          expect(backoff.next()).toBe(capped + capped * chosen.jitter * one.draw);
        }
      }),
    );
  });
});

const internal = new KubeError('API_STATUS', 'boom', { status: { code: 500, reason: 'InternalError' } });
const other = new KubeError('API_STATUS', 'gone', { status: { code: 410, reason: 'Expired' } });

interface RetryRig {
  readonly clock: FakeClock;
  readonly retry: RetryWithDeadline;
  /** Moves time to `at`, reports `error` and asks. */
  readonly step: (at: number, error: unknown) => boolean;
}

function retryRig(maxMs: number, minResetMs?: number): RetryRig {
  const clock = new FakeClock();
  const retry = new RetryWithDeadline(fakeEnv({ clock }), isInternalError, maxMs, minResetMs);
  return {
    clock,
    retry,
    step(at, error) {
      clock.freeze(at - clock.now());
      retry.after(error);
      return retry.shouldRetry();
    },
  };
}

describe('RetryWithDeadline', () => {
  test.each<[string, number, unknown, number, boolean]>([
    ['a window of zero never retries', 0, internal, 0, false],
    ['inside the window', 1_000, internal, 999, true],
    ['at the end of the window, which belongs to it', 1_000, internal, 1_000, true],
    ['outside the window', 1_000, internal, 1_001, false],
    ['another error opens no window', 1_000, other, 0, false],
    ['an end without error opens no window', 1_000, undefined, 0, false],
  ])('ERR-05: %s', (_, maxMs, error, waitMs, expected) => {
    const { retry, clock } = retryRig(maxMs);
    retry.after(error);
    clock.freeze(waitMs);
    expect(retry.shouldRetry()).toBe(expected);
  });

  test('ERR-05: nothing is retried before the first error', () => {
    expect(retryRig(1_000).retry.shouldRetry()).toBe(false);
  });

  test('ERR-05: a negative window never retries', () => {
    expect(retryRig(-1).step(0, internal)).toBe(false);
  });

  test('ERR-05: the window runs from its first error: one error a second for 30 s is retried 31 times', () => {
    const { step } = retryRig(30_000);
    const answers = Array.from({ length: 32 }, (_, second) => step(second * 1_000, internal));
    expect(answers.lastIndexOf(true)).toBe(30);
    expect(answers.filter(Boolean)).toHaveLength(31);
  });

  test('ERR-05: the first error that is not retried closes the window, and the next matching error opens a new one', () => {
    const { step, retry } = retryRig(10_000);
    expect(step(0, internal)).toBe(true);
    expect(step(10_001, internal)).toBe(false);
    expect(retry.shouldRetry()).toBe(false);
    expect(step(10_002, internal)).toBe(true);
    expect(step(20_002, internal)).toBe(true);
    expect(step(20_003, internal)).toBe(false);
  });

  test('ERR-05: a gap of a minute between matching errors restarts the window, a shorter one does not', () => {
    const exact = retryRig(30_000);
    exact.step(0, internal);
    expect(exact.step(60_000, internal)).toBe(true);
    expect(exact.step(90_000, internal)).toBe(true);
    expect(exact.step(90_001, internal)).toBe(false);
    const shorter = retryRig(30_000);
    shorter.step(0, internal);
    expect(shorter.step(59_999, internal)).toBe(false);
  });

  test('ERR-05: the gap counts from the last matching error, not from the first', () => {
    const { retry, clock } = retryRig(100_000);
    for (let i = 0; i < 4; i += 1) {
      retry.after(internal);
      clock.freeze(33_000);
    }
    expect(retry.shouldRetry()).toBe(false);
  });

  test('ERR-05: other errors and good ends neither restart the window nor fill the gap', () => {
    const { step } = retryRig(40_000);
    expect(step(0, internal)).toBe(true);
    expect(step(30_000, other)).toBe(true);
    expect(step(40_000, undefined)).toBe(true);
    // A minute since the last *matching* error: a new window, which the others did not prevent.
    expect(step(60_000, internal)).toBe(true);
    const outside = retryRig(40_000);
    outside.step(0, internal);
    expect(outside.step(40_001, other)).toBe(false);
  });

  test('ERR-05: the gap is an option', () => {
    const { step } = retryRig(1_000, 5_000);
    step(0, internal);
    expect(step(5_000, internal)).toBe(true);
    const shorter = retryRig(1_000, 5_001);
    shorter.step(0, internal);
    expect(shorter.step(5_000, internal)).toBe(false);
  });

  test('ERR-05: property: answers are those of a model that keeps the whole history', () => {
    const action = fc.record({
      gapMs: fc.constantFrom(0, 1, 500, 999, 1_000, 1_001, 2_999, 3_000, 3_001),
      what: fc.constantFrom('match', 'other', 'ask'),
    });
    fc.assert(
      fc.property(fc.constantFrom(0, 1_000, 4_000), fc.array(action, { maxLength: 40 }), (maxMs, actions) => {
        const { retry, clock } = retryRig(maxMs, 3_000);
        /** Times of the matching errors since the window was last closed. */
        let matches: number[] = [];
        for (const { gapMs, what } of actions) {
          clock.freeze(gapMs);
          if (what === 'match') matches.push(clock.now());
          if (what !== 'ask') retry.after(what === 'match' ? internal : other);
          if (what === 'ask') {
            const start = matches.findLast((at, i) => i === 0 || at - (matches[i - 1] ?? 0) >= 3_000);
            const expected = maxMs > 0 && start !== undefined && clock.now() - start <= maxMs;
            expect(retry.shouldRetry()).toBe(expected);
            if (!expected) matches = [];
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
