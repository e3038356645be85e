import { plainEventMaker } from '../../../src/informer/handlers/event-maker.ts';
import { describe, expect, test } from 'vitest';
import { plainAccess, type KubeObject } from '../../../src/core/object/object.ts';
import { bulkOf, bulkOfStore } from '../../../src/informer/handlers/bulk.ts';
import type { Handler } from '../../../src/informer/handlers/handlers.ts';
import type { Listener } from '../../../src/informer/handlers/processor-listener.ts';
import { Process } from '../../../src/informer/apply/process.ts';
import type { HandlerOptions } from '../../../src/informer/handlers/handler-options.ts';
import { Processor } from '../../../src/informer/handlers/processor.ts';
import { ResyncPeriod } from '../../../src/informer/handlers/resync-period.ts';
import { Indexer } from '../../../src/store/indexer.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../../src/testing/handler-recorder.ts';
import { obj } from '../rig/delta-lines.ts';
import { add, gone, resync, update } from '../rig/events.ts';
import { all, gone as deleted, set } from '../rig/process-rig.ts';

interface JoinOptions extends HandlerOptions {
  readonly periodMs?: number;
}

interface Rig {
  readonly env: FakeEnv;
  readonly store: Indexer<KubeObject>;
  readonly processor: Processor<KubeObject>;
  readonly process: Process<KubeObject>;
  readonly join: (handler: Handler<KubeObject>, options?: JoinOptions) => Listener<KubeObject>;
}

/** A processor behind a real cache, as the informer wires them. The check period is a second. */
function rig(env: FakeEnv = fakeEnv(), parity?: 'client-go'): Rig {
  const store = new Indexer<KubeObject>();
  const processor = new Processor<KubeObject>(env);
  const process = new Process<KubeObject>({
    store,
    env,
    access: plainAccess,
    events: plainEventMaker(),
    ...(parity === undefined ? {} : { parity }),
    audience: {
      event: (event, sync) => processor.distribute(event, sync),
      bulk: (bulk, initialAdds) => processor.distributeBulk(bulk, initialAdds),
    },
  });
  const join = (handler: Handler<KubeObject>, { periodMs = 0, ...options }: JoinOptions = {}): Listener<KubeObject> =>
    processor.add(
      handler,
      new ResyncPeriod(periodMs, 1_000, env.now()),
      () => bulkOfStore(plainEventMaker(), store),
      options,
    );
  return { env, store, processor, process, join };
}

describe('PRO-02: which handlers get which events', () => {
  test('PRO-01, PRO-02, PRO-03, Trap 11: until the first check all handlers get unchanged states, then only those that are due', async () => {
    const { processor, join, env } = rig();
    const [never, often] = [new HandlerRecorder(), new HandlerRecorder()];
    join(never);
    join(often, { periodMs: 2_000 });
    processor.distribute(resync('a@1'), true);
    env.clock.freeze(1_000);
    expect(processor.shouldResync()).toBe(false);
    processor.distribute(resync('b@2'), true);
    env.clock.freeze(1_000);
    expect(processor.shouldResync()).toBe(true);
    processor.distribute(resync('c@3'), true);
    processor.distribute(add('d@4'));
    await settle();
    expect(never.events.map(({ key }) => key)).toEqual(['a', 'd']);
    expect(often.events.map(({ key }) => key)).toEqual(['a', 'c', 'd']);
  });

  test("PRO-03, Trap 11: with parity 'client-go' and no period, the unchanged states of a list reach all handlers", async () => {
    const { process, join } = rig(fakeEnv(), 'client-go');
    const recorder = new HandlerRecorder();
    join(recorder);
    await process.process([all('5', ['a@1'])], true);
    await process.process([all('9', ['a@1'])], false);
    await settle();
    expect(recorder.lines).toEqual(['add a@1 initial', 'update a@1→1']);
  });

  test('PRO-05: the check is made for every handler, also when an earlier one is due already', async () => {
    const { processor, join, env } = rig();
    const recorders = [1_000, 2_000, 1_000].map((periodMs) => {
      const recorder = new HandlerRecorder();
      join(recorder, { periodMs });
      return recorder;
    });
    for (let tick = 0; tick < 2; tick += 1) {
      env.clock.freeze(1_000);
      expect(processor.shouldResync()).toBe(true);
      processor.distribute(resync(`a@${tick}`), true);
    }
    await settle();
    expect(recorders.map(({ events }) => events.length)).toEqual([2, 1, 2]);
  });

  test('PRO-05, PRO-06, INF-07, TestListenerResyncPeriods: handlers with periods of 0, 2 and 3 s get exactly their resyncs', async () => {
    const { processor, join, env } = rig();
    const heard = [0, 2_000, 3_000].map((periodMs) => {
      const times: number[] = [];
      join({ update: () => void times.push(env.now()) }, { periodMs });
      return times;
    });
    for (let tick = 1; tick <= 9; tick += 1) {
      await env.clock.advance(1_000);
      if (processor.shouldResync()) processor.distribute(resync('a@1'), true);
      await settle();
    }
    expect(heard).toEqual([[], [2_000, 4_000, 6_000, 8_000], [3_000, 6_000, 9_000]]);
  });

  test('PRO-04, TestListenerResyncPeriodsDelayed: what is distributed before a handler runs waits in order', async () => {
    const { processor, join } = rig();
    const recorder = new HandlerRecorder();
    join(recorder);
    processor.distribute(add('a@1'));
    processor.distribute(update('a@1', 'a@2'));
    expect(recorder.lines).toEqual([]);
    await settle();
    expect(recorder.lines).toEqual(['add a@1', 'update a@1→2']);
  });
});

