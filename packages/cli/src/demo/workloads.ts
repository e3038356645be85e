import type { ApiObject } from '@kube-informer/apiserver';
import { at, conditionAt, defined, isTrue, numberAt, textAt } from '@kube-informer/inspector/internal';
import { NODES } from './seed.ts';
import { draft, isOwnedBy, ownerReference, putStatus, suffix, timestamp, type World } from './world.ts';

/**
 * Simple controllers for Deployments, ReplicaSets and Jobs: each step compares all objects with their spec and makes
 * one change towards it. Changes made from outside, for example with kubectl, are reconciled in the same way.
 */
export function stepWorkloads(world: World): void {
  const { local } = world;
  for (const deployment of local.list('apps', 'deployments')) stepDeployment(world, deployment);
  for (const set of local.list('apps', 'replicasets')) stepReplicaSet(world, set);
  for (const job of local.list('batch', 'jobs')) stepJob(world, job);
}

export const isReady = (pod: ApiObject): boolean =>
  isTrue(conditionAt(pod, 'Ready')) && pod.metadata?.deletionTimestamp === undefined;

function stepDeployment(world: World, deployment: ApiObject): void {
  const { local, env } = world;
  const { namespace = '', name = '' } = deployment.metadata ?? {};
  const wanted = numberAt(deployment, 'spec.replicas');
  const sets = local.list('apps', 'replicasets', namespace).filter((set) => isOwnedBy(set, deployment));
  const newName = `${name}-${templateHash(at(deployment, 'spec.template'))}`;
  const current = sets.find((set) => set.metadata?.name === newName);
  const old = sets.filter((set) => set !== current);
  if (current === undefined) {
    createReplicaSet(world, deployment, newName, old.length === 0 ? wanted : 0);
    return;
  }
  const replicas = (set: ApiObject): number => numberAt(set, 'spec.replicas');
  const total = sets.reduce((sum, set) => sum + replicas(set), 0);
  const ready = sets.reduce((sum, set) => sum + numberAt(set, 'status.readyReplicas'), 0);
  // As with maxSurge 1 and maxUnavailable 0.
  if (replicas(current) > wanted) resize(world, deployment, current, wanted);
  else if (replicas(current) < wanted && (old.every((set) => replicas(set) === 0) || total <= wanted))
    resize(world, deployment, current, old.every((set) => replicas(set) === 0) ? wanted : replicas(current) + 1);
  else {
    const left = old.filter((set) => replicas(set) > 0);
    // Scales down old sets with pods that are not ready first.
    const broken = left.find((set) => numberAt(set, 'status.readyReplicas') < replicas(set));
    const shrinking = broken ?? (ready > wanted ? left[0] : undefined);
    if (shrinking !== undefined) resize(world, deployment, shrinking, replicas(shrinking) - 1);
  }
  for (const done of old.filter((set) => replicas(set) === 0 && numberAt(set, 'status.replicas') === 0).slice(0, -1))
    local.remove('apps', 'replicasets', namespace, done.metadata?.name ?? '');
  const available = ready >= wanted;
  const before = conditionAt(deployment, 'Available');
  const changedAt = isTrue(before) === available ? textAt(before, 'lastTransitionTime') : '';
  putStatus(world, 'apps', 'deployments', local.get('apps', 'deployments', namespace, name) ?? deployment, {
    observedGeneration: deployment.metadata?.generation ?? 1,
    replicas: sets.reduce((sum, set) => sum + numberAt(set, 'status.replicas'), 0),
    updatedReplicas: numberAt(current, 'status.replicas'),
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [
      {
        type: 'Available',
        status: available ? 'True' : 'False',
        reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: available ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
        lastTransitionTime: changedAt || timestamp(env.wallNow()),
        lastUpdateTime: changedAt || timestamp(env.wallNow()),
      },
    ],
  });
}

