import type { Env } from './env.ts';
import { errorMessageOf } from './errors.ts';
import { guardedAnswer, guardedCallback, reportGuarded, type UserCode } from './guarded.ts';

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
export function versionMetric(version: string): number | undefined {
  if (version === '') return 0;
  if (!/^\d+$/.test(version)) return undefined;
  return Number(version.slice(-15));
}

/**
 * The same metrics, but failures of the user's library are dropped, counted and logged sparsely: they must not end a loop.
 * A metric that cannot be created measures nothing.
 */
export function guardedMetrics(env: Env, metrics: UserCode<Metrics>): Metrics {
  const given = metrics as Metrics;
  if (given === noMetrics) return noMetrics;
  let dropped = 0;
  const failedIn =
    (metric: string) =>
    (error: unknown): void => {
      dropped += 1;
      if (!reportGuarded(dropped)) return;
      env.log('warn', 'a metric could not be written and is dropped', {
        metric,
        dropped,
        error: errorMessageOf(error),
      });
    };
  const create = <M extends object>(name: string, make: () => M): M => {
    try {
      return guardedAnswer(`the metric ${name}`, make)();
    } catch (error) {
      failedIn(name)(error);
      return nothing as unknown as M;
    }
  };
  return {
    counter(name, labels) {
      const made = create(name, () => given.counter(name, labels));
      return { inc: guardedCallback(env, name, (by?: number): unknown => made.inc(by), failedIn(name)) };
    },
    gauge(name, labels) {
      const made = create(name, () => given.gauge(name, labels));
      return { set: guardedCallback(env, name, (value: number): unknown => made.set(value), failedIn(name)) };
    },
    histogram(name, labels, buckets) {
      const made = create(name, () => given.histogram(name, labels, buckets));
      return { observe: guardedCallback(env, name, (value: number): unknown => made.observe(value), failedIn(name)) };
    },
  };
}
