import type { ControllerName } from './controller-name.ts';
import type { ControllerHost, Stop } from './common/controller-host.ts';
import { startDefaultServiceAccount } from './default-service-account.ts';
import { startEventExpiry } from './event-expiry.ts';
import { startGarbageCollector } from './garbage-collector.ts';
import { startNamespaceLifecycle } from './namespace-lifecycle.ts';
import type { Kubelet } from './nodes/kubelet.ts';
import type { NodeOptions } from './nodes/node-options.ts';
import { startPodGrace } from './pod-grace.ts';

export interface RunningControllers {
  readonly stop: Stop;
  /** Set with the controller `nodes`. */
  readonly kubelet: Kubelet | undefined;
}

/** Starts controllers. Their code must be loaded before: see `loadToRunControllers`. */
export type RunControllers = (host: ControllerHost) => RunningControllers;

type Starter = (host: ControllerHost) => Stop;

const KEEPERS: Partial<Record<ControllerName, Starter>> = {
  garbageCollector: startGarbageCollector,
  namespaces: startNamespaceLifecycle,
  serviceAccounts: startDefaultServiceAccount,
  eventExpiry: (host) => startEventExpiry(host),
  podGrace: startPodGrace,
};

/** Loads the code of these controllers. The code of workloads is loaded only if they are among them. */
export async function loadToRunControllers(names: ReadonlySet<ControllerName>, options: NodeOptions): Promise<RunControllers> {
  const hasWorkloads = [...names].some((name) => KEEPERS[name] === undefined);
  const workloads = hasWorkloads ? await import('./run-workloads.ts') : undefined;
  return (host) => {
    const starters = [...names].flatMap((name) => KEEPERS[name] ?? []);
    const running = workloads?.runWorkloads(host, names, options);
    const stops = starters.map((start) => start(host));
    return {
      kubelet: running?.kubelet,
      stop: () => {
        for (const stop of stops) stop();
        running?.stop();
      },
    };
  };
} // prettier-ignore
