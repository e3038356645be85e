import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { HandlerRecorder } from '../../src/testing/handler-recorder.ts';
import { coded, type Pod, pod, QUEUES, rig, versionOf } from './rig/informer-rig.ts';

const mark = (object: Pod): Pod => ({ ...object, spec: { ...object.spec, seen: true } });

describe.each(QUEUES)('transform, queue %s', (queue) => {
  test('TRF-01 (TestSharedInformerTransformer): cache and handlers see the result, deletes included', async () => {
    const { informer, source, start, heard, relist } = rig({ queue, transform: mark });
    source.create(pod('web/a'));
    source.create(pod('web/b'));
    source.create(pod('web/c'));
    await start();
    source.update(pod('web/a', { n: 1 }));
    source.delete('web/a');
    source.loseNext(2);
    source.delete('web/b');
    source.update(pod('web/c', { n: 2 }));
    await relist();
    const objects = heard.events.flatMap((event) =>
      event.type === 'update' ? [event.object, event.old] : [event.object],
    );
    expect(objects.map(({ spec }) => spec?.['seen'])).toEqual(objects.map(() => true));
    expect(heard.lines).toHaveLength(7);
    expect(informer.list().every(({ spec }) => spec?.['seen'] === true)).toBe(true);
    await informer.stop();
  });

  test('TRF-01: the object may be changed in place; what was put in is what comes out', async () => {
    const { informer, source, start } = rig({
      queue,
      transform: (object) => {
        delete (object as { spec?: unknown }).spec;
        return object;
      },
    });
    source.create(pod('web/a', { big: 'x'.repeat(1_000) }));
    await start();
    expect(informer.get('web/a')).toEqual({ metadata: expect.objectContaining({ name: 'a' }) as unknown });
    await informer.stop();
  });

  test('TRF-02, TRF-05, Trap 15 (TestTransformingInformerRace): each state is transformed once, whichever way it comes, and never for a tombstone or a resync', async () => {
    const seen: string[] = [];
    const transform = (object: Pod): Pod => {
      seen.push(`${object.metadata?.name}@${versionOf(object)}`);
      return mark(object);
    };
    const { informer, source, clock, start, heard } = rig({ queue, transform, resyncMs: 1_000 });
    for (const name of 'abc') source.create(pod(`web/${name}`));
    await start();
    expect(seen).toEqual(['a@2', 'b@3', 'c@4']);
    source.update(pod('web/a', { n: 1 }));
    await clock.advance(10_000);
    expect(heard.lines.filter((line) => line.endsWith('resync')).length).toBeGreaterThanOrEqual(30);
    expect(seen.slice(3)).toEqual(['a@5']);
    source.loseNext(1);
    source.delete('web/c');
    source.expireHistory();
    source.cut();
    await clock.advance(2_000);
    expect(heard.lines.filter((line) => line.startsWith('delete'))).toEqual(['delete web/c unknown']);
    // The relist brought a and b again, as new texts; c only as its absence.
    expect(seen.slice(4)).toEqual(['a@5', 'b@3']);
    await informer.stop();
  });

  test.each<[string, (object: Pod) => Pod, string]>([
    [
      'throws',
      () => {
        throw new Error('cannot parse');
      },
      'transform failed for web/bad: cannot parse',
    ],
    ['returns nothing', () => undefined as never, 'transform for web/bad must return an object, synchronously'],
    [
      'returns a promise',
      (object) => Promise.resolve(object) as never,
      'transform failed for web/bad: the transform returned a promise: it must return its result, not a promise of it',
    ],
    [
      'renames the object',
      (object) => ({ ...object, metadata: { ...object.metadata, name: 'other' } }),
      'transform must not rename objects: web/bad became web/other',
    ],
  ])(
    'F86, F62, G9, TRF-03, TRF-06: a transform that %s poisons its key and nothing else, in the first list and in a relist',
    async (_, fail, why) => {
      const { informer, source, start, heard, relist, logged } = rig({
        queue,
        transform: (object) => (object.metadata?.name === 'bad' ? fail(object) : object),
      });
      source.create(pod('web/bad'));
      source.create(pod('web/good'));
      await start();
      expect([informer.hasSynced, informer.store.keys()]).toEqual([true, ['web/good']]);
      expect(informer.health().poisoned).toEqual([{ key: 'web/bad', error: why }]);
      expect(heard.lines).toEqual(['add web/good@3 initial']);
      source.update(pod('web/bad', { n: 2 }));
      source.update(pod('web/good', { n: 2 }));
      await relist();
      expect(informer.health().poisoned).toEqual([{ key: 'web/bad', error: why }]);
      expect(heard.lines).toEqual(['add web/good@3 initial', 'update web/good@3→5']);
      expect(logged('error', 'its key is poisoned').length).toBeGreaterThan(0);
      await informer.stop();
    },
  );

  test('F86, F62, G9: a poisoned key keeps its old state until a good one comes; a delete is not held up', async () => {
    const { informer, source, start, heard } = rig({
      queue,
      transform: (object) => {
        if (object.spec?.['bad'] === true) throw new Error('cannot parse');
        return object;
      },
    });
    source.create(pod('web/a', { n: 1 }));
    source.create(pod('web/b', { n: 1 }));
    await start();
    source.update(pod('web/a', { bad: true }));
    source.update(pod('web/b', { bad: true }));
    await settle();
    expect(informer.get('web/a')?.spec).toEqual({ n: 1 });
    expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/a', 'web/b']);
    // TRF-03: the place in history moves on; a bad object is not a reason to list again and again.
    expect(informer.lastSyncResourceVersion).toBe('5');
    source.update(pod('web/a', { n: 3 }));
    source.delete('web/b');
    await settle();
    expect(informer.health().poisoned).toEqual([]);
    expect(heard.lines.slice(2)).toEqual(['update web/a@2→6', 'delete web/b']);
    expect([heard.violations, informer.store.keys()]).toEqual([[], ['web/a']]);
    await informer.stop();
  });

  test.each<[string, () => never]>([
    [
      'throws',
      () => {
        throw new Error('no node');
      },
    ],
    ['returns what are not strings', () => [1, undefined] as never],
    ['returns a million values', () => Array.from({ length: 1_000_000 }, (_, i) => String(i)) as never],
  ])('F87, G9, TRF-03: an index function that %s poisons its key and nothing else', async (_, fail) => {
    const node = (object: Pod): string[] => (object.spec?.['bad'] === true ? fail() : ['n1']);
    const { informer, source, start, heard } = rig({ queue, indexers: { node } });
    source.create(pod('web/a', { bad: true }));
    source.create(pod('web/b'));
    await start();
    expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/a']);
    source.update(pod('web/b', { bad: true }));
    source.create(pod('web/c'));
    await settle();
    expect(informer.health().poisoned.map(({ key }) => key)).toEqual(['web/a', 'web/b']);
    expect(informer.byIndex('node', 'n1').map(({ metadata }) => metadata?.name)).toEqual(['b', 'c']);
    expect(heard.lines).toEqual(['add web/b@3 initial', 'add web/c@5']);
    await informer.stop();
  });

  test('TRF-06, STO-06 (TestStoreResourceVersionWithNonMetaTransform): a result without metadata keeps the key it came with, and the version moves with bookmarks and lists', async () => {
    interface Thin extends KubeObject {
      readonly size: number;
    }
    const env = fakeEnv();
    const source = new FakeSource<Thin>();
    const reader = new HandlerRecorder<Thin>();
    const informer = new SharedInformer<Thin>(source, {
      env,
      queue,
      transform: ({ size }) => ({ size }),
      detectMutations: true,
    });
    informer.on({ add: reader.add, delete: reader.delete });
    source.create({ ...pod('web/a'), size: 1 });
    informer.start();
    await settle();
    expect([informer.get('web/a'), informer.store.resourceVersion]).toEqual([{ size: 1 }, '2']);
    source.create({ ...pod('web/b'), size: 2 });
    source.bookmark();
    await settle();
    expect([informer.store.keys(), informer.store.resourceVersion]).toEqual([['web/a', 'web/b'], '3']);
    source.delete('web/a');
    await settle();
    expect(reader.events.map(({ type, key }) => `${type} ${key}`)).toEqual(['add web/a', 'add web/b', 'delete web/a']);
    await informer.stop();
  });
});

test('TRF-04, INF-14: the transform set last before the start counts, and an option counts like one that was set', async () => {
  const { informer, source, start } = rig({ transform: () => pod('web/a', { by: 'option' }) });
  informer.setTransform((object) => ({ ...object, spec: { by: 'first' } }));
  informer.setTransform((object) => ({ ...object, spec: { by: 'last' } }));
  source.create(pod('web/a'));
  await start();
  expect(informer.get('web/a')?.spec).toEqual({ by: 'last' });
  expect(() => informer.setTransform(mark)).toThrow(coded('ILLEGAL_STATE'));
  await informer.stop();
});
