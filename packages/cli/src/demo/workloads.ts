import type { ApiObject } from '@kube-informer/apiserver';
import {
  objectField,
  objectFieldCondition,
  definedInObject,
  isFieldConditionTrue,
  objectFieldNumber,
  objectFieldText,
} from '@kube-informer/inspector/internal';
import { NODES } from './seed.ts';
import {
  worldDraft,
  isOwnedInWorld,
  worldOwnerReference,
  putWorldStatus,
  worldNameSuffix,
  worldTimestamp,
  type World,
} from './world.ts';

/**
 * Simple controllers for Deployments, ReplicaSets and Jobs: each step compares all objects with their spec and makes
 * one change towards it. Changes made from outside, for example with kubectl, are reconciled in the same way.
 */
export function stepDemoWorkloads(world: World): void {
  const { local } = world;
  for (const deployment of local.list('apps', 'deployments')) stepDemoDeployment(world, deployment);
  for (const set of local.list('apps', 'replicasets')) stepDemoReplicaSet(world, set);
  for (const job of local.list('batch', 'jobs')) stepDemoJob(world, job);
}

export const isDemoWorkloadPodReady = (pod: ApiObject): boolean =>
  isFieldConditionTrue(objectFieldCondition(pod, 'Ready')) && pod.metadata?.deletionTimestamp === undefined;

function stepDemoDeployment(world: World, deployment: ApiObject): void {
  const { local, env } = world;
  const { namespace = '', name = '' } = deployment.metadata ?? {};
  const wanted = objectFieldNumber(deployment, 'spec.replicas');
  const sets = local.list('apps', 'replicasets', namespace).filter((set) => isOwnedInWorld(set, deployment));
  const newName = `${name}-${demoWorkloadTemplateHash(objectField(deployment, 'spec.template'))}`;
  const current = sets.find((set) => set.metadata?.name === newName);
  const old = sets.filter((set) => set !== current);
  if (current === undefined) {
    createDemoReplicaSet(world, deployment, newName, old.length === 0 ? wanted : 0);
    return;
  }
  const replicas = (set: ApiObject): number => objectFieldNumber(set, 'spec.replicas');
  const total = sets.reduce((sum, set) => sum + replicas(set), 0);
  const ready = sets.reduce((sum, set) => sum + objectFieldNumber(set, 'status.readyReplicas'), 0);
  // As with maxSurge 1 and maxUnavailable 0.
  if (replicas(current) > wanted) resizeDemoReplicaSet(world, deployment, current, wanted);
  else if (replicas(current) < wanted && (old.every((set) => replicas(set) === 0) || total <= wanted))
    resizeDemoReplicaSet(
      world,
      deployment,
      current,
      old.every((set) => replicas(set) === 0) ? wanted : replicas(current) + 1,
    );
  else {
    const left = old.filter((set) => replicas(set) > 0);
    // Scales down old sets with pods that are not ready first.
    const broken = left.find((set) => objectFieldNumber(set, 'status.readyReplicas') < replicas(set));
    const shrinking = broken ?? (ready > wanted ? left[0] : undefined);
    if (shrinking !== undefined) resizeDemoReplicaSet(world, deployment, shrinking, replicas(shrinking) - 1);
  }
  for (const done of old
    .filter((set) => replicas(set) === 0 && objectFieldNumber(set, 'status.replicas') === 0)
    .slice(0, -1))
    local.remove('apps', 'replicasets', namespace, done.metadata?.name ?? '');
  const available = ready >= wanted;
  const before = objectFieldCondition(deployment, 'Available');
  const changedAt = isFieldConditionTrue(before) === available ? objectFieldText(before, 'lastTransitionTime') : '';
  putWorldStatus(world, 'apps', 'deployments', local.get('apps', 'deployments', namespace, name) ?? deployment, {
    observedGeneration: deployment.metadata?.generation ?? 1,
    replicas: sets.reduce((sum, set) => sum + objectFieldNumber(set, 'status.replicas'), 0),
    updatedReplicas: objectFieldNumber(current, 'status.replicas'),
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [
      {
        type: 'Available',
        status: available ? 'True' : 'False',
        reason: available ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
        message: available ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
        lastTransitionTime: changedAt || worldTimestamp(env.wallNow()),
        lastUpdateTime: changedAt || worldTimestamp(env.wallNow()),
      },
    ],
  });
}

function createDemoReplicaSet(world: World, deployment: ApiObject, name: string, replicas: number): void {
  const { namespace = '' } = deployment.metadata ?? {};
  const spec = worldDraft(deployment)['spec'] as {
    selector: { matchLabels: object };
    template: { metadata: { labels: object } };
  };
  const labels = { ...spec.template.metadata.labels, 'pod-template-hash': name.slice(name.lastIndexOf('-') + 1) };
  const template = { ...spec.template, metadata: { labels } };
  world.local.create('apps', 'replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { namespace, name, labels, ownerReferences: [worldOwnerReference(deployment)] } as object,
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
  if (replicas > 0)
    world.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicas}`);
}

function resizeDemoReplicaSet(world: World, deployment: ApiObject, set: ApiObject, replicas: number): void {
  const before = objectFieldNumber(set, 'spec.replicas');
  const changed = worldDraft(set);
  changed['spec'].replicas = replicas;
  world.local.update('apps', 'replicasets', changed);
  const direction = replicas > before ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${set.metadata?.name} from ${before} to ${replicas}`;
  world.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', message);
}

