import type { Deployment, ReplicaSet } from '@kube-informer/kubernetes/apps/v1';
import { controllerEvents } from '../common/controller-events.ts';
import { claimForControllerOwner } from '../common/controller-owner.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { DeploymentSets } from './deployment-sets.ts';
import { isDeploymentStatusComplete, nextDeploymentStatus, deploymentStatusDeadline } from './deployment-status.ts';
import { recreateDeploymentRollout, rollOutDeployment, scaleDeploymentRollout } from './deployment-rollout.ts';

/**
 * Rolls out Deployments: there is a ReplicaSet for each template, and replicas move from the old ones to the
 * new one.
 */
export function startDeployments(host: ControllerHost): Stop {
  const { env } = host;
  const deployments = typedResource<Deployment>(host, 'apps', 'deployments');
  const replicaSets = typedResource<ReplicaSet>(host, 'apps', 'replicasets');
  const record = controllerEvents(host, 'deployment-controller');

  const sync = (namespace: string, name: string): number | undefined => {
    const deployment = deployments.get(namespace, name);
    if (deployment === undefined) return undefined;
    const owned = claimForControllerOwner(replicaSets, { owner: deployment, selector: deployment.spec?.selector });
    const sets = new DeploymentSets({ deployment, owned, deployments, replicaSets, record });
    if (deployment.metadata?.deletionTimestamp === undefined) {
      const { paused = false, strategy } = deployment.spec ?? {};
      if (paused || sets.isResized()) {
        sets.adoptNewest({ create: false });
        scaleDeploymentRollout(sets);
      } else {
        sets.adoptNewest({ create: true });
        if (strategy?.type === 'Recreate') recreateDeploymentRollout(sets, host);
        else rollOutDeployment(sets);
      }
    }
    const now = deployments.get(namespace, name);
    if (now === undefined) return undefined;
    const status = nextDeploymentStatus(now, sets, env.wallNow());
    deployments.updateStatus(now, status);
    if (isDeploymentStatusComplete(now, status)) sets.forgetOld();
    return deploymentStatusDeadline(now, status, env.wallNow());
  };
  return reconcileKeyNow(host, {
    name: 'deployments',
    group: 'apps',
    resource: 'deployments',
    owns: [['apps', 'replicasets']],
    // A deployment that recreates waits for the last pod of an old set to be gone.
    follows: [['', 'pods', (pod) => recreatedDeployments(host, pod)]],
    sync,
  });
}

function recreatedDeployments(
  host: ControllerHost,
  { metadata }: { metadata?: { namespace?: string; labels?: object } },
) {
  if (metadata?.labels === undefined || !('pod-template-hash' in metadata.labels)) return [];
  const all = typedResource<Deployment>(host, 'apps', 'deployments').list(metadata.namespace);
  return all.filter(({ spec }) => spec?.strategy?.type === 'Recreate');
}
