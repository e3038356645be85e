import { expect, test } from 'vitest';
import type { MetricLabels, Metrics } from '../../../src/core/metrics.ts';
import { settle } from '../../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  list,
  listAnswers,
  listFails,
  marker,
  pod,
  rig as scripted,
  type Rig,
  type RigOptions,
  type Script,
  watch,
  watchCloses,
  watchFails,
  broken,
  failure,
} from '../rig/reflector-rig.ts';

interface Measured extends Rig {
  /** Every value a metric was given, in order; a counter's are its steps. */
  readonly values: Map<string, number[]>;
  readonly labels: MetricLabels[];
}

function rig(script: Script, options: RigOptions = {}): Measured {
  const values = new Map<string, number[]>();
  const labels: MetricLabels[] = [];
  const record = (name: string, given: MetricLabels) => {
    labels.push(given);
    values.set(name, []);
    return (value: number): void => void values.get(name)?.push(value);
  };
  const metrics: Metrics = {
    counter: (name, given) => {
      const put = record(name, given);
      return { inc: (by = 1) => put(by) };
    },
    gauge: (name, given) => ({ set: record(name, given) }),
    histogram: (name, given) => ({ observe: record(name, given) }),
  };
  return { ...scripted(script, { watchList: false, ...options, metrics }), values, labels };
}

test('MET-01: lists are counted before the call, their duration and size after success only', async () => {
  const made: Measured = rig([
    listFails(new Error('no')),
    listAnswers(async () => {
      await made.clock.sleep(2_500);
      return { metadata: { resourceVersion: '10' }, items: [pod('a', 1), pod('b', 2)] };
    }),
    watch(),
  ]);
  await made.start();
  expect(made.values.get('reflector_lists_total')).toEqual([1]);
  expect(made.values.get('reflector_list_duration_seconds')).toEqual([]);
  await made.clock.advance(800);
  expect(made.values.get('reflector_lists_total')).toEqual([1, 1]);
  await made.clock.advance(2_500);
  expect(made.values.get('reflector_list_duration_seconds')).toEqual([2.5]);
  expect(made.values.get('reflector_items_per_list')).toEqual([2]);
  await made.stop();
});

test('MET-01: watches are counted when opened; what they brought and how long they lived on every way out', async () => {
  const made = rig([
    list([], 10),
    watch(),
    watchFails(broken()),
    watchCloses(),
    watch(failure(410, 'Gone')),
    list([], 12),
    watch(),
  ]);
  await made.start();
  await made.clock.advance(4_000);
  made.streams[0]?.push(added('a', 11), bookmark(12));
  made.streams[0]?.close();
  await settle();
  expect(made.values.get('reflector_watch_duration_seconds')).toEqual([4, 0]);
  expect(made.values.get('reflector_items_per_watch')).toEqual([2, 0]);
  await made.clock.advance(800);
  expect(made.values.get('reflector_short_watches_total')).toEqual([1]);
  await made.clock.advance(1_600);
  expect(made.values.get('reflector_watches_total')).toEqual([1, 1, 1, 1]);
  expect(made.values.get('reflector_items_per_watch')).toEqual([2, 0, 0, 0]);
  await made.stop();
});

test('MET-01: the end of a stop is measured too', async () => {
  const made = rig([list([], 10), watch(added('a', 11))]);
  await made.start();
  await made.clock.advance(3_000);
  await made.stop();
  expect(made.values.get('reflector_watch_duration_seconds')).toEqual([3]);
  expect(made.values.get('reflector_items_per_watch')).toEqual([1]);
});

test('MET-01, MET-05: the last version is a gauge, kept to the 15 digits a double can hold, and unchanged by a version that is not a number', async () => {
  const made = rig([
    list([], '1'),
    watch({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '98765432109876543210' } } }),
  ]);
  await made.start();
  expect(made.values.get('reflector_last_resource_version')).toEqual([1, 432_109_876_543_210]);
  await made.stop();
  const opaque = rig([list([], 'etag'), watch()]);
  await opaque.start();
  expect(opaque.values.get('reflector_last_resource_version')).toEqual([]);
  await opaque.stop();
});

test('MET-01: a streamed list is a list: counted before the call, its duration and size after the marker', async () => {
  const made = rig([watch()], { watchList: true });
  await made.start();
  expect(made.values.get('reflector_lists_total')).toEqual([1]);
  expect(made.values.get('reflector_list_duration_seconds')).toEqual([]);
  await made.clock.advance(2_500);
  made.streams[0]?.push(added('a', 1), added('b', 2), added('b', 3), marker(10));
  await settle();
  expect(made.values.get('reflector_list_duration_seconds')).toEqual([2.5]);
  expect(made.values.get('reflector_items_per_list')).toEqual([2]);
  expect(made.values.get('reflector_last_resource_version')).toEqual([10]);
  await made.stop();
});

test('MET-01: the objects and the time of a streamed list are not those of the watch that follows on the same stream', async () => {
  const made = rig([watch(), watch()], { watchList: true });
  await made.start();
  await made.clock.advance(2_500);
  made.streams[0]?.push(added('a', 1), added('b', 2), marker(10));
  await made.clock.advance(4_000);
  made.streams[0]?.push(added('c', 11), bookmark(12), bookmark(13));
  made.streams[0]?.close();
  await settle();
  expect(made.values.get('reflector_items_per_watch')).toEqual([3]);
  expect(made.values.get('reflector_watch_duration_seconds')).toEqual([4]);
  expect(made.values.get('reflector_watches_total')).toEqual([1, 1]);
  expect(made.values.get('reflector_lists_total')).toEqual([1]);
  await made.stop();
});

test('MET-01: each try of a streamed list is a list, and so is the plain list after it', async () => {
  const made = rig([watch(failure(400, 'BadRequest')), list([pod('a', 1)], 10), watch()], { watchList: true });
  await made.start();
  expect(made.values.get('reflector_lists_total')).toEqual([1, 1]);
  expect(made.values.get('reflector_list_duration_seconds')).toEqual([0]);
  expect(made.values.get('reflector_items_per_list')).toEqual([1]);
  await made.stop();
});

test('MET-01: a relist by streaming makes `reflector_lists_total` rise', async () => {
  const made = rig([watch(marker(10), failure(410, 'Expired')), watch(marker(20))], { watchList: true });
  await made.start();
  await made.clock.advance(800);
  expect(made.values.get('reflector_lists_total')).toEqual([1, 1]);
  expect(made.values.get('reflector_items_per_list')).toEqual([0, 0]);
  await made.stop();
});

test('F27: events that were dropped as stale, and those an audit found missing, are counted', async () => {
  const made = rig([list([], 10), watch(added('old', 9), added('new', 11))]);
  await made.start();
  expect(made.values.get('reflector_stale_events_total')).toEqual([1]);
  made.reflector.countMissed(3);
  expect(made.values.get('reflector_missed_events_total')).toEqual([3]);
  await made.stop();
});

test('MET-02, MET-03: the provider is an option of each reflector, and gets its name and labels', async () => {
  const made = rig([list([], 10), watch()], { name: 'pods', metricLabels: { resource: 'pods' } });
  expect(new Set(made.labels.map((labels) => JSON.stringify(labels)))).toEqual(
    new Set(['{"name":"pods","resource":"pods"}']),
  );
  expect(made.values.size).toBe(12);
  await made.start();
  expect(made.labels).toHaveLength(12);
  await made.stop();
});
