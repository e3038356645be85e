import { type Counter, type Gauge, type Histogram, type MetricLabels, type Metrics } from '../../core/metrics.ts';

/** The metrics of a reflector. The first eight have the names of client-go's. */
export interface ReflectorMetrics {
  readonly lists: Counter;
  readonly listDuration: Histogram;
  readonly itemsPerList: Histogram;
  readonly watches: Counter;
  readonly shortWatches: Counter;
  readonly watchDuration: Histogram;
  readonly itemsPerWatch: Histogram;
  readonly lastResourceVersion: Gauge;
  /** Events dropped because they were older than a state seen before. */
  readonly staleEvents: Counter;
  /** Missing events found by the audit. */
  readonly missedEvents: Counter;
  /** Number of times the server's storage went back in time or was replaced. */
  readonly epochResets: Counter;
  /** Seconds by which a timer was late because the event loop was blocked. */
  readonly stalls: Histogram;
}

export function reflectorMetrics(metrics: Metrics, labels: MetricLabels): ReflectorMetrics {
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
