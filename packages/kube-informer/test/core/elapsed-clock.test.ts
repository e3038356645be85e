import { expect, test } from 'vitest';
import { ElapsedClock } from '../../src/core/elapsed-clock.ts';
import { fakeEnv } from '../../src/testing/fake-clock.ts';

test('F63, F64: a suspend of eight hours counts, although the monotonic clock stood still', () => {
  const env = fakeEnv();
  const clock = new ElapsedClock(env);
  const before = clock.read();
  env.clock.suspend(8 * 3_600_000);
  expect(clock.read() - before).toBe(8 * 3_600_000);
});

test.each([3_600_000, -3_600_000])(
  'F63: a wall clock set by %i ms changes nothing where there is a boot clock',
  (ms) => {
    const env = fakeEnv();
    const clock = new ElapsedClock(env);
    const before = clock.read();
    env.clock.jumpWall(ms);
    expect(clock.read()).toBe(before);
  },
);

test('F63: without a boot clock a suspend is seen on the wall clock, and a wall clock set back makes nothing younger', () => {
  const env = fakeEnv({ bootClock: false });
  const clock = new ElapsedClock(env);
  const before = clock.read();
  env.clock.suspend(60_000);
  expect(clock.read() - before).toBe(60_000);
  env.clock.jumpWall(-3_600_000);
  expect(clock.read() - before).toBe(60_000);
  env.clock.jumpWall(2_000);
  // Within what a correction of the clock does.
  expect(clock.read() - before).toBe(60_000);
});

test('the time of an event is read from the monotonic clock alone, and agrees with the last comparison', async () => {
  const env = fakeEnv();
  const clock = new ElapsedClock(env);
  env.clock.suspend(10_000);
  const now = clock.read();
  await env.clock.advance(500);
  expect(clock.at(env.now())).toBe(now + 500);
});
