import { WorkQueue } from '@kube-informer/controller/queue';
import { FakeClock, fakeEnv, settle } from 'kube-informer/testing';
import { retryDelayMs, retryOptions } from '../../../../packages/controller/src/run/retry.ts';

export type QueueName = 'workqueue' | 'priorityqueue';

/** One operation. `drain` waits until the work is over, without holding up the script. */
export type Step =
  | { readonly do: 'add'; readonly key: string; readonly priority?: number }
  | { readonly do: 'addAfter'; readonly key: string; readonly ms: number; readonly priority?: number }
  | { readonly do: 'addRateLimited'; readonly key: string; readonly priority?: number }
  | { readonly do: 'done' | 'forget'; readonly key: string }
  | { readonly do: 'get' | 'shutdown' | 'drain' }
  | { readonly do: 'advance'; readonly ms: number };

/** What was true after an operation; the Go program prints the same. */
export interface StepResult {
  readonly given: readonly { readonly key: string; readonly at: number; readonly priority: number }[];
  /** Number of getters that ended because the queue is closed. */
  readonly ended: number;
  readonly ready: number;
  /** Failures in a row of the key of the operation. */
  readonly retries: number;
  readonly drained: boolean;
}

type Given = StepResult['given'][number];

/** The queue of this project, behind the operations of the Go queues. */
export class OurQueue {
  readonly clock = new FakeClock();
  readonly running = new Set<string>();
  /** Getters that wait. */
  getting = 0;
  isClosed = false;
  readonly #name: QueueName;
  readonly #queue: WorkQueue;
  readonly #failures = new Map<string, number>();
  #given: Given[] = [];
  #ended = 0;
  #isDrained = false;

  constructor(name: QueueName) {
    this.#name = name;
    this.#queue = new WorkQueue({ strict: name === 'priorityqueue', env: fakeEnv({ clock: this.clock }) });
  }

  look(key: string): ReturnType<WorkQueue['look']> {
    return this.#queue.look(key);
  }

  /** Failures in a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** When the next failure of the key would be retried. */
  retryDelayMs(key: string): number {
    return retryDelayMs(retryOptions('client-go'), this.failures(key) + 1, undefined, () => 0);
  }

  async take(step: Step): Promise<StepResult> {
    this.#given = [];
    this.#ended = 0;
    await this.#do(step);
    await settle();
    const key = 'key' in step ? step.key : '';
    const given = this.#given.toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
    return { given, ended: this.#ended, ready: this.#ready, retries: this.failures(key), drained: this.#isDrained };
  }

  async #do(step: Step): Promise<void> {
    const queue = this.#queue;
    switch (step.do) {
      case 'add':
        return queue.add(step.key, priorityOf(step));
      case 'addAfter':
        return queue.add(step.key, { afterMs: step.ms, ...priorityOf(step) });
      case 'addRateLimited': {
        const afterMs = this.retryDelayMs(step.key);
        // client-go counts the failure first, and then finds the queue closed.
        if (this.isClosed && this.#name === 'priorityqueue') return;
        this.#failures.set(step.key, this.failures(step.key) + 1);
        return queue.retry(step.key, { afterMs, ...priorityOf(step) });
      }
      case 'done':
        this.running.delete(step.key);
        return queue.done(step.key);
      case 'forget':
        return void this.#failures.delete(step.key);
      case 'get':
        return this.#get();
      case 'advance':
        return this.clock.advance(step.ms);
      case 'shutdown':
      case 'drain':
        this.isClosed = true;
        // controller-runtime gives nothing out any more.
        queue.close({ drop: this.#name === 'priorityqueue' });
        if (step.do === 'drain') void queue.drained().then(() => (this.#isDrained = true));
    }
  }

  #get(): void {
    this.getting += 1;
    void this.#queue.get().then((taken) => {
      this.getting -= 1;
      if (taken === undefined) this.#ended += 1;
      else {
        this.running.add(taken.key);
        this.#given.push({ key: taken.key, at: this.clock.now(), priority: taken.priority });
      }
    });
  }

  /** controller-runtime counts keys that are ready again while they run. */
  get #ready(): number {
    if (this.#name === 'workqueue') return this.#queue.size;
    const again = [...this.running].filter((key) => {
      const entry = this.#queue.look(key);
      return entry?.state === 'running+again' && entry.readyAt <= this.clock.now();
    });
    return this.#queue.size + again.length;
  }
}

const priorityOf = ({ priority }: { readonly priority?: number }): { priority?: number } =>
  priority === undefined ? {} : { priority };
