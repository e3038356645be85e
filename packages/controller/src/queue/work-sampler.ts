import type { Env } from 'kube-informer/core';
import type { EntryList } from './queue-entry.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** Period in which the gauges about keys at work are set, as in client-go. */
const SAMPLE_MS = 500;

/** Sets the gauges about keys at work. Runs only while there are some, so that an idle queue has no timer. */
export class WorkSampler {
  readonly #env: Env;
  readonly #metrics: QueueMetrics;
  readonly #running: EntryList;
  #current: AbortController | undefined;

  constructor(env: Env, metrics: QueueMetrics, running: EntryList) {
    this.#env = env;
    this.#metrics = metrics;
    this.#running = running;
  }

  start(): void {
    if (this.#current !== undefined) return;
    const { signal } = (this.#current = new AbortController());
    void this.#sample(signal);
  }

  stop(): void {
    this.#current?.abort();
  }

  async #sample(signal: AbortSignal): Promise<void> {
    while (this.#running.size > 0 && !signal.aborted) {
      this.#metrics.sample(this.#running, this.#env.now());
      await this.#env.sleep(SAMPLE_MS, signal);
    }
    this.#metrics.sample([], 0);
    this.#current = undefined;
  }
}
