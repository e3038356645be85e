import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { lazyStream } from '../../../src/core/async/lazy-stream.ts';
import { PullStream } from '../../../src/core/async/pull-stream.ts';
import { settle } from '../../../src/testing/fake-clock.ts';

const END = { done: true, value: undefined };

function rig(close: () => unknown = () => {}) {
  const stop = new AbortController();
  const inner = new PullStream<number>({ pull() {}, close });
  const signals: AbortSignal[] = [];
  let opened: (stream: PullStream<number>) => void = () => {};
  const stream = lazyStream(stop.signal, (signal) => {
    signals.push(signal);
    return new Promise<PullStream<number>>((resolve) => (opened = resolve));
  });
  const listeners = (): number => getEventListeners(stop.signal, 'abort').length;
  return { stream, inner, signals, listeners, open: () => opened(inner) };
}

test('it is opened once, by the first next', async () => {
  const { stream, inner, signals, open, listeners } = rig();
  expect([signals.length, listeners()]).toEqual([0, 0]);
  const all = Promise.all([stream.next(), stream.next(), stream.next()]);
  expect([signals.length, listeners()]).toEqual([1, 1]);
  inner.push(1);
  inner.push(2);
  inner.end(undefined);
  open();
  expect(await all).toEqual([{ done: false, value: 1 }, { done: false, value: 2 }, END]);
  expect([signals.length, listeners()]).toEqual([1, 0]);
});

test('STR-06: leaving while it is being opened settles next at once, aborts, and closes what is opened later', async () => {
  let closed = 0;
  const { stream, signals, open, listeners } = rig(() => {
    closed += 1;
    throw new Error('cannot close');
  });
  const pending = stream.next();
  await stream.return();
  expect(await pending).toEqual(END);
  expect([signals[0]?.aborted, listeners(), closed]).toEqual([true, 0, 0]);
  open();
  await settle();
  expect(closed).toBe(1);
});

test('STR-06: an error of closing is reported, and leaves no listener behind', async () => {
  const { stream, inner, open, listeners } = rig(() => Promise.reject(new Error('cannot close')));
  const first = stream.next();
  open();
  inner.push(1);
  await first;
  expect(listeners()).toBe(1);
  await expect(stream.return()).rejects.toThrow('cannot close');
  expect(listeners()).toBe(0);
});
