import type { Pod } from '@kube-informer/kubernetes/v1';
import { parseControllerTime } from './controller-time.ts';
import { findCondition, isConditionTrue } from './status-conditions.ts';

/** Neither finished nor on its way out. */
export const isPodActive = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

export const isPodReady = ({ status }: Pod): boolean => isConditionTrue(status?.conditions, 'Ready');

/** Milliseconds until a pod has been ready for `minReadySeconds`: 0 if it has, undefined if it is not ready. */
export function podAvailableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isPodReady(pod)) return undefined;
  const since = parseControllerTime(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? now;
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1_000 - now);
}

/** The order in which pods are deleted when there are too many: those that are missed least come first. */
export function byPodDeletionOrder(a: Pod, b: Pod): number {
  return (
    comparePodFlags((a.spec?.nodeName ?? '') !== '', (b.spec?.nodeName ?? '') !== '') ||
    podPhaseRank(a) - podPhaseRank(b) ||
    comparePodFlags(isPodReady(a), isPodReady(b)) ||
    podDeletionCost(a) - podDeletionCost(b) ||
    // The younger one first.
    comparePodTexts(b.metadata?.creationTimestamp, a.metadata?.creationTimestamp) ||
    comparePodTexts(b.metadata?.name, a.metadata?.name)
  );
}

const comparePodFlags = (a: boolean, b: boolean): number => Number(a) - Number(b);
const comparePodTexts = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
const podPhaseRank = ({ status }: Pod): number =>
  status?.phase === 'Pending' ? 0 : status?.phase === 'Unknown' ? 1 : 2;
const podDeletionCost = ({ metadata }: Pod): number =>
  Number(metadata?.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0;
