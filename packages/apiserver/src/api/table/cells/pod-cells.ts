import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCellSince, humanAgeCell, ageCellInstant } from './age-cell.ts';
import {
  readFieldCondition,
  type Fields,
  readFilledFieldText,
  readFieldFlag,
  readFieldConditionIsTrue,
  readFieldItems,
  readFieldNumber,
  readFieldText,
} from './read-fields.ts';
import { NONE } from './cell-texts.ts';

/** The summary of a pod in a row, collected from its containers. */
interface Summary {
  status: string;
  ready: number;
  restarts: number;
  lastRestart: number;
}

export function podCells(pod: ApiObject, now: number): Json[] {
  const always = new Set(
    readFieldItems(pod, 'spec.initContainers')
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => readFieldText(container, 'name')),
  );
  const { status, ready, restarts, lastRestart } = podCellSummary(pod, always);
  const total = readFieldItems(pod, 'spec.containers').length + always.size;
  const ago = restarts > 0 && lastRestart > 0 ? ` (${humanAgeCell(now - lastRestart)} ago)` : '';
  return [
    pod.metadata?.name ?? '',
    `${ready}/${total}`,
    status,
    `${restarts}${ago}`,
    ageCellSince(pod.metadata?.creationTimestamp, now),
    readFieldText(readFieldItems(pod, 'status.podIPs')[0], 'ip') || readFilledFieldText(pod, 'status.podIP', NONE),
    readFilledFieldText(pod, 'spec.nodeName', NONE),
    readFilledFieldText(pod, 'status.nominatedNodeName', NONE),
    podCellReadinessGates(pod),
  ];
}

/** Conditions of a row: pods that have finished are marked, for a client that hides or dims them. */
export function podCellConditions(pod: ApiObject): Json[] | undefined {
  const phase = readFieldText(pod, 'status.phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}

function podCellSummary(pod: ApiObject, always: ReadonlySet<string>): Summary {
  const phase = readFieldText(pod, 'status.phase');
  const isGated = readFieldItems(pod, 'status.conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const start = isGated ? 'SchedulingGated' : readFilledFieldText(pod, 'status.reason', phase);
  const { isInitializing, sidecars, ...found } = podInitCellSummary(pod, start, always);
  const counted =
    isInitializing && !readFieldConditionIsTrue(readFieldCondition(pod, 'Initialized'))
      ? found
      : podContainerCellSummary(pod, { ...found, ...sidecars });
  if (pod.metadata?.deletionTimestamp === undefined) return counted;
  if (readFieldText(pod, 'status.reason') === 'NodeLost') return { ...counted, status: 'Unknown' };
  return phase === 'Succeeded' || phase === 'Failed' ? counted : { ...counted, status: 'Terminating' };
}

interface InitSummary extends Summary {
  isInitializing: boolean;
  /** Restarts of sidecars, which keep running beside the main containers. */
  sidecars: Pick<Summary, 'restarts' | 'lastRestart'>;
}

/** Summarises the init containers up to the first that is not done. */
function podInitCellSummary(pod: ApiObject, status: string, always: ReadonlySet<string>): InitSummary {
  const found: InitSummary = {
    status,
    ready: 0,
    restarts: 0,
    lastRestart: 0,
    isInitializing: false,
    sidecars: { restarts: 0, lastRestart: 0 },
  };
  for (const [index, container] of readFieldItems(pod, 'status.initContainerStatuses').entries()) {
    countPodCellRestarts(found, container);
    const isSidecar = always.has(readFieldText(container, 'name'));
    if (isSidecar) countPodCellRestarts(found.sidecars, container);
    const terminated = podCellContainerState(container, 'terminated');
    if (terminated !== undefined && readFieldNumber(terminated, 'exitCode') === 0) continue;
    if (isSidecar && readFieldFlag(container, 'started')) {
      if (readFieldFlag(container, 'ready')) found.ready++;
      continue;
    }
    const waiting = readFieldText(container, 'state.waiting.reason');
    if (terminated !== undefined) found.status = `Init:${podCellEndText(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') found.status = `Init:${waiting}`;
    else found.status = `Init:${index}/${readFieldItems(pod, 'spec.initContainers').length}`;
    found.isInitializing = true;
    break;
  }
  return found;
}

function podContainerCellSummary(pod: ApiObject, start: Summary): Summary {
  const found: Summary = { ...start };
  let hasRunning = false;
  let failure = '';
  // From the last to the first, so that the first container's reason is shown.
  for (const container of [...readFieldItems(pod, 'status.containerStatuses')].reverse()) {
    countPodCellRestarts(found, container);
    const waiting = readFieldText(container, 'state.waiting.reason');
    const terminated = podCellContainerState(container, 'terminated');
    if (waiting !== '') found.status = waiting;
    else if (terminated !== undefined) {
      found.status = podCellEndText(terminated);
      if (readFieldNumber(terminated, 'exitCode') !== 0) failure = found.status;
    } else if (readFieldFlag(container, 'ready') && podCellContainerState(container, 'running') !== undefined) {
      hasRunning = true;
      found.ready++;
    }
  }
  if (found.status !== 'Completed') return found;
  // One container is done; the others decide.
  if (hasRunning && readFieldConditionIsTrue(podCellReadyCondition(pod))) found.status = 'Running';
  else if (failure !== '') found.status = failure;
  else if (hasRunning) found.status = 'NotReady';
  return found;
}

const podCellReadyCondition = (pod: ApiObject): Fields | undefined =>
  readFieldItems(pod, 'status.conditions').find(
    (condition) => condition['type'] === 'Ready' && readFieldConditionIsTrue(condition),
  );

function podCellEndText(terminated: Fields): string {
  const signal = readFieldNumber(terminated, 'signal');
  return readFilledFieldText(
    terminated,
    'reason',
    signal === 0 ? `ExitCode:${readFieldNumber(terminated, 'exitCode')}` : `Signal:${signal}`,
  );
}

function countPodCellRestarts(found: Pick<Summary, 'restarts' | 'lastRestart'>, container: Fields): void {
  found.restarts += readFieldNumber(container, 'restartCount');
  const finished = ageCellInstant(readFieldText(container, 'lastState.terminated.finishedAt'));
  if (finished !== undefined && finished > found.lastRestart) found.lastRestart = finished;
}

function podCellContainerState(container: Fields, name: string): Fields | undefined {
  const state = container['state'] as Fields | undefined;
  return (state?.[name] ?? undefined) as Fields | undefined;
}

function podCellReadinessGates(pod: ApiObject): string {
  const gates = readFieldItems(pod, 'spec.readinessGates');
  if (gates.length === 0) return NONE;
  const passed = gates.filter((gate) =>
    readFieldConditionIsTrue(readFieldCondition(pod, readFieldText(gate, 'conditionType'))),
  );
  return `${passed.length}/${gates.length}`;
}
