import type { KubeObject } from 'kube-informer';
import { objectAgeText, objectAgeInstant } from './object-age.ts';
import {
  objectFieldCondition,
  type Fields,
  isObjectFields,
  isObjectFieldConditionTrue,
  objectFieldObjects,
  objectFieldNumber,
  objectFieldText,
} from './object-fields.ts';

/**
 * The status of a pod, as kubectl prints it.
 *
 * Not the phase: a pod in a crash loop is `Running` most of the time. The first of these applies: it is being deleted;
 * an init container has not completed; the reason why a container waits or has terminated; the phase.
 */
export function podObjectStatus(pod: KubeObject): string {
  const phase = objectFieldText(pod, 'status.phase', 'Unknown');
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  if (pod.metadata?.deletionTimestamp !== undefined && !isOver)
    return objectFieldText(pod, 'status.reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  const scheduled = objectFieldCondition(pod, 'PodScheduled');
  const start =
    scheduled?.['reason'] === 'SchedulingGated' ? 'SchedulingGated' : objectFieldText(pod, 'status.reason', phase);
  return podObjectInitStatus(pod) ?? podObjectContainerStatus(pod, start);
}

export function podObjectReady(pod: KubeObject): string {
  const sidecars = podObjectSidecars(pod);
  const all = [
    ...objectFieldObjects(pod, 'status.containerStatuses'),
    ...objectFieldObjects(pod, 'status.initContainerStatuses').filter((one) =>
      sidecars.has(objectFieldText(one, 'name')),
    ),
  ];
  const ready = all.filter((one) => one['ready'] === true).length;
  return `${ready}/${objectFieldObjects(pod, 'spec.containers').length + sidecars.size}`;
}

/** Restarts, such as `3 (5m ago)`. */
export function podObjectRestarts(pod: KubeObject, now: number): string {
  const count = podObjectRestartCount(pod);
  const ends = podObjectContainers(pod).map(
    (one) => objectAgeInstant(objectFieldText(one, 'lastState.terminated.finishedAt')) ?? 0,
  );
  const last = Math.max(0, ...ends);
  return count > 0 && last > 0 ? `${count} (${objectAgeText(now - last)} ago)` : String(count);
}

export const podObjectRestartCount = (pod: KubeObject): number =>
  podObjectContainers(pod).reduce((sum, one) => sum + objectFieldNumber(one, 'restartCount'), 0);

const podObjectContainers = (pod: KubeObject): readonly Fields[] => [
  ...objectFieldObjects(pod, 'status.containerStatuses'),
  ...objectFieldObjects(pod, 'status.initContainerStatuses'),
];

function podObjectInitStatus(pod: KubeObject): string | undefined {
  if (isObjectFieldConditionTrue(objectFieldCondition(pod, 'Initialized'))) return undefined;
  const sidecars = podObjectSidecars(pod);
  const total = objectFieldObjects(pod, 'spec.initContainers').length;
  for (const [index, one] of objectFieldObjects(pod, 'status.initContainerStatuses').entries()) {
    const ended = podObjectContainerState(one, 'terminated');
    if (ended !== undefined && objectFieldNumber(ended, 'exitCode') === 0) continue;
    if (sidecars.has(objectFieldText(one, 'name')) && one['started'] === true) continue;
    if (ended !== undefined) return `Init:${podObjectEndText(ended)}`;
    const waiting = objectFieldText(one, 'state.waiting.reason');
    return waiting === '' || waiting === 'PodInitializing' ? `Init:${index}/${total}` : `Init:${waiting}`;
  }
  return undefined;
}

function podObjectContainerStatus(pod: KubeObject, start: string): string {
  let status = start;
  let isAnyRunning = false;
  // In reverse order, so that the first container's reason is shown.
  for (const one of objectFieldObjects(pod, 'status.containerStatuses').toReversed()) {
    const waiting = objectFieldText(one, 'state.waiting.reason');
    const ended = podObjectContainerState(one, 'terminated');
    if (waiting !== '') status = waiting;
    else if (ended !== undefined) status = podObjectEndText(ended);
    else if (one['ready'] === true && podObjectContainerState(one, 'running') !== undefined) isAnyRunning = true;
  }
  if (status !== 'Completed' || !isAnyRunning) return status;
  return isObjectFieldConditionTrue(objectFieldCondition(pod, 'Ready')) ? 'Running' : 'NotReady';
}

/** Names of sidecars: init containers with restartPolicy Always. */
function podObjectSidecars(pod: KubeObject): ReadonlySet<string> {
  const always = objectFieldObjects(pod, 'spec.initContainers').filter((one) => one['restartPolicy'] === 'Always');
  return new Set(always.map((one) => objectFieldText(one, 'name')));
}

function podObjectContainerState(container: Fields, name: string): Fields | undefined {
  const { state } = container;
  const found = isObjectFields(state) ? state[name] : undefined;
  return isObjectFields(found) ? found : undefined;
}

function podObjectEndText(ended: Fields): string {
  const signal = objectFieldNumber(ended, 'signal');
  return objectFieldText(
    ended,
    'reason',
    signal === 0 ? `ExitCode:${objectFieldNumber(ended, 'exitCode')}` : `Signal:${signal}`,
  );
}
