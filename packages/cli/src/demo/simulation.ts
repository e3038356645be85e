import type { ApiObject } from '@kube-informer/apiserver';
import type { Env } from 'kube-informer/core';
import { objectAgeInstant } from '@kube-informer/inspector/internal';
import { seedDemo } from './seed-demo.ts';
import { Story } from './story.ts';
import { type DemoServer, demoWorldRecorder, type World } from './demo-world.ts';

const STEP_MS = 200;
/** Lifetime of Events; a cluster keeps them for an hour, longer than a demo runs. */
const EVENT_LIFE_MS = 60_000;

/**
 * A small cluster with activity: deployments roll out, fail, recover and scale, jobs run, a user requests a
 * backup, a node becomes NotReady. The controllers of the server do the work. Backups are driven by a
 * controller outside: `replicas.ts`.
 *
 * Deterministic for the same random numbers of `env` and of the server, and the same steps.
 */
export class Simulation {
  readonly #world: World;
  readonly #story: Story;

  /** The server runs `DEMO_CONTROLLERS` on `demoNodes`. */
  constructor(server: DemoServer, env: Env) {
    const { local } = server;
    this.#world = { local, env, recordEvent: demoWorldRecorder(local, env) };
    seedDemo(this.#world);
    this.#story = new Story(this.#world, server);
  }

  step(): void {
    for (const part of [() => forgetSimulationEvents(this.#world), () => this.#story.step()]) {
      try {
        part();
      } catch (error) {
        // The object was changed or deleted through the API. The next step reads its current state.
        this.#world.env.log('debug', 'a step of the demo failed', { error });
      }
    }
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.step();
      await this.#world.env.sleep(STEP_MS, signal);
    }
  }
}

function forgetSimulationEvents({ local, env }: World): void {
  const oldest = env.wallNow() - EVENT_LIFE_MS;
  for (const event of local.list('', 'events')) {
    const { namespace = '', name = '' } = event.metadata ?? {};
    if (simulationEventTime(event) < oldest) local.remove('', 'events', namespace, name);
  }
}

/** Time of an Event's last occurrence. Those of controllers have only the new fields. */
function simulationEventTime(event: ApiObject): number {
  const series = event['series'] as { readonly lastObservedTime?: string } | undefined;
  const times = [event['lastTimestamp'], series?.lastObservedTime, event['eventTime']];
  return Math.max(0, ...times.map((time) => objectAgeInstant(time) ?? 0));
}
