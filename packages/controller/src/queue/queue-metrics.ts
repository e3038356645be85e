import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from 'kube-informer/core';
import type { Entry } from './queue-entry.ts';

/**
 * Buckets of client-go's queue metrics: 10 ns to 1000 s, to the last digit. Prometheus adds up buckets with
 * equal bounds only, and client-go computes its bounds by multiplication.
 */
const BUCKETS: readonly number[] = [
  1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000,
];
/** Maximum number of priorities with a series of their own. Users choose priorities freely. */
const MAX_PRIORITIES = 25;
const OTHER_PRIORITIES = 'exceeded_cardinality_limit';

interface Depth {
  readonly gauge: Gauge;
  count: number;
}

/** The metrics of one queue, with client-go's names. */
export class QueueMetrics {
  readonly #metrics: Metrics;
  readonly #labels: MetricLabels;
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #queueDuration: Histogram;
  readonly #workDuration: Histogram;
  readonly #unfinished: Gauge;
  readonly #longest: Gauge;
  readonly #depths = new Map<string, Depth>();
  /** Depths by number, because they are read twice for every key. */
  readonly #depthsByPriority = new Map<number, Depth>();

  constructor(metrics: Metrics, name: string, controller: string) {
    const labels = { name, controller };
    this.#metrics = metrics;
    this.#labels = labels;
    this.#adds = metrics.counter('workqueue_adds_total', labels);
    this.#retries = metrics.counter('workqueue_retries_total', labels);
    this.#queueDuration = metrics.histogram('workqueue_queue_duration_seconds', labels, BUCKETS);
    this.#workDuration = metrics.histogram('workqueue_work_duration_seconds', labels, BUCKETS);
    this.#unfinished = metrics.gauge('workqueue_unfinished_work_seconds', labels);
    this.#longest = metrics.gauge('workqueue_longest_running_processor_seconds', labels);
    this.#adds.inc(0);
    this.#retries.inc(0);
    this.#depth(0).gauge.set(0);
    this.sample([], 0);
  }

  added(): void {
    this.#adds.inc();
  }

  retried(): void {
    this.#retries.inc();
  }

  deeper(priority: number, by: 1 | -1): void {
    const depth = this.#depth(priority);
    depth.count += by;
    depth.gauge.set(depth.count);
  }

  started(queuedMs: number): void {
    this.#queueDuration.observe(queuedMs / 1_000);
  }

  finished(workedMs: number): void {
    this.#workDuration.observe(workedMs / 1_000);
  }

  /** Sets the gauges about keys that are at work. */
  sample(running: Iterable<Entry>, now: number): void {
    let total = 0;
    let longest = 0;
    for (const { startedAt } of running) {
      const ms = now - (startedAt as number); // at work, so it has one
      total += ms;
      longest = Math.max(longest, ms);
    }
    this.#unfinished.set(total / 1_000);
    this.#longest.set(longest / 1_000);
  }

  #depth(priority: number): Depth {
    const seen = this.#depthsByPriority.get(priority);
    if (seen !== undefined) return seen;
    const own = String(priority);
    const name = this.#depths.has(own) || this.#depths.size < MAX_PRIORITIES ? own : OTHER_PRIORITIES;
    const known = this.#depths.get(name);
    if (known !== undefined) return known;
    const depth: Depth = {
      gauge: this.#metrics.gauge('workqueue_depth', { ...this.#labels, priority: name }),
      count: 0,
    };
    this.#depths.set(name, depth);
    // Only priorities with a series of their own: the others are unbounded.
    if (name === own) this.#depthsByPriority.set(priority, depth);
    return depth;
  }
}
