import type { MetricLabels, Metrics } from '../core/metrics.ts';

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
}

/** The part of prom-client that is used: what `import * as client from 'prom-client'` gives. */
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

/** From a list out of the watch cache to a watch that the server closes after ten minutes. */
const SECONDS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600];
const ITEMS: readonly number[] = [0, 1, 10, 100, 1_000, 10_000, 100_000];

const HELP: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    reflector_lists_total: 'Times the whole collection was requested, in pages or as a stream',
    reflector_list_duration_seconds: 'How long a list took, with all its pages or to the end of its stream',
    reflector_items_per_list: 'Objects in a list',
    reflector_watches_total: 'Watches opened, those of streamed lists included',
    reflector_short_watches_total: 'Watches that ended within a second without an event',
    reflector_watch_duration_seconds: 'How long a watch lasted, without the list its stream began with',
    reflector_items_per_watch: 'Events in a watch, without those of the list its stream began with',
    reflector_last_resource_version: 'Newest resourceVersion received, its last 15 digits',
    reflector_stale_events_total: 'Events with an older state, which were dropped',
    reflector_missed_events_total: 'Events an audit found missing',
    reflector_epoch_resets_total: 'Times the storage of the server was restored or replaced',
    reflector_event_loop_stall_seconds: 'How long the event loop was blocked',
    informer_queued_items: 'Changes received and not yet applied',
    informer_processing_latency_seconds: 'From receiving a change to having applied it',
    informer_store_resource_version: 'resourceVersion of the cache, its last 15 digits',
  }),
);

/**
 * Metrics in a prom-client registry.
 *
 * Promises: metrics are created when first needed and shared by name, also with another `promMetrics` on the same
 * registry. A label that a metric was created without is dropped, because prom-client would throw.
 *
 * Does not promise to remove series of stopped informers: they stay until the registry is cleared.
 *
 * @example
 * import * as client from 'prom-client';
 * await using cluster = await Cluster.connect({ informers: { name: 'shop', metrics: promMetrics(client) } });
 */
export function promMetrics(client: PromClient, options: PromMetricsOptions = {}): Metrics {
  const { register = client.register, prefix = '' } = options;
  const known = new Map<string, { readonly metric: object; readonly labelNames: readonly string[] }>();
  const child = <M extends object, C>(
    name: string,
    labels: MetricLabels,
    make: (configuration: Configuration) => M,
    of: (metric: M, labels: MetricLabels) => C,
  ): C => {
    const full = `${prefix}${name}`;
    let entry = known.get(full);
    if (entry === undefined) {
      const labelNames = Object.keys(labels);
      const help = HELP.get(name) ?? name;
      const existing = register.getSingleMetric(full);
      entry = {
        metric: existing ?? make({ name: full, help, labelNames, registers: [register] }),
        labelNames: (existing as { labelNames?: readonly string[] } | undefined)?.labelNames ?? labelNames,
      };
      known.set(full, entry);
    }
    const { metric, labelNames } = entry;
    const accepted = Object.entries(labels).filter(([label]) => labelNames.includes(label));
    return of(metric as M, Object.fromEntries(accepted));
  };
  return {
    counter: (name, labels) =>
      child(
        name,
        labels,
        (configuration) => new client.Counter(configuration),
        (metric, own) => metric.labels(own),
      ),
    gauge: (name, labels) =>
      child(
        name,
        labels,
        (configuration) => new client.Gauge(configuration),
        (metric, own) => metric.labels(own),
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
