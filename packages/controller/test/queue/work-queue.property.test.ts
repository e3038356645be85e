import fc from 'fast-check';
import type { Metrics } from 'kube-informer/core';
import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { WorkQueue } from '../../src/queue/work-queue.ts';
import { NaiveQueue, type Step } from './model.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const key = fc.constantFrom(...KEYS);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key,
      priority: fc.constantFrom(0, 0, 0, -100, 5, 50),
      afterMs: fc.constantFrom(0, 0, 0, 5, 100, 700),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'get' }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('done' as const), nth: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), nth: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(1, 5, 60, 400, 40_000) }),
  },
);

/** Counts what a metrics library would show. */
function recount(): Metrics & { readonly values: Map<string, number> } {
  const values = new Map<string, number>();
  const named = (name: string, { priority }: Readonly<Record<string, string>>): string =>
    priority === undefined ? name : `${name} ${priority}`;
  return {
    values,
    counter: (name, labels) => ({
      inc: (by = 1) => void values.set(named(name, labels), (values.get(named(name, labels)) ?? 0) + by),
    }),
    gauge: (name, labels) => ({ set: (value) => void values.set(named(name, labels), value) }),
    histogram: (name) => ({ observe: () => void values.set(name, (values.get(name) ?? 0) + 1) }),
  };
}

/** Runs a script on the queue and on the model, and compares them after each step. */
async function compare(script: readonly Step[]): Promise<void> {
  const env = fakeEnv();
  const metrics = recount();
  const queue = new WorkQueue({ name: 'test', env, metrics });
  const model = new NaiveQueue();
  let gets = 0;
  const atWork = new Set<string>();
  /** Keys that were put aside before they ran: their time in line was counted when they were taken first. */
  const held = new Set<string>();
  for (const one of script) {
    const running = model.running;
    switch (one.do) {
      case 'add':
        queue.add(one.key, { priority: one.priority, afterMs: one.afterMs });
        model.add(one.key, one.priority, one.afterMs);
        break;
      case 'get': {
        const expected = model.get();
        if (expected === undefined) break; // it would wait
        if (!held.delete(expected)) gets += 1;
        const taken = await queue.get();
        expect(taken?.key).toBe(expected);
        expect(atWork.has(expected), 'two runs of one key').toBe(false);
        atWork.add(expected);
        break;
      }
      case 'done':
      case 'hold': {
        const chosen = running[one.nth % Math.max(1, running.length)];
        if (chosen === undefined) break;
        atWork.delete(chosen);
        if (one.do === 'hold') held.add(chosen);
        queue[one.do](chosen);
        model[one.do](chosen);
        break;
      }
      case 'release':
        queue.release(one.key);
        model.release(one.key);
        break;
      case 'advance':
        await env.clock.advance(one.ms);
        model.advance(one.ms);
    }
    expect(queue.size).toBe(model.count('ready'));
    expect(queue.waiting).toBe(model.count('waiting'));
    expect(queue.held).toBe(model.count('stale'));
    expect(queue.running).toBe(model.running.length);
    for (const name of KEYS) expect(queue.look(name)?.state).toBe(model.items.get(name)?.state);
    const depth = [...metrics.values].filter(([name]) => name.startsWith('workqueue_depth'));
    expect(depth.reduce((sum, [, value]) => sum + value, 0)).toBe(queue.size);
    expect(metrics.values.get('workqueue_adds_total')).toBe(model.adds);
    expect(metrics.values.get('workqueue_queue_duration_seconds') ?? 0).toBe(gets);
  }
  queue.close({ drop: true });
  for (const name of atWork) queue.done(name);
  await queue.drained();
  await env.clock.advance(1_000);
  expect(env.clock.sleeping).toBe(0);
}

const RUNS = { numRuns: 400 };

test('CTR-10: Q01 Q02 Q03 Q05 Q06 Q07 Q12 the queue does what a naive model of it does', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), compare), RUNS);
});

test('CTR-14: Q10 an aborted getter loses no key, and getters are served in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (aborted) => {
      const queue = new WorkQueue({ env: fakeEnv() });
      const given: number[] = [];
      const stops = aborted.map((isAborted, nth) => {
        const stop = new AbortController();
        void queue.get(stop.signal).then((taken) => (taken === undefined ? undefined : given.push(nth)));
        return { stop, isAborted };
      });
      for (const { stop, isAborted } of stops) if (isAborted) stop.abort();
      aborted.forEach((_, nth) => queue.add(`key-${nth}`));
      await Promise.resolve();
      await Promise.resolve();
      const waiting = aborted.flatMap((isAborted, nth) => (isAborted ? [] : [nth]));
      expect(given).toEqual(waiting);
      expect(queue.size).toBe(aborted.length - waiting.length);
      expect(queue.running).toBe(waiting.length);
    }),
    { numRuns: 200 },
  );
});