function stepDemoReplicaSet(world: World, set: ApiObject): void {
  const { local } = world;
  const { namespace = '', name = '' } = set.metadata ?? {};
  const own = local.list('', 'pods', namespace).filter((pod) => isOwnedInWorld(pod, set));
  const pods = own.filter((pod) => pod.metadata?.deletionTimestamp === undefined);
  const wanted = objectFieldNumber(set, 'spec.replicas');
  for (let missing = wanted - pods.length; missing > 0; missing -= 1)
    createDemoWorkloadPod(world, set, `${name}-${worldNameSuffix(() => world.env.random())}`);
  const excess = pods
    .toSorted((a, b) => Number(isDemoWorkloadPodReady(a)) - Number(isDemoWorkloadPodReady(b)))
    .slice(0, Math.max(0, pods.length - wanted));
  for (const pod of excess) deleteDemoWorkloadPod(world, pod);
  const left = pods.filter((pod) => !excess.includes(pod));
  putWorldStatus(world, 'apps', 'replicasets', set, {
    observedGeneration: set.metadata?.generation ?? 1,
    replicas: Math.max(left.length, Math.min(wanted, pods.length)),
    fullyLabeledReplicas: left.length,
    readyReplicas: left.filter(isDemoWorkloadPodReady).length,
    availableReplicas: left.filter(isDemoWorkloadPodReady).length,
  });
}

export function deleteDemoWorkloadPod(world: World, pod: ApiObject): void {
  const { namespace = '', name = '' } = pod.metadata ?? {};
  world.recordEvent(pod, 'Normal', 'Killing', `Stopping container ${demoWorkloadContainerName(pod)}`);
  world.local.remove('', 'pods', namespace, name, { gracePeriodSeconds: 1 });
}

function stepDemoJob(world: World, job: ApiObject): void {
  const { local, env } = world;
  if (isFieldConditionTrue(objectFieldCondition(job, 'Complete'))) return;
  const { namespace = '', name = '' } = job.metadata ?? {};
  const pod = local.list('', 'pods', namespace).find((one) => isOwnedInWorld(one, job));
  if (pod === undefined) {
    createDemoWorkloadPod(world, job, `${name}-${worldNameSuffix(() => env.random())}`);
    putWorldStatus(world, 'batch', 'jobs', job, { active: 1, startTime: worldTimestamp(env.wallNow()) });
    return;
  }
  if (objectFieldText(pod, 'status.phase') !== 'Succeeded') return;
  const now = worldTimestamp(env.wallNow());
  const condition = {
    status: 'True',
    lastProbeTime: now,
    lastTransitionTime: now,
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  };
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, ...condition }));
  putWorldStatus(world, 'batch', 'jobs', job, { active: 0, ready: 0, succeeded: 1, completionTime: now, conditions });
  world.recordEvent(job, 'Normal', 'Completed', 'Job completed');
}

function createDemoWorkloadPod(world: World, owner: ApiObject, name: string): void {
  const { namespace = '' } = owner.metadata ?? {};
  const template = worldDraft(owner)['spec'].template as {
    metadata?: { labels?: Record<string, string> };
    spec: object;
  };
  const busy = (node: string): number =>
    world.local.list('', 'pods').filter((pod) => objectFieldText(pod, 'spec.nodeName') === node).length;
  const ready = NODES.filter((node) =>
    isFieldConditionTrue(objectFieldCondition(world.local.get('', 'nodes', '', node), 'Ready')),
  );
  const nodeName = ready.toSorted((a, b) => busy(a) - busy(b))[0];
  const pod = world.local.create('', 'pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name,
      labels: template.metadata?.labels ?? {},
      ownerReferences: [worldOwnerReference(owner)],
    } as object,
    spec: { ...template.spec, ...definedInObject({ nodeName }) },
  });
  world.recordEvent(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
}

export const demoWorkloadContainerName = (pod: ApiObject): string => {
  const containers = objectField(pod, 'spec.containers');
  return Array.isArray(containers) ? objectFieldText(containers[0], 'name') : '';
};

/** Equal templates give equal names, as in a cluster. */
function demoWorkloadTemplateHash(template: unknown): string {
  let hash = 2_166_136_261;
  for (const character of JSON.stringify(template)) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  let state = hash >>> 0;
  return worldNameSuffix(() => (state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0) / 4_294_967_296, 9); // prettier-ignore
}
