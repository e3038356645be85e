import { expect, test } from 'vitest';
import { type MetricLabels, type Metrics, noMetrics, versionMetric } from '../../src/core/metrics.ts';
import { informerMetrics, LATENCY_BUCKETS } from '../../src/informer/apply/informer-metrics.ts';
import { reflectorMetrics } from '../../src/informer/reflector/reflector-metrics.ts';

/** A metrics provider that records what was created. */
function rig(): {
  readonly metrics: Metrics;
  readonly made: string[];
  readonly labels: Set<MetricLabels>;
  readonly buckets: unknown[];
} {
  const made: string[] = [];
  const labels = new Set<MetricLabels>();
  const buckets: unknown[] = [];
  const note = (kind: string, name: string, given: MetricLabels): void => {
    made.push(`${kind} ${name}`);
    labels.add(given);
  };
  const metrics: Metrics = {
    counter: (name, given) => (note('counter', name, given), { inc() {} }),
    gauge: (name, given) => (note('gauge', name, given), { set() {} }),
    histogram: (name, given, wanted) => (note('histogram', name, given), buckets.push(wanted), { observe() {} }),
  };
  return { metrics, made, labels, buckets };
}

test('MET-01: a reflector has the eight metrics of client-go and four more, all with its labels', () => {
  const { metrics, made, labels } = rig();
  const mine = { name: 'pods' };
  reflectorMetrics(metrics, mine);
  expect(made).toEqual([
    'counter reflector_lists_total',
    'histogram reflector_list_duration_seconds',
    'histogram reflector_items_per_list',
    'counter reflector_watches_total',
    'counter reflector_short_watches_total',
    'histogram reflector_watch_duration_seconds',
    'histogram reflector_items_per_watch',
    'gauge reflector_last_resource_version',
    'counter reflector_stale_events_total',
    'counter reflector_missed_events_total',
    'counter reflector_epoch_resets_total',
    'histogram reflector_event_loop_stall_seconds',
  ]);
  expect([...labels]).toEqual([mine]);
});

test('MET-04: an informer has three, and its latency has the twelve buckets from 1 ms to 10 s', () => {
  const { metrics, made, buckets } = rig();
  informerMetrics(metrics, {});
  expect(made).toEqual([
    'gauge informer_queued_items',
    'histogram informer_processing_latency_seconds',
    'gauge informer_store_resource_version',
  ]);
  expect(buckets).toEqual([LATENCY_BUCKETS]);
  expect(LATENCY_BUCKETS).toEqual([0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]);
});

test('MET-03, MET-08: the default keeps nothing and needs no checks', () => {
  const { lists, listDuration, lastResourceVersion } = reflectorMetrics(noMetrics, {});
  expect([lists.inc(), lists.inc(3), listDuration.observe(1), lastResourceVersion.set(2)]).toEqual(
    Array(4).fill(undefined),
  );
});

test.each([
  ['', 0],
  ['0', 0],
  ['12345', 12_345],
  ['999999999999999', 999_999_999_999_999],
  ['1234567890123456789', 567_890_123_456_789],
  ['1000000000000000', 0],
  ['etag-5', undefined],
  ['12.5', undefined],
  ['-5', undefined],
  ['0x10', undefined],
])('MET-05: the version %j is the number %s: its last 15 digits, exact in a double', (version, number) => {
  expect(versionMetric(version)).toBe(number);
});
