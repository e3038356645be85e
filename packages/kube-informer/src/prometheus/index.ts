/**
 * Metrics of informers for Prometheus, through your prom-client: `metrics: promMetrics(client)`.
 *
 * Takes prom-client by its shape; does not depend on it.
 */
export { type PromClient, promMetrics, type PromMetricsOptions, type PromRegistry } from './prom-metrics.ts';
