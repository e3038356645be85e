/**
 * The numbers of informers for Prometheus, through the prom-client you have: `metrics: promMetrics(client)`.
 *
 * Takes prom-client by its shape; does not depend on it.
 */
export { type PromClient, promMetrics, type PromMetricsOptions, type PromRegistry } from './prom-metrics.ts';
