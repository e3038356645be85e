import { expect, test } from 'vitest';
import { SilenceWatch } from '../../../src/client/transport/silence.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';

function rig(ms = 75_000) {
  const env = fakeEnv();
  let silent = 0;
  const watch = new SilenceWatch(env, ms, () => (silent += 1));
  return { env, watch, silent: () => silent };
}

test('F13: only the time while the reader waits counts, and it counts exactly', async () => {
  const { env, watch, silent } = rig();
  await env.clock.advance(1_000_000); // no reader waits
  watch.waiting();
  await env.clock.advance(74_999);
  expect(silent()).toBe(0);
  watch.satisfied();
  await env.clock.advance(500_000);
  watch.waiting();
  await env.clock.advance(74_999);
  expect(silent()).toBe(0);
  await env.clock.advance(1);
  expect(silent()).toBe(1);
  await env.clock.advance(1_000_000);
  expect(silent()).toBe(1);
  expect(env.clock.sleeping).toBe(0);
});

test('F11: every byte restarts the timer, also one the reader cannot see yet', async () => {
  const { env, watch, silent } = rig();
  watch.waiting();
  for (let i = 0; i < 10; i += 1) {
    await env.clock.advance(70_000);
    watch.heard();
  }
  expect(silent()).toBe(0);
  await env.clock.advance(75_000);
  expect(silent()).toBe(1);
});

test('F13: bytes that arrive while the reader does not wait do not start the timer', async () => {
  const { env, watch, silent } = rig();
  watch.heard();
  await env.clock.advance(200_000);
  expect(silent()).toBe(0);
});

test('a stopped watch leaves no timer and reports nothing', async () => {
  const { env, watch, silent } = rig();
  watch.waiting();
  watch.stop();
  await env.clock.advance(200_000);
  expect(silent()).toBe(0);
  expect(env.clock.sleeping).toBe(0);
});

test('F64: after a suspension, bytes that arrived meanwhile are read before silence is reported', async () => {
  const env = fakeEnv();
  let silent = 0;
  // The turn of the event loop in which the bytes are read that lie there.
  let read = (): void => {};
  const turning = { ...env, yield: () => Promise.resolve(read()) };
  const watch = new SilenceWatch(turning, 75_000, () => (silent += 1));
  watch.waiting();
  read = () => watch.heard();
  await env.clock.advance(75_000);
  expect(silent).toBe(0);
  read = () => {};
  await env.clock.advance(74_999);
  expect(silent).toBe(0);
  await env.clock.advance(1);
  expect(silent).toBe(1);
});

test('F64: stopped in that very turn, it reports nothing', async () => {
  const env = fakeEnv();
  let silent = 0;
  const watch: SilenceWatch = new SilenceWatch(
    { ...env, yield: () => Promise.resolve(watch.stop()) },
    75_000,
    () => (silent += 1),
  );
  watch.waiting();
  await env.clock.advance(75_000);
  expect(silent).toBe(0);
});
