import { afterEach, describe, expect, test, vi } from 'vitest';
import { InformerNames } from '../../src/informer/apply/informer-name.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';
import { coded, CountingMetrics, gate, pod, QUEUES, rig } from './rig/informer-rig.ts';

afterEach(() => vi.unstubAllEnvs());

describe('options', () => {
  test('INF-24: a source without list and watch is refused', () => {
    for (const wrong of [undefined, null, {}, { list: () => {} }]) {
      expect(() => new SharedInformer(wrong as never)).toThrow(coded('INVALID_OPTION'));
    }
  });

  test.each([
    { pageSize: -1 },
    { pageSize: 1.5 },
    { minWatchTimeoutMs: -1 },
    { markerTimeoutMs: 0 },
    { backoff: { initialMs: 0 } },
    { resyncMs: -5 },
    { stopGraceMs: -1 },
    { audit: { everyMs: 10 } },
  ])('INF-24: an impossible option is refused where it is given, not when the informer starts: %j', (options) => {
    expect(() => rig(options)).toThrow(coded('INVALID_OPTION'));
  });

  test('INF-24: creating an informer sends no request, and names its type', () => {
    const { informer, source, clock } = rig();
    expect([source.calls, clock.sleeping, informer.name]).toEqual([[], 0, 'SharedInformer pods']);
    const typed = new SharedInformer(source, { expected: { apiVersion: 'apps/v1', kind: 'Deployment' } });
    expect(typed.name).toBe('SharedInformer apps/v1, Kind=Deployment');
  });

  test('INF-24, INF-22: what is not of the expected type is left out and reported', async () => {
    const { informer, source, start, logged } = rig({ expected: { apiVersion: 'v1', kind: 'Pod' } });
    source.create({ ...pod('web/a'), apiVersion: 'v1', kind: 'Pod' });
    source.create({ ...pod('web/b'), apiVersion: 'v1', kind: 'ConfigMap' });
    source.create(pod('web/c'));
    await start();
    expect(informer.store.keys()).toEqual(['web/a', 'web/c']);
    expect(logged('error', 'another type')).toHaveLength(1);
    await informer.stop();
  });
});

describe('options instead of feature gates', () => {
  test('FGT-01: by default the first state is streamed (WatchListClient on)', async () => {
    const { informer, source, start } = rig();
    await start();
    expect(source.calls.map(({ verb }) => verb)).toEqual(['watch']);
    expect(informer.health().usesWatchList).toBe(true);
    await informer.stop();
  });

  test('FGT-01, FGT-02: `watchList: false` lists, and so does a source that cannot stream, with either value', async () => {
    for (const options of [{ watchList: false }, { serverStreams: false }, { serverStreams: false, watchList: true }]) {
      const { informer, source, start } = rig(options);
      await start();
      expect(source.calls.map(({ verb }) => verb)).toEqual(['list', 'watch']);
      expect(informer.health().usesWatchList).toBe(false);
      await informer.stop();
    }
  });

  test('FGT-01, CTL-12: by default changes are applied in order (InOrderInformers, AtomicFIFO on); `queue: delta` groups them by object', async () => {
    const order = async (queue?: 'ordered' | 'delta'): Promise<string[]> => {
      const { informer, source, start, heard } = rig(queue === undefined ? {} : { queue });
      await start();
      // A handler that blocks lets changes pile up in the queue.
      const held = gate();
      informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
      for (const name of 'xyz') source.create(pod(`web/${name}`));
      await settle();
      heard.clear();
      source.create(pod('web/a'));
      source.create(pod('web/b'));
      source.update(pod('web/a', { n: 1 }));
      await settle();
      held.open();
      await settle();
      await informer.stop();
      return heard.lines;
    };
    const inOrder = ['add web/a@5', 'add web/b@6', 'update web/a@5→7'];
    expect(await order()).toEqual(inOrder);
    expect(await order('ordered')).toEqual(inOrder);
    expect(await order('delta')).toEqual(['add web/a@5', 'update web/a@5→7', 'add web/b@6']);
  });

  test('FGT-01: a relist is one step by default (AtomicFIFO): no reader sees half of it', async () => {
    const { informer, source, start, relist } = rig();
    for (let i = 0; i < 5; i += 1) source.create(pod(`web/${i}`));
    await start();
    const sizes = new Set<number>();
    informer.on({ delete: () => void sizes.add(informer.store.size), add: () => void sizes.add(informer.store.size) });
    await settle();
    sizes.clear();
    source.loseNext(8);
    for (let i = 0; i < 4; i += 1) source.delete(`web/${i}`);
    for (let i = 5; i < 9; i += 1) source.create(pod(`web/${i}`));
    await relist();
    expect([...sizes]).toEqual([5]);
    await informer.stop();
  });

  test.each(QUEUES)(
    'FGT-01, CTL-04: batches are an option (InOrderInformersBatchProcess), and send the same events, queue %s',
    async (queue) => {
      const received: string[][] = [];
      for (const batch of [false, true]) {
        const { informer, source, start, heard } = rig({ queue, batch });
        source.create(pod('web/a'));
        await start();
        for (let i = 0; i < 30; i += 1) source.update(pod(`web/${i % 7}`, { i }));
        source.delete('web/3');
        await settle();
        await informer.stop();
        expect(heard.violations).toEqual([]);
        received.push(heard.lines);
      }
      expect(received[1]).toEqual(received[0]);
    },
  );

  test('FGT-01, CTL-04: batches are off by default; on, what waits is applied in one go', async () => {
    const applied = async (batch?: boolean): Promise<number> => {
      const metrics = new CountingMetrics();
      const identifier = new InformerNames().reserve('batch').withResource('pods');
      const { informer, source, start } = rig({ metrics, identifier, ...(batch === undefined ? {} : { batch }) });
      await start();
      const held = gate();
      informer.on({ add: () => held.opened }, { policy: 'block', limit: 1 });
      for (const name of 'xyz') source.create(pod(`web/${name}`));
      await settle();
      const before = metrics.count('informer_processing_latency_seconds');
      for (const name of 'abcde') source.create(pod(`web/${name}`));
      await settle();
      held.open();
      await settle();
      await informer.stop();
      expect(informer.store.size).toBe(8);
      return metrics.count('informer_processing_latency_seconds') - before;
    };
    const [byDefault, off, on] = [await applied(), await applied(false), await applied(true)];
    expect([byDefault, off]).toEqual([5, 5]);
    expect(on).toBeLessThan(5);
  });

  test('FGT-01: the cache knows its own version (InformerResourceVersion on)', async () => {
    const { informer, source, start } = rig({ startVersion: 41 });
    source.create(pod('web/a'));
    await start();
    expect([informer.store.resourceVersion, informer.lastSyncResourceVersion]).toEqual(['42', '42']);
    await informer.stop();
  });

  test('FGT-02: no environment variable of the gates is read', async () => {
    vi.stubEnv('KUBE_FEATURE_WatchListClient', 'false');
    const { informer, source, start } = rig();
    await start();
    expect(source.calls.map(({ verb }) => verb)).toEqual(['watch']);
    await informer.stop();
  });
});

