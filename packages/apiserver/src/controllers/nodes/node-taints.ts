import type { Node, Taint } from '@kube-informer/kubernetes/v1';
import { isStatusConditionTrue } from '../common/status-conditions.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { NOT_READY } from '../common/node-placement.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';

/** Keeps new pods away from nodes that are not ready: every new node has this taint. Pods already on it stay. */
export function startNodeTaints(host: ControllerHost): Stop {
  const nodes = typedResource<Node>(host, '', 'nodes');
  const sync = (_: string, name: string): undefined => {
    const node = nodes.get('', name);
    if (node === undefined) return;
    const isTaint = ({ key, effect }: Taint): boolean => key === NOT_READY.key && effect === NOT_READY.effect;
    const isReady = isStatusConditionTrue(node.status?.conditions, 'Ready');
    const before = node.spec?.taints ?? [];
    if (isReady !== before.some(isTaint)) return;
    const taints = isReady ? before.filter((taint) => !isTaint(taint)) : [...before, NOT_READY];
    nodes.update({ ...node, spec: { ...node.spec, taints } });
  };
  return reconcileKeyNow(host, { name: 'node taints', group: '', resource: 'nodes', sync });
}
