import type { KubeObject } from 'kube-informer';
import { humanAge, instant } from './age.ts';
import { conditionAt, type Fields, isFields, isTrue, itemsAt, numberAt, textAt } from './fields.ts';

/**
 * The status of a pod, as kubectl prints it.
 *
 * Not the phase: a pod in a crash loop is `Running` most of the time. The first of these applies: it is being deleted;
 * an init container has not completed; the reason why a container waits or has terminated; the phase.
 */
export function podStatus(pod: KubeObject): string {
  const phase = textAt(pod, 'status.phase', 'Unknown');
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  if (pod.metadata?.deletionTimestamp !== undefined && !isOver)
    return textAt(pod, 'status.reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
  const scheduled = conditionAt(pod, 'PodScheduled');
  const start = scheduled?.['reason'] === 'SchedulingGated' ? 'SchedulingGated' : textAt(pod, 'status.reason', phase);
  return initStatus(pod) ?? containersStatus(pod, start);
}

export function podReady(pod: KubeObject): string {
  const sidecars = sidecarNames(pod);
  const all = [
    ...itemsAt(pod, 'status.containerStatuses'),
    ...itemsAt(pod, 'status.initContainerStatuses').filter((one) => sidecars.has(textAt(one, 'name'))),
  ];
  const ready = all.filter((one) => one['ready'] === true).length;
  return `${ready}/${itemsAt(pod, 'spec.containers').length + sidecars.size}`;
}

/** `3 (5m ago)` */
export function podRestarts(pod: KubeObject, now: number): string {
  const count = podRestartCount(pod);
  const ends = containerStatuses(pod).map((one) => instant(textAt(one, 'lastState.terminated.finishedAt')) ?? 0);
  const last = Math.max(0, ...ends);
  return count > 0 && last > 0 ? `${count} (${humanAge(now - last)} ago)` : String(count);
}

export const podRestartCount = (pod: KubeObject): number =>
  containerStatuses(pod).reduce((sum, one) => sum + numberAt(one, 'restartCount'), 0);

const containerStatuses = (pod: KubeObject): readonly Fields[] => [
  ...itemsAt(pod, 'status.containerStatuses'),
  ...itemsAt(pod, 'status.initContainerStatuses'),
];

function initStatus(pod: KubeObject): string | undefined {
  if (isTrue(conditionAt(pod, 'Initialized'))) return undefined;
  const sidecars = sidecarNames(pod);
  const total = itemsAt(pod, 'spec.initContainers').length;
  for (const [index, one] of itemsAt(pod, 'status.initContainerStatuses').entries()) {
    const ended = stateOf(one, 'terminated');
    if (ended !== undefined && numberAt(ended, 'exitCode') === 0) continue;
    if (sidecars.has(textAt(one, 'name')) && one['started'] === true) continue;
    if (ended !== undefined) return `Init:${endText(ended)}`;
    const waiting = textAt(one, 'state.waiting.reason');
    return waiting === '' || waiting === 'PodInitializing' ? `Init:${index}/${total}` : `Init:${waiting}`;
  }
  return undefined;
}

function containersStatus(pod: KubeObject, start: string): string {
  let status = start;
  let isAnyRunning = false;
  // In reverse order, so that the first container's reason is shown.
  for (const one of itemsAt(pod, 'status.containerStatuses').toReversed()) {
    const waiting = textAt(one, 'state.waiting.reason');
    const ended = stateOf(one, 'terminated');
    if (waiting !== '') status = waiting;
    else if (ended !== undefined) status = endText(ended);
    else if (one['ready'] === true && stateOf(one, 'running') !== undefined) isAnyRunning = true;
  }
  if (status !== 'Completed' || !isAnyRunning) return status;
  return isTrue(conditionAt(pod, 'Ready')) ? 'Running' : 'NotReady';
}

/** Names of sidecars: init containers with restartPolicy Always. */
function sidecarNames(pod: KubeObject): ReadonlySet<string> {
  const always = itemsAt(pod, 'spec.initContainers').filter((one) => one['restartPolicy'] === 'Always');
  return new Set(always.map((one) => textAt(one, 'name')));
}

function stateOf(container: Fields, name: string): Fields | undefined {
  const { state } = container;
  const found = isFields(state) ? state[name] : undefined;
  return isFields(found) ? found : undefined;
}

function endText(ended: Fields): string {
  const signal = numberAt(ended, 'signal');
  return textAt(ended, 'reason', signal === 0 ? `ExitCode:${numberAt(ended, 'exitCode')}` : `Signal:${signal}`);
}
