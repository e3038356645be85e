import { describe, expect, test } from 'vitest';
import { settle } from '../../src/testing/fake-clock.ts';
import { statusFailure } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { countListeners, gate, type Pod, pod, QUEUES, rig, type Rig } from './rig/informer-rig.ts';

/** The states an informer can be in when it is stopped. */
const STATES: Record<string, (rig: Rig) => Promise<void>> = {
  'before the start': async () => {},
  'in the turn of the start': async ({ informer }) => void informer.start(),
  'during a list': async ({ source, start }) => {
    source.failNext('watch', statusFailure(400, 'BadRequest', 'no streaming'));
    source.delayLists(new Promise(() => {}));
    await start();
  },
  'during a streamed list': async ({ source, start }) => {
    Object.assign(source, { watch: endless });
    await start();
  },
  'during a backoff': async ({ source, start }) => {
    source.failNext('watch', new Error('no'), 5);
    source.failNext('list', new Error('no'), 5);
    await start();
  },
  'while it watches': async ({ start }) => start(),
  'with an audit and a resync under way': async ({ start, clock, source }) => {
    await start();
    source.delayLists(new Promise(() => {}));
    await clock.advance(10_000);
  },
  'between two watches': async ({ source, start }) => {
    await start();
    source.failNext('watch', new Error('reset'), 5);
    source.cut(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    await settle();
  },
};

/** A stream that hangs and does not listen to its signal. */
function endless(): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
}

const made = (): Rig => {
  const built = rig({ audit: { everyMs: 10_000 }, resyncMs: 5_000, detectMutations: true });
  built.source.create(pod('web/a'));
  return built;
};

describe.each(Object.entries(STATES))('stopping %s', (_, reach) => {
  test('G21: stop leaves no callback, no sleeper, no open watch, and may be called again', async () => {
    const it = made();
    await reach(it);
    await it.informer.stop('enough');
    const received = it.heard.events.length;
    expect([it.clock.sleeping, it.source.openWatches]).toEqual([0, 0]);
    expect(it.informer.state).toEqual({ kind: 'stopped', cause: 'enough' });
    it.source.create(pod('web/b'));
    await it.clock.advance(600_000);
    expect(it.heard.events).toHaveLength(received);
    await it.informer.stop('again');
    await it.informer[Symbol.asyncDispose]();
    expect(it.informer.state).toEqual({ kind: 'stopped', cause: 'enough' });
  });

  test('G21: an AbortSignal stops like stop(), and has no listener left', async () => {
    const it = made();
    const stop = new AbortController();
    const listeners = countListeners(stop.signal);
    it.informer.start = function start() {
      running = it.informer.run(stop.signal);
      return this;
    };
    let running: Promise<void> | undefined;
    await reach(it);
    running ??= it.informer.run(stop.signal);
    stop.abort('signal');
    await running;
    expect([it.clock.sleeping, it.source.openWatches, listeners()]).toEqual([0, 0, 0]);
    expect(it.informer.state).toEqual({ kind: 'stopped', cause: 'signal' });
  });
});