describe.each(QUEUES)('metrics, queue %s', (queue) => {
  test('MET-04, MET-05, MET-07: a reserved name reports queue length, latency and version, until it is released', async () => {
    const metrics = new CountingMetrics();
    const name = new InformerNames().reserve('my-controller');
    const { informer, source, start } = rig({
      queue,
      metrics,
      identifier: name.withResource('pods'),
      startVersion: 100,
    });
    source.create(pod('web/a'));
    await start();
    source.create(pod('web/b'));
    await settle();
    expect(metrics.labels.get('informer_queued_items')).toEqual({ name: 'my-controller', resource: 'pods' });
    expect(Math.max(...(metrics.values.get('informer_queued_items') ?? []))).toBeGreaterThan(0);
    expect(metrics.last('informer_queued_items')).toBe(0);
    expect(metrics.count('informer_processing_latency_seconds')).toBeGreaterThan(0);
    expect(metrics.buckets.get('informer_processing_latency_seconds')).toEqual([
      0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]);
    expect(metrics.last('informer_store_resource_version')).toBe(102);
    name.release();
    const before = [
      'informer_queued_items',
      'informer_processing_latency_seconds',
      'informer_store_resource_version',
    ].map((each) => metrics.count(each));
    source.create(pod('web/c'));
    await settle();
    expect(
      ['informer_queued_items', 'informer_processing_latency_seconds', 'informer_store_resource_version'].map((each) =>
        metrics.count(each),
      ),
    ).toEqual(before);
    expect(informer.store.size).toBe(3);
    await informer.stop();
  });

  test('MET-07, MET-08: without a name, or with one that is not reserved, there are no informer metrics and nothing to check', async () => {
    const names = new InformerNames().reserve('shared');
    names.withResource('pods');
    for (const identifier of [undefined, names.withResource('pods')]) {
      const metrics = new CountingMetrics();
      const { informer, source, start } = rig({ queue, metrics, ...(identifier === undefined ? {} : { identifier }) });
      source.create(pod('web/a'));
      await start();
      expect([...metrics.labels.keys()].filter((name) => name.startsWith('informer_'))).toEqual([]);
      expect(metrics.count('reflector_watches_total')).toBe(1);
      await informer.stop();
    }
  });

  test('MET-08 (TestWithStoreMetricsDefaulting): a name without anywhere to report to is fine', async () => {
    const { informer, source, start } = rig({
      queue,
      identifier: new InformerNames().reserve('quiet').withResource('pods'),
    });
    source.create(pod('web/a'));
    await start();
    expect([informer.hasSynced, informer.store.size]).toEqual([true, 1]);
    await informer.stop();
  });
});

test.each([[''], ['0'], [undefined], [null], [7]])(
  'G20: a version that no cache reaches is refused instead of waited for: %j',
  async (version) => {
    const informer = new SharedInformer(new FakeSource(), { env: fakeEnv() });
    await expect(informer.waitForVersion(version as string)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('resourceVersion') as string,
    });
  },
);

test('F66: waits and limits that are not numbers are refused', async () => {
  const informer = new SharedInformer(new FakeSource(), { env: fakeEnv() });
  await expect(informer.synced({ timeoutMs: Number.NaN })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(informer.waitForVersion('1', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  expect(() => informer.get('a', { maxStalenessMs: Number.NaN })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  );
  expect(() => informer.on({}, { errorPauseMs: -1 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});
