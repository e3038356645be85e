import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { AddEvent } from '../../src/informer/handlers/handlers.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { gate, type Pod, pod, QUEUES, rig } from './rig/informer-rig.ts';

/** Unhandled rejections of a test. Node reports them after the promise jobs, so a settled test has them all. */
const unhandled: unknown[] = [];
const noteRejection = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', noteRejection));
afterAll(() => void process.off('unhandledRejection', noteRejection));
afterEach(async () => {
  await settle();
  expect(unhandled.splice(0)).toEqual([]);
});

const never = new Promise<void>(() => {});

/** Frames, without the message before them. */
const STACK = expect.stringMatching(/^ {4}at /) as string;

describe.each(QUEUES)('a handler that fails, queue %s', (queue) => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
  ])(
    'F79, F80, G13, Trap 10 (TestEventPanics): a callback that %s is logged and skipped, the next follows after a second, and no other handler waits',
    async (_, fail) => {
      const { informer, source, clock, start, heard, logged } = rig({ queue });
      const received: string[] = [];
      const handle = informer.on(
        {
          add: ({ key }) => {
            received.push(key);
            return key === 'web/a' ? fail() : undefined;
          },
        },
        { name: 'fragile' },
      );
      source.create(pod('web/a'));
      source.create(pod('web/b'));
      await start();
      expect(received).toEqual(['web/a']);
      expect(heard.lines).toHaveLength(2);
      expect(logged('error', 'a handler failed').map(({ fields }) => fields)).toEqual([
        { handler: 'fragile', event: 'add', key: 'web/a', error: 'boom', pauseMs: 1_000, stack: STACK },
      ]);
      await clock.advance(999);
      expect([received, handle.hasSynced]).toEqual([['web/a'], false]);
      await clock.advance(1);
      // PRO-10: the add that failed counts as told, so its handler becomes synced like any other.
      expect([received, handle.hasSynced]).toEqual([['web/a', 'web/b'], true]);
      expect(informer.health().handlers.at(-1)?.lastFailure).toMatchObject({ key: 'web/a', error: 'boom' });
      expect(informer.health().handlers.map(({ name, failures }) => `${name} ${failures}`)).toEqual([
        'heard 0',
        'fragile 1',
      ]);
      await informer.stop();
    },
  );

  test('F81, G13: a callback that never settles holds up its own handler only, and the cache continues', async () => {
    const { informer, source, clock, start, heard } = rig({ queue, stopGraceMs: 10 });
    informer.on({ add: () => never }, { limit: 10, name: 'stuck' });
    await start();
    for (let round = 0; round < 100; round += 1) {
      for (const name of 'abcde') source.update(pod(`web/${name}`, { round }));
      await settle();
    }
    expect(heard.events).toHaveLength(500);
    expect(informer.list().map(({ spec }) => spec)).toEqual(Array.from({ length: 5 }, () => ({ round: 99 })));
    const stuck = informer.health().handlers.find(({ name }) => name === 'stuck');
    expect(stuck?.pending).toBeLessThanOrEqual(10);
    await clock.advance(60_000);
    expect(informer.health().handlers.find(({ name }) => name === 'stuck')?.busyForMs).toBe(60_000);
    const stopping = informer.stop();
    await clock.advance(10);
    await stopping;
  });
});

describe('a handler that is slow', () => {
  test('F82, G14: a handler slower than its events for an hour holds at most two events per object and ends with the final state', async () => {
    const { informer, source, clock, env, start } = rig();
    const slow = new HandlerRecorder<Pod>();
    const slowly = async (): Promise<void> => env.sleep(1_000);
    const handle = informer.on(
      {
        add: (event) => (slow.add(event), slowly()),
        update: (event) => (slow.update(event), slowly()),
        delete: (event) => (slow.delete(event), slowly()),
      },
      { limit: 8 },
    );
    await start();
    let most = 0;
    for (let second = 0; second < 3_600; second += 1) {
      for (const name of 'abcd') source.update(pod(`web/${name}`, { second }));
      if (second % 7 === 3) source.delete('web/a');
      await clock.advance(1_000);
      most = Math.max(most, handle.pending);
    }
    expect(most).toBeLessThanOrEqual(9);
    await clock.advance(20_000);
    expect(slow.violations).toEqual([]);
    expect([...slow.view.values()].sort(byName)).toEqual(informer.list().sort(byName));
    await informer.stop();
  });

  test('G14: policy block stops reading for all handlers until the slow one has caught up, and nothing is lost', async () => {
    const { informer, source, start, heard, logged } = rig();
    await start();
    const blocked = gate();
    const exact = new HandlerRecorder<Pod>();
    const handle = informer.on(
      {
        add: exact.add,
        update: async (event) => {
          exact.update(event);
          await blocked.opened;
        },
      },
      { policy: 'block', limit: 2 },
    );
    source.create(pod('web/a'));
    for (let n = 0; n < 20; n += 1) {
      source.update(pod('web/a', { n }));
      await settle();
    }
    expect(handle.pending).toBe(3);
    expect(heard.events.length).toBeLessThan(20);
    expect(informer.health().pending).toBeGreaterThan(10);
    expect(logged('warn', 'the informer waits for it')).toHaveLength(1);
    blocked.open();
    await settle();
    expect(exact.events).toHaveLength(21);
    expect(heard.events).toHaveLength(21);
    expect([...exact.violations, ...heard.violations]).toEqual([]);
    await informer.stop();
  });

  test('G14: policy detach drops the waiting events, logs it, and sends everything again', async () => {
    const { informer, source, start, logged } = rig();
    await start();
    const blocked = gate();
    const detached = new HandlerRecorder<Pod>();
    informer.on(
      {
        add: async (event) => {
          detached.add(event);
          await blocked.opened;
        },
        update: detached.update,
        delete: detached.delete,
        overflow: detached.overflow,
      },
      { policy: 'detach', limit: 3 },
    );
    for (const name of 'abcdef') source.create(pod(`web/${name}`));
    source.delete('web/a');
    await settle();
    expect(logged('warn', 'fell behind')).toHaveLength(1);
    blocked.open();
    await settle();
    expect(detached.overflows).toBe(1);
    expect([...detached.view.keys()].sort()).toEqual(['web/b', 'web/c', 'web/d', 'web/e', 'web/f']);
    expect(detached.events.slice(1).every((event) => event.type === 'add' && event.initial)).toBe(true);
    await informer.stop();
  });
});

