import type { Env, Key } from 'kube-informer/core';
import type { Cause } from '../run/reasons.ts';
import type { Run, RunWrite } from '../run/run-log.ts';
import type { ControllerRun, ControllerState } from './controller-run.ts';
import type { OperatorState } from './operator.ts';
import { type Why, type WhyKind, whyNot } from './why.ts';

/** Maximum number of keys per controller in a report. */
const MAX_KEYS = 100;

/** A change of an operator's state. Times are in milliseconds since 1970. */
export interface OperatorStep {
  readonly at: number;
  readonly kind: OperatorState['kind'];
}

export interface OperatorReport {
  /** Name in the election; undefined without one. */
  readonly identity: string | undefined;
  readonly state: OperatorState;
  /** The last changes of the state, oldest first. */
  readonly steps: readonly OperatorStep[];
  readonly controllers: readonly ControllerReport[];
}

export interface ControllerReport {
  readonly name: string;
  readonly resource: string;
  readonly state: ControllerState;
  /** Number of ready keys. */
  readonly ready: number;
  /** Number of keys with a delay. */
  readonly waiting: number;
  /** Number of keys that wait for a cache to have what their last run wrote. */
  readonly stale: number;
  readonly running: number;
  readonly hung: number;
  /** Maximum number of keys that run at the same time. */
  readonly workers: number;
  /** Runs since the start, and those that failed. */
  readonly runs: number;
  readonly failures: number;
  readonly lastFailure: Run | undefined;
  /** Keys at work, then keys that wait, then keys that ran most recently, up to a limit. */
  readonly keys: readonly KeySummary[];
}

export interface KeySummary {
  readonly key: Key;
  readonly kind: WhyKind;
  readonly sentence: string;
  readonly last: Run | undefined;
}

/** A run that has not ended. */
export interface ActiveRun {
  readonly startedAt: number;
  readonly queuedAt: number;
  readonly causes: readonly Cause[];
  readonly attempt: number;
  readonly writes: readonly RunWrite[];
  readonly lastRequest: string | undefined;
  readonly isHung: boolean;
}

/** The next run of a key. */
export interface NextRun {
  readonly state: 'ready' | 'waiting' | 'stale' | 'after this run';
  /** When it is due or became ready. */
  readonly readyAt: number;
  readonly causes: readonly Cause[];
}

export interface KeyReport {
  readonly why: Why;
  readonly current: ActiveRun | undefined;
  readonly next: NextRun | undefined;
  /** The last runs, oldest first. */
  readonly runs: readonly Run[];
}

interface At {
  readonly env: Env;
  readonly state: OperatorState;
}

export function operatorReport(
  runs: readonly ControllerRun[],
  { env, state, identity, steps }: At & Pick<OperatorReport, 'identity' | 'steps'>,
): OperatorReport {
  return { identity, state, steps, controllers: runs.map((run) => controllerInOperatorReport(run, { env, state })) };
}

function controllerInOperatorReport(run: ControllerRun, at: At): ControllerReport {
  const { name, definition, state, queue, log } = run;
  const { runs, failures } = log.counts;
  return {
    name,
    resource: definition.resource,
    state,
    ready: queue.size,
    waiting: queue.waiting,
    stale: queue.held,
    running: queue.running,
    hung: run.runs?.hung.length ?? 0,
    workers: definition.options.concurrency ?? 4,
    runs,
    failures,
    lastFailure: log.lastFailure,
    keys: keysInOperatorReport(run).flatMap((key): KeySummary[] => {
      const { kind, sentence, last } = whyNot(run, key, at);
      // An object that is gone: its runs can still be looked up by key.
      return kind === 'not in the cache' ? [] : [{ key, kind, sentence, last }];
    }),
  };
}

/** The keys of a report. A standby has none: the leader has them. */
function keysInOperatorReport({ state, queue, log }: ControllerRun): readonly Key[] {
  if (state.kind !== 'leading') return [];
  return [...new Set([...queue.keys(MAX_KEYS), ...log.keys(MAX_KEYS)])].slice(0, MAX_KEYS);
}

export function keyInOperatorReport(run: ControllerRun, key: Key, at: At): KeyReport {
  return {
    why: whyNot(run, key, at),
    current: activeRunInOperatorReport(run, key, at.env),
    next: nextRunInOperatorReport(run, key, at.env),
    runs: run.log.of(key),
  };
}

function activeRunInOperatorReport({ runs }: ControllerRun, key: Key, env: Env): ActiveRun | undefined {
  const current = runs?.current(key);
  if (current === undefined) return undefined;
  const { causes, queuedAt, attempt, writes, lastRequest, isHung } = current;
  return {
    startedAt: timeInOperatorReport(env, current.startedAt),
    queuedAt,
    causes,
    attempt,
    writes: [...writes],
    lastRequest,
    isHung,
  };
}

function nextRunInOperatorReport({ queue, keys }: ControllerRun, key: Key, env: Env): NextRun | undefined {
  const entry = queue.look(key);
  if (entry === undefined || entry.state === 'running') return undefined;
  return {
    state: entry.state === 'running+again' ? 'after this run' : entry.state,
    readyAt: timeInOperatorReport(env, entry.readyAt),
    causes: keys.find(key)?.reasons.causes() ?? [],
  };
}

/** Converts a time of the monotonic clock to the wall clock as it is set now. */
const timeInOperatorReport = (env: Env, at: number): number => env.wallNow() - (env.now() - at);
