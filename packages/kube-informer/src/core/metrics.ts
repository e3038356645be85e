/**
 * Creates counters, gauges and histograms. The default, `noMetrics`, keeps
 * nothing, so that callers need no checks and no metrics library. Durations are
 * in seconds, as in Prometheus.
 *
 * Room rule: knows no single metric; those are named where they are counted.
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

/** Whether values are dropped, so that expensive ones need not be computed. */
export function isNoMetric(metric: object | undefined): boolean {
  return metric === undefined || metric === nothing;
}

/**
 * A resourceVersion as the value of a gauge: its last 15 digits, which a double
 * holds exactly. Zero for an empty one, undefined unless it is all digits.
 */
export function versionGauge(version: string): number | undefined {
  if (version === '') return 0;
  if (!/^\d+$/.test(version)) return undefined;
  return Number(version.slice(-15));
}

/** The same metrics, but errors of the user's library are dropped: they must not end a loop. */
export function safeMetrics(metrics: Metrics): Metrics {
  if (metrics === noMetrics) return metrics;
  const quiet = <A extends unknown[]>(call: (...args: A) => void): ((...args: A) => void) => {
    return (...args) => {
      try {
        call(...args);
      } catch {
        // Only this value is lost.
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
