import { InformerNames, SharedInformer } from 'kube-informer/informer';
import { promMetrics } from 'kube-informer/prometheus';
import { FakeSource, fakeEnv, settle } from 'kube-informer/testing';
import * as client from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';

/** The lines of one metric. */
const lines = async (register: client.Registry, name: string): Promise<string[]> =>
  (await register.metrics()).split('\n').filter((line) => line.startsWith(name));

test('a running informer shows up in the real prom-client, all its metrics by their names', async () => {
  const register = new client.Registry();
  const env = fakeEnv();
  const source = new FakeSource();
  source.create({ metadata: { name: 'one' } });
  const identifier = new InformerNames().reserve('shop').withResource('v1/pods');
  const informer = new SharedInformer(source, {
    env,
    name: 'pods',
    identifier,
    metrics: promMetrics(client, { register }),
  });
  onTestFinished(() => informer.stop());
  await informer.start().synced();
  source.create({ metadata: { name: 'two' } });
  await settle();

  expect(await lines(register, 'reflector_watches_total')).toEqual(['reflector_watches_total{name="pods"} 1']);
  expect(await lines(register, 'reflector_last_resource_version')).toEqual([
    `reflector_last_resource_version{name="pods"} ${source.resourceVersion}`,
  ]);
  expect(await lines(register, 'informer_store_resource_version')).toEqual([
    `informer_store_resource_version{name="shop",resource="v1/pods"} ${source.resourceVersion}`,
  ]);
  const latency = await lines(register, 'informer_processing_latency_seconds_bucket');
  expect(latency.some((line) => line.includes('le="0.001"'))).toBe(true);
  const helpless = register.getMetricsAsArray().filter(({ name, help }) => help === name);
  expect(helpless).toEqual([]);
});

test('informers share metrics, also through two adapters on one registry; a prefix keeps them apart', async () => {
  const register = new client.Registry();
  const a = promMetrics(client, { register });
  const b = promMetrics(client, { register });
  a.counter('reflector_lists_total', { name: 'a' }).inc();
  a.counter('reflector_lists_total', { name: 'b' }).inc(2);
  b.counter('reflector_lists_total', { name: 'a' }).inc();
  promMetrics(client, { register, prefix: 'my_' }).counter('reflector_lists_total', { name: 'a' }).inc();
  expect(await lines(register, 'reflector_lists_total')).toEqual([
    'reflector_lists_total{name="a"} 2',
    'reflector_lists_total{name="b"} 2',
  ]);
  expect(await lines(register, 'my_')).toEqual(['my_reflector_lists_total{name="a"} 1']);
});

test('an unknown label is left out, and the value is kept', async () => {
  const register = new client.Registry();
  const metrics = promMetrics(client, { register });
  metrics.gauge('informer_queued_items', { name: 'a' }).set(1);
  metrics.gauge('informer_queued_items', { name: 'b', team: 'blue' }).set(2);
  promMetrics(client, { register }).gauge('informer_queued_items', { name: 'c', team: 'blue' }).set(3);
  expect(await lines(register, 'informer_queued_items')).toEqual([
    'informer_queued_items{name="a"} 1',
    'informer_queued_items{name="b"} 2',
    'informer_queued_items{name="c"} 3',
  ]);
});

test('without a registry the default registry of prom-client is used', async () => {
  onTestFinished(() => client.register.clear());
  promMetrics(client).histogram('reflector_items_per_list', { name: 'a' }).observe(70_000);
  const buckets = await lines(client.register, 'reflector_items_per_list_bucket');
  expect(buckets).toContain('reflector_items_per_list_bucket{le="100000",name="a"} 1');
  expect(buckets).toContain('reflector_items_per_list_bucket{le="10000",name="a"} 0');
});

test('counters and gauges are written when the registry is read, each time with what came since', async () => {
  const register = new client.Registry();
  const metrics = promMetrics(client, { register });
  const adds = metrics.counter('workqueue_adds_total', { name: 'q' });
  const depth = metrics.gauge('workqueue_depth', { name: 'q' });
  adds.inc(0);
  expect(await lines(register, 'workqueue_adds_total')).toEqual(['workqueue_adds_total{name="q"} 0']);
  for (const value of [3, 7, 5]) {
    adds.inc();
    depth.set(value);
  }
  const read = async (): Promise<string[]> => [
    ...(await lines(register, 'workqueue_adds_total')),
    ...(await lines(register, 'workqueue_depth')),
  ];
  expect(await read()).toEqual(['workqueue_adds_total{name="q"} 3', 'workqueue_depth{name="q"} 5']);
  expect(await read()).toEqual(['workqueue_adds_total{name="q"} 3', 'workqueue_depth{name="q"} 5']);
  // Asked for again, as by an informer with the name of one that was stopped.
  metrics.counter('workqueue_adds_total', { name: 'q' }).inc(2);
  adds.inc();
  expect(await lines(register, 'workqueue_adds_total')).toEqual(['workqueue_adds_total{name="q"} 6']);
});

test('a value that prom-client refuses is an error of its writer; a metric made elsewhere is written at once', async () => {
  const register = new client.Registry();
  const theirs = new client.Counter({
    name: 'theirs_total',
    help: 'theirs',
    labelNames: ['name'],
    registers: [register],
  });
  const metrics = promMetrics(client, { register });
  expect(() => metrics.counter('ours_total', { name: 'a' }).inc(-1)).toThrow('decrease');
  expect(() => metrics.gauge('ours', { name: 'a' }).set(Number.NaN)).not.toThrow();
  expect(() => metrics.counter('ours_total', { name: 'a' }).inc(Number.POSITIVE_INFINITY)).toThrow('valid number');
  metrics.counter('theirs_total', { name: 'a' }).inc();
  theirs.inc({ name: 'a' });
  expect(await lines(register, 'theirs_total')).toEqual(['theirs_total{name="a"} 2']);
});
