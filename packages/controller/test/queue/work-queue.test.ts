import { getEventListeners } from 'node:events';
import { hasCode } from 'kube-informer';
import { fakeEnv, type FakeEnv, settle } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import type { WorkQueueOptions } from '../../src/queue/queue-options.ts';
import { WorkQueue } from '../../src/queue/work-queue.ts';

function rig(options: WorkQueueOptions = {}): { readonly env: FakeEnv; readonly queue: WorkQueue } {
  const env = fakeEnv();
  return { env, queue: new WorkQueue({ env, ...options }) };
}

const take = async (queue: WorkQueue): Promise<string | undefined> => (await queue.get())?.key;

test('CTR-10: N adds before its turn are one run, adds while it runs are one more', async () => {
  const { queue } = rig();
  for (let i = 0; i < 5; i += 1) queue.add('a');
  expect(await take(queue)).toBe('a');
  for (let i = 0; i < 5; i += 1) queue.add('a');
  expect(queue.size).toBe(0);
  expect(queue.look('a')?.state).toBe('running+again');
  queue.done('a');
  expect(await take(queue)).toBe('a');
  queue.done('a');
  expect(queue.look('a')).toBeUndefined();
});

test('CTR-10: a key that was added while it ran is placed by the time of the add', async () => {
  const { queue, env } = rig();
  queue.add('a');
  await take(queue);
  await env.clock.advance(10);
  queue.add('a');
  await env.clock.advance(10);
  queue.add('b');
  queue.done('a');
  expect(await take(queue)).toBe('a');
});

test('CTR-10: done for a key that is not at work is a mistake of the caller', () => {
  const { queue } = rig();
  expect(() => queue.done('a')).toThrow(expect.objectContaining({ code: 'ILLEGAL_STATE' }));
});

test('CTR-11: Q04 a key of priority -100 has its turn under endless load of priority 0', async () => {
  const { queue, env } = rig();
  queue.add('low', { priority: -100 });
  let turns = 0;
  for (let n = 0; ; n += 1) {
    queue.add(`high-${n}`);
    await env.clock.advance(100);
    const key = (await take(queue)) as string;
    queue.done(key);
    if (key === 'low') break;
    turns += 1;
  }
  expect(turns).toBe(300); // 30 s of keys, one every 100 ms
});

test('CTR-11: with `strict` a higher priority always goes first', async () => {
  const { queue, env } = rig({ strict: true });
  queue.add('low', { priority: -100 });
  await env.clock.advance(3_600_000);
  queue.add('high');
  expect([await take(queue), await take(queue)]).toEqual(['high', 'low']);
});

test('CTR-11: keys of the highest number as their priority keep the order', async () => {
  const { queue, env } = rig();
  for (const key of ['a', 'b', 'c']) {
    queue.add(key, { priority: key === 'b' ? Number.MAX_VALUE / 2 : Number.MAX_VALUE });
    await env.clock.advance(1);
  }
  queue.add('first', { priority: 1 });
  expect([await take(queue), await take(queue), await take(queue), await take(queue)]).toEqual([
    'a',
    'b',
    'c',
    'first',
  ]);
});

test('CTR-11: more priorities than lists keep the order', async () => {
  const { queue } = rig();
  const priorities = Array.from({ length: 60 }, (_, n) => ((n * 37) % 60) - 30);
  for (const priority of priorities) queue.add(String(priority), { priority });
  const taken: number[] = [];
  for (const _ of priorities) taken.push(Number(await take(queue)));
  expect(taken).toEqual(priorities.toSorted((a, b) => b - a));
});

