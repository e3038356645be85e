import { KubeError } from '../core/errors.ts';
import type { Evidence } from './freshness/evidence.ts';
import { backlogError, freshnessOf, nextFreshnessChange } from './freshness/freshness.ts';
import type { InformerState } from './informer-state.ts';
import type { Problem } from './reflector/reflector-context.ts';
import { reasonOf } from './reflector/watch-error.ts';

interface DatedEvidence {
  readonly evidence: Evidence;
  readonly now: number;
}

/** The state of an informer that has synced once, from the evidence and the reflector's current problem. */
export function judgeState(
  { evidence, now }: DatedEvidence,
  problem: Problem | undefined,
  wallNow: number,
): InformerState {
  const { kind, since, error: found } = freshnessOf(evidence, now);
  if (kind === 'synced') return { kind };
  const error =
    found ?? problem?.error ?? new KubeError('WATCH_ENDED', 'the stream gives no evidence that it delivers');
  const startedAt = wallNow - (now - (since ?? now));
  const about = {
    since: found === undefined ? (problem?.since ?? startedAt) : startedAt,
    reason: reasonOf(error),
    error,
  };
  return kind === 'polling' ? { kind, ...about, periodMs: evidence.polling?.periodMs ?? 0 } : { kind, ...about };
}

/** The reason why an informer has not synced although its reflector has no problem: received events are not applied. */
export function judgeHeldBackState({ evidence, now }: DatedEvidence, wallNow: number): Problem | undefined {
  const error = backlogError(evidence, now);
  if (error === undefined) return undefined;
  return { since: wallNow - (now - (evidence.backlogSince ?? now)), reason: reasonOf(error), error };
}

/** Milliseconds until the state may change by itself. */
export function judgeStateAgainInMs(dated: DatedEvidence | undefined): number {
  return dated === undefined ? Number.POSITIVE_INFINITY : nextFreshnessChange(dated.evidence) - dated.now;
}
