import { describe, expect, test } from 'vitest';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import type { Registration } from '../../src/informer/registration.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { fakeEnv, seededRandom, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { countListeners, type Pod, pod, QUEUES, rig } from './rig/informer-rig.ts';

describe.each(QUEUES)('under load, queue %s', (queue) => {
  test('INF-09, INF-11, F85 (TestSharedInformerHandlerAbuse): a hundred workers add and remove handlers under load and during the stop', async () => {
    const { informer, source, clock, env, start } = rig({ queue });
    const random = seededRandom(42);
    for (let i = 0; i < 20; i += 1) source.create(pod(`web/${i}`));
    await start();
    const violations: string[] = [];
    const refused: unknown[] = [];
    const stop = new AbortController();
    const worker = async (): Promise<void> => {
      const mine: [Registration, HandlerRecorder<Pod>][] = [];
      while (!stop.signal.aborted) {
        await env.sleep(random() * 10);
        try {
          if (mine.length === 0 || random() < 0.5) {
            const recorder = new HandlerRecorder<Pod>();
            mine.push([informer.on(recorder), recorder]);
          } else {
            const [[handle, recorder]] = mine.splice(Math.floor(random() * mine.length), 1) as [
              [Registration, HandlerRecorder<Pod>],
            ];
            await handle.shutdown();
            violations.push(...recorder.violations);
            const { length } = recorder.events;
            await env.sleep(1);
            if (recorder.events.length !== length) violations.push('told after its shutdown');
          }
        } catch (error) {
          refused.push(error);
          return;
        }
      }
    };
    const workers = Array.from({ length: 100 }, worker);
    const load = (async () => {
      while (!stop.signal.aborted) {
        await env.sleep(1);
        const key = `web/${Math.floor(random() * 30)}`;
        if (random() < 0.2) source.delete(key);
        else source.update(pod(key, { at: clock.now() }));
      }
    })();
    await clock.advance(200);
    expect(informer.health().handlers.length).toBeGreaterThan(50);
    // Workers go on for a while after the informer has stopped: adding is refused, removing is not.
    const stopping = informer.stop();
    await clock.advance(50);
    await stopping;
    stop.abort();
    await clock.advance(50);
    await Promise.all([...workers, load]);
    expect(violations).toEqual([]);
    expect(refused.length).toBeGreaterThan(50);
    expect(refused.every((error) => (error as { code?: string }).code === 'ILLEGAL_STATE')).toBe(true);
    expect([clock.sleeping, source.openWatches]).toEqual([0, 0]);
  });
});

describe('for a long time', () => {
  test('F74: ten thousand reconnects leave sleepers, listeners and open watches as they were', async () => {
    let listeners = (): number => 0;
    let most = 0;
    const wrap = (source: FakeSource<Pod>): ListWatch<Pod> => ({
      list: source.list,
      watch: (options, signal) => {
        listeners = countListeners(signal);
        return source.watch(options, signal);
      },
    });
    const env = fakeEnv();
    const source = new FakeSource<Pod>();
    const informer = new SharedInformer<Pod>(wrap(source), { env });
    const stop = new AbortController();
    const outer = countListeners(stop.signal);
    const running = informer.run(stop.signal);
    await settle();
    const before = env.clock.sleeping;
    for (let i = 0; i < 10_000; i += 1) {
      source.update(pod('web/a', { i }));
      // A server that ends every stream within the second would be asked more slowly.
      await env.clock.advance(1_000);
      source.cut();
      await settle();
      most = Math.max(most, env.clock.sleeping, listeners(), source.openWatches);
    }
    // The check of the open stream; the stream itself and its helpers on one signal.
    expect([before, env.clock.sleeping, source.openWatches]).toEqual([1, 1, 1]);
    expect(most).toBeLessThanOrEqual(4);
    expect(outer()).toBe(1);
    expect(source.calls.filter(({ verb }) => verb === 'watch')).toHaveLength(10_001);
    stop.abort();
    await running;
    expect([env.clock.sleeping, source.openWatches, outer(), listeners()]).toEqual([0, 0, 0, 0]);
  });

  test('F74: ten thousand informers, started and stopped on one source and one signal, leave nothing', async () => {
    const env = fakeEnv();
    const source = new FakeSource<Pod>();
    source.create(pod('web/a'));
    const shared = new AbortController();
    const listeners = countListeners(shared.signal);
    let most = 0;
    for (let i = 0; i < 10_000; i += 1) {
      const informer = new SharedInformer<Pod>(source, { env, resyncMs: 1_000, name: 'short' });
      const handle = informer.on({});
      const running = informer.run(shared.signal);
      // Every second one is stopped in the middle of its start.
      if (i % 2 === 0) await handle.synced();
      most = Math.max(most, env.clock.sleeping, listeners(), source.openWatches);
      await informer.stop();
      await running;
      source.calls.length = 0;
    }
    expect([env.clock.sleeping, listeners(), source.openWatches]).toEqual([0, 0, 0]);
    expect(most).toBeLessThanOrEqual(4);
  });
});
