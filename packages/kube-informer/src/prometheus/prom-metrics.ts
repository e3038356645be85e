import type { Counter, Gauge, MetricLabels, Metrics } from '../core/metrics.ts';

/** The part of a prom-client Registry that is used. */
export interface PromRegistry {
  getSingleMetric(name: string): object | undefined;
}

interface Configuration {
  readonly name: string;
  readonly help: string;
  readonly labelNames: string[];
  // oxlint-disable-next-line typescript/no-explicit-any -- prom-client's Registry, which cannot be named here
  readonly registers: any[];
  /** Called before the metric is read. */
  readonly collect: () => void;
}

/** The part of prom-client that is used: the result of `import * as client from 'prom-client'`. */
export interface PromClient {
  readonly register: PromRegistry;
  readonly Counter: new (configuration: Configuration) => { labels(labels: MetricLabels): { inc(by?: number): void } };
  readonly Gauge: new (configuration: Configuration) => { labels(labels: MetricLabels): { set(value: number): void } };
  readonly Histogram: new (configuration: Configuration & { readonly buckets: number[] }) => {
    labels(labels: MetricLabels): { observe(value: number): void };
  };
}

export interface PromMetricsOptions {
  /** @default the client's own `register` */
  readonly register?: PromRegistry;
  /** Prefix of every name. @default '' */
  readonly prefix?: string;
}

/** Histogram buckets: from a list out of the watch cache to a watch that the server closes after ten minutes. */
const SECONDS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];
const ITEMS: readonly number[] = [0, 1, 10, 100, 1_000, 10_000, 100_000];

const HELP: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    reflector_lists_total: 'Times the whole collection was requested, in pages or as a stream',
    reflector_list_duration_seconds: 'Duration of a list, with all its pages or to the end of its stream',
    reflector_items_per_list: 'Objects in a list',
    reflector_watches_total: 'Watches opened, those of streamed lists included',
    reflector_short_watches_total: 'Watches that ended within a second without an event',
    reflector_watch_duration_seconds: 'Duration of a watch, without the list that its stream began with',
    reflector_items_per_watch: 'Events in a watch, without those of the list its stream began with',
    reflector_last_resource_version: 'Newest resourceVersion received, its last 15 digits',
    reflector_stale_events_total: 'Events with an older state, which were dropped',
    reflector_missed_events_total: 'Events an audit found missing',
    reflector_epoch_resets_total: 'Times the storage of the server was restored or replaced',
    reflector_event_loop_stall_seconds: 'How long the event loop was blocked',
    informer_queued_items: 'Changes received and not yet applied',
    informer_processing_latency_seconds: 'Time from receiving a change to applying it',
    informer_store_resource_version: 'resourceVersion of the cache, its last 15 digits',
  }),
);

/** Pending writes to a metric that is read rarely and written for every event. */
type Unwritten = Set<() => void>;

interface KnownMetric {
  readonly metric: object;
  readonly labelNames: readonly string[];
  /** Children of the metric, by their labels. */
  readonly children: Map<string, unknown>;
}

/**
 * Pending writes by metric, for metrics created here. Other metrics are written at once, because it is
 * unknown when they are read.
 */
const unwrittenByMetric = new WeakMap<object, Unwritten>();

/**
 * Metrics in a prom-client registry. A counter or a gauge is written when the registry is read: prom-client
 * takes a microsecond for each write, which is longer than most of the counted events take.
 *
 * Promises: metrics are created when first needed and shared by name, also with another `promMetrics` on the
 * same registry. A label that a metric was created without is dropped, because prom-client would throw.
 *
 * Does not promise to remove series of stopped informers: they stay until the registry is cleared.
 *
 * @example
 * import * as client from 'prom-client';
 * await using cluster = await Cluster.connect({ informers: { name: 'shop', metrics: promMetrics(client) } });
 */
export function promMetrics(client: PromClient, options: PromMetricsOptions = {}): Metrics {
  const { register = client.register, prefix = '' } = options;
  const known = new Map<string, KnownMetric>();
  const child = <M extends object, C>(
    name: string,
    labels: MetricLabels,
    make: (configuration: Configuration) => M,
    of: (metric: M, labels: MetricLabels, unwritten: Unwritten | undefined) => C,
  ): C => {
    const full = `${prefix}${name}`;
    let entry = known.get(full);
    if (entry === undefined) {
      const labelNames = Object.keys(labels);
      const help = HELP.get(name) ?? name;
      const existing = register.getSingleMetric(full);
      const unwritten: Unwritten = new Set();
      const collect = (): void => unwritten.forEach((write) => write());
      const metric = existing ?? make({ name: full, help, labelNames, registers: [register], collect });
      if (existing === undefined) unwrittenByMetric.set(metric, unwritten);
      entry = {
        metric,
        children: new Map(),
        labelNames: (existing as { labelNames?: readonly string[] } | undefined)?.labelNames ?? labelNames,
      };
      known.set(full, entry);
    }
    const { metric, labelNames, children } = entry;
    const accepted = Object.entries(labels).filter(([label]) => labelNames.includes(label));
    // One for each series, however many informers use the same name one after the other.
    const id = JSON.stringify(accepted);
    const made =
      (children.get(id) as C | undefined) ??
      of(metric as M, Object.fromEntries(accepted), unwrittenByMetric.get(metric));
    children.set(id, made);
    return made;
  };
  return {
    counter: (name, labels) =>
      child(
        name,
        labels,
        (configuration) => new client.Counter(configuration),
        (metric, own, unwritten) => collectedCounter(metric.labels(own), unwritten),
      ),
    gauge: (name, labels) =>
      child(
        name,
        labels,
        (configuration) => new client.Gauge(configuration),
        (metric, own, unwritten) => collectedGauge(metric.labels(own), unwritten),
      ),
    histogram: (name, labels, buckets = name.endsWith('_seconds') ? SECONDS : ITEMS) =>
      child(
        name,
        labels,
        (configuration) => new client.Histogram({ ...configuration, buckets: [...buckets] }),
        (metric, own) => metric.labels(own),
      ),
  };
}

/**
 * A counter whose writes are collected. A value that prom-client refuses is written at once: its error
 * belongs to the writer, not to the reader of all metrics.
 */
function collectedCounter(child: { inc(by?: number): void }, unwritten: Unwritten | undefined): Counter {
  if (unwritten === undefined) return child;
  let sum = 0;
  unwritten.add(() => {
    if (sum === 0) return;
    child.inc(sum);
    sum = 0;
  });
  return {
    inc(by = 1) {
      // Also for zero: the series exists from then on.
      if (by > 0 && Number.isFinite(by)) sum += by;
      else child.inc(by);
    },
  };
}

function collectedGauge(child: { set(value: number): void }, unwritten: Unwritten | undefined): Gauge {
  if (unwritten === undefined) return child;
  let last: number | undefined;
  unwritten.add(() => {
    if (last === undefined) return;
    child.set(last);
    last = undefined;
  });
  return {
    set(value) {
      if (Number.isFinite(value)) last = value;
      else child.set(value);
    },
  };
}
