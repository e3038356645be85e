import type { Env } from 'kube-informer/core';
import type { Mask } from '../mask/mask.ts';
import { visibleBrief } from '../mask/visible.ts';
import type {
  InspectedCause,
  InspectedController,
  InspectedKey,
  InspectedRun,
  InspectedWrite,
} from '../operators/inspected-operator.ts';
import type { ListedOperator, OperatorList } from '../operators/operator-list.ts';
import type {
  ControllersMessage,
  ControllerSummary,
  KeyDetail,
  OperatorSummary,
  RunDetail,
  RunRow,
  WriteRow,
} from '../protocol/controller-messages.ts';
import type { Tone } from '../protocol/messages.ts';

type Masked = (text: string) => string;

/** Tones of words for states, outcomes and reasons to wait. Other words are plain: a newer operator may have more. */
const TONES: ReadonlyMap<string, Tone> = new Map<string, Tone>([
  ['leading', 'good'],
  ['success', 'good'],
  ['requeue', 'good'],
  ['starting', 'warn'],
  ['parked', 'warn'],
  ['stopping', 'warn'],
  ['stale', 'warn'],
  ['ready', 'warn'],
  ['running', 'warn'],
  ['aborted', 'warn'],
  ['error', 'bad'],
  ['terminal', 'bad'],
  ['timeout', 'bad'],
  ['hung', 'bad'],
]);

const controllerSummaryTone = (word: string): Tone => TONES.get(word) ?? 'plain';

export interface ControllersParts {
  readonly operators: OperatorList;
  readonly env: Env;
  readonly mask: Mask;
}

/** All operators and their controllers, for the Controllers view. */
export function controllerSummaries({ operators, env, mask }: ControllersParts): ControllersMessage {
  const masked: Masked = (text) => visibleBrief(mask.text(text));
  return { at: env.wallNow(), operators: operators.list().map((one) => operatorSummary(one, masked)) };
}

/** One key. Undefined if no operator has the controller. If there are several replicas, that of the leader. */
export function controllerKeySummary(
  { operators, env, mask }: ControllersParts,
  { controller, key }: { readonly controller: string; readonly key: string },
): KeyDetail | undefined {
  const found = operators.find(controller);
  const about = found?.report.controllers.find(({ name }) => name === controller);
  if (found === undefined || about === undefined) return undefined;
  const masked: Masked = (text) => visibleBrief(mask.text(text));
  const report = found.operator.inspectKey(controller, key);
  const { kind, sentence } = report.why;
  return {
    at: env.wallNow(),
    operator: masked(found.id),
    state: masked(found.report.state.kind),
    controller: masked(controller),
    resource: masked(about.resource),
    key: masked(key),
    kind: masked(kind),
    tone: controllerSummaryTone(kind),
    // Errors of a server are long, and the sentence contains one.
    sentence: visibleBrief(mask.text(sentence), MAX_SENTENCE),
    runs: keyRunsInControllerSummary(report, masked),
  };
}

const MAX_SENTENCE = 1_000;

function operatorSummary({ id, report }: ListedOperator, masked: Masked): OperatorSummary {
  const { state, steps, controllers } = report;
  return {
    id: masked(id),
    state: masked(state.kind),
    tone: controllerSummaryTone(state.kind),
    leader: masked(state.leader ?? ''),
    since: steps.at(-1)?.at,
    steps: steps.map(({ at, kind }) => ({ at, state: masked(kind) })),
    controllers: controllers.map((one) => controllerSummary(one, masked)),
  };
}

function controllerSummary(one: InspectedController, masked: Masked): ControllerSummary {
  const { ready, waiting, stale, running, hung, workers, runs, failures, lastFailure } = one;
  return {
    name: masked(one.name),
    resource: masked(one.resource),
    state: masked(one.state.kind),
    tone: controllerSummaryTone(one.state.kind),
    reason: masked(one.state.reason ?? ''),
    ready,
    waiting,
    stale,
    running,
    hung,
    workers,
    runs,
    failures,
    lastFailure: lastFailure && {
      key: masked(lastFailure.key),
      at: lastFailure.startedAt + lastFailure.durationMs,
      error: masked(lastFailure.error ?? ''),
    },
    keys: one.keys.map(({ key, kind, sentence, last }) => ({
      key: masked(key),
      kind: masked(kind),
      tone: controllerSummaryTone(kind),
      sentence: masked(sentence),
      last: last && runInControllerSummary(last, masked),
    })),
  };
}

const runInControllerSummary = ({ startedAt, durationMs, outcome }: InspectedRun, masked: Masked): RunRow => ({
  startedAt,
  durationMs,
  outcome: masked(outcome),
  tone: controllerSummaryTone(outcome),
});

/** The runs of a key, newest first: the next one, the current one, then those that ended. */
function keyRunsInControllerSummary({ next, current, runs }: InspectedKey, masked: Masked): readonly RunDetail[] {
  const ended = runs.map((run) => endedRunInControllerSummary(run, masked)).toReversed();
  // A hung run is in the log too.
  const isLogged = current?.isHung === true && ended[0]?.outcome === 'hung';
  return [
    ...(next === undefined ? [] : [nextRunInControllerSummary(next, masked)]),
    ...(current === undefined || isLogged ? [] : [activeRunInControllerSummary(current, masked)]),
    ...ended,
  ];
}

function endedRunInControllerSummary(run: InspectedRun, masked: Masked): RunDetail {
  const { startedAt, durationMs, outcome, error = '', queuedAt, causes = [], attempt, writes } = run;
  return {
    ...NOTHING,
    outcome: masked(outcome),
    tone: controllerSummaryTone(outcome),
    events: eventsInControllerSummary(causes, masked),
    queuedAt,
    startedAt,
    endedAt: outcome === 'hung' ? undefined : startedAt + durationMs,
    attempt,
    error: masked(error),
    writes: writes.map((write) => writeInControllerSummary(write, masked)),
  };
}

function activeRunInControllerSummary(run: NonNullable<InspectedKey['current']>, masked: Masked): RunDetail {
  const { causes, queuedAt, startedAt, attempt, lastRequest = '', isHung, writes } = run;
  const outcome = isHung ? 'hung' : 'running';
  return {
    ...NOTHING,
    outcome,
    tone: controllerSummaryTone(outcome),
    events: eventsInControllerSummary(causes, masked),
    queuedAt,
    startedAt,
    attempt,
    request: masked(lastRequest),
    writes: writes.map((write) => writeInControllerSummary(write, masked)),
  };
}

const nextRunInControllerSummary = (
  { state, causes, readyAt }: NonNullable<InspectedKey['next']>,
  masked: Masked,
): RunDetail => ({
  ...NOTHING,
  outcome: masked(state),
  tone: controllerSummaryTone(state),
  events: eventsInControllerSummary(causes, masked),
  queuedAt: readyAt,
});

const NOTHING: RunDetail = {
  outcome: '',
  tone: 'plain',
  events: [],
  queuedAt: undefined,
  startedAt: undefined,
  endedAt: undefined,
  attempt: 1,
  error: '',
  request: '',
  writes: [],
};

const eventsInControllerSummary = (causes: readonly InspectedCause[], masked: Masked): RunDetail['events'] =>
  causes.map(({ reason, at }) => ({ at, reason: masked(reason) }));

const writeInControllerSummary = (write: InspectedWrite, masked: Masked): WriteRow => ({
  at: write.at,
  answeredAt: write.answeredAt,
  what: masked(`${write.verb} ${write.resource} ${write.key}`),
  version: masked(write.version ?? ''),
  echoedAt: write.echoedAt,
});
