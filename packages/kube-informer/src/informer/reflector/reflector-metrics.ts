import {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricLabels,
  type Metrics,
  safeMetrics,
} from '../../core/metrics.ts';

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
