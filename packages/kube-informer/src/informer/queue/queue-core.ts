import { type Env, guardedEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { Latch } from '../../core/async/latch.ts';
import { type Gauge, isNoMetric } from '../../core/metrics.ts';
import type { Deltas } from './delta.ts';
import type { ProcessFn, QueueOptions } from './queue.ts';

/** Maximum number of pending entries, two batches: the consumer always has work, and memory stays bounded. */
const PENDING_LIMIT = 2_000;
export const BATCH_SIZE = 1_000;
/** Minimum processing time of one entry that is logged when other entries wait. */
const SLOW_PROCESS_MS = 100;
const SLOW_PROCESS_BACKLOG = 10;

type CoreOptions = Pick<QueueOptions<never>, 'env' | 'pendingLimit' | 'queuedItems' | 'name'>;

/**
 * The part both queues share: waiting, closing, back-pressure and `synced`.
 *
 * Synced means that the first list has been *applied*, including the deletes it
 * implies. A queue whose first write is an event, not a list, is synced at once.
 *
 * Room rule: no network, no cache, no handlers.
 */
export class QueueCore {
  readonly synced: Latch = new Latch();
  readonly #env: Env;
  readonly #name: string;
  readonly #pending: () => number;
  readonly #limit: number;
  readonly #gauge: Gauge | undefined;
  #consumers: (() => void)[] = [];
  #producers: (() => void)[] = [];
  #closed = false;
  #populated = false;
  #initialLeft = 0;

  constructor(kind: string, pending: () => number, options: CoreOptions) {
    const { env, pendingLimit = PENDING_LIMIT, queuedItems: gauge, name } = options;
    this.#name = name === undefined ? kind : `${kind} ${name}`;
    this.#pending = pending;
    this.#env = guardedEnv(env);
    this.#limit = pendingLimit;
    this.#gauge = isNoMetric(gauge) ? undefined : gauge;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get initialLeft(): number {
    return this.#initialLeft;
  }

  /** Must be called at every write; only the first counts. `initial` is the number of entries of a first list, 0 for an event. */
  populate(initial: number): void {
    if (this.#populated) return;
    this.#populated = true;
    this.#initialLeft = initial;
    if (initial === 0) this.synced.open();
  }

  /** Wakes one consumer, because the queue has an entry. */
  wake(): void {
    this.#gauge?.set(this.#pending());
    if (this.#consumers.length > 0) this.#consumers.shift()?.();
  }

  /** Resolves when there may be work; rejects once closed. Check again afterwards: another consumer may have taken it. */
  ready(): Promise<void> {
    if (this.#closed) return Promise.reject(new KubeError('QUEUE_CLOSED', 'the queue is closed and empty'));
    return new Promise((resolve) => this.#consumers.push(resolve));
  }

  /** Counts the initial list down, wakes the producer, and logs slow processing when other entries wait. */
  #applied(entries: number, startedAt: number | undefined): void {
    const pending = this.#pending();
    this.#gauge?.set(pending);
    if (this.#initialLeft > 0) {
      this.#initialLeft = Math.max(0, this.#initialLeft - entries);
      if (this.#initialLeft === 0) this.synced.open();
    }
    if (pending < this.#limit && this.#producers.length > 0) {
      for (const go of this.#producers.splice(0)) go();
    }
    if (startedAt === undefined) return;
    const ms = this.#env.now() - startedAt;
    if (ms < Math.min(SLOW_PROCESS_MS * entries, 1_000)) return;
    this.#env.log('warn', 'applying changes was slow', { queue: this.#name, ms, entries, waiting: pending });
  }

  room(): Promise<void> | undefined {
    if (this.#pending() < this.#limit || this.#closed) return undefined;
    return new Promise((resolve) => this.#producers.push(resolve));
  }

  /**
   * Applies deltas through `process`, in the same turn unless it returns a promise, and counts them
   * afterwards: `synced` never opens before the last initial entry has been applied.
   */
  apply<T>(process: ProcessFn<T>, deltas: Deltas<T>, entries: number): void | Promise<void> {
    const startedAt = this.#pending() > SLOW_PROCESS_BACKLOG ? this.#env.now() : undefined;
    let running: void | Promise<void>;
    try {
      running = process(deltas, !this.synced.isOpen);
    } catch (error) {
      this.#applied(entries, startedAt);
      throw error;
    }
    if (running !== undefined) return running.finally(() => this.#applied(entries, startedAt));
    this.#applied(entries, startedAt);
  }

  close(): void {
    this.#closed = true;
    for (const wake of this.#consumers.splice(0)) wake();
    for (const go of this.#producers.splice(0)) go();
  }
}
