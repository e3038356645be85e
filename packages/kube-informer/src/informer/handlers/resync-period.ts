import type { Env } from '../../core/env.ts';
import { requireOption } from '../../core/errors.ts';

/** A shorter period would make resync a load generator. */
export const MIN_RESYNC_MS = 1_000;

/** Checks what a user asked for: 0 is never, anything below the minimum is raised with a warning. */
export function checkedResyncMs(env: Env, name: string, requestedMs: number): number {
  requireOption(Number.isFinite(requestedMs) && requestedMs >= 0, name, 'a number of milliseconds >= 0', requestedMs);
  if (requestedMs === 0 || requestedMs >= MIN_RESYNC_MS) return requestedMs;
  env.log('warn', 'a resync period below the minimum was raised', { requestedMs, minimumMs: MIN_RESYNC_MS });
  return MIN_RESYNC_MS;
}

/**
 * How often one handler is told again, and when next.
 *
 * The informer looks on every check tick, so a period shorter than the check
 * period becomes the check period, and an informer that never checks resyncs nobody.
 */
export class ResyncPeriod {
  readonly requestedMs: number;
  #effectiveMs: number;
  #nextAt: number;

  constructor(requestedMs: number, checkMs: number, now: number) {
    this.requestedMs = requestedMs;
    this.#effectiveMs = effectiveMs(requestedMs, checkMs);
    this.#nextAt = now + this.#effectiveMs;
  }

  get effectiveMs(): number {
    return this.#effectiveMs;
  }

  /** The informer's check period changed before it started: start again from what was asked for. */
  recompute(checkMs: number, now: number): void {
    this.#effectiveMs = effectiveMs(this.requestedMs, checkMs);
    this.#nextAt = now + this.#effectiveMs;
  }

  /** Whether a resync is due; if so, the next one is planned. */
  takeDue(now: number): boolean {
    if (this.#effectiveMs === 0 || now < this.#nextAt) return false;
    this.#nextAt = now + this.#effectiveMs;
    return true;
  }
}

function effectiveMs(requestedMs: number, checkMs: number): number {
  if (requestedMs === 0 || checkMs === 0) return 0;
  return Math.max(requestedMs, checkMs);
}

/**
 * The informer's own check period and those of its handlers.
 *
 * A handler that wants to hear more often than the informer looks: before the
 * start the informer looks more often, after it the handler has to wait.
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
    this.#defaultMs = checkedResyncMs(env, 'resyncMs', defaultMs);
    this.#checkMs = this.#defaultMs;
  }

  /** How often the informer looks; fixed once it runs. */
  get checkMs(): number {
    return this.#checkMs;
  }

  /** The period of one more handler; undefined asks for the informer's default. */
  join(requestedMs: number | undefined, hasStarted: boolean): ResyncPeriod {
    const asked = requestedMs === undefined ? this.#defaultMs : checkedResyncMs(this.#env, 'resyncMs', requestedMs);
    const period = new ResyncPeriod(this.#negotiate(asked, hasStarted), this.#checkMs, this.#env.now());
    // Only before the start can a period still change.
    if (!hasStarted) this.#periods.push(period);
    return period;
  }

  #negotiate(requestedMs: number, hasStarted: boolean): number {
    if (requestedMs === 0) return 0;
    const fields = { name: this.#name, requestedMs, checkMs: this.#checkMs };
    if (this.#checkMs === 0) {
      this.#env.log('warn', 'this informer never resyncs, so the handler will not be resynced either', fields);
      return 0;
    }
    if (requestedMs >= this.#checkMs) return requestedMs;
    if (hasStarted) {
      this.#env.log('warn', 'the resync period was raised to the one of the running informer', fields);
      return this.#checkMs;
    }
    this.#checkMs = requestedMs;
    for (const period of this.#periods) period.recompute(requestedMs, this.#env.now());
    return requestedMs;
  }
}
