// prometheus/index.d.ts
/**
 * The numbers of informers for Prometheus, through the prom-client you have: `metrics: promMetrics(client)`.
 *
 * Takes prom-client by its shape; does not depend on it.
 */
export { type PromClient, promMetrics, type PromMetricsOptions, type PromRegistry } from './prom-metrics.ts';
// prometheus/prom-metrics.d.ts
import type { MetricLabels, Metrics } from '../core/metrics.ts';
/** The part of a prom-client Registry that is used. */
export interface PromRegistry {
    getSingleMetric(name: string): object | undefined;
}
interface Configuration {
    readonly name: string;
    readonly help: string;
    readonly labelNames: string[];
    readonly registers: any[];
}
/** The part of prom-client that is used: what `import * as client from 'prom-client'` gives. */
export interface PromClient {
    readonly register: PromRegistry;
    readonly Counter: new (configuration: Configuration) => {
        labels(labels: MetricLabels): {
            inc(by?: number): void;
        };
    };
    readonly Gauge: new (configuration: Configuration) => {
        labels(labels: MetricLabels): {
            set(value: number): void;
        };
    };
    readonly Histogram: new (configuration: Configuration & {
        readonly buckets: number[];
    }) => {
        labels(labels: MetricLabels): {
            observe(value: number): void;
        };
    };
}
export interface PromMetricsOptions {
    /** @default the client's own `register` */
    readonly register?: PromRegistry;
    /** In front of every name. @default '' */
    readonly prefix?: string;
}
/**
 * Metrics that go to a prom-client registry.
 *
 * Promises: metrics are made when they are first needed and shared by name, also with another `promMetrics` on the same
 * registry. A label that a metric was not made with is left out, because prom-client would refuse the number.
 *
 * Not promised: series of informers that have ended stay until the registry is cleared.
 *
 * @example
 * import * as client from 'prom-client';
 * await using cluster = await Cluster.connect({ informers: { name: 'shop', metrics: promMetrics(client) } });
 */
export declare function promMetrics(client: PromClient, options?: PromMetricsOptions): Metrics;
export {};
// core/metrics.d.ts
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
export declare const noMetrics: Metrics;
/** Whether nobody listens: what costs something to compute need not be computed. */
export declare function isNoMetric(metric: object | undefined): boolean;
/**
 * A resourceVersion as a number a gauge can hold: its last 15 digits, which a
 * double keeps exactly. Empty is 0; what is not digits is not a number.
 */
export declare function versionGauge(version: string): number | undefined;
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
export declare function reflectorMetrics(provider: Metrics, labels: MetricLabels): ReflectorMetrics;
/** Buckets of `informer_processing_latency_seconds`, 1 ms to 10 s. */
export declare const LATENCY_BUCKETS: readonly number[];
export interface InformerMetrics {
    readonly queuedItems: Gauge;
    readonly processingLatency: Histogram;
    readonly storeResourceVersion: Gauge;
}
export declare function informerMetrics(provider: Metrics, labels: MetricLabels): InformerMetrics;
