import { KubeError } from '../../core/errors.ts';
import type { Evidence } from './evidence.ts';

/** A change that was received this long ago and is not in the cache makes the cache stale. */
const MAX_BACKLOG_MS = 10_000;
/** Maximum time for the rest of an event to arrive. */
export const MAX_UNFINISHED_MS = 3_000;

/** The judgement of the cache by the evidence. */
export interface Freshness {
  /** `polling`: current up to two periods, because watches do not work here. */
  readonly kind: 'synced' | 'polling' | 'stale';
  /** Start of the state, on the ElapsedClock. Undefined for `synced`. */
  readonly since: number | undefined;
  /**
   * The reason. Undefined for `synced`, and for evidence that ran out: then the current problem of the
   * reflector is the reason.
   */
  readonly error: unknown;
}

const SYNCED: Freshness = { kind: 'synced', since: undefined, error: undefined };

/**
 * Judges the evidence. Promise: `synced` means at most 75 s behind the server, `polling` at most two periods
 * and 5 s. The exception is in `VersionPace`.
 *
 * ```
 *  a received change is not applied for 10 s     stale    the cache lags behind its own stream
 *  a contradiction stands                        stale    the server is behind, or the cache is known to differ
 *  polling, last whole round within 2 periods    polling
 *  an event is unfinished for 3 s                stale    held back on the path
 *  evidence counts                               synced
 *  otherwise                                     stale    no stream, or a silent one
 * ```
 *
 * Pure, and correct without a timer: after a suspend, the age of the evidence decides.
 */
export function freshnessOf(evidence: Evidence, now: number): Freshness {
  const { backlogSince, contradiction, polling, validUntil, unfinishedSince } = evidence;
  const backlog = backlogError(evidence, now);
  if (backlog !== undefined) return staleFreshness(backlogSince as number, backlog);
  if (contradiction !== undefined) return staleFreshness(contradiction.since, contradiction.error);
  if (polling !== undefined) {
    return now <= validUntil
      ? { kind: 'polling', since: polling.since, error: polling.error }
      : staleFreshness(validUntil, undefined);
  }
  if (unfinishedSince !== undefined && now - unfinishedSince > MAX_UNFINISHED_MS) {
    return staleFreshness(unfinishedSince, new KubeError('WATCH_ENDED', 'the watch delivered only a part of an event'));
  }
  return now <= validUntil ? SYNCED : staleFreshness(validUntil, undefined);
}

/** The problem of a cache that has not applied what it received long ago. */
export function backlogError({ backlogSince }: Evidence, now: number): KubeError | undefined {
  if (backlogSince === undefined || now - backlogSince <= MAX_BACKLOG_MS) return undefined;
  const seconds = Math.round((now - backlogSince) / 1_000);
  return new KubeError(
    'STALE_CACHE',
    `changes received ${seconds} s ago wait to be applied: a handler with the policy "block" is slow or hangs`,
  );
}

/** How long ago the cache was last known to be current. Infinity before the first list. */
export function freshnessStaleForMs({ provenAt, backlogSince }: Evidence, now: number): number {
  return now - Math.min(provenAt, backlogSince ?? Number.POSITIVE_INFINITY);
}

/** Time at which the judgement changes if nothing happens until then. */
export function nextFreshnessChange(evidence: Evidence): number {
  const { backlogSince = Number.POSITIVE_INFINITY, unfinishedSince = Number.POSITIVE_INFINITY } = evidence;
  return Math.min(evidence.validUntil, backlogSince + MAX_BACKLOG_MS, unfinishedSince + MAX_UNFINISHED_MS) + 1;
}

function staleFreshness(since: number, error: unknown): Freshness {
  return { kind: 'stale', since, error };
}
