import type { Env } from '../../core/env.ts';
import { type ProblemReason, reasonOf } from './watch-error.ts';

/** Times at which a repeated failure is reported again, counted from its first; after the last, every hour. */
const REPORT_AGAIN_AFTER_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000];
const HOUR_MS = 60 * 60_000;
/** A failure that has not occurred for this long is new when it occurs again. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Series {
  readonly since: number;
  lastAt: number;
  /** Time of the next report. */
  dueAt: number;
  reported: number;
  leftOut: number;
}

/** A failure to report, and how many failures like it were not reported. */
export interface ReportedFailure {
  readonly error: unknown;
  readonly reason: ProblemReason;
  /** Number of failures for the same reason that were not reported since the last report. */
  readonly leftOut: number;
}

/**
 * Reports the first failure of each kind at once, then sparsely: after 1, 5 and 30 minutes, then every hour.
 * A server that is down for a night must appear in the log without filling it.
 */
export class FailureReporter {
  readonly #env: Env;
  readonly #report: (failure: ReportedFailure) => void;
  readonly #series = new Map<ProblemReason, Series>();

  constructor(env: Env, report: (failure: ReportedFailure) => void) {
    this.#env = env;
    this.#report = report;
  }

  failed(error: unknown): void {
    const now = this.#env.now();
    const reason = reasonOf(error);
    let series = this.#series.get(reason);
    if (series === undefined || now - series.lastAt > FORGET_AFTER_MS) {
      series = { since: now, lastAt: now, dueAt: now, reported: 0, leftOut: 0 };
      this.#series.set(reason, series);
    }
    series.lastAt = now;
    if (now < series.dueAt) {
      series.leftOut += 1;
      return;
    }
    const { leftOut } = series;
    series.dueAt = series.since + (REPORT_AGAIN_AFTER_MS[series.reported] ?? now - series.since + HOUR_MS);
    series.reported += 1;
    series.leftOut = 0;
    this.#report({ error, reason, leftOut });
  }
}
