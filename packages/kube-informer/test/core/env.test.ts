import { getEventListeners } from 'node:events';
import { stat } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { envPlatformFlag, systemEnv } from '../../src/core/env.ts';

const DAY = 24 * 3_600_000;

interface Rig {
  readonly stop: AbortController;
  /** Whether the sleep is over. */
  readonly isOver: () => boolean;
  readonly pass: (ms: number) => Promise<void>;
}

/** A sleep of the real Env on the test runner's timers. */
function rig(ms: number, signal?: AbortSignal): Rig {
  vi.useFakeTimers();
  const stop = new AbortController();
  let isOver = false;
  void systemEnv.sleep(ms, signal ?? stop.signal).then(() => (isOver = true));
  return {
    stop,
    isOver: () => isOver,
    pass: async (by) => {
      await vi.advanceTimersByTimeAsync(by);
    },
  };
}

afterEach(() => {
  // In this order: a spy on a fake timer restores the fake one.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('sleep', () => {
  test('ends after its time, and leaves neither a timer nor a listener', async () => {
    const { stop, isOver, pass } = rig(1_000);
    await pass(999);
    expect(isOver()).toBe(false);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    await pass(1);
    expect(isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('Trap 6, BKO-06: ends at once when stopped, and clears its timer', async () => {
    const { stop, isOver, pass } = rig(60_000);
    stop.abort();
    await pass(0);
    expect(isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('BKO-06: with an aborted signal there is nothing to wait for', async () => {
    const { isOver, pass } = rig(60_000, AbortSignal.abort());
    await pass(0);
    expect(isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('needs no signal', async () => {
    vi.useFakeTimers();
    let isOver = false;
    void systemEnv.sleep(10).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(10);
    expect(isOver).toBe(true);
  });

  test('F66: a sleep longer than a platform timer can hold still lasts its full time', async () => {
    const { isOver, pass } = rig(60 * DAY);
    await pass(2);
    expect(isOver()).toBe(false);
    await pass(2_147_483_647);
    expect(isOver()).toBe(false);
    await pass(60 * DAY - 2_147_483_647 - 3);
    expect(isOver()).toBe(false);
    await pass(1);
    expect(isOver()).toBe(true);
  });

  test('F66: no timer is ever asked for more than the platform can hold', async () => {
    vi.useFakeTimers();
    const timer = vi.spyOn(globalThis, 'setTimeout');
    void systemEnv.sleep(2_147_483_648);
    void systemEnv.sleep(Number.POSITIVE_INFINITY);
    await vi.advanceTimersByTimeAsync(2_147_483_647);
    const asked = timer.mock.calls.map(([, ms]) => ms);
    expect(asked).toEqual([2_147_483_647, 2_147_483_647, 1, 2_147_483_647]);
  });

  test('F66: a long sleep is ended by a stop in any of its parts', async () => {
    const { stop, isOver, pass } = rig(60 * DAY);
    await pass(2_147_483_647 + 1_000);
    stop.abort();
    await pass(0);
    expect(isOver()).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('after fifty waits on one signal it has no listener', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i += 1) {
      void systemEnv.sleep(10, signal);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the rest of the world', () => {
  test('F63: now is a clock of its own that a jump of the wall clock does not move', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const before = systemEnv.now();
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(systemEnv.now() - before).toBeLessThan(60_000);
    expect(systemEnv.wallNow()).toBe(Date.now());
  });

  test('a yield lets timers and sockets run first', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('immediate'));
    queueMicrotask(() => order.push('microtask'));
    await systemEnv.yield();
    order.push('after');
    expect(order).toEqual(['microtask', 'immediate', 'after']);
  });

  test('random numbers are at least 0 and below 1', () => {
    const drawn = Array.from({ length: 100 }, () => systemEnv.random());
    expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(50);
  });

  test('by default only warnings and errors are printed, with their fields', () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    systemEnv.log('debug', 'one');
    systemEnv.log('info', 'two', { a: 1 });
    systemEnv.log('warn', 'three');
    systemEnv.log('error', 'four', { error: new Error('boom'), count: 2, name: 'pods', nothing: undefined });
    expect(print.mock.calls).toEqual([
      ['kube-informer warn: three'],
      ['kube-informer error: four error="boom" count=2 name="pods" nothing=undefined'],
    ]);
  });

  test('an environment variable is read on platforms that have them', () => {
    vi.stubEnv('KUBE_INFORMER_TEST_FLAG', 'on');
    expect(envPlatformFlag('KUBE_INFORMER_TEST_FLAG')).toBe('on');
    expect(envPlatformFlag('KUBE_INFORMER_NO_SUCH_FLAG')).toBeUndefined();
    vi.stubGlobal('process', undefined);
    expect(envPlatformFlag('KUBE_INFORMER_TEST_FLAG')).toBeUndefined();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });
});

test('F51: a yield lets a timer run that is due, also while a file or a socket is read', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    // Called in the phase of the event loop in which sockets are read: an immediate comes before any timer then.
    stat('.', () => {
      setTimeout(() => order.push('timer'), 0);
      const until = performance.now() + 3;
      while (performance.now() < until);
      void systemEnv.yield().then(() => {
        order.push('yield');
        resolve();
      });
    });
  });
  expect(order).toEqual(['timer', 'yield']);
});
