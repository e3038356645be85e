import type { ReplicaSet } from '@kube-informer/kubernetes/apps/v1';
import type { Pod } from '@kube-informer/kubernetes/v1';
import { isOwnedByController } from '../common/controller-owner.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost } from '../common/controller-host.ts';
import { type DeploymentSets, maximumOfDeploymentSets, sizeOfDeploymentSets } from './deployment-sets.ts';

/**
 * One step of a rolling update: the new set grows up to the maximum surge, or the old ones shrink down to the
 * maximum unavailable.
 */
export function rollOutDeployment(sets: DeploymentSets): void {
  if (growDeploymentRollout(sets)) return;
  shrinkDeploymentRollout(sets);
}

/** Recreates the pods: all old ones are deleted first, new ones are created when no old one is running. */
export function recreateDeploymentRollout(sets: DeploymentSets, host: ControllerHost): void {
  const { newest, replicas } = sets;
  let isShrinking = false;
  for (const set of sets.old) if (sizeOfDeploymentSets(set) > 0) isShrinking = sets.scale(set, 0) || isShrinking;
  if (isShrinking || newest === undefined) return;
  const pods = typedResource<Pod>(host, '', 'pods').list(newest.metadata?.namespace);
  const isRunning = ({ status }: Pod): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
  if (sets.old.some((set) => pods.some((pod) => isOwnedByController(pod, set) && isRunning(pod)))) return;
  sets.scale(newest, replicas);
}

/**
 * Sizes the sets after the deployment was scaled. A single set gets the whole size; during a roll-out each
 * set gets its share, so that the roll-out continues as it was.
 */
export function scaleDeploymentRollout(sets: DeploymentSets): void {
  const { newest, replicas, bounds, deployment } = sets;
  const active = sets.all.filter((set) => sizeOfDeploymentSets(set) > 0);
  const [only] = active.length > 0 ? active : newest === undefined ? sets.old.slice(-1) : [newest];
  if (active.length <= 1) {
    if (only !== undefined) sets.scale(only, replicas);
    return;
  }
  if (
    newest !== undefined &&
    sizeOfDeploymentSets(newest) === replicas &&
    (newest.status?.availableReplicas ?? 0) === replicas
  ) {
    for (const set of sets.old) sets.scale(set, 0);
    return;
  }
  if (deployment.spec?.strategy?.type === 'Recreate') return;
  const allowed = replicas > 0 ? replicas + bounds.surge : 0;
  let left = allowed - sets.total;
  // The largest first; among equal ones, the newer when pods are added, the older when they are removed.
  const order = active.toSorted((a, b) => sizeOfDeploymentSets(b) - sizeOfDeploymentSets(a) || (left > 0 ? 1 : -1) * (active.indexOf(b) - active.indexOf(a))); // prettier-ignore
  const sizes = order.map((set) => {
    const share = clampDeploymentRollout(
      Math.round((sizeOfDeploymentSets(set) * allowed) / (maximumOfDeploymentSets(set) || allowed)) -
        sizeOfDeploymentSets(set),
      left,
    );
    left -= share;
    return sizeOfDeploymentSets(set) + share;
  });
  for (const [index, set] of order.entries())
    sets.scale(set, Math.max(0, (sizes[index] ?? 0) + (index === 0 ? left : 0)));
}

/** Limits a share to the rest that is left, in its direction. */
const clampDeploymentRollout = (share: number, left: number): number =>
  left > 0 ? Math.max(0, Math.min(share, left)) : Math.min(0, Math.max(share, left));

function growDeploymentRollout(sets: DeploymentSets): boolean {
  const { newest, replicas, bounds } = sets;
  if (newest === undefined || sizeOfDeploymentSets(newest) === replicas) return false;
  if (sizeOfDeploymentSets(newest) > replicas) return sets.scale(newest, replicas);
  const room = replicas + bounds.surge - sets.total;
  return (
    room > 0 &&
    sets.scale(newest, sizeOfDeploymentSets(newest) + Math.min(room, replicas - sizeOfDeploymentSets(newest)))
  );
}

function shrinkDeploymentRollout(sets: DeploymentSets): void {
  const { newest, replicas, bounds } = sets;
  const minAvailable = replicas - bounds.unavailable;
  const pending = newest === undefined ? 0 : sizeOfDeploymentSets(newest) - availableInDeploymentRollout(newest);
  let left = sets.total - minAvailable - pending;
  if (left <= 0) return;
  // Pods that are not available serve no traffic, so they can go first.
  for (const set of sets.old) {
    const unhealthy = Math.min(left, sizeOfDeploymentSets(set) - availableInDeploymentRollout(set));
    if (unhealthy > 0 && sets.scale(set, sizeOfDeploymentSets(set) - unhealthy)) left -= unhealthy;
  }
  let spare = sets.all.reduce((sum, set) => sum + availableInDeploymentRollout(set), 0) - minAvailable;
  for (const set of sets.old) {
    const count = Math.min(spare, sizeOfDeploymentSets(set));
    if (count > 0 && sets.scale(set, sizeOfDeploymentSets(set) - count)) spare -= count;
  }
}

const availableInDeploymentRollout = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;
