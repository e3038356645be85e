import type { Env } from '../../core/env.ts';
import { type ProblemReason, reasonOf } from './watch-error.ts';

/** When a repeated failure is reported again, counted from its first; after the last, every hour. */
const TELL_AGAIN_AFTER_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000];
const HOUR_MS = 60 * 60_000;
/** A failure that has not occurred for this long is new when it occurs again. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Series {
  readonly since: number;
  lastAt: number;
  /** When it is reported next. */
  dueAt: number;
  told: number;
  leftOut: number;
}

/** A failure that is to be told. */
export interface ToldFailure {
  readonly error: unknown;
  readonly reason: ProblemReason;
  /** Failures for the same reason since the last one that was told. */
  readonly leftOut: number;
}

/**
 * Tells the first failure of each kind at once, then sparsely: after 1, 5 and 30 minutes, then every hour. A server that
 * is away for a night must be heard of, and must not fill a log.
 */
export class FailureTeller {
  readonly #env: Env;
  readonly #tell: (failure: ToldFailure) => void;
  readonly #series = new Map<ProblemReason, Series>();

  constructor(env: Env, tell: (failure: ToldFailure) => void) {
    this.#env = env;
    this.#tell = tell;
  }

  failed(error: unknown): void {
    const now = this.#env.now();
    const reason = reasonOf(error);
    let series = this.#series.get(reason);
    if (series === undefined || now - series.lastAt > FORGET_AFTER_MS) {
      series = { since: now, lastAt: now, dueAt: now, told: 0, leftOut: 0 };
      this.#series.set(reason, series);
    }
    series.lastAt = now;
    if (now < series.dueAt) {
      series.leftOut += 1;
      return;
    }
    const { leftOut } = series;
    series.dueAt = series.since + (TELL_AGAIN_AFTER_MS[series.told] ?? now - series.since + HOUR_MS);
    series.told += 1;
    series.leftOut = 0;
    this.#tell({ error, reason, leftOut });
  }
}
