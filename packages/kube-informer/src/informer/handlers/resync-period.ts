import type { Env } from '../../core/env.ts';
import { requireOption } from '../../core/errors.ts';

/** Minimum resync period: a shorter one would cause constant load. */
export const MIN_RESYNC_MS = 1_000;

/** Checks the user's option: 0 means never; a period below the minimum is raised, with a warning. */
export function checkedResyncPeriod(env: Env, name: string, requestedMs: number): number {
  requireOption(Number.isFinite(requestedMs) && requestedMs >= 0, name, 'a number of milliseconds >= 0', requestedMs);
  if (requestedMs === 0 || requestedMs >= MIN_RESYNC_MS) return requestedMs;
  env.log('warn', 'the resync period is below the minimum and was raised', { requestedMs, minimumMs: MIN_RESYNC_MS });
  return MIN_RESYNC_MS;
}

/**
 * The resync period of one handler, and its next resync.
 *
 * The informer checks once per check period, so a shorter period is raised to the
 * check period. An informer without a check period resyncs no handler.
 */
export class ResyncPeriod {
  readonly requestedMs: number;
  #effectiveMs: number;
  #nextAt: number;

  constructor(requestedMs: number, checkMs: number, now: number) {
    this.requestedMs = requestedMs;
    this.#effectiveMs = effectiveResyncPeriod(requestedMs, checkMs);
    this.#nextAt = now + this.#effectiveMs;
  }

  get effectiveMs(): number {
    return this.#effectiveMs;
  }

  /** Recomputes the period from `requestedMs`, after the informer's check period changed before the start. */
  recompute(checkMs: number, now: number): void {
    this.#effectiveMs = effectiveResyncPeriod(this.requestedMs, checkMs);
    this.#nextAt = now + this.#effectiveMs;
  }

  /** Whether a resync is due; if so, schedules the next one. */
  takeDue(now: number): boolean {
    if (this.#effectiveMs === 0 || now < this.#nextAt) return false;
    this.#nextAt = now + this.#effectiveMs;
    return true;
  }
}

function effectiveResyncPeriod(requestedMs: number, checkMs: number): number {
  if (requestedMs === 0 || checkMs === 0) return 0;
  return Math.max(requestedMs, checkMs);
}

/**
 * The informer's check period and the periods of its handlers.
 *
 * A handler with a shorter period than the informer's: before the start it shortens
 * the check period, after the start its own period is raised.
 */
export class ResyncPlan {
  readonly #env: Env;
  readonly #name: string;
  readonly #defaultMs: number;
  readonly #periods: ResyncPeriod[] = [];
  #checkMs: number;

  constructor(env: Env, name: string, defaultMs: number) {
    this.#env = env;
    this.#name = name;
    this.#defaultMs = checkedResyncPeriod(env, 'resyncMs', defaultMs);
    this.#checkMs = this.#defaultMs;
  }

  /** How often the informer checks for due resyncs; fixed once it runs. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /** Adds the period of a new handler; undefined stands for the informer's default. */
  join(requestedMs: number | undefined, hasStarted: boolean): ResyncPeriod {
    const asked = requestedMs === undefined ? this.#defaultMs : checkedResyncPeriod(this.#env, 'resyncMs', requestedMs);
    const period = new ResyncPeriod(this.#negotiate(asked, hasStarted), this.#checkMs, this.#env.now());
    // Periods change only before the start.
    if (!hasStarted) this.#periods.push(period);
    return period;
  }

  #negotiate(requestedMs: number, hasStarted: boolean): number {
    if (requestedMs === 0) return 0;
    const fields = { name: this.#name, requestedMs, checkMs: this.#checkMs };
    if (this.#checkMs === 0) {
      this.#env.log('warn', 'the informer has no resync period, so the handler gets no resyncs', fields);
      return 0;
    }
    if (requestedMs >= this.#checkMs) return requestedMs;
    if (hasStarted) {
      this.#env.log('warn', 'the resync period was raised to that of the running informer', fields);
      return this.#checkMs;
    }
    this.#checkMs = requestedMs;
    for (const period of this.#periods) period.recompute(requestedMs, this.#env.now());
    return requestedMs;
  }
}
