import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/object.ts';
import { ageSince, humanAge, instant } from './age.ts';
import { conditionOf, type Fields, filledAt, flagAt, isTrue, itemsAt, numberAt, textAt } from './read.ts';
import { NONE } from './texts.ts';

/** What a row says of a pod, gathered while its containers are looked at. */
interface Summary {
  status: string;
  ready: number;
  restarts: number;
  lastRestart: number;
}

export function podCells(pod: ApiObject, now: number): Json[] {
  const always = new Set(
    itemsAt(pod, 'spec.initContainers')
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => textAt(container, 'name')),
  );
  const { status, ready, restarts, lastRestart } = summary(pod, always);
  const total = itemsAt(pod, 'spec.containers').length + always.size;
  const ago = restarts > 0 && lastRestart > 0 ? ` (${humanAge(now - lastRestart)} ago)` : '';
  return [
    pod.metadata?.name ?? '',
    `${ready}/${total}`,
    status,
    `${restarts}${ago}`,
    ageSince(pod.metadata?.creationTimestamp, now),
    textAt(itemsAt(pod, 'status.podIPs')[0], 'ip') || filledAt(pod, 'status.podIP', NONE),
    filledAt(pod, 'spec.nodeName', NONE),
    filledAt(pod, 'status.nominatedNodeName', NONE),
    readinessGates(pod),
  ];
}

/** Rows of pods that have come to an end are marked, for a client that hides or dims them. */
export function podConditions(pod: ApiObject): Json[] | undefined {
  const phase = textAt(pod, 'status.phase');
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}

function summary(pod: ApiObject, always: ReadonlySet<string>): Summary {
  const phase = textAt(pod, 'status.phase');
  const isGated = itemsAt(pod, 'status.conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const start = isGated ? 'SchedulingGated' : filledAt(pod, 'status.reason', phase);
  const { isInitializing, sidecars, ...found } = initSummary(pod, start, always);
  const counted =
    isInitializing && !isTrue(conditionOf(pod, 'Initialized'))
      ? found
      : containerSummary(pod, { ...found, ...sidecars });
  if (pod.metadata?.deletionTimestamp === undefined) return counted;
  if (textAt(pod, 'status.reason') === 'NodeLost') return { ...counted, status: 'Unknown' };
  return phase === 'Succeeded' || phase === 'Failed' ? counted : { ...counted, status: 'Terminating' };
}

interface InitSummary extends Summary {
  isInitializing: boolean;
  /** Restarts of those that go on running beside the main containers. */
  sidecars: Pick<Summary, 'restarts' | 'lastRestart'>;
}

/** Walks the init containers up to the first that is not done. */
function initSummary(pod: ApiObject, status: string, always: ReadonlySet<string>): InitSummary {
  const found: InitSummary = {
    status,
    ready: 0,
    restarts: 0,
    lastRestart: 0,
    isInitializing: false,
    sidecars: { restarts: 0, lastRestart: 0 },
  };
  for (const [index, container] of itemsAt(pod, 'status.initContainerStatuses').entries()) {
    countRestarts(found, container);
    const isSidecar = always.has(textAt(container, 'name'));
    if (isSidecar) countRestarts(found.sidecars, container);
    const terminated = stateOf(container, 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && flagAt(container, 'started')) {
      if (flagAt(container, 'ready')) found.ready++;
      continue;
    }
    const waiting = textAt(container, 'state.waiting.reason');
    if (terminated !== undefined) found.status = `Init:${endText(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') found.status = `Init:${waiting}`;
    else found.status = `Init:${index}/${itemsAt(pod, 'spec.initContainers').length}`;
    found.isInitializing = true;
    break;
  }
  return found;
}

function containerSummary(pod: ApiObject, start: Summary): Summary {
  const found: Summary = { ...start };
  let hasRunning = false;
  let failure = '';
  // From the last to the first: the first container's reason is the one that is shown.
  for (const container of [...itemsAt(pod, 'status.containerStatuses')].reverse()) {
    countRestarts(found, container);
    const waiting = textAt(container, 'state.waiting.reason');
    const terminated = stateOf(container, 'terminated');
    if (waiting !== '') found.status = waiting;
    else if (terminated !== undefined) {
      found.status = endText(terminated);
      if (numberAt(terminated, 'exitCode') !== 0) failure = found.status;
    } else if (flagAt(container, 'ready') && stateOf(container, 'running') !== undefined) {
      hasRunning = true;
      found.ready++;
    }
  }
  if (found.status !== 'Completed') return found;
  // One container is done; what the others do decides.
  if (hasRunning && isTrue(readyCondition(pod))) found.status = 'Running';
  else if (failure !== '') found.status = failure;
  else if (hasRunning) found.status = 'NotReady';
  return found;
}

const readyCondition = (pod: ApiObject): Fields | undefined =>
  itemsAt(pod, 'status.conditions').find((condition) => condition['type'] === 'Ready' && isTrue(condition));

function endText(terminated: Fields): string {
  const signal = numberAt(terminated, 'signal');
  return filledAt(
    terminated,
    'reason',
    signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`,
  );
}

function countRestarts(found: Pick<Summary, 'restarts' | 'lastRestart'>, container: Fields): void {
  found.restarts += numberAt(container, 'restartCount');
  const finished = instant(textAt(container, 'lastState.terminated.finishedAt'));
  if (finished !== undefined && finished > found.lastRestart) found.lastRestart = finished;
}

function stateOf(container: Fields, name: string): Fields | undefined {
  const state = container['state'] as Fields | undefined;
  return (state?.[name] ?? undefined) as Fields | undefined;
}

function readinessGates(pod: ApiObject): string {
  const gates = itemsAt(pod, 'spec.readinessGates');
  if (gates.length === 0) return NONE;
  const passed = gates.filter((gate) => isTrue(conditionOf(pod, textAt(gate, 'conditionType'))));
  return `${passed.length}/${gates.length}`;
}
