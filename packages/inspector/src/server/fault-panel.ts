import { type Env } from 'kube-informer/core';
import type { FaultSummary } from '../protocol/messages.ts';

/** Something that can be made to go wrong, for whoever wants to see what happens then. */
export interface Fault {
  /** In addresses: letters, digits and dashes. */
  readonly name: string;
  readonly title: string;
  /** What it does, and what one should see. */
  readonly description: string;
  /** Ends when nothing more will happen. Where it throws or rejects, the page says that it could not be made, and why. */
  run(): void | Promise<void>;
}

/** The faults of a demo, run on request, each once at a time. */
export class FaultPanel {
  readonly #faults: ReadonlyMap<string, Fault>;
  readonly #env: Env;
  readonly #say: (text: string) => string;
  readonly #failures = new Map<string, string>();
  readonly #ranAt = new Map<string, number>();
  readonly #running = new Set<string>();

  /** `say` makes a text one that may leave the process. */
  constructor(faults: readonly Fault[], env: Env, say: (text: string) => string) {
    this.#faults = new Map(faults.map((fault) => [fault.name, fault]));
    this.#env = env;
    this.#say = say;
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

  /** Starts it; false when there is no such fault. One that still runs is not started again. */
  start(name: string): boolean {
    const fault = this.#faults.get(name);
    if (fault === undefined) return false;
    if (this.#running.has(name)) return true;
    this.#running.add(name);
    this.#failures.delete(name);
    this.#ranAt.set(name, this.#env.wallNow());
    void this.#run(fault);
    return true;
  }

  async #run(fault: Fault): Promise<void> {
    try {
      await fault.run();
    } catch (error) {
      this.#env.log('warn', 'a fault could not be made', { fault: fault.name, error });
      const text = error instanceof Error ? error.message : String(error);
      this.#failures.set(fault.name, this.#say(text));
    } finally {
      this.#running.delete(fault.name);
    }
  }
}
