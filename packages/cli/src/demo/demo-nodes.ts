import type { NodeOptions, WantedControllers } from '@kube-informer/apiserver';

/**
 * The controllers of the demo's cluster: all but the one that deletes old Events. The simulation deletes them
 * itself, earlier than after an hour.
 */
export const DEMO_CONTROLLERS: WantedControllers = [
  'garbageCollector', 'namespaces', 'serviceAccounts',
  'deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'endpoints', 'volumes', 'nodes',
]; // prettier-ignore

/** Whether containers of this image crash. */
export const isDemoImageBroken = (image: string): boolean => image.includes('-broken');

/** The demo's nodes: pods take a second or two to become ready, and broken releases crash. */
export function demoNodes(random: () => number): NodeOptions {
  return {
    count: 3,
    startAfterMs: 600,
    stopAfterMs: 1_000,
    restartAfterMs: 2_000,
    run({ pod, container, image, restarts }) {
      const logs = [`${image} starts${restarts === 0 ? '' : ` for the ${restarts + 1}. time`}`];
      if (isDemoImageBroken(image))
        return { exitAfterMs: 600, exitCode: 1, logs: [...logs, 'panic: no such table: orders'] };
      const { restartPolicy } = pod['spec'] as { restartPolicy?: string };
      if (restartPolicy !== 'Always') return { exitAfterMs: 2_500, logs: [...logs, 'done'] };
      return { readyAfterMs: 400 + random() * 800, logs: [...logs, `${container} is listening`] };
    },
  };
}
