import { type Env, errorMessageOf } from 'kube-informer/core';
import type { FaultSummary } from '../protocol/messages.ts';
import { runInBackground } from './background.ts';

/** A fault that can be started from the page, to see how informers recover. */
export interface Fault {
  /** Used in URLs: letters, digits and dashes. */
  readonly name: string;
  readonly title: string;
  /** The effect of the fault, and what to expect. */
  readonly description: string;
  /** Resolves when the fault is over. If it throws or rejects, the page shows the error. */
  run(): void | Promise<void>;
}

/** The faults of a demo. Each runs at most once at a time. */
export class FaultPanel {
  readonly #faults: ReadonlyMap<string, Fault>;
  readonly #env: Env;
  readonly #masked: (text: string) => string;
  readonly #failures = new Map<string, string>();
  readonly #ranAt = new Map<string, number>();
  readonly #running = new Set<string>();

  /** `masked` masks a text before it leaves the process. */
  constructor(faults: readonly Fault[], env: Env, masked: (text: string) => string) {
    this.#faults = new Map(faults.map((fault) => [fault.name, fault]));
    this.#env = env;
    this.#masked = masked;
  }

  list(): readonly FaultSummary[] {
    return [...this.#faults.values()].map(({ name, title, description }) => ({
      name,
      title,
      description,
      ranAt: this.#ranAt.get(name),
      isRunning: this.#running.has(name),
      failure: this.#failures.get(name),
    }));
  }

  /** Starts a fault unless it is running. Returns false if there is no such fault. */
  start(name: string): boolean {
    const fault = this.#faults.get(name);
    if (fault === undefined) return false;
    if (this.#running.has(name)) return true;
    this.#running.add(name);
    this.#failures.delete(name);
    this.#ranAt.set(name, this.#env.wallNow());
    void runInBackground(this.#env, () => this.#run(fault));
    return true;
  }

  async #run(fault: Fault): Promise<void> {
    try {
      await fault.run();
    } catch (error) {
      this.#env.log('warn', 'a fault failed', { fault: fault.name, error });
      this.#failures.set(fault.name, this.#masked(errorMessageOf(error)));
    } finally {
      this.#running.delete(fault.name);
    }
  }
}