test('CTR-52: the place of a key is the one it is taken from, and `keys` has the order of the line', async () => {
  const { env, queue } = rig();
  queue.add('running');
  await take(queue);
  for (let n = 0; n < 40; n += 1) {
    queue.add(`k${n}`, { priority: (n * 7) % 30 });
    await env.clock.advance((n * 13) % 400);
  }
  queue.add('k3', { priority: 31 }); // raised: out of its list, into the heap
  queue.add('later', { afterMs: 1_000 });
  const keys = [...queue.keys(100)];
  expect([keys[0], keys.at(-1), keys.length]).toEqual(['running', 'later', 42]);
  expect([...queue.keys(3)]).toEqual(keys.slice(0, 3));
  expect([queue.place('running'), queue.place('later'), queue.place('none')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const line = keys.slice(1, -1);
  expect(line.map((key) => queue.place(key))).toEqual(line.map((_, at) => at + 1));
  for (const key of line) expect(await take(queue)).toBe(key);
});

describe('delays', () => {
  test('CTR-12: of two delays the earlier counts, and now beats any', async () => {
    const { queue, env } = rig();
    queue.add('a', { afterMs: 100 });
    queue.add('a', { afterMs: 500 });
    await env.clock.advance(99);
    expect(queue.size).toBe(0);
    await env.clock.advance(1);
    expect(queue.size).toBe(1);
    queue.add('b', { afterMs: 1_000 });
    queue.add('b');
    expect(queue.size).toBe(2);
  });

  test('CTR-13: Q08 an event makes a key ready that waits to be requeued, and it does not run again later', async () => {
    const { queue, env } = rig();
    queue.add('a');
    await take(queue);
    queue.retry('a', { afterMs: 60_000 });
    queue.done('a');
    expect(queue.look('a')?.state).toBe('waiting');
    queue.add('a');
    await take(queue);
    queue.done('a');
    await env.clock.advance(120_000);
    expect(queue.size).toBe(0);
    expect(env.clock.sleeping).toBe(0);
  });

  test('CTR-13: Q09 a delay of 60 days is kept, by one timer', async () => {
    const { queue, env } = rig();
    const days = 86_400_000;
    queue.add('a', { afterMs: 60 * days });
    queue.add('b', { afterMs: 61 * days });
    expect(env.clock.sleeping).toBe(1);
    await env.clock.advance(60 * days - 1);
    expect(queue.size).toBe(0);
    await env.clock.advance(1);
    expect(queue.size).toBe(1);
    expect(env.clock.sleeping).toBe(1);
  });

  test('CTR-13: an earlier key moves the timer', async () => {
    const { queue, env } = rig();
    queue.add('late', { afterMs: 1_000 });
    queue.add('early', { afterMs: 10 });
    expect(env.clock.sleeping).toBe(1);
    await env.clock.advance(10);
    expect(queue.look('early')?.state).toBe('ready');
  });
});

describe('closing', () => {
  test('CTR-14: Q11 ready keys are handed out after close, then getters get undefined', async () => {
    const { queue, env } = rig();
    queue.add('a');
    queue.add('b', { afterMs: 10 });
    const first = queue.get();
    queue.add('c');
    queue.close();
    queue.add('d');
    expect((await first)?.key).toBe('a');
    const drained = queue.drained();
    expect(await take(queue)).toBe('c');
    expect(await queue.get()).toBeUndefined();
    let isDrained = false;
    void drained.then(() => (isDrained = true));
    queue.done('a');
    await settle();
    expect(isDrained).toBe(false);
    queue.done('c');
    await drained;
    expect(env.clock.sleeping).toBe(0);
  });

  test('CTR-14: drained waits for ready keys too', async () => {
    const { queue } = rig();
    queue.add('a');
    let isDrained = false;
    void queue.drained().then(() => (isDrained = true));
    await settle();
    expect(isDrained).toBe(false);
    queue.close({ drop: true });
    await settle();
    expect(isDrained).toBe(true);
  });

  test('CTR-14: a getter that waits ends with close', async () => {
    const { queue } = rig();
    const waiting = queue.get();
    queue.close();
    expect(await waiting).toBeUndefined();
  });

  test('CTR-14: waits on one signal leave no listeners', async () => {
    const { queue } = rig();
    const stop = new AbortController();
    for (let i = 0; i < 50; i += 1) {
      const got = queue.get(stop.signal);
      queue.add('a');
      await got;
      queue.done('a');
    }
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});

test('CTR-10: Q13 a million operations leave nothing', async () => {
  const { queue, env } = rig();
  for (let round = 0; round < 200; round += 1) {
    for (let n = 0; n < 1_000; n += 1) queue.add(`key-${n}`, { priority: n % 3, afterMs: n % 5 === 0 ? 10 : 0 });
    await env.clock.advance(10);
    for (let n = 0; n < 1_000; n += 1) queue.done((await take(queue)) as string);
  }
  expect([queue.size, queue.waiting, queue.running, queue.held, env.clock.sleeping]).toEqual([0, 0, 0, 0, 0]);
  expect(queue.look('key-1')).toBeUndefined();
});

test('CTR-50: the time in the queue begins when a key is ready, not when its delay began', async () => {
  const { queue, env } = rig();
  const queuedMs = async (): Promise<number | undefined> => (await queue.get())?.queuedMs;
  queue.add('due', { afterMs: 5_000 });
  await env.clock.advance(5_000 + 30);
  expect(await queuedMs()).toBeLessThanOrEqual(30);

  queue.add('early', { afterMs: 60_000 });
  await env.clock.advance(10_000);
  queue.add('early');
  await env.clock.advance(40);
  expect(await queuedMs()).toBe(40);

  // Added while it runs, with a delay that is not over when it is done.
  queue.add('early', { afterMs: 1_000 });
  queue.done('early');
  await env.clock.advance(500);
  queue.add('early');
  await env.clock.advance(20);
  expect(await queuedMs()).toBe(20);

  // Put aside: the wait goes on.
  queue.hold('early');
  await env.clock.advance(7);
  queue.release('early');
  expect(await queuedMs()).toBe(27);
});

test('CTR-50: the metrics of a queue exist from the start, at 0, and a priority beyond 25 shares one series', async () => {
  const values = new Map<string, number>();
  const id = (name: string, labels: object): string => `${name}${JSON.stringify(labels)}`;
  const { queue } = rig({
    name: 'q',
    controller: 'c',
    metrics: {
      counter: (name, labels) => ({
        inc: (by = 1) => void values.set(id(name, labels), (values.get(id(name, labels)) ?? 0) + by),
      }),
      gauge: (name, labels) => ({ set: (value) => void values.set(id(name, labels), value) }),
      histogram: () => ({ observe() {} }),
    },
  });
  const labels = { name: 'q', controller: 'c' };
  expect(Object.fromEntries(values)).toEqual({
    [id('workqueue_adds_total', labels)]: 0,
    [id('workqueue_retries_total', labels)]: 0,
    [id('workqueue_depth', { ...labels, priority: '0' })]: 0,
    [id('workqueue_unfinished_work_seconds', labels)]: 0,
    [id('workqueue_longest_running_processor_seconds', labels)]: 0,
  });
  for (let n = 0; n < 40; n += 1) queue.add(`k${n}`, { priority: n });
  const depths = [...values].filter(([name]) => name.startsWith('workqueue_depth'));
  expect(depths).toHaveLength(26);
  expect(values.get(id('workqueue_depth', { ...labels, priority: 'exceeded_cardinality_limit' }))).toBe(15);
  queue.close({ drop: true });
});

test('a typo in an option is an error that names the known ones', () => {
  expect(() => new WorkQueue({ stric: true } as object)).toThrow(/unknown option "stric": expected one of .*strict/);
  const { queue } = rig();
  try {
    queue.add('a', { after: 5 } as object);
    expect.unreachable();
  } catch (error) {
    expect(hasCode(error, 'INVALID_OPTION')).toBe(true);
  }
});
