import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Latch } from '../../../src/core/async/latch.ts';

function rig(): { readonly latch: Latch; readonly stop: AbortController; readonly listeners: () => number } {
  const stop = new AbortController();
  return { latch: new Latch(), stop, listeners: () => getEventListeners(stop.signal, 'abort').length };
}

test('it opens once and stays open', () => {
  const { latch } = rig();
  expect(latch.isOpen).toBe(false);
  latch.open();
  latch.open();
  expect(latch.isOpen).toBe(true);
});

test('all waiting callbacks are called in order, and only once', () => {
  const { latch } = rig();
  const received: string[] = [];
  latch.onOpen(() => received.push('a'));
  latch.onOpen(() => received.push('b'));
  latch.open();
  latch.open();
  expect(received).toEqual(['a', 'b']);
});

test('a late callback is called at once; a removed one is not called', () => {
  const { latch } = rig();
  const received: string[] = [];
  const forget = latch.onOpen(() => received.push('gone'));
  forget();
  forget();
  latch.open();
  latch.onOpen(() => received.push('late'))();
  expect(received).toEqual(['late']);
});

test('Trap 19: a wait resolves true once open, false if stopped first, and leaves no listener', async () => {
  const opened = rig();
  const waiting = opened.latch.wait(opened.stop.signal);
  expect(opened.listeners()).toBe(1);
  opened.latch.open();
  await expect(waiting).resolves.toBe(true);
  expect(opened.listeners()).toBe(0);

  const stopped = rig();
  const given = stopped.latch.wait(stopped.stop.signal);
  stopped.stop.abort();
  await expect(given).resolves.toBe(false);
  stopped.latch.open();
  expect(stopped.listeners()).toBe(0);
});

test('already open, already stopped: answered at once; open goes first', async () => {
  const { latch, stop } = rig();
  stop.abort();
  await expect(latch.wait(stop.signal)).resolves.toBe(false);
  latch.open();
  await expect(latch.wait(stop.signal)).resolves.toBe(true);
  await expect(latch.wait()).resolves.toBe(true);
});

test('fifty waits on one signal leave nothing behind, and a wait needs no signal', async () => {
  const { stop, listeners } = rig();
  for (let i = 0; i < 50; i += 1) {
    const latch = new Latch();
    const waits = [latch.wait(stop.signal), latch.wait()];
    latch.open();
    expect(await Promise.all(waits)).toEqual([true, true]);
  }
  expect(listeners()).toBe(0);
});
