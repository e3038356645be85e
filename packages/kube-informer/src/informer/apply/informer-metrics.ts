import { type Gauge, type Histogram, type MetricLabels, type Metrics } from '../../core/metrics.ts';

/** Buckets of `informer_processing_latency_seconds`, 1 ms to 10 s. */
export const LATENCY_BUCKETS: readonly number[] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface InformerMetrics {
  readonly queuedItems: Gauge;
  readonly processingLatency: Histogram;
  readonly storeResourceVersion: Gauge;
}

export function informerMetrics(metrics: Metrics, labels: MetricLabels): InformerMetrics {
  return {
    queuedItems: metrics.gauge('informer_queued_items', labels),
    processingLatency: metrics.histogram('informer_processing_latency_seconds', labels, LATENCY_BUCKETS),
    storeResourceVersion: metrics.gauge('informer_store_resource_version', labels),
  };
}