describe('joining and leaving', () => {
  test('PRO-13, INF-09, Trap 17: a handler added between any two turns gets each object once, and nothing is lost', async () => {
    const { process, join } = rig();
    const changes = [
      set('added', 'a@1'),
      set('added', 'b@2'),
      set('updated', 'a@3'),
      deleted('b@4'),
      set('added', 'b@5'),
      all('9', ['a@7', 'c@8']),
      set('updated', 'c@10'),
    ];
    const recorders: HandlerRecorder[] = [];
    for (const change of changes) {
      const recorder = new HandlerRecorder();
      recorders.push(recorder);
      join(recorder);
      await process.process([change], false);
      if (recorders.length % 2 === 0) await settle();
    }
    await settle();
    for (const { violations, view } of recorders) {
      expect(violations).toEqual([]);
      expect([...view.values()].map((object) => object.metadata?.resourceVersion)).toEqual(['7', '10']);
    }
  });

  test('Trap 17, G12: the cache is written and every queue is filled in the same turn, with no wait between', () => {
    const { process, join, store } = rig();
    const before = join(new HandlerRecorder());
    void process.process([set('added', 'a@1')], false);
    expect([before.pending, store.size]).toEqual([1, 1]);
    const after = join(new HandlerRecorder());
    expect(after.pending).toBe(1);
    void process.process([set('updated', 'a@2')], false);
    expect([before.pending, after.pending]).toEqual([2, 2]);
  });

  test('SYN-03: a late handler counts everything that is there before it may be synced', async () => {
    const { process, join, processor } = rig();
    await process.process([all('5', ['a@1', 'b@2'])], true);
    const listener = join(new HandlerRecorder());
    expect([listener.tracker.waiting, listener.tracker.hasSynced]).toEqual([2, false]);
    processor.upstreamSynced();
    expect(listener.tracker.hasSynced).toBe(false);
    await settle();
    expect(listener.tracker.hasSynced).toBe(true);
  });

  test('INF-11, PRO-11: a removed handler gets nothing more; removing it again, or an unknown one, is harmless', async () => {
    const { processor, join } = rig();
    const recorder = new HandlerRecorder();
    const listener = join(recorder);
    processor.distribute(add('a@1'));
    expect(processor.remove(listener)).toBe(true);
    expect(processor.remove(listener)).toBe(false);
    expect(processor.remove(rig().join(new HandlerRecorder()))).toBe(false);
    processor.distribute(add('b@2'));
    await settle();
    expect([recorder.lines, processor.listeners]).toEqual([[], []]);
  });

  test('PRO-12, G21: stopping forgets all handlers at once and waits for the running callbacks', async () => {
    const { processor, join, env } = rig();
    const seen: string[] = [];
    join({
      add: async ({ key }) => {
        seen.push(`start ${key}`);
        await env.sleep(100);
        seen.push(`end ${key}`);
      },
    });
    join(new HandlerRecorder());
    processor.distribute(add('a@1'));
    processor.distribute(add('b@2'));
    await settle();
    let stopped = false;
    const stopping = processor.stop().then(() => (stopped = true));
    expect(processor.listeners).toEqual([]);
    processor.distribute(add('c@3'));
    await settle();
    expect(stopped).toBe(false);
    await env.clock.advance(100);
    await stopping;
    expect(seen).toEqual(['start a', 'end a']);
    expect(env.clock.sleeping).toBe(0);
  });

  test('EVH-07: a handler is named after its class, or as the caller chooses', () => {
    class Auditor {
      add(): void {}
    }
    const { join } = rig();
    expect([join(new Auditor()).name, join({}, { name: 'mine' }).name, join({}).policy]).toEqual([
      'Auditor',
      'mine',
      'coalesce',
    ]);
  });
});

describe('F83: callbacks that turn back to the processor', () => {
  test('F83: one may remove itself, remove another, join another and read the cache', async () => {
    const { process, processor, join, store } = rig();
    const [victim, late] = [new HandlerRecorder(), new HandlerRecorder()];
    const seen: string[] = [];
    const own = join({
      add: ({ key }) => {
        seen.push(`${key} ${store.size}`);
        processor.remove(theirs);
        join(late);
        processor.remove(own);
      },
    });
    const theirs = join(victim);
    void process.process([set('added', 'a@1'), set('added', 'b@2')], false);
    await settle();
    expect(seen).toEqual(['a 2']);
    expect(victim.lines).toEqual([]);
    expect(late.lines).toEqual(['add a@1 initial', 'add b@2 initial']);
  });

  test('F83: one may stop the processor; waiting for that inside the callback is waiting for itself, so it must not', async () => {
    const { processor, join } = rig();
    const seen: string[] = [];
    let stopped = false;
    join({
      add: ({ key }) => {
        seen.push(key);
        void processor.stop().then(() => (stopped = true));
      },
    });
    processor.distribute(add('a@1'));
    processor.distribute(add('b@2'));
    await settle();
    expect([seen, stopped]).toEqual([['a'], true]);
  });
});

