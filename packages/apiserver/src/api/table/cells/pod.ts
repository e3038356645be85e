import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/object.ts';
import { ageSince, humanAge, ageInstant } from './age.ts';
import {
  readCondition,
  type Fields,
  readFilledText,
  readFlag,
  readConditionIsTrue,
  readItems,
  readNumber,
  readText,
} from './read-fields.ts';
import { NONE } from './texts.ts';

/** The summary that a row shows of a pod, gathered while its containers are looked at. */
interface Summary {
  status: string;
  ready: number;
  restarts: number;
  lastRestart: number;
}

export function podCells(pod: ApiObject, now: number): Json[] {
  const always = new Set(
    readItems(pod, 'spec.initContainers')
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => readText(container, 'name')),
  );
  const { status, ready, restarts, lastRestart } = podCellSummary(pod, always);
  const total = readItems(pod, 'spec.containers').length + always.size;
  const ago = restarts > 0 && lastRestart > 0 ? ` (${humanAge(now - lastRestart)} ago)` : '';
  return [
    pod.metadata?.name ?? '',
    `${ready}/${total}`,
    status,
    `${restarts}${ago}`,
    ageSince(pod.metadata?.creationTimestamp, now),
    readText(readItems(pod, 'status.podIPs')[0], 'ip') || readFilledText(pod, 'status.podIP', NONE),
    readFilledText(pod, 'spec.nodeName', NONE),
    readFilledText(pod, 'status.nominatedNodeName', NONE),
    podCellReadinessGates(pod),
  ];
}

/** Rows of pods that have come to an end are marked, for a client that hides or dims them. */
export function podRowConditions(pod: ApiObject): Json[] | undefined {
  const phase = readText(pod, 'status.phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}

function podCellSummary(pod: ApiObject, always: ReadonlySet<string>): Summary {
  const phase = readText(pod, 'status.phase');
  const isGated = readItems(pod, 'status.conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const start = isGated ? 'SchedulingGated' : readFilledText(pod, 'status.reason', phase);
  const { isInitializing, sidecars, ...found } = podInitCellSummary(pod, start, always);
  const counted =
    isInitializing && !readConditionIsTrue(readCondition(pod, 'Initialized'))
      ? found
      : podContainerCellSummary(pod, { ...found, ...sidecars });
  if (pod.metadata?.deletionTimestamp === undefined) return counted;
  if (readText(pod, 'status.reason') === 'NodeLost') return { ...counted, status: 'Unknown' };
  return phase === 'Succeeded' || phase === 'Failed' ? counted : { ...counted, status: 'Terminating' };
}

interface InitSummary extends Summary {
  isInitializing: boolean;
  /** Restarts of those that go on running beside the main containers. */
  sidecars: Pick<Summary, 'restarts' | 'lastRestart'>;
}

/** Walks the init containers up to the first that is not done. */
function podInitCellSummary(pod: ApiObject, status: string, always: ReadonlySet<string>): InitSummary {
  const found: InitSummary = {
    status,
    ready: 0,
    restarts: 0,
    lastRestart: 0,
    isInitializing: false,
    sidecars: { restarts: 0, lastRestart: 0 },
  };
  for (const [index, container] of readItems(pod, 'status.initContainerStatuses').entries()) {
    countPodCellRestarts(found, container);
    const isSidecar = always.has(readText(container, 'name'));
    if (isSidecar) countPodCellRestarts(found.sidecars, container);
    const terminated = podCellContainerState(container, 'terminated');
    if (terminated !== undefined && readNumber(terminated, 'exitCode') === 0) continue;
    if (isSidecar && readFlag(container, 'started')) {
      if (readFlag(container, 'ready')) found.ready++;
      continue;
    }
    const waiting = readText(container, 'state.waiting.reason');
    if (terminated !== undefined) found.status = `Init:${podCellEndText(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') found.status = `Init:${waiting}`;
    else found.status = `Init:${index}/${readItems(pod, 'spec.initContainers').length}`;
    found.isInitializing = true;
    break;
  }
  return found;
}

function podContainerCellSummary(pod: ApiObject, start: Summary): Summary {
  const found: Summary = { ...start };
  let hasRunning = false;
  let failure = '';
  // From the last to the first: the first container's reason is the one that is shown.
  for (const container of [...readItems(pod, 'status.containerStatuses')].reverse()) {
    countPodCellRestarts(found, container);
    const waiting = readText(container, 'state.waiting.reason');
    const terminated = podCellContainerState(container, 'terminated');
    if (waiting !== '') found.status = waiting;
    else if (terminated !== undefined) {
      found.status = podCellEndText(terminated);
      if (readNumber(terminated, 'exitCode') !== 0) failure = found.status;
    } else if (readFlag(container, 'ready') && podCellContainerState(container, 'running') !== undefined) {
      hasRunning = true;
      found.ready++;
    }
  }
  if (found.status !== 'Completed') return found;
  // One container is done; what the others do decides.
  if (hasRunning && readConditionIsTrue(podCellReadyCondition(pod))) found.status = 'Running';
  else if (failure !== '') found.status = failure;
  else if (hasRunning) found.status = 'NotReady';
  return found;
}

const podCellReadyCondition = (pod: ApiObject): Fields | undefined =>
  readItems(pod, 'status.conditions').find(
    (condition) => condition['type'] === 'Ready' && readConditionIsTrue(condition),
  );

function podCellEndText(terminated: Fields): string {
  const signal = readNumber(terminated, 'signal');
  return readFilledText(
    terminated,
    'reason',
    signal === 0 ? `ExitCode:${readNumber(terminated, 'exitCode')}` : `Signal:${signal}`,
  );
}

function countPodCellRestarts(found: Pick<Summary, 'restarts' | 'lastRestart'>, container: Fields): void {
  found.restarts += readNumber(container, 'restartCount');
  const finished = ageInstant(readText(container, 'lastState.terminated.finishedAt'));
  if (finished !== undefined && finished > found.lastRestart) found.lastRestart = finished;
}

function podCellContainerState(container: Fields, name: string): Fields | undefined {
  const state = container['state'] as Fields | undefined;
  return (state?.[name] ?? undefined) as Fields | undefined;
}

function podCellReadinessGates(pod: ApiObject): string {
  const gates = readItems(pod, 'spec.readinessGates');
  if (gates.length === 0) return NONE;
  const passed = gates.filter((gate) => readConditionIsTrue(readCondition(pod, readText(gate, 'conditionType'))));
  return `${passed.length}/${gates.length}`;
}
