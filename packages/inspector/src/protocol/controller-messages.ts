/**
 * Messages about controllers. Plain JSON; all texts are masked and safe to show. Times are in milliseconds since 1970.
 *
 * Room rule: types only.
 */
import type { Tone } from './messages.ts';

export interface ControllersMessage {
  readonly at: number;
  readonly operators: readonly OperatorSummary[];
}

/** One replica. */
export interface OperatorSummary {
  readonly id: string;
  readonly state: string;
  readonly tone: Tone;
  /** The leading replica, if it is known and another one. */
  readonly leader: string;
  readonly since: number | undefined;
  readonly steps: readonly { readonly at: number; readonly state: string }[];
  readonly controllers: readonly ControllerSummary[];
}

export interface ControllerSummary {
  readonly name: string;
  readonly resource: string;
  readonly state: string;
  readonly tone: Tone;
  /** The reason the controller is parked. */
  readonly reason: string;
  readonly ready: number;
  readonly waiting: number;
  readonly stale: number;
  readonly running: number;
  readonly hung: number;
  readonly workers: number;
  readonly runs: number;
  readonly failures: number;
  readonly lastFailure: { readonly key: string; readonly at: number; readonly error: string } | undefined;
  readonly keys: readonly KeyRow[];
}

export interface KeyRow {
  readonly key: string;
  readonly kind: string;
  readonly tone: Tone;
  readonly sentence: string;
  readonly last: RunRow | undefined;
}

export interface RunRow {
  readonly startedAt: number;
  readonly durationMs: number;
  readonly outcome: string;
  readonly tone: Tone;
}

/** A key of a controller: why it does not run, and its timeline. */
export interface KeyDetail {
  readonly at: number;
  readonly operator: string;
  /** State of the operator. */
  readonly state: string;
  readonly controller: string;
  readonly resource: string;
  readonly key: string;
  readonly kind: string;
  readonly tone: Tone;
  readonly sentence: string;
  /** Runs, newest first: the next one, the current one, then those that ended. */
  readonly runs: readonly RunDetail[];
}

/** A run, from the events that caused it to the caches that have its writes. */
export interface RunDetail {
  /**
   * The outcome. For a run that has not begun, which has no `startedAt`, the state of its key; `running` or
   * `hung` for one that has not ended.
   */
  readonly outcome: string;
  readonly tone: Tone;
  readonly events: readonly { readonly at: number; readonly reason: string }[];
  /** Time at which the key became ready; for the next run, the expected time. */
  readonly queuedAt: number | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly attempt: number;
  readonly error: string;
  /** The last request of the run, while it runs. */
  readonly request: string;
  readonly writes: readonly WriteRow[];
}

export interface WriteRow {
  /** Time of sending. */
  readonly at: number;
  readonly answeredAt: number;
  /** The write as text: `apply batch/v1/jobs db/orders-1` */
  readonly what: string;
  readonly version: string;
  /** Time at which a cache of the controller had it. */
  readonly echoedAt: number | undefined;
}
