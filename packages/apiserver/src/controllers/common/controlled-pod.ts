import type { Pod } from '@kube-informer/kubernetes/v1';
import { parseControllerTime } from './controller-time.ts';
import { findStatusCondition, isStatusConditionTrue } from './status-conditions.ts';

/** Whether a pod is neither finished nor being deleted. */
export const isControlledPodActive = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

export const isControlledPodReady = ({ status }: Pod): boolean => isStatusConditionTrue(status?.conditions, 'Ready');

/** Milliseconds until a pod has been ready for `minReadySeconds`: 0 if it has, undefined if it is not ready. */
export function controlledPodAvailableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  if (!isControlledPodReady(pod)) return undefined;
  const since = parseControllerTime(findStatusCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? now;
  return minReadySeconds === 0 ? 0 : Math.max(0, since + minReadySeconds * 1_000 - now);
}

/** The order in which pods are deleted when there are too many: the least valuable come first. */
export function orderOfControlledPods(a: Pod, b: Pod): number {
  return (
    compareControlledPodFlags((a.spec?.nodeName ?? '') !== '', (b.spec?.nodeName ?? '') !== '') ||
    controlledPodPhaseRank(a) - controlledPodPhaseRank(b) ||
    compareControlledPodFlags(isControlledPodReady(a), isControlledPodReady(b)) ||
    controlledPodCost(a) - controlledPodCost(b) ||
    // Younger pods come first.
    compareControlledPodTexts(b.metadata?.creationTimestamp, a.metadata?.creationTimestamp) ||
    compareControlledPodTexts(b.metadata?.name, a.metadata?.name)
  );
}

const compareControlledPodFlags = (a: boolean, b: boolean): number => Number(a) - Number(b);
const compareControlledPodTexts = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
const controlledPodPhaseRank = ({ status }: Pod): number =>
  status?.phase === 'Pending' ? 0 : status?.phase === 'Unknown' ? 1 : 2;
const controlledPodCost = ({ metadata }: Pod): number =>
  Number(metadata?.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0;