describe('G14: block', () => {
  test('G14: the informer waits for every blocking handler, and for no other', async () => {
    const { processor, join, env } = rig();
    expect(processor.room()).toBeUndefined();
    const slow = (ms: number): Handler<KubeObject> => ({ add: () => env.sleep(ms) });
    join(slow(1_000_000), { limit: 1 });
    const blocking = [join(slow(100), { policy: 'block', limit: 1 }), join(slow(500), { policy: 'block', limit: 1 })];
    processor.distributeBulk(bulkOf([add('a@1'), add('b@2')]), 0);
    for (const text of ['c@3', 'd@4', 'e@5']) processor.distribute(add(text));
    let free = false;
    void processor.room()?.then(() => (free = true));
    expect(processor.room()).toBeDefined();
    await env.clock.advance(2_499);
    expect(free).toBe(false);
    await env.clock.advance(1);
    expect(free).toBe(true);
    expect(processor.room()).toBeUndefined();
    for (const listener of blocking) processor.remove(listener);
    processor.distribute(add('f@6'));
    expect(processor.room()).toBeUndefined();
  });
});

describe('G13: a bad handler among good ones', () => {
  const bad: Record<string, (env: FakeEnv) => Handler<KubeObject>> = {
    none: () => ({}),
    throws: () => ({
      add: () => {
        throw new Error('boom');
      },
      update: () => {
        throw new Error('boom');
      },
    }),
    rejects: () => ({ add: () => Promise.reject(new Error('boom')), delete: () => Promise.reject(new Error('boom')) }),
    hangs: () => ({ add: () => new Promise(() => {}) }),
    'is slow': (env) => ({ add: () => env.sleep(10_000), update: () => env.sleep(10_000) }),
  };

  /** The events of a good handler, with their times, next to a bad one. */
  async function story(which: string, options: HandlerOptions): Promise<string[]> {
    const { process, processor, join, env } = rig();
    const heard: string[] = [];
    const good = new HandlerRecorder();
    const note = (event: { type: string; key: string }): void =>
      void heard.push(`${env.now()} ${event.type} ${event.key}`);
    join(bad[which]?.(env) ?? {}, options);
    join({
      add: (event) => (good.add(event), note(event)),
      update: (event) => (good.update(event), note(event)),
      delete: (event) => (good.delete(event), note(event)),
    });
    join(bad[which]?.(env) ?? {}, options);
    await process.process([all('5', ['a@1', 'b@2'])], true);
    processor.upstreamSynced();
    for (let i = 10; i < 40; i += 1) {
      await process.process([set('updated', `a@${i}`), set('added', `pod-${i}@${i}`)], false);
      if (i % 3 === 0) await process.process([deleted(`pod-${i}@${i + 1}`)], false);
      await env.clock.advance(70);
    }
    expect(good.violations).toEqual([]);
    return heard;
  }

  test.each([
    ['throws', {}],
    ['rejects', {}],
    ['hangs', {}],
    ['hangs', { limit: 2 }],
    ['hangs', { policy: 'detach', limit: 2 } as const],
    ['is slow', { limit: 2 }],
    ['is slow', { policy: 'detach', limit: 2 } as const],
  ])(
    'G13, I10, F79, F80, F81: one that %s (%o) changes neither what the others get nor when',
    async (which, options) => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      const alone = await story('none', {});
      const beside = await story(which, options);
      await settle();
      process.off('unhandledRejection', note);
      expect(beside).toEqual(alone);
      expect(alone.length).toBeGreaterThan(60);
      expect(unhandled).toEqual([]);
    },
  );
});

test('SYN-01, SYN-02: handlers become synced one by one, each after its own callbacks', async () => {
  const { process, processor, join, env } = rig();
  const quick = join(new HandlerRecorder());
  const slow = join({ add: () => env.sleep(100) });
  await process.process([all('5', ['a@1', 'b@2'])], true);
  processor.upstreamSynced();
  await settle();
  expect([quick.tracker.hasSynced, slow.tracker.hasSynced]).toEqual([true, false]);
  await env.clock.advance(200);
  expect(slow.tracker.hasSynced).toBe(true);
});

test('INF-02, EVH-01: all handlers are given the same event and the same object', async () => {
  const { process, processor, join, store } = rig();
  const [one, two] = [new HandlerRecorder(), new HandlerRecorder()];
  join(one);
  join(two);
  await process.process([set('added', 'a@1')], false);
  processor.distribute(gone('a@2'));
  await settle();
  expect(one.events[0]).toBe(two.events[0]);
  expect(one.events[0]?.object).toBe(store.get('a'));
  expect(one.events[1]?.object).toEqual(obj('a@2'));
});