describe('life', () => {
  test('INF-13 (TestStateSharedInformer): started and stopped are distinguished; started stays true', async () => {
    const { informer, start } = rig();
    const seen = (): boolean[] => [informer.hasStarted, informer.isStopped];
    expect(seen()).toEqual([false, false]);
    await start();
    expect(seen()).toEqual([true, false]);
    await informer.stop();
    expect(seen()).toEqual([true, true]);
  });

  test('INF-13: a second run logs a warning and returns at once, also after the stop', async () => {
    const { informer, source, start, logged } = rig();
    await start();
    const { length } = source.calls;
    await informer.run(new AbortController().signal);
    expect(informer.state.kind).toBe('synced');
    await informer.stop();
    await informer.run(new AbortController().signal);
    informer.start();
    await settle();
    expect(logged('warn', 'an informer runs once')).toHaveLength(3);
    expect([source.calls.length, informer.isStopped]).toEqual([length, true]);
  });

  test('INF-13, INF-08: an informer stopped before its start does not start', async () => {
    const { informer, source, start, logged } = rig();
    await informer.stop();
    await start();
    expect([informer.isStopped, informer.hasStarted]).toEqual([true, false]);
    expect([source.calls, logged('warn', 'an informer runs once').length]).toEqual([[], 1]);
  });

  test('G21: with a signal that is already aborted, run() does nothing', async () => {
    const { informer, source } = rig();
    await informer.run(AbortSignal.abort('early'));
    expect(informer.state).toEqual({ kind: 'stopped', cause: 'early' });
    expect(source.calls).toEqual([]);
  });

  test('INF-15, Trap 19: first the loop ends, then "stopped" is set, then the callbacks end, then run resolves', async () => {
    const { informer, source, start } = rig();
    const running = gate();
    const order: string[] = [];
    informer.on({
      add: async () => {
        await running.opened;
        order.push(`callback, stopped: ${informer.isStopped}`);
      },
    });
    source.create(pod('web/a'));
    await start();
    const stopping = informer.stop().then(() => order.push('resolved'));
    order.push(`signal, stopped: ${informer.isStopped}`);
    await settle();
    order.push(`loop ended, stopped: ${informer.isStopped}, watches: ${source.openWatches}`);
    running.open();
    await stopping;
    expect(order).toEqual([
      'signal, stopped: false',
      'loop ended, stopped: true, watches: 0',
      'callback, stopped: true',
      'resolved',
    ]);
  });

  test.each(QUEUES)(
    'CTL-02, PRO-11, Trap 19: what still waits in queues and buffers at the stop is dropped, the running callback finishes, queue %s',
    async (queue) => {
      const { informer, source, start, heard } = rig({ queue });
      await start();
      const running = gate();
      const blocker = new HandlerRecorder<Pod>();
      let finished = 0;
      informer.on(
        {
          add: async (event) => {
            blocker.add(event);
            await running.opened;
            finished += 1;
          },
        },
        { policy: 'block', limit: 1 },
      );
      for (let n = 0; n < 50; n += 1) source.create(pod(`web/${n}`));
      await settle();
      const before = heard.events.length;
      expect(before).toBeLessThan(50);
      const stopping = informer.stop();
      await settle();
      running.open();
      await stopping;
      expect([heard.events.length, blocker.events.length, finished]).toEqual([before, 1, 1]);
    },
  );

  test.each(['stopped before the start', 'started, synced, stopped', 'stopped while its handler runs'])(
    'INF-15, PRO-12 (TestShutdown): nothing is left of an informer that was %s',
    async (life) => {
      const { informer, source, clock, start, heard } = rig({ resyncMs: 1_000 });
      source.create(pod('web/a'));
      const running = gate();
      if (life === 'stopped while its handler runs') informer.on({ add: () => running.opened });
      if (life !== 'stopped before the start') await start();
      const stopping = informer.stop();
      running.open();
      await stopping;
      expect([clock.sleeping, source.openWatches, informer.health().handlers]).toEqual([0, 0, []]);
      const { length } = heard.events;
      await clock.advance(10_000);
      expect(heard.events).toHaveLength(length);
    },
  );

  test('Trap 19, REF-07: what a list answers after the stop is ignored', async () => {
    const { informer, source, start } = rig({ serverStreams: false });
    const answered = gate();
    source.create(pod('web/a'));
    source.delayLists(answered.opened);
    await start();
    await informer.stop();
    answered.open();
    await settle();
    expect([informer.store.size, informer.lastSyncResourceVersion]).toEqual([0, '']);
  });

  test('Trap 19: stopping is not an error: the aborted request is not reported', async () => {
    const errors: unknown[] = [];
    const { informer, source, start, env } = rig({ serverStreams: false, onWatchError: (error) => errors.push(error) });
    source.delayLists(new Promise(() => {}));
    await start();
    await informer.stop();
    expect(errors).toEqual([]);
    expect(env.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([]);
  });

  test('F75, G21: a stop during a callback waits for it, but no longer than the grace period', async () => {
    const { informer, source, clock, start, logged } = rig();
    source.create(pod('web/a'));
    informer.on({ add: () => new Promise(() => {}) });
    await start();
    let stopped = false;
    const stopping = informer.stop().then(() => {
      stopped = true;
    });
    await clock.advance(29_999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stopping;
    expect(logged('warn', 'a callback is still running')).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  test('F75, G21: a stop during a list does not wait for the server', async () => {
    const { informer, source, start, clock } = rig({ serverStreams: false });
    Object.assign(source, { list: () => new Promise(() => {}) }); // ignores its signal
    await start();
    await informer.stop();
    expect(clock.sleeping).toBe(0);
  });

  test('G21: stop() takes the informer off the signal it was run with', async () => {
    const { informer } = rig();
    const shared = new AbortController();
    const listeners = countListeners(shared.signal);
    const running = informer.run(shared.signal);
    await informer.synced();
    expect(listeners()).toBe(1);
    await informer.stop();
    await running;
    expect(listeners()).toBe(0);
  });

  test('G21: disposing is stopping', async () => {
    const { source, clock, informer, start } = rig();
    await start();
    expect(source.openWatches).toBe(1);
    await informer[Symbol.asyncDispose]();
    expect([informer.isStopped, source.openWatches, clock.sleeping]).toEqual([true, 0, 0]);
  });
});
