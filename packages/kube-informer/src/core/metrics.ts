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
export function safeMetrics(metrics: Metrics): Metrics {
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
