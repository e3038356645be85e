import type { ControllerHost } from '../controllers/controller-host.ts';
import type { Controllers, runControllers } from '../controllers/run-controllers.ts';

/** Starts and stops the controllers of a server. Their code is loaded only when some of them are wanted. */
export class ControllerSwitch {
  readonly #host: ControllerHost;
  readonly #wanted: boolean | Controllers;
  #run: typeof runControllers | undefined;
  #stop: (() => void) | undefined;

  constructor(host: ControllerHost, wanted: boolean | Controllers) {
    this.#host = host;
    this.#wanted = wanted;
  }

  /** Until it has resolved, `start` does nothing. */
  async load(): Promise<void> {
    if (this.#wanted !== false) this.#run = (await import('../controllers/run-controllers.ts')).runControllers;
  }

  start(): void {
    this.#stop = this.#run?.(this.#host, this.#wanted);
  }

  stop(): void {
    this.#stop?.();
  }
}
