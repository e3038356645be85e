import { expect, test } from 'vitest';
import { EventRate } from '../../src/caches/event-rate.ts';

test('events are counted per second and forgotten after a minute', () => {
  const rate = new EventRate(500);
  for (const at of [600, 700, 1_100, 3_900]) rate.count(at);
  expect(rate.samples(4_000).slice(-6)).toEqual([0, 2, 1, 0, 1, 0]);
  expect(rate.perSecond(4_500)).toBe(1);
  expect(rate.samples(60_900).reduce((sum, one) => sum + one, 0)).toBe(2);
  expect(rate.samples(600_000).every((one) => one === 0)).toBe(true);
});

test('the rate is the average of the last ten seconds, or of the time since the start if that is shorter', () => {
  const rate = new EventRate(0);
  const count = (now: number, events: number): void => {
    for (let i = 0; i < events; i += 1) rate.count(now);
  };
  count(0, 4);
  expect(rate.perSecond(500)).toBe(4);
  expect(rate.perSecond(4_000)).toBe(1);
  count(9_500, 6);
  expect(rate.perSecond(10_000)).toBe(0.6);
  expect(rate.perSecond(60_000)).toBe(0);
  count(3_600_000, 5);
  expect(rate.perSecond(3_600_100)).toBe(0.5);
});
