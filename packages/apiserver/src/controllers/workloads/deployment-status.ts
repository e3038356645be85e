import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@kube-informer/kubernetes/apps/v1';
import { defined } from 'kube-informer/core';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { findStatusCondition, withStatusCondition, withoutStatusCondition } from '../common/status-conditions.ts';
import { parseControllerTime } from '../common/controller-time.ts';
import type { DeploymentSets } from './deployment-sets.ts';

const AVAILABLE = 'NewReplicaSetAvailable';
const TIMED_OUT = 'ProgressDeadlineExceeded';

/** Whether every pod has the new template and is available. */
export function isDeploymentStatusComplete({ metadata, spec }: Deployment, status: DeploymentStatus): boolean {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const counts = [updatedReplicas, replicas, availableReplicas];
  return counts.every((count) => count === wanted) && observedGeneration >= (metadata?.generation ?? 0);
}

/** The counts and conditions of a deployment after a sync. */
export function nextDeploymentStatus(deployment: Deployment, sets: DeploymentSets, nowMs: number): DeploymentStatus {
  const { metadata, status: before } = deployment;
  const sum = (of: (set: ReplicaSet) => number | undefined): number =>
    sets.all.reduce((total, set) => total + (of(set) ?? 0), 0);
  const replicas = sum(({ status }) => status?.replicas);
  const availableReplicas = sum(({ status }) => status?.availableReplicas);
  const wanted = sum(({ spec }) => spec?.replicas);
  const counts: DeploymentStatus = {
    observedGeneration: metadata?.generation ?? 0,
    replicas,
    updatedReplicas: sets.newest?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, wanted - availableReplicas),
    terminatingReplicas: sum(({ status }) => status?.terminatingReplicas),
    ...defined({ collisionCount: before?.collisionCount }),
  };
  const now = serverTimestamp(nowMs);
  const isAvailable = availableReplicas >= sets.replicas - sets.bounds.unavailable;
  const availability = setDeploymentStatusCondition(before?.conditions, now, {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  });
  const progress = deploymentStatusOfProgress(deployment, counts, sets, availability, nowMs);
  return { ...counts, conditions: deploymentStatusOfFailure(sets, progress, now) };
}

/** Time until a roll-out without progress counts as failed; undefined if none is under way. */
export function deploymentStatusDeadline(
  { spec }: Deployment,
  status: DeploymentStatus,
  nowMs: number,
): number | undefined {
  const progress = findStatusCondition(status.conditions, 'Progressing');
  if (progress === undefined || spec?.progressDeadlineSeconds === undefined) return undefined;
  if (progress.reason === AVAILABLE || progress.status !== 'True') return undefined;
  const since = parseControllerTime(progress.lastUpdateTime) ?? nowMs;
  return Math.max(0, since + spec.progressDeadlineSeconds * 1_000 - nowMs) + 1_000;
}

type NewCondition = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Sets a condition. One with the same status and reason stays as it is, including its times. */
function setDeploymentStatusCondition(conditions: readonly DeploymentCondition[] = [], now: string, next: NewCondition): DeploymentCondition[] {
  const before = findStatusCondition(conditions, next.type);
  if (before?.status === next.status && before.reason === next.reason) return [...conditions];
  return withStatusCondition<DeploymentCondition>(conditions, { ...next, lastUpdateTime: now, lastTransitionTime: now });
} // prettier-ignore

function deploymentStatusOfProgress(
  deployment: Deployment,
  counts: DeploymentStatus,
  sets: DeploymentSets,
  conditions: readonly DeploymentCondition[],
  nowMs: number,
): DeploymentCondition[] {
  const { spec, status: before, metadata } = deployment;
  const now = serverTimestamp(nowMs);
  const deadline = spec?.progressDeadlineSeconds;
  const { newest } = sets;
  const current = findStatusCondition(conditions, 'Progressing');
  if (deadline === undefined) return withoutStatusCondition(conditions, 'Progressing');
  const set = (status: string, reason: string, message: string): DeploymentCondition[] =>
    setDeploymentStatusCondition(conditions, now, { type: 'Progressing', status, reason, message });
  if (spec?.paused === true && current?.reason !== TIMED_OUT)
    return set('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (spec?.paused !== true && current?.reason === 'DeploymentPaused')
    return set('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  const named = newest === undefined ? `Deployment "${metadata?.name}"` : `ReplicaSet "${newest.metadata?.name}"`;
  if (sets.isNew === 'created') return set('True', 'NewReplicaSetCreated', `Created new replica set "${newest?.metadata?.name}"`);
  if (sets.isNew === 'found') return set('True', 'FoundNewReplicaSet', `Found new replica set "${newest?.metadata?.name}"`);
  if (counts.replicas === counts.updatedReplicas && current?.reason === AVAILABLE) return [...conditions];
  if (isDeploymentStatusComplete(deployment, counts)) return set('True', AVAILABLE, `${named} has successfully progressed.`);
  if (isDeploymentStatusProgress(before ?? {}, counts)) {
    const next = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${named} is progressing.` };
    // Each step restarts the deadline.
    return withStatusCondition<DeploymentCondition>(conditions, { ...next, lastUpdateTime: now, lastTransitionTime: now });
  }
  const since = parseControllerTime(current?.lastUpdateTime) ?? nowMs;
  if (current !== undefined && current.reason !== AVAILABLE && since + deadline * 1_000 < nowMs)
    return set('False', TIMED_OUT, `${named} has timed out progressing.`);
  return [...conditions];
} // prettier-ignore

function isDeploymentStatusProgress(before: DeploymentStatus, now: DeploymentStatus): boolean {
  const old = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const more = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (now[field] ?? 0) > (before[field] ?? 0);
  return more('updatedReplicas') || more('readyReplicas') || more('availableReplicas') || old(now) < old(before);
}

/** The failure of a set that cannot create its pods, which is the deployment's failure as well. */
function deploymentStatusOfFailure(sets: DeploymentSets, conditions: readonly DeploymentCondition[], now: string): DeploymentCondition[] {
  const failed = [sets.newest, ...sets.old].map((set) => findStatusCondition(set?.status?.conditions, 'ReplicaFailure'));
  const failure = failed.find((one) => one !== undefined);
  if (failure === undefined) return withoutStatusCondition(conditions, 'ReplicaFailure');
  const { status, reason = '', message = '' } = failure;
  return setDeploymentStatusCondition(conditions, now, { type: 'ReplicaFailure', status, reason, message });
} // prettier-ignore