describe('a handler that reaches back', () => {
  test('F83: a callback may stop the informer; it is the last one', async () => {
    const { informer, source, start, heard } = rig();
    let stopped: Promise<void> | undefined;
    const received: string[] = [];
    informer.on({
      add: ({ key }) => {
        received.push(key);
        stopped ??= informer.stop('from inside');
      },
    });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    await start();
    await stopped;
    expect(informer.state).toEqual({ kind: 'stopped', cause: 'from inside' });
    // The first list was there as a whole: neither its next callback nor that of another handler has started.
    expect(received).toEqual(['web/a']);
    const before = heard.events.length;
    source.create(pod('web/c'));
    await settle();
    expect(heard.events).toHaveLength(before);
    expect(received).not.toContain('web/c');
  });

  test('F83: a callback that waits for the stop waits for itself; the grace period ends that, and it is logged', async () => {
    const { informer, source, clock, start, logged } = rig({ stopGraceMs: 5_000 });
    let passed = false;
    informer.on({
      add: async () => {
        await informer.stop();
        passed = true;
      },
    });
    source.create(pod('web/a'));
    await start();
    await clock.advance(4_999);
    expect(passed).toBe(false);
    await clock.advance(1);
    expect([passed, informer.isStopped]).toEqual([true, true]);
    expect(logged('warn', 'a callback is still running')).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  test('F83: a callback may add handlers, remove others and itself, read, and write to the server', async () => {
    const { informer, source, start } = rig();
    const [inner, victim] = [new HandlerRecorder<Pod>(), new HandlerRecorder<Pod>()];
    const removed = informer.on(victim);
    const seen: string[] = [];
    const self = informer.on({
      add({ key }: AddEvent<Pod>) {
        seen.push(`${key}: ${informer.list().length}`);
        if (key === 'web/a') {
          informer.on(inner);
          removed.remove();
          source.create(pod('web/b'));
        } else {
          self.remove();
        }
      },
    });
    source.create(pod('web/a'));
    await start();
    source.create(pod('web/c'));
    await settle();
    expect(seen).toEqual(['web/a: 1', 'web/b: 2']);
    expect(inner.lines).toEqual(['add web/a@2 initial', 'add web/b@3', 'add web/c@4']);
    expect([inner.violations, victim.view.has('web/c')]).toEqual([[], false]);
    await informer.stop();
  });

  test('F80, G21: a callback that rejects after the stop causes no unhandled rejection', async () => {
    const { informer, source, clock, start } = rig({ stopGraceMs: 1 });
    const running = gate();
    informer.on({
      add: async () => {
        await running.opened;
        throw new Error('after the end');
      },
    });
    source.create(pod('web/a'));
    await start();
    const stopping = informer.stop();
    await clock.advance(1);
    await stopping;
    running.open();
    await settle();
    expect(clock.sleeping).toBe(0);
  });
});

describe('other callbacks that fail', () => {
  test('G13: onSynced callbacks that throw or reject prevent no sync', async () => {
    const { informer, source, start, logged } = rig();
    const order: string[] = [];
    informer.onSynced(() => {
      throw new Error('one');
    });
    informer.onSynced(() => order.push('informer'));
    const handle = informer.on({});
    handle.onSynced((async () => {
      throw new Error('two');
    }) as () => void);
    handle.onSynced(() => {
      throw new Error('three');
    });
    handle.onSynced(() => order.push('handler'));
    source.create(pod('web/a'));
    await start();
    await Promise.all([informer.synced(), handle.synced()]);
    expect(order).toEqual(['informer', 'handler']);
    expect(logged('error', 'a callback failed').map(({ fields }) => fields['error'])).toEqual(['one', 'three', 'two']);
    source.create(pod('web/b'));
    await settle();
    expect(handle.pending).toBe(0);
    await informer.stop();
  });

  test('G13: a watch-error handler that throws is logged, and the informer tries again', async () => {
    const { informer, source, clock, start, logged } = rig({
      serverStreams: false,
      onWatchError: () => {
        throw new Error('in the hook');
      },
    });
    source.failNext('list', new Error('no'), 2);
    await start();
    await clock.advance(5_000);
    expect(informer.hasSynced).toBe(true);
    expect(logged('error', 'a callback failed; nothing else is affected')).toHaveLength(1);
    await informer.stop();
  });
});

function byName(a: Pod, b: Pod): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
