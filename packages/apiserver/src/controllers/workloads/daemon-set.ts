import type { ControllerRevision, DaemonSet, DaemonSetStatus } from '@kube-informer/kubernetes/apps/v1';
import type { Node, Pod } from '@kube-informer/kubernetes/v1';
import { scaledAmount } from '../common/amount.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { claimForControllerOwner } from '../common/controller-owner.ts';
import { isControlledPodActive, isControlledPodReady, controlledPodAvailableInMs } from '../common/controlled-pod.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { DAEMON_TOLERATIONS, nodePlacementOfDaemon, isNodePlacementOfDaemon } from '../common/node-placement.ts';
import { podOfTemplate } from './pod-template.ts';
import { forgetRevisions, REVISION_HASH, revisionHash, setRevisions } from './revisions.ts';

/** Runs one pod of each DaemonSet on each node that it fits on. */
export function startDaemonSets(host: ControllerHost): Stop {
  const { env } = host;
  const sets = typedResource<DaemonSet>(host, 'apps', 'daemonsets');
  const pods = typedResource<Pod>(host, '', 'pods');
  const nodes = typedResource<Node>(host, '', 'nodes');
  const revisions = typedResource<ControllerRevision>(host, 'apps', 'controllerrevisions');
  const record = controllerEvents(host, 'daemonset-controller');

  const createPod = (set: DaemonSet, node: string, hash: string): void => {
    const { template, } = set.spec ?? {};
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
    const required = { nodeSelectorTerms: [term] };
    const { affinity, tolerations = [] } = template?.spec ?? {};
    const nodeAffinity = { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
    const pod = pods.create(
      podOfTemplate(set, template, {
        generateName: `${set.metadata?.name}-`,
        labels: { [REVISION_HASH]: hash, 'pod-template-generation': String(set.metadata?.generation ?? 1) },
        spec: { affinity: { ...affinity, nodeAffinity }, tolerations: [...tolerations, ...DAEMON_TOLERATIONS] } as object,
      }),
    );
    record(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
  }; // prettier-ignore

  const removePod = (set: DaemonSet, pod: Pod): void => {
    if (pod.metadata?.deletionTimestamp === undefined && pods.remove(pod))
      record(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
  };

  const sync = (namespace: string, name: string): number | undefined => {
    const set = sets.get(namespace, name);
    if (set === undefined || set.metadata?.deletionTimestamp !== undefined) return undefined;
    const { selector, template, minReadySeconds = 0, updateStrategy } = set.spec ?? {};
    const known = setRevisions(revisions, set);
    const hash = revisionHash(known.at(-1) as ControllerRevision);
    const own = (): readonly Pod[] => claimForControllerOwner(pods, { owner: set, selector });
    const wanted = nodes.list().filter((node) => isNodePlacementOfDaemon(template?.spec, node)).map(({ metadata }) => metadata?.name ?? ''); // prettier-ignore
    const isAvailable = (pod: Pod): boolean => controlledPodAvailableInMs(pod, minReadySeconds, env.wallNow()) === 0;
    const isCurrent = ({ metadata }: Pod): boolean => metadata?.labels?.[REVISION_HASH] === hash;

    const before = own();
    for (const pod of before)
      if (!wanted.includes(nodePlacementOfDaemon(pod) ?? '') || (!isControlledPodActive(pod) && pod.metadata?.deletionTimestamp === undefined))
        removePod(set, pod); // prettier-ignore
    for (const node of wanted) {
      const [first, ...others] = before.filter((pod) => nodePlacementOfDaemon(pod) === node);
      if (first === undefined) createPod(set, node, hash);
      for (const pod of others) if (isControlledPodActive(pod)) removePod(set, pod);
    }
    if (updateStrategy?.type !== 'OnDelete') {
      const limit = scaledAmount(updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted.length, 'up');
      const now = own();
      const gone = wanted.length - now.filter((pod) => isControlledPodActive(pod) && isAvailable(pod)).length;
      const old = now.filter((pod) => isControlledPodActive(pod) && !isCurrent(pod));
      // Pods that are not available are deleted first, which costs nothing.
      for (const pod of old.filter((one) => !isAvailable(one))) removePod(set, pod);
      for (const pod of old.filter(isAvailable).slice(0, Math.max(0, limit - gone))) removePod(set, pod);
    }

    const active = own().filter(isControlledPodActive);
    const placed = active.filter((pod) => wanted.includes(nodePlacementOfDaemon(pod) ?? ''));
    const waits = placed.map((pod) => controlledPodAvailableInMs(pod, minReadySeconds, env.wallNow()));
    const numberAvailable = waits.filter((wait) => wait === 0).length;
    const status: DaemonSetStatus = {
      observedGeneration: set.metadata?.generation ?? 0,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: new Set(placed.map(nodePlacementOfDaemon)).size,
      numberMisscheduled: active.length - placed.length,
      numberReady: placed.filter(isControlledPodReady).length,
      updatedNumberScheduled: placed.filter(isCurrent).length,
      numberAvailable,
      numberUnavailable: wanted.length - numberAvailable,
    };
    const latest = sets.get(namespace, name);
    if (latest !== undefined) sets.updateStatus(latest, status);
    const used = new Set(active.map(({ metadata }) => metadata?.labels?.[REVISION_HASH]));
    forgetRevisions(revisions, set, known, (one) => one === known.at(-1) || used.has(revisionHash(one)));
    const next = Math.min(...waits.map((wait) => (wait === undefined || wait === 0 ? Infinity : wait)));
    return next === Infinity ? undefined : next;
  };
  return reconcileKeyNow(host, {
    name: 'daemon sets',
    group: 'apps',
    resource: 'daemonsets',
    owns: [['', 'pods']],
    follows: [['', 'nodes', () => sets.list()]],
    sync,
  });
}
