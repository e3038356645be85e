import type { Counter, Gauge, Histogram, Metrics } from 'kube-informer/core';
import type { Outcome } from '../run/run-log.ts';

/** Buckets of controller-runtime's `reconcile_time_seconds`. */
const TIME_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const RESULTS = ['success', 'error', 'requeue_after', 'requeue'] as const;
type Result = (typeof RESULTS)[number];

const RESULT_OF: Readonly<Record<Outcome, Result>> = {
  success: 'success',
  requeue: 'requeue_after',
  error: 'error',
  terminal: 'error',
  timeout: 'error',
  aborted: 'error',
  hung: 'error',
};

/**
 * The metrics of one controller, with controller-runtime's names. All series exist from the start, with the
 * value 0.
 */
export class ControllerMetrics {
  readonly #totals: ReadonlyMap<Result, Counter>;
  readonly #errors: Counter;
  readonly #terminalErrors: Counter;
  readonly #timeouts: Counter;
  readonly #time: Histogram;
  readonly #consistencyWait: Histogram;
  readonly #hotLoops: Counter;
  readonly #contests: Counter;
  readonly #unsent: Counter;
  readonly #mappingErrors: Counter;
  readonly #fenced: Counter;
  readonly active: Gauge;
  readonly stale: Gauge;
  readonly hung: Gauge;
  readonly oldestReady: Gauge;
  readonly unmapped: Gauge;

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    const labels = { controller };
    const counter = (name: string): Counter => {
      const made = metrics.counter(name, labels);
      made.inc(0);
      return made;
    };
    const gauge = (name: string, value = 0): Gauge => {
      const made = metrics.gauge(name, labels);
      made.set(value);
      return made;
    };
    this.#totals = new Map(
      RESULTS.map((result) => {
        const total = metrics.counter('controller_runtime_reconcile_total', { ...labels, result });
        total.inc(0);
        return [result, total];
      }),
    );
    this.#errors = counter('controller_runtime_reconcile_errors_total');
    this.#terminalErrors = counter('controller_runtime_terminal_reconcile_errors_total');
    // Nothing panics here: a throw is an error. The series exists so that dashboards find it.
    counter('controller_runtime_reconcile_panics_total');
    this.#timeouts = counter('controller_runtime_reconcile_timeouts_total');
    this.#time = metrics.histogram('controller_runtime_reconcile_time_seconds', labels, TIME_BUCKETS);
    this.#consistencyWait = metrics.histogram(
      'controller_runtime_client_consistency_wait_duration_seconds',
      labels,
      TIME_BUCKETS,
    );
    gauge('controller_runtime_max_concurrent_reconciles', concurrency);
    this.active = gauge('controller_runtime_active_workers');
    this.stale = gauge('kube_informer_controller_stale_keys');
    this.hung = gauge('kube_informer_controller_hung_runs');
    this.oldestReady = gauge('kube_informer_controller_oldest_ready_seconds');
    this.unmapped = gauge('kube_informer_controller_unmapped_objects');
    this.#mappingErrors = counter('kube_informer_controller_mapping_errors_total');
    this.#hotLoops = counter('kube_informer_controller_hot_loops_total');
    this.#contests = counter('kube_informer_controller_contests_total');
    this.#fenced = counter('kube_informer_controller_fenced_writes_total');
    this.#unsent = counter('kube_informer_controller_unsent_applies_total');
  }

  ran(outcome: Outcome, durationMs: number): void {
    this.#totals.get(RESULT_OF[outcome])?.inc();
    this.#time.observe(durationMs / 1_000);
    if (RESULT_OF[outcome] === 'error') this.#errors.inc();
    if (outcome === 'terminal') this.#terminalErrors.inc();
    if (outcome === 'timeout') this.#timeouts.inc();
  }

  waitedForCache(ms: number): void {
    this.#consistencyWait.observe(ms / 1_000);
  }

  hotLoop(): void {
    this.#hotLoops.inc();
  }

  mappingError(): void {
    this.#mappingErrors.inc();
  }

  contest(): void {
    this.#contests.inc();
  }

  fencedWrite(): void {
    this.#fenced.inc();
  }

  unsentApply(): void {
    this.#unsent.inc();
  }
}
