import type { ControllerHost } from '../controllers/common/controller-host.ts';
import type { Kubelet } from '../controllers/nodes/kubelet.ts';
import type { NodeOptions } from '../controllers/nodes/node-options.ts';
import { CONTROLLER_NAMES, type ControllerName } from '../controllers/controller-name.ts';
import type { RunControllers, RunningControllers } from '../controllers/run-controllers.ts';

/** Names of controllers, or all of them. */
export type WantedControllers = 'all' | readonly ControllerName[];

/** Starts and stops the controllers of a server. Their code is loaded only if some of them are enabled. */
export class ControllerSwitch {
  readonly #host: ControllerHost;
  readonly #wanted: WantedControllers;
  readonly #nodes: NodeOptions;
  #run: RunControllers | undefined;
  #running: RunningControllers | undefined;

  constructor(host: ControllerHost, wanted: WantedControllers, nodes: NodeOptions) {
    this.#host = host;
    this.#wanted = wanted;
    this.#nodes = nodes;
  }

  /** Loads the controllers. Until it has resolved, `start` does nothing. */
  async load(): Promise<void> {
    if (this.#wanted.length === 0) return;
    const { loadToRunControllers } = await import('../controllers/run-controllers.ts');
    this.#run = await loadToRunControllers(
      new Set(this.#wanted === 'all' ? CONTROLLER_NAMES : this.#wanted),
      this.#nodes,
    );
  }

  /** The kubelets, while they are running. */
  get kubelet(): Kubelet | undefined {
    return this.#running?.kubelet;
  }

  start(): void {
    this.#running = this.#run?.(this.#host);
  }

  stop(): void {
    this.#running?.stop();
    this.#running = undefined;
  }
}
