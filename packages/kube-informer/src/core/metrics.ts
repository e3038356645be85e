/**
 * Where numbers go. The default keeps nothing, so call sites need no checks and
 * no metrics library is needed. Durations are seconds, as Prometheus wants them.
 *
 * Room rule: the meaning of a metric lives with whoever counts; this file only names them.
 */
export interface Metrics {
  counter(name: string, labels: MetricLabels): Counter;
  gauge(name: string, labels: MetricLabels): Gauge;
  histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
}

export type MetricLabels = Readonly<Record<string, string>>;
export interface Counter {
  inc(by?: number): void;
}
export interface Gauge {
  set(value: number): void;
}
export interface Histogram {
  observe(value: number): void;
}

const nothing = { inc() {}, set() {}, observe() {} };

export const noMetrics: Metrics = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
};

/** Whether nobody listens: what costs something to compute need not be computed. */
export function isNoMetric(metric: object | undefined): boolean {
  return metric === undefined || metric === nothing;
}

/**
 * A resourceVersion as a number a gauge can hold: its last 15 digits, which a
 * double keeps exactly. Empty is 0; what is not digits is not a number.
 */
export function versionGauge(version: string): number | undefined {
  if (version === '') return 0;
  if (!/^\d+$/.test(version)) return undefined;
  return Number(version.slice(-15));
}

/** Metrics that cannot hurt: what a user's library throws is not our business, and must not end a loop. */
function safeMetrics(metrics: Metrics): Metrics {
  if (metrics === noMetrics) return metrics;
  const quiet = <A extends unknown[]>(call: (...args: A) => void): ((...args: A) => void) => {
    return (...args) => {
      try {
        call(...args);
      } catch {
        // A number is lost; the cache is not.
      }
    };
  };
  return {
    counter(name, labels) {
      const made = metrics.counter(name, labels);
      return { inc: quiet((by?: number) => made.inc(by)) };
    },
    gauge(name, labels) {
      const made = metrics.gauge(name, labels);
      return { set: quiet((value: number) => made.set(value)) };
    },
    histogram(name, labels, buckets) {
      const made = metrics.histogram(name, labels, buckets);
      return { observe: quiet((value: number) => made.observe(value)) };
    },
  };
}

/** The eight metrics of a reflector, by the names the first informers gave them. */
export interface ReflectorMetrics {
  readonly lists: Counter;
  readonly listDuration: Histogram;
  readonly itemsPerList: Histogram;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly watchDuration: Histogram;
  readonly itemsPerWatch: Histogram;
  readonly lastResourceVersion: Gauge;
  /** Ours: states that were older than what had been seen, and were dropped. */
  readonly staleEvents: Counter;
  /** Ours: events the audit found missing. */
  readonly missedEvents: Counter;
  /** Ours: how often the server's storage was found to have gone back. */
  readonly epochResets: Counter;
  /** Ours: seconds the event loop was blocked longer than it should be, as a sleeping watchdog notices. */
  readonly stalls: Histogram;
}

export function reflectorMetrics(provider: Metrics, labels: MetricLabels): ReflectorMetrics {
  const metrics = safeMetrics(provider);
  return {
    lists: metrics.counter('reflector_lists_total', labels),
    listDuration: metrics.histogram('reflector_list_duration_seconds', labels),
    itemsPerList: metrics.histogram('reflector_items_per_list', labels),
    watches: metrics.counter('reflector_watches_total', labels),
    shortWatches: metrics.counter('reflector_short_watches_total', labels),
    watchDuration: metrics.histogram('reflector_watch_duration_seconds', labels),
    itemsPerWatch: metrics.histogram('reflector_items_per_watch', labels),
    lastResourceVersion: metrics.gauge('reflector_last_resource_version', labels),
    staleEvents: metrics.counter('reflector_stale_events_total', labels),
    missedEvents: metrics.counter('reflector_missed_events_total', labels),
    epochResets: metrics.counter('reflector_epoch_resets_total', labels),
    stalls: metrics.histogram('reflector_event_loop_stall_seconds', labels),
  };
}

/** Buckets of `informer_processing_latency_seconds`, 1 ms to 10 s. */
export const LATENCY_BUCKETS: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface InformerMetrics {
  readonly queuedItems: Gauge;
  readonly processingLatency: Histogram;
  readonly storeResourceVersion: Gauge;
}

export function informerMetrics(provider: Metrics, labels: MetricLabels): InformerMetrics {
  const metrics = safeMetrics(provider);
  return {
    queuedItems: metrics.gauge('informer_queued_items', labels),
    processingLatency: metrics.histogram('informer_processing_latency_seconds', labels, LATENCY_BUCKETS),
    storeResourceVersion: metrics.gauge('informer_store_resource_version', labels),
  };
}
