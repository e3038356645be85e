import type { Env } from 'kube-informer/core';
import { instant } from '@kube-informer/inspector/internal';
import { Kubelet } from './kubelet.ts';
import { seedWorld } from './seed.ts';
import { Story } from './story.ts';
import { type Local, eventRecorder, type World } from './world.ts';
import { stepWorkloads } from './workloads.ts';

const STEP_MS = 200;
/** A cluster keeps them for an hour; nobody watches a demo for so long. */
const EVENT_LIFE_MS = 60_000;

/**
 * A small company's cluster that lives: deployments roll, fail, recover and scale, backups run, a node stumbles.
 *
 * The same random numbers and the same steps give the same story. Whatever somebody changes through the API is followed
 * like everything else. Names and addresses come from `env`; credentials do not.
 */
export class Simulation {
  readonly #world: World;
  readonly #kubelet: Kubelet;
  readonly #story: Story;

  constructor(local: Local, env: Env) {
    this.#world = { local, env, tell: eventRecorder(local, env) };
    seedWorld(this.#world);
    this.#kubelet = new Kubelet(this.#world);
    this.#story = new Story(this.#world, this.#kubelet);
  }

  step(): void {
    for (const part of [
      () => forgetEvents(this.#world),
      () => this.#story.step(),
      () => stepWorkloads(this.#world),
      () => this.#kubelet.step(),
    ]) {
      try {
        part();
      } catch (error) {
        // Somebody deleted or changed what was about to be written. The next step sees it as it is.
        this.#world.env.log('debug', 'a step of the demo was refused', { error });
      }
    }
  }

  /** Lives until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.step();
      await this.#world.env.sleep(STEP_MS, signal);
    }
  }
}

function forgetEvents({ local, env }: World): void {
  const oldest = env.wallNow() - EVENT_LIFE_MS;
  for (const event of local.list('', 'events')) {
    const { namespace = '', name = '' } = event.metadata ?? {};
    if ((instant(event['lastTimestamp']) ?? 0) < oldest) local.remove('', 'events', namespace, name);
  }
}
