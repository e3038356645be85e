import type { RunDetail } from '../../src/protocol/controller-messages.ts';
import { spanFigureText } from './figure-text.ts';

/** One line of a run's timeline. */
export interface RunStep {
  readonly kind: 'event' | 'queued' | 'run' | 'write' | 'echo';
  readonly at: number;
  /** Time from the start of the run; from now for a run that has not begun. */
  readonly offset: string;
  readonly text: string;
}

/** Maximum difference between the two clocks of a process that is hidden. */
const MAX_DRIFT_MS = 5;

/** The timeline of a run: event → queued → run → writes → echo. */
export function laneSteps(run: RunDetail, now: number): readonly RunStep[] {
  const { events, queuedAt, startedAt, endedAt, attempt, request, writes } = run;
  const step = (kind: RunStep['kind'], at: number, text: string): RunStep => ({
    kind,
    at,
    offset: laneStepsOffsetText(at - (startedAt ?? now)),
    text,
  });
  const steps = events.map(({ at, reason }) => step('event', at, reason));
  if (queuedAt !== undefined) {
    // Measured on another clock than the events: cause and effect keep their order.
    const [first = queuedAt] = events.map(({ at }) => at);
    const at = Math.min(Math.max(queuedAt, Math.min(first, queuedAt + MAX_DRIFT_MS)), startedAt ?? Infinity);
    steps.push(step('queued', at, laneStepsQueuedText(run, at, now)));
  }
  if (startedAt !== undefined) {
    const tries = attempt === 1 ? '' : `, attempt ${attempt}`;
    const last = request === '' ? '' : `; last request: ${request}`;
    const text =
      endedAt === undefined
        ? `running for ${spanFigureText(now - startedAt)}`
        : `ran for ${spanFigureText(endedAt - startedAt)}`;
    steps.push(step('run', startedAt, `${text}${tries}${last}`));
  }
  for (const { at, answeredAt, what, version, echoedAt } of writes) {
    const answer = `answered after ${spanFigureText(answeredAt - at)}${version === '' ? '' : `: version ${version}`}`;
    steps.push(step('write', at, `${what}, ${answer}`));
    if (echoedAt !== undefined)
      steps.push(step('echo', echoedAt, `${what}: in the cache ${spanFigureText(echoedAt - at)} later`));
  }
  // Stable: steps of the same millisecond stay in the order of cause and effect.
  return steps.toSorted((a, b) => a.at - b.at);
}

function laneStepsQueuedText({ outcome, startedAt }: RunDetail, queuedAt: number, now: number): string {
  if (startedAt !== undefined) return `in line for ${spanFigureText(startedAt - queuedAt)}`;
  if (outcome === 'stale') return 'held until the caches have what the last run wrote';
  return queuedAt > now ? `due in ${spanFigureText(queuedAt - now)}` : `in line for ${spanFigureText(now - queuedAt)}`;
}

function laneStepsOffsetText(ms: number): string {
  const span = spanFigureText(Math.abs(ms));
  return span === '0ms' ? '0' : `${ms < 0 ? '−' : '+'}${span}`;
}
