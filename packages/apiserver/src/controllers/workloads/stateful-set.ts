import type { ControllerRevision, StatefulSet, StatefulSetStatus } from '@kube-informer/kubernetes/apps/v1';
import type { PersistentVolumeClaim, Pod } from '@kube-informer/kubernetes/v1';
import { controllerEvents } from '../common/controller-events.ts';
import { claimForControllerOwner } from '../common/controller-owner.ts';
import { isControlledPodActive, isControlledPodReady, controlledPodAvailableInMs } from '../common/controlled-pod.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { forgetRevisions, REVISION_HASH, revisionTemplate, setRevisions } from './revisions.ts';
import { statefulPodOrdinal, statefulPodClaims, statefulPod } from './stateful-pod.ts';

/**
 * Maintains the numbered pods of every StatefulSet: they are created one after the other, each when those
 * before it are ready; scaling down and updates go from the last to the first. With the policy `Parallel`,
 * pods are created and deleted at once.
 */
export function startStatefulSets(host: ControllerHost): Stop {
  const { env } = host;
  const sets = typedResource<StatefulSet>(host, 'apps', 'statefulsets');
  const pods = typedResource<Pod>(host, '', 'pods');
  const claims = typedResource<PersistentVolumeClaim>(host, '', 'persistentvolumeclaims');
  const revisions = typedResource<ControllerRevision>(host, 'apps', 'controllerrevisions');
  const record = controllerEvents(host, 'statefulset-controller');

  const createPod = (set: StatefulSet, ordinal: number, revision: ControllerRevision): void => {
    for (const claim of statefulPodClaims(set, ordinal)) {
      if (claims.get(claim.metadata?.namespace ?? '', claim.metadata?.name ?? '') !== undefined) continue;
      claims.create(claim);
      const text = `create Claim ${claim.metadata?.name} Pod ${set.metadata?.name}-${ordinal} in StatefulSet ${set.metadata?.name} success`;
      record(set, 'Normal', 'SuccessfulCreate', text);
    }
    const pod = pods.create(statefulPod(set, ordinal, revision, revisionTemplate(revision)));
    record(set, 'Normal', 'SuccessfulCreate', `create Pod ${pod.metadata?.name} in StatefulSet ${set.metadata?.name} successful`);
  }; // prettier-ignore

  const removePod = (set: StatefulSet, pod: Pod): void => {
    if (pod.metadata?.deletionTimestamp !== undefined || !pods.remove(pod)) return;
    record(set, 'Normal', 'SuccessfulDelete', `delete Pod ${pod.metadata?.name} in StatefulSet ${set.metadata?.name} successful`);
  }; // prettier-ignore

  /** Makes one step towards the desired pods. In order, it ends at the first pod that others have to wait for. */
  const step = (set: StatefulSet, own: readonly Pod[], current: ControllerRevision, update: ControllerRevision): void => {
    const { replicas = 1, ordinals, podManagementPolicy, updateStrategy, minReadySeconds = 0 } = set.spec ?? {};
    const start = ordinals?.start ?? 0;
    const partition = start + (updateStrategy?.rollingUpdate?.partition ?? 0);
    const isOrdered = podManagementPolicy !== 'Parallel';
    const isHealthy = (pod: Pod): boolean => isControlledPodActive(pod) && controlledPodAvailableInMs(pod, minReadySeconds, env.wallNow()) === 0;
    const byOrdinal = new Map(own.map((pod) => [statefulPodOrdinal(pod) ?? -1, pod]));
    const wanted = Array.from({ length: replicas }, (_, index) => start + index);

    for (const ordinal of wanted) {
      const pod = byOrdinal.get(ordinal);
      const isEnded = pod?.status?.phase === 'Failed' || pod?.status?.phase === 'Succeeded';
      if (pod === undefined) createPod(set, ordinal, ordinal < partition ? current : update);
      else if (isEnded && pod.metadata?.deletionTimestamp === undefined) removePod(set, pod);
      else if (isHealthy(pod)) continue;
      if (isOrdered) return;
    }
    const isExcess = (pod: Pod): boolean => !wanted.includes(statefulPodOrdinal(pod) ?? -1);
    const excess = own.filter(isExcess).toSorted((a, b) => (statefulPodOrdinal(b) ?? 0) - (statefulPodOrdinal(a) ?? 0));
    for (const pod of excess) {
      removePod(set, pod);
      if (isOrdered) return;
    }
    if (updateStrategy?.type === 'OnDelete') return;
    for (const ordinal of wanted.filter((one) => one >= partition).toReversed()) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) return;
      if (pod.metadata?.labels?.[REVISION_HASH] !== update.metadata?.name) return removePod(set, pod);
      if (!isHealthy(pod)) return;
    }
  }; // prettier-ignore

  const sync = (namespace: string, name: string): number | undefined => {
    const set = sets.get(namespace, name);
    if (set === undefined || set.metadata?.deletionTimestamp !== undefined) return undefined;
    const ownPods = (): readonly Pod[] => {
      const fits = ({ name: pod = '' }): boolean => pod.replace(/-\d+$/, '') === name;
      return claimForControllerOwner(pods, { owner: set, selector: set.spec?.selector, fits });
    };
    const known = setRevisions(revisions, set);
    const update = known.at(-1) as ControllerRevision;
    const current = known.find(({ metadata }) => metadata?.name === set.status?.currentRevision) ?? update;
    step(set, ownPods(), current, update);

    const own = ownPods();
    const { replicas = 1, minReadySeconds = 0 } = set.spec ?? {};
    const active = own.filter(isControlledPodActive);
    const of = ({ metadata }: ControllerRevision): readonly Pod[] =>
      active.filter((pod) => pod.metadata?.labels?.[REVISION_HASH] === metadata?.name);
    const waits = active.map((pod) => controlledPodAvailableInMs(pod, minReadySeconds, env.wallNow()));
    const readyReplicas = active.filter(isControlledPodReady).length;
    const isUpdated = of(update).length === replicas && readyReplicas === replicas && own.length === replicas;
    const now = isUpdated ? update : current;
    const status: StatefulSetStatus = {
      observedGeneration: set.metadata?.generation ?? 0,
      replicas: own.length,
      readyReplicas,
      availableReplicas: waits.filter((wait) => wait === 0).length,
      currentReplicas: of(now).length,
      updatedReplicas: of(update).length,
      currentRevision: now.metadata?.name ?? '',
      updateRevision: update.metadata?.name ?? '',
      collisionCount: 0,
    };
    const latest = sets.get(namespace, name);
    if (latest !== undefined) sets.updateStatus(latest, status);
    forgetRevisions(revisions, set, known, (one) => one === now || one === update || of(one).length > 0);
    const next = Math.min(...waits.map((wait) => (wait === undefined || wait === 0 ? Infinity : wait)));
    return next === Infinity ? undefined : next;
  };
  return reconcileKeyNow(host, {
    name: 'stateful sets',
    group: 'apps',
    resource: 'statefulsets',
    owns: [['', 'pods']],
    sync,
  });
}
