import { type Env, systemEnv } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { Container } from '../../src/controllers/nodes/container.ts';

/** A container that is ready after 300 ms and ends after a second, and the clock that it reads. */
function rig() {
  const clock = { nowMs: 0 };
  const env: Env = { ...systemEnv, now: () => clock.nowMs };
  const container = new Container({
    env,
    name: 'main',
    image: 'app:1',
    id: 'id',
    restarts: 'never',
    startAfterMs: 0,
    readyAfterMs: 300,
    restartAfterMs: 10_000,
    restartCount: 0,
    script: () => ({}),
  });
  expect(container.advance()).toEqual(['started']);
  return { clock, container };
}

test('a change that becomes due while the status is written is not lost', () => {
  const { clock, container } = rig();
  expect(container.nextInMs).toBe(300);
  // The timer fires a little early, and the time has come when the next wait is asked for.
  for (const [early, late, due] of [
    [299.7, 300.1, 0],
    [999.6, 1_000.2, 0],
  ] as const) {
    clock.nowMs = early;
    expect(container.advance()).toEqual([]);
    clock.nowMs = late;
    expect(container.nextInMs).toBe(due);
  }
  expect(container.advance()).toEqual(['ended']);
  expect([container.ended, container.nextInMs]).toEqual([0, undefined]);
});

test('a container that is ready waits for its end alone', () => {
  const { clock, container } = rig();
  clock.nowMs = 300;
  container.advance();
  expect([container.isReady, container.nextInMs]).toEqual([true, 700]);
});
