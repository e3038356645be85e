import type { ReplicaSet, ReplicaSetCondition } from '@kube-informer/kubernetes/apps/v1';
import type { Pod } from '@kube-informer/kubernetes/v1';
import { StatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { withStatusCondition, withoutStatusCondition } from '../common/status-conditions.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { claimForControllerOwner } from '../common/controller-owner.ts';
import {
  orderOfControlledPods,
  isControlledPodActive,
  isControlledPodReady,
  controlledPodAvailableInMs,
} from '../common/controlled-pod.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { podOfTemplate } from './pod-template.ts';

/** Maintains the desired number of pods of each ReplicaSet. */
export function startReplicaSetController(host: ControllerHost): Stop {
  const { env } = host;
  const sets = typedResource<ReplicaSet>(host, 'apps', 'replicasets');
  const pods = typedResource<Pod>(host, '', 'pods');
  const record = controllerEvents(host, 'replicaset-controller');

  /** Creates or deletes pods. Returns the error if that fails. */
  const resize = (set: ReplicaSet, active: readonly Pod[]): string | undefined => {
    const missing = (set.spec?.replicas ?? 1) - active.length;
    try {
      for (let i = 0; i < missing; i += 1) {
        const pod = pods.create(podOfTemplate(set, set.spec?.template, { generateName: `${set.metadata?.name}-` }));
        record(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
      }
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      record(set, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      return error.message;
    }
    for (const pod of active.toSorted(orderOfControlledPods).slice(0, Math.max(0, -missing)))
      if (pods.remove(pod)) record(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
    return undefined;
  };

  const sync = (namespace: string, name: string): number | undefined => {
    const found = sets.get(namespace, name);
    if (found === undefined) return undefined;
    const claim = { owner: found, selector: found.spec?.selector };
    const isEnding = found.metadata?.deletionTimestamp !== undefined;
    const failure = isEnding
      ? undefined
      : resize(found, claimForControllerOwner(pods, claim).filter(isControlledPodActive));
    const set = sets.get(namespace, name) ?? found;
    const own = claimForControllerOwner(pods, claim);
    const active = own.filter(isControlledPodActive);
    const { minReadySeconds = 0, template } = set.spec ?? {};
    const waits = active.map((pod) => controlledPodAvailableInMs(pod, minReadySeconds, env.wallNow()));
    const wanted = Object.entries(template?.metadata?.labels ?? {});
    const isLabeled = ({ metadata }: Pod): boolean => wanted.every(([key, value]) => metadata?.labels?.[key] === value);
    sets.updateStatus(set, {
      replicas: active.length,
      fullyLabeledReplicas: active.filter(isLabeled).length,
      readyReplicas: active.filter(isControlledPodReady).length,
      availableReplicas: waits.filter((wait) => wait === 0).length,
      terminatingReplicas: own.filter(({ metadata }) => metadata?.deletionTimestamp !== undefined).length,
      observedGeneration: set.metadata?.generation ?? 0,
      conditions: replicaSetFailure(set, failure, serverTimestamp(env.wallNow())),
    });
    const next = Math.min(...waits.map((wait) => (wait === undefined || wait === 0 ? Infinity : wait)));
    if (failure !== undefined) return RETRY_MS;
    return next === Infinity ? undefined : next;
  };
  return reconcileKeyNow(host, {
    name: 'replica sets',
    group: 'apps',
    resource: 'replicasets',
    owns: [['', 'pods']],
    sync,
  });
}

/** Delay before creating pods is tried again. */
const RETRY_MS = 1_000;

function replicaSetFailure({ status }: ReplicaSet, failure: string | undefined, now: string): ReplicaSetCondition[] {
  if (failure === undefined) return withoutStatusCondition(status?.conditions, 'ReplicaFailure');
  return withStatusCondition<ReplicaSetCondition>(status?.conditions, {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: failure,
    lastTransitionTime: now,
  });
}
