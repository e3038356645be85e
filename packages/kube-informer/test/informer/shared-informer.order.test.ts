import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom, settle } from '../../src/testing/fake-clock.ts';
import { expired } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { gate, type Pod, pod, QUEUES, rig, versionOf } from './rig/informer-rig.ts';

/** One thing the world may do, or that may go wrong. */
type Step =
  | { readonly do: 'write' | 'delete' | 'lose'; readonly name: number }
  | { readonly do: 'cut' | 'expire' | 'repeat' | 'bookmark' | 'settle' | 'join' | 'wait' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), name: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), name: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('cut', 'expire', 'repeat', 'bookmark', 'settle', 'join', 'wait') }),
  },
);

describe.each(QUEUES)('whatever happens, queue %s', (queue) => {
  test.each([false, true])(
    'INF-01, INF-02, G1, G4, G5, G11 (TestUpdate): handlers get legal sequences only, versions never go back, and in the end all have the final state (batch: %s)',
    async (batch) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const { informer, source, clock, start, heard } = rig({ queue, batch });
          const recorders = [heard];
          const highest = new Map<string, number>();
          const back: string[] = [];
          informer.on({
            add: ({ key, object }) => void highest.set(key, Number(versionOf(object))),
            update({ key, object }) {
              const version = Number(versionOf(object));
              if (version < (highest.get(key) ?? 0)) back.push(`${key} ${version}`);
              highest.set(key, version);
            },
          });
          await start();
          for (const { do: what, ...rest } of steps) {
            const key = `web/${'name' in rest ? rest.name : 0}`;
            if (what === 'write') source.update(pod(key, { at: source.resourceVersion }));
            else if (what === 'delete') source.delete(key);
            else if (what === 'lose') {
              source.loseNext(1);
              source.update(pod(key, { lost: true }));
            } else if (what === 'cut') source.cut(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
            else if (what === 'expire') source.cut(expired('too old'));
            else if (what === 'repeat') source.repeat(5);
            else if (what === 'bookmark') source.bookmark();
            else if (what === 'join') {
              const recorder = new HandlerRecorder<Pod>();
              recorders.push(recorder);
              informer.on(recorder);
            } else await (what === 'wait' ? clock.advance(1_000) : settle());
          }
          await clock.advance(60_000); // a watch is open again, and gets the 410 that leads to a relist
          source.cut(expired('for the last time'));
          await clock.advance(120_000);
          expect(back).toEqual([]);
          expect(sorted(informer.list())).toEqual(sorted(source.objects));
          for (const { violations, view } of recorders) {
            expect(violations).toEqual([]);
            expect(sorted([...view.values()])).toEqual(sorted(source.objects));
          }
          await informer.stop();
          expect([clock.sleeping, source.openWatches]).toEqual([0, 0]);
        }),
        { numRuns: 60, seed: 20_260 },
      );
    },
  );

  test('G11: one callback at a time, each settled before the next, in the order of versions', async () => {
    const { informer, source, start } = rig({ queue });
    const random = seededRandom(7);
    let running = 0;
    let most = 0;
    const versions: number[] = [];
    const slowly = async (object: Pod): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      versions.push(Number(versionOf(object)));
      for (let i = random() * 5; i > 0; i -= 1) await Promise.resolve();
      running -= 1;
    };
    informer.on({
      add: ({ object }) => slowly(object),
      update: ({ object }) => slowly(object),
      delete: ({ object }) => slowly(object),
    });
    await start();
    for (let i = 0; i < 200; i += 1) {
      if (i % 11 === 10) source.delete(`web/${i % 5}`);
      else source.update(pod(`web/${i % 5}`, { i }));
      // Between two settles everything belongs to one stream; a grouping queue is only given one change at a time.
      if (queue === 'delta' || i % 9 === 0) await settle();
    }
    await settle();
    expect(most).toBe(1);
    expect(versions).toHaveLength(200);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await informer.stop();
  });

  test('G11, H2: `old` is what this handler got last, however slow it is', async () => {
    const { informer, source, env, clock, start } = rig({ queue });
    const slow = new HandlerRecorder<Pod>();
    const nap = (): Promise<void> => env.sleep(10);
    informer.on(
      {
        add: (event) => (slow.add(event), nap()),
        update: (event) => (slow.update(event), nap()),
        delete: (event) => (slow.delete(event), nap()),
      },
      { limit: 3 },
    );
    await start();
    for (let i = 0; i < 300; i += 1) {
      source.update(pod(`web/${i % 4}`, { i }));
      if (i % 13 === 12) source.delete(`web/${i % 4}`);
      await clock.advance(3);
    }
    await clock.advance(1_000);
    expect(slow.violations).toEqual([]);
    expect(slow.events.length).toBeLessThan(300);
    expect(sorted([...slow.view.values()])).toEqual(sorted(source.objects));
    await informer.stop();
  });
});

test.each(QUEUES)('INF-01, G13: a stuck handler does not keep the cache from following, queue %s', async (queue) => {
  const { informer, source, start } = rig({ queue });
  const held = gate();
  informer.on({ add: () => held.opened });
  await start();
  for (let i = 0; i < 3_000; i += 1) source.create(pod(`web/${i}`));
  await settle();
  expect(informer.store.size).toBe(3_000);
  held.open();
  await informer.stop();
});

function sorted(objects: readonly Pod[]): Pod[] {
  return [...objects].sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}
