import { expect, test } from 'vitest';
import { Slices } from '../../../src/core/async/slices.ts';
import { type FakeClock, fakeEnv } from '../../../src/testing/fake-clock.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly slices: Slices;
  readonly looks: () => number;
  readonly yields: () => number;
}

function rig(): Rig {
  const env = fakeEnv();
  let looks = 0;
  let yields = 0;
  const slices = new Slices({
    ...env,
    now: () => {
      looks += 1;
      return env.now();
    },
    yield: () => {
      yields += 1;
      return Promise.resolve();
    },
  });
  return { clock: env.clock, slices, looks: () => looks, yields: () => yields };
}

/** Steps of code that is not compiled yet. */
const COLD_STEPS = 1_024;
const warm = (slices: Slices): void => void firstDue(slices, COLD_STEPS);

/** The first step at which a pause is due, if there is one. */
const firstDue = (slices: Slices, steps: number): number | undefined => {
  for (let step = 1; step <= steps; step += 1) if (slices.due()) return step;
  return undefined;
};

test('work that is quick never pauses', () => {
  const { slices, yields } = rig();
  expect(firstDue(slices, 100_000)).toBeUndefined();
  expect(yields()).toBe(0);
});

test('Trap 17: after ten milliseconds of work a pause is due, and the clock is read at every 32nd step only', () => {
  const { clock, slices, looks } = rig();
  warm(slices);
  const before = looks();
  clock.freeze(9.9);
  expect(firstDue(slices, 320)).toBeUndefined();
  expect(looks()).toBe(before + 10);
  clock.freeze(0.1);
  expect(firstDue(slices, 64)).toBe(32);
});

test('Trap 17: the first steps, whose code is not compiled yet, are watched one by one', () => {
  const { clock, slices } = rig();
  expect(firstDue(slices, 5)).toBeUndefined();
  clock.freeze(10);
  expect(firstDue(slices, 5)).toBe(1);
});

test('a pause gives one turn away and starts a new slice', async () => {
  const { clock, slices, yields } = rig();
  warm(slices);
  clock.freeze(10);
  expect(firstDue(slices, 32)).toBe(32);
  await slices.pause();
  expect(yields()).toBe(1);
  expect(firstDue(slices, 320)).toBeUndefined();
  clock.freeze(10);
  expect(firstDue(slices, 320)).toBe(32);
});

test('time spent in the pause itself does not count as work', async () => {
  const env = fakeEnv();
  const slices = new Slices({
    ...env,
    yield: () => {
      env.clock.freeze(500);
      return Promise.resolve();
    },
  });
  await slices.pause();
  expect(firstDue(slices, 320)).toBeUndefined();
});