function createReplicaSet(world: World, deployment: ApiObject, name: string, replicas: number): void {
  const { namespace = '' } = deployment.metadata ?? {};
  const spec = draft(deployment)['spec'] as {
    selector: { matchLabels: object };
    template: { metadata: { labels: object } };
  };
  const labels = { ...spec.template.metadata.labels, 'pod-template-hash': name.slice(name.lastIndexOf('-') + 1) };
  const template = { ...spec.template, metadata: { labels } };
  world.local.create('apps', 'replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace, name, labels, ownerReferences: [ownerReference(deployment)] } as object,
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
  if (replicas > 0)
    world.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
}

function resize(world: World, deployment: ApiObject, set: ApiObject, replicas: number): void {
  const before = numberAt(set, 'spec.replicas');
  const changed = draft(set);
  changed['spec'].replicas = replicas;
  world.local.update('apps', 'replicasets', changed);
  const direction = replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata?.name} from ${before} to ${replicas}`;
  world.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', message);
}

function stepReplicaSet(world: World, set: ApiObject): void {
  const { local } = world;
  const { namespace = '', name = '' } = set.metadata ?? {};
  const own = local.list('', 'pods', namespace).filter((pod) => isOwnedBy(pod, set));
  const pods = own.filter((pod) => pod.metadata?.deletionTimestamp === undefined);
  const wanted = numberAt(set, 'spec.replicas');
  for (let missing = wanted - pods.length; missing > 0; missing -= 1)
    createPod(world, set, `${name}-${suffix(() => world.env.random())}`);
  const excess = pods
    .toSorted((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, Math.max(0, pods.length - wanted));
  for (const pod of excess) deletePod(world, pod);
  const left = pods.filter((pod) => !excess.includes(pod));
  putStatus(world, 'apps', 'replicasets', set, {
    observedGeneration: set.metadata?.generation ?? 1,
    replicas: Math.max(left.length, Math.min(wanted, pods.length)),
    fullyLabeledReplicas: left.length,
    readyReplicas: left.filter(isReady).length,
    availableReplicas: left.filter(isReady).length,
  });
}

export function deletePod(world: World, pod: ApiObject): void {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  world.recordEvent(pod, 'Normal', 'Killing', `Stopping container ${containerName(pod)}`);
  world.local.remove('', 'pods', namespace, name, { gracePeriodSeconds: 1 });
}

function stepJob(world: World, job: ApiObject): void {
  const { local, env } = world;
  if (isTrue(conditionAt(job, 'Complete'))) return;
  const { namespace = '', name = '' } = job.metadata ?? {};
  const pod = local.list('', 'pods', namespace).find((one) => isOwnedBy(one, job));
  if (pod === undefined) {
    createPod(world, job, `${name}-${suffix(() => env.random())}`);
    putStatus(world, 'batch', 'jobs', job, { active: 1, startTime: timestamp(env.wallNow()) });
    return;
  }
  if (textAt(pod, 'status.phase') !== 'Succeeded') return;
  const now = timestamp(env.wallNow());
  const condition = {
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, ...condition }));
  putStatus(world, 'batch', 'jobs', job, { active: 0, ready: 0, succeeded: 1, completionTime: now, conditions });
  world.recordEvent(job, 'Normal', 'Completed', 'Job completed');
}

function createPod(world: World, owner: ApiObject, name: string): void {
  const { namespace = '' } = owner.metadata ?? {};
  const template = draft(owner)['spec'].template as { metadata?: { labels?: Record<string, string> }; spec: object };
  const busy = (node: string): number =>
    world.local.list('', 'pods').filter((pod) => textAt(pod, 'spec.nodeName') === node).length;
  const ready = NODES.filter((node) => isTrue(conditionAt(world.local.get('', 'nodes', '', node), 'Ready')));
  const nodeName = ready.toSorted((a, b) => busy(a) - busy(b))[0];
  const pod = world.local.create('', 'pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      labels: template.metadata?.labels ?? {},
      ownerReferences: [ownerReference(owner)],
    } as object,
    spec: { ...template.spec, ...defined({ nodeName }) },
  });
  world.recordEvent(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
}

export const containerName = (pod: ApiObject): string => {
  const containers = at(pod, 'spec.containers');
  return Array.isArray(containers) ? textAt(containers[0], 'name') : '';
};

/** Equal templates give equal names, as in a cluster. */
function templateHash(template: unknown): string {
  let hash = 2_166_136_261;
  for (const character of JSON.stringify(template)) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  let state = hash >>> 0;
  return suffix(() => (state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0) / 4_294_967_296, 9); // prettier-ignore
}
