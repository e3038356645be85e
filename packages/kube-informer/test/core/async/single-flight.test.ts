import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { SingleFlight } from '../../../src/core/async/single-flight.ts';
import { failure, never } from '../../client/rig/auth-rig.ts';

function rig(options: { detached?: boolean } = {}) {
  const starts: { signal: AbortSignal; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const flight = new SingleFlight<string>('the work', options);
  const join = (signal: AbortSignal = never): Promise<string> =>
    flight.join(signal, (stop) => new Promise((resolve, reject) => starts.push({ signal: stop, resolve, reject })));
  return { flight, join, starts };
}

test('D9: all callers that join while it runs get the one result', async () => {
  const { join, starts } = rig();
  const asked = [join(), join(), join()];
  expect(starts).toHaveLength(1);
  starts[0]?.resolve('x');
  expect(await Promise.all(asked)).toEqual(['x', 'x', 'x']);
  void join();
  expect(starts).toHaveLength(2);
});

test('D9: all callers get an error, too, and the next call starts anew', async () => {
  const { join, starts } = rig();
  const asked = [failure(() => join()), failure(() => join())];
  starts[0]?.reject(new Error('no'));
  expect((await Promise.all(asked)).map(({ message }) => message)).toEqual(['no', 'no']);
  void join();
  expect(starts).toHaveLength(2);
});

test('D9: an aborted caller does not disturb the others; when no caller is left the work is aborted', async () => {
  const { join, starts } = rig();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = failure(() => join(one.signal));
  const second = failure(() => join(two.signal));
  one.abort();
  expect(await first).toMatchObject({ code: 'ABORTED' });
  expect(starts[0]?.signal.aborted).toBe(false);
  two.abort();
  expect(await second).toMatchObject({ code: 'ABORTED' });
  expect(starts[0]?.signal.aborted).toBe(true);
  void join();
  expect(starts).toHaveLength(2);
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});

test('D9: a signal that outlives many calls collects no listeners', async () => {
  const { flight } = rig();
  const stop = new AbortController();
  for (let i = 0; i < 50; i += 1) await flight.join(stop.signal, () => Promise.resolve('x'));
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('F68: detached work continues when no caller is left, and the next caller gets its result', async () => {
  const { flight, join, starts } = rig({ detached: true });
  const one = new AbortController();
  const first = failure(() => join(one.signal));
  one.abort();
  expect(await first).toMatchObject({ code: 'ABORTED' });
  expect(starts[0]?.signal.aborted).toBe(false);
  const next = join();
  starts[0]?.resolve('x');
  expect(await next).toBe('x');
  expect(starts).toHaveLength(1);

  const last = failure(() => join());
  flight.abort();
  expect(await last).toMatchObject({ code: 'ABORTED' });
  expect(starts[1]?.signal.aborted).toBe(true);
});

test('F68: a caller that is already aborted starts nothing', async () => {
  const { join, starts } = rig({ detached: true });
  expect(await failure(() => join(AbortSignal.abort()))).toMatchObject({ code: 'ABORTED' });
  expect(starts).toEqual([]);
});
