import type { ControllerHost, Stop } from './common/controller-host.ts';
import { startHorizontalPodAutoscaler } from './autoscaling/horizontal-pod-autoscaler.ts';
import { startServiceEndpoints } from './network/service-endpoints.ts';
import { type NodeOptions, podUsageInNodeOptions } from './nodes/node-options.ts';
import { startFakeNodes } from './nodes/fake-nodes.ts';
import { startVolumeBinder } from './nodes/volume-binder.ts';
import type { ControllerName } from './controller-name.ts';
import type { RunningControllers } from './run-controllers.ts';
import { startCronJobs } from './workloads/cron-job.ts';
import { startDaemonSets } from './workloads/daemon-set.ts';
import { startDeployments } from './workloads/deployment.ts';
import { startJobs } from './workloads/job-controller.ts';
import { startReplicaSetController } from './workloads/replica-set.ts';
import { startStatefulSets } from './workloads/stateful-set.ts';

const WORKLOADS: Partial<Record<ControllerName, (host: ControllerHost) => Stop>> = {
  deployments: startDeployments,
  replicasets: startReplicaSetController,
  statefulsets: startStatefulSets,
  daemonsets: startDaemonSets,
  jobs: startJobs,
  cronjobs: startCronJobs,
  endpoints: startServiceEndpoints,
  volumes: startVolumeBinder,
};

/** Starts the controllers of workloads, and the nodes that their pods run on. */
export function runWorkloads(
  host: ControllerHost,
  names: ReadonlySet<ControllerName>,
  options: NodeOptions,
): RunningControllers {
  // A deployment does nothing without its ReplicaSets.
  const wanted = names.has('deployments') ? new Set([...names, 'replicasets' as const]) : names;
  const stops = [...wanted].flatMap((name) => WORKLOADS[name] ?? []).map((start) => start(host));
  if (names.has('hpa')) stops.push(startHorizontalPodAutoscaler(host, podUsageInNodeOptions(options, host.env)));
  const nodes = names.has('nodes') ? startFakeNodes(host, options) : undefined;
  return {
    kubelet: nodes?.kubelet,
    stop: () => {
      for (const stop of stops) stop();
      nodes?.stop();
    },
  };
}
