import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkedResyncPeriod,
  MIN_RESYNC_MS,
  ResyncPeriod,
  ResyncPlan,
} from '../../../src/informer/handlers/resync-period.ts';
import { type FakeEnv, fakeEnv } from '../../../src/testing/fake-clock.ts';
import { coded } from '../rig/delta-lines.ts';

const HOUR = 3_600_000;

function rig(defaultMs: number): { plan: ResyncPlan; env: FakeEnv; warnings: () => number } {
  const env = fakeEnv();
  const plan = new ResyncPlan(env, 'pods', defaultMs);
  return { plan, env, warnings: () => env.lines.filter(({ level }) => level === 'warn').length };
}

describe('INF-05: what may be asked for', () => {
  test.each([
    [0, 0, 0],
    [1, MIN_RESYNC_MS, 1],
    [999, MIN_RESYNC_MS, 1],
    [1_000, 1_000, 0],
    [5_000, 5_000, 0],
  ])('INF-05: a period of %i ms becomes %i ms, with %i warnings', (asked, expected, count) => {
    const env = fakeEnv();
    expect(checkedResyncPeriod(env, 'resyncMs', asked)).toBe(expected);
    expect(env.lines).toHaveLength(count);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number])(
    'INF-05, F66: a period of %s is refused, for the informer and for a handler',
    (asked) => {
      expect(() => rig(asked)).toThrow(coded('INVALID_OPTION'));
      expect(() => rig(HOUR).plan.join(asked, false)).toThrow(coded('INVALID_OPTION'));
    },
  );
});

describe('INF-06, INF-07: the check period and those of the handlers', () => {
  test('INF-06, TestResyncCheckPeriod: before the start each shorter period lowers the check period, and other handlers keep theirs', () => {
    const { plan, warnings } = rig(12 * HOUR);
    const effective = (): number[] => joined.map((period) => period.effectiveMs);
    const joined: ResyncPeriod[] = [];
    const seen = [0, 60_000, 55_000, 5_000].map((asked) => {
      joined.push(plan.join(asked, false));
      return [plan.checkMs, effective()];
    });
    expect(seen).toEqual([
      [12 * HOUR, [0]],
      [60_000, [0, 60_000]],
      [55_000, [0, 60_000, 55_000]],
      [5_000, [0, 60_000, 55_000, 5_000]],
    ]);
    expect(warnings()).toBe(0);
  });

  test('INF-06: after the start a shorter period is raised to the check period, with a warning', () => {
    const { plan, warnings } = rig(10_000);
    expect(plan.join(3_000, true).effectiveMs).toBe(10_000);
    expect([plan.checkMs, warnings()]).toEqual([10_000, 1]);
    expect(plan.join(25_000, true).effectiveMs).toBe(25_000);
    expect(warnings()).toBe(1);
  });

  test('INF-07, Trap 11: an informer without a check period resyncs no handler, and logs it when one is added', () => {
    const { plan, warnings } = rig(0);
    expect([plan.join(5_000, false).effectiveMs, plan.join(5_000, true).effectiveMs]).toEqual([0, 0]);
    expect([plan.checkMs, warnings()]).toEqual([0, 2]);
    expect(plan.join(undefined, false).effectiveMs).toBe(0);
    expect(plan.join(0, false).effectiveMs).toBe(0);
    expect(warnings()).toBe(2);
  });

  test('INF-04, INF-07: without a period the informer’s default applies, and 0 means never', () => {
    const { plan, env } = rig(10_000);
    const [byDefault, never] = [plan.join(undefined, false), plan.join(0, false)];
    expect([byDefault.effectiveMs, never.effectiveMs]).toEqual([10_000, 0]);
    env.clock.freeze(HOUR);
    expect([byDefault.takeDue(env.now()), never.takeDue(env.now())]).toEqual([true, false]);
  });

  test('INF-06: lowering the check period restarts every wait with the requested period', () => {
    const { plan, env } = rig(10_000);
    const first = plan.join(10_000, false);
    env.clock.freeze(6_000);
    plan.join(4_000, false);
    expect([first.requestedMs, first.effectiveMs]).toEqual([10_000, 10_000]);
    env.clock.freeze(9_999);
    expect(first.takeDue(env.now())).toBe(false);
    env.clock.freeze(1);
    expect(first.takeDue(env.now())).toBe(true);
  });

  test('INF-06: a handler that joined after the start is not recomputed', () => {
    const { plan, env } = rig(10_000);
    const late = plan.join(20_000, true);
    env.clock.freeze(1_000);
    plan.join(5_000, false);
    expect([late.effectiveMs, plan.checkMs]).toEqual([20_000, 5_000]);
    env.clock.freeze(19_000);
    expect(late.takeDue(env.now())).toBe(true);
  });
});

describe('PRO-06: when a resync is due', () => {
  test('PRO-06, Trap 6: at the period and not before, counted from when it was taken last', () => {
    const period = new ResyncPeriod(2_000, 1_000, 500);
    expect([period.takeDue(2_499), period.takeDue(2_500), period.takeDue(2_500)]).toEqual([false, true, false]);
    expect([period.takeDue(4_499), period.takeDue(4_700), period.takeDue(6_699), period.takeDue(6_700)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test.each([
    [1_000, 5_000, 5_000],
    [5_000, 5_000, 5_000],
    [7_000, 5_000, 7_000],
    [7_000, 0, 0],
    [0, 5_000, 0],
  ])('INF-07: %i ms asked for with a check every %i ms is %i ms', (asked, check, effective) => {
    const period = new ResyncPeriod(asked, check, 0);
    expect([period.requestedMs, period.effectiveMs]).toEqual([asked, effective]);
    expect(period.takeDue(HOUR)).toBe(effective !== 0);
    period.recompute(check, 0);
    expect(period.effectiveMs).toBe(effective);
  });

  test('INF-07: looked at on ticks, the real gap is the next whole number of ticks, never shorter than asked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 20_000 }), fc.integer({ min: 1_000, max: 20_000 }), (asked, check) => {
        const period = new ResyncPeriod(asked, check, 0);
        const due: number[] = [];
        for (let now = check; due.length < 4; now += check) if (period.takeDue(now)) due.push(now);
        const gap = Math.ceil(Math.max(asked, check) / check) * check;
        expect(due).toEqual([gap, 2 * gap, 3 * gap, 4 * gap]);
      }),
    );
  });
});
