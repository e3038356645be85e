import type { Env } from 'kube-informer/core';
import type { Taken } from '../queue/queue-options.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** Maximum time of runs in one turn of the event loop. Then timers and I/O get a turn: renewals of the lease, probes. */
const MAX_TURN_MS = 10;

/** The run of one key: `freed` when its worker may continue, `ended` when its key may run again. */
export interface WorkerRun {
  readonly freed: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

export interface WorkersOptions {
  readonly env: Env;
  readonly queue: WorkQueue;
  readonly concurrency: number;
  /** Starts the run of a key. Returns undefined if the key was put aside and nothing runs. Must not throw. */
  readonly start: (taken: Taken) => WorkerRun | undefined;
}

/**
 * Takes keys from the queue, at most `concurrency` at a time.
 *
 * A run that is hung gives its worker back and keeps its key: no second run of the key starts before the first one has ended.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #loops: Promise<void>[] = [];
  readonly #runs = new Set<Promise<unknown>>();
  #active = 0;
  #turnStartedAt: number;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#turnStartedAt = options.env.now();
  }

  /** Number of workers with a run. */
  get active(): number {
    return this.#active;
  }

  /** Number of runs that have not ended, hung ones included. */
  get running(): number {
    return this.#runs.size;
  }

  start(): void {
    for (let n = 0; n < this.#options.concurrency; n += 1) this.#loops.push(this.#work());
  }

  /** Resolves when the queue is closed and empty and every worker is free. */
  async finish(): Promise<void> {
    await Promise.all(this.#loops);
  }

  /** Resolves when every run has ended, hung ones included. */
  async ended(): Promise<void> {
    await Promise.all(this.#loops);
    await Promise.all(this.#runs);
  }

  async #work(): Promise<void> {
    const { queue, start } = this.#options;
    for (let taken = await queue.get(); taken !== undefined; taken = await queue.get()) {
      const { key } = taken;
      const run = start(taken);
      if (run === undefined) continue;
      const ended = run.ended.then(() => {
        this.#runs.delete(ended);
        queue.done(key);
      });
      this.#runs.add(ended);
      this.#active += 1;
      await run.freed;
      this.#active -= 1;
      await this.#endLongTurn();
    }
  }

  /**
   * Ends a long turn of the event loop. Runs that wait for nothing are microtasks: without this, 10,000 of
   * them would be one turn. Called after a run, so that a key for idle workers starts at once.
   */
  async #endLongTurn(): Promise<void> {
    const { env } = this.#options;
    if (env.now() - this.#turnStartedAt < MAX_TURN_MS) return;
    await env.yield();
    this.#turnStartedAt = env.now();
  }
}
