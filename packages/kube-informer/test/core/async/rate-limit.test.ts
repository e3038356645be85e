import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter, type RateLimitOptions } from '../../../src/core/async/rate-limit.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { failureOf } from '../../client/rig/bodies.ts';

function rig(options: RateLimitOptions) {
  const env = fakeEnv();
  const limiter = new RateLimiter(env, options);
  const went: [string, number][] = [];
  const take = (name: string, signal = new AbortController().signal): Promise<void> =>
    limiter.take(signal).then(() => void went.push([name, env.now()]));
  return { env, limiter, went, take, clock: env.clock };
}

test('D10: a burst goes at once, the rest at the rate, in order', async () => {
  const { clock, went, take } = rig({ perSecond: 2, burst: 3 });
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => take(name));
  await clock.advance(5_000);
  await Promise.all(all);
  expect(went).toEqual([
    ['a', 0],
    ['b', 0],
    ['c', 0],
    ['d', 500],
    ['e', 1_000],
    ['f', 1_500],
  ]);
  expect(clock.sleeping).toBe(0);
});

test('D10: a quiet time fills the bucket again, up to the burst', async () => {
  const { clock, went, take } = rig({ perSecond: 10, burst: 2 });
  await Promise.all([take('a'), take('b')]);
  await clock.advance(60_000);
  const all = ['c', 'd', 'e'].map((name) => take(name));
  await clock.advance(1_000);
  await Promise.all(all);
  expect(went.slice(2)).toEqual([
    ['c', 60_000],
    ['d', 60_000],
    ['e', 60_100],
  ]);
});

test('D10: an aborted request leaves the queue, and those behind it move up', async () => {
  const { clock, went, take, limiter } = rig({ perSecond: 1, burst: 1 });
  const stop = new AbortController();
  const first = take('a');
  const given = failureOf(take('b', stop.signal));
  const third = take('c');
  await clock.advance(400);
  expect(limiter.pending).toBe(2);
  stop.abort('enough');
  expect(await given).toMatchObject({ code: 'ABORTED', cause: 'enough' });
  await clock.advance(10_000);
  await Promise.all([first, third]);
  expect(went).toEqual([
    ['a', 0],
    ['c', 1_000],
  ]);
});

test('D10: no request overtakes waiting ones, also when the clock jumped before they could go', async () => {
  const { clock, went, take } = rig({ perSecond: 1, burst: 1 });
  const all = [take('a'), take('b')];
  await clock.advance(0);
  clock.freeze(1_500);
  all.push(take('c'));
  await clock.advance(5_000);
  await Promise.all(all);
  expect(went.map(([name]) => name)).toEqual(['a', 'b', 'c']);
});

test('D10: when the last one gives up no timer is left, and nothing on its signal', async () => {
  const { clock, take } = rig({ perSecond: 1, burst: 1 });
  const stop = new AbortController();
  await take('a');
  const waiting = take('b', stop.signal);
  expect(clock.sleeping).toBe(1);
  stop.abort();
  await failureOf(waiting);
  await clock.advance(0);
  expect(clock.sleeping).toBe(0);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  expect(await failureOf(take('c', stop.signal))).toMatchObject({ code: 'ABORTED' });
});

test('D10: after an abort the next request is served as usual', async () => {
  const { clock, went, take } = rig({ perSecond: 1, burst: 1 });
  const stop = new AbortController();
  await take('a');
  const given = failureOf(take('b', stop.signal));
  await clock.advance(500);
  stop.abort();
  await given;
  const next = take('c');
  await clock.advance(10_000);
  await next;
  expect(went.at(-1)).toEqual(['c', 1_000]);
});

test('D10: a signal that served a request keeps no listener', async () => {
  const { clock, take } = rig({ perSecond: 1, burst: 1 });
  const { signal } = new AbortController();
  const all = [take('a', signal), take('b', signal)];
  await clock.advance(5_000);
  await Promise.all(all);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('D10: waits above 50 ms are logged at level debug, those above a second at level info, once a second', async () => {
  const { env, clock, take } = rig({ perSecond: 10, burst: 1 });
  const all = Array.from({ length: 30 }, (_, i) => take(String(i)));
  expect(env.lines.filter(({ level }) => level === 'info')).toHaveLength(1);
  expect(env.lines.filter(({ level }) => level === 'debug')).toHaveLength(28);
  expect(env.lines[0]).toMatchObject({ fields: { reason: 'client-side throttling', ms: 100 } });
  await clock.advance(10_000);
  await Promise.all(all);
});

test('D10: short waits are not mentioned', async () => {
  const { env, clock, take } = rig({ perSecond: 100, burst: 1 });
  const all = [take('a'), take('b')];
  await clock.advance(100);
  await Promise.all(all);
  expect(env.lines).toEqual([]);
});

test('D10: whatever the rate, never more than burst plus rate times time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0.3, max: 500, noNaN: true }),
      fc.integer({ min: 1, max: 10 }),
      fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 30 }),
      async (perSecond, burst, gaps) => {
        const { clock, went, take } = rig({ perSecond, burst });
        const all: Promise<void>[] = [];
        for (const [i, gap] of gaps.entries()) {
          await clock.advance(gap);
          all.push(take(String(i)));
        }
        await clock.advance((gaps.length / perSecond) * 1_000 + gaps.length + 1_000);
        await Promise.all(all);
        expect(went.map(([name]) => name)).toEqual(gaps.map((_, i) => String(i)));
        for (const [from, [, start]] of went.entries())
          for (const [to, [, end]] of went.entries())
            if (to >= from)
              expect(to - from + 1).toBeLessThanOrEqual(burst + ((end - start) * perSecond) / 1_000 + 1e-6);
        expect(clock.sleeping).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

test.each<RateLimitOptions>([
  { perSecond: 0 },
  { perSecond: -1 },
  { perSecond: Number.NaN },
  { perSecond: 5, burst: 0 },
  { perSecond: 5, burst: 1.5 },
])('D10: %j is refused', (options) => {
  expect(() => rig(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});

test('D10: the burst is twice the rate by default', async () => {
  const { went, take } = rig({ perSecond: 2 });
  for (let i = 0; i < 5; i += 1) void take(String(i));
  await Promise.resolve();
  await Promise.resolve();
  expect(went).toHaveLength(4);
});
