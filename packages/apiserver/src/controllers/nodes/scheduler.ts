import type { Node, Pod } from '@kube-informer/kubernetes/v1';
import type { PodCondition } from '@kube-informer/kubernetes/v1';
import { StatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { withStatusCondition } from '../common/status-conditions.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { nodePlacementFault } from '../common/node-placement.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource, type Typed } from '../common/typed-resource.ts';

/**
 * Binds each pod to the node with the fewest pods among those it fits on, by selectors, node affinity and
 * taints. Resource requests are ignored.
 */
export function startScheduler(host: ControllerHost): Stop {
  const pods = typedResource<Pod>(host, '', 'pods');
  const nodes = typedResource<Node>(host, '', 'nodes');
  const record = controllerEvents(host, 'default-scheduler');
  const isWaiting = ({ metadata, spec }: Pod): boolean =>
    (spec?.nodeName ?? '') === '' &&
    metadata?.deletionTimestamp === undefined &&
    (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    (spec?.schedulingGates ?? []).length === 0;

  const sync = (namespace: string, name: string): number | undefined => {
    const pod = pods.get(namespace, name);
    if (pod === undefined || !isWaiting(pod)) return undefined;
    const all = nodes.list();
    const faults = all.map((node) => nodePlacementFault(pod.spec, node));
    const fitting = all.filter((_, index) => faults[index] === undefined);
    if (fitting.length === 0) {
      const message = schedulerFaultsText(faults);
      const now = serverTimestamp(host.env.wallNow());
      const next = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastProbeTime: null, lastTransitionTime: now }; // prettier-ignore
      const conditions = withStatusCondition<PodCondition>(pod.status?.conditions, next as unknown as PodCondition);
      const before = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
      pods.updateStatus(pod, { ...pod.status, conditions });
      if (before?.message !== message) record(pod, 'Warning', 'FailedScheduling', message);
      return undefined;
    }
    const counts = new Map<string, number>();
    for (const { spec } of pods.list()) if (spec?.nodeName !== undefined) counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1); // prettier-ignore
    const load = ({ metadata }: Node): number => counts.get(metadata?.name ?? '') ?? 0;
    const [chosen] = fitting.toSorted((a, b) => load(a) - load(b) || ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1)); // prettier-ignore
    const node = chosen?.metadata?.name ?? '';
    try {
      host.bind(namespace, name, node);
      record(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`);
    } catch (error) {
      // Deleted, or bound by another scheduler.
      if (!(error instanceof StatusError && [404, 409].includes(error.status.code ?? 0))) throw error;
    }
    return undefined;
  };
  // A pod may be waiting for a node that is new or has become ready.
  const waiting = (): readonly Typed[] => pods.list().filter(isWaiting);
  return reconcileKeyNow(host, {
    name: 'scheduler',
    group: '',
    resource: 'pods',
    follows: [['', 'nodes', waiting]],
    sync,
  });
}

/** The reasons as text: `0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match …` */
function schedulerFaultsText(faults: readonly (string | undefined)[]): string {
  if (faults.length === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const fault of faults) counts.set(fault ?? '', (counts.get(fault ?? '') ?? 0) + 1);
  const reasons = [...counts].map(([fault, count]) => `${count} ${fault}`).toSorted();
  return `0/${faults.length} nodes are available: ${reasons.join(', ')}.`;
}
