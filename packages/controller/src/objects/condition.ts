import { defined, requireOption, safeText, timestamp } from 'kube-informer/core';

/** One entry of `status.conditions`, as Kubernetes defines it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** When `status` last changed. */
  readonly lastTransitionTime: string;
  /** The generation of the object that the condition is about. */
  readonly observedGeneration?: number;
}

export interface ConditionChange {
  readonly type: string;
  readonly status: boolean | 'Unknown';
  /** A word for programs: `NeverRan`. */
  readonly reason: string;
  /** A sentence for people. @default '' */
  readonly message?: string;
}

/** Limits of the API; a longer message is cut, everything else is refused. */
const MAX_TYPE = 316;
const MAX_REASON = 1_024;
const MAX_MESSAGE = 32_768;
const TYPE = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/**
 * The conditions with one changed or added; the same array if that changes nothing. Others keep their place.
 *
 * `lastTransitionTime` moves exactly when `status` does: otherwise every run would change the object, which
 * causes an event and the next run.
 *
 * @param generation the generation that the run saw
 */
export function setCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  { wallNow, generation }: { readonly wallNow: number; readonly generation?: number | undefined },
): readonly Condition[] {
  checkCondition(change);
  const { type, reason, message = '' } = change;
  const status = change.status === 'Unknown' ? 'Unknown' : change.status ? 'True' : 'False';
  const at = conditions.findIndex((each) => each.type === type);
  const before = conditions[at];
  const condition: Condition = {
    type,
    status,
    reason,
    message: conditionMessage(message),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timestamp(wallNow),
    ...defined({ observedGeneration: generation }),
  };
  if (before === undefined) return [...conditions, condition];
  return isSameCondition(before, condition) ? conditions : conditions.with(at, condition);
}

/**
 * A message without credentials, and printable: all readers of the object see it. It often quotes an error.
 *
 * Half a character becomes U+FFFD, as a server stores it. Otherwise every run would find a difference and
 * write the status.
 */
function conditionMessage(message: string): string {
  return Buffer.from(safeText(message, MAX_MESSAGE).slice(0, MAX_MESSAGE)).toString();
}

function isSameCondition(one: Condition, other: Condition): boolean {
  const text = ({ status, reason, message, observedGeneration }: Condition): string =>
    JSON.stringify([status, reason, message, observedGeneration ?? 0]);
  return text(one) === text(other);
}

/** Throws INVALID_OPTION for a condition that the API would refuse, or would store differently. */
export function checkCondition({ type, status, reason, message }: ConditionChange): void {
  const require = (ok: boolean, field: string, expected: string, got: unknown): void =>
    requireOption(ok, `condition ${field}`, expected, got);
  const isType = typeof type === 'string' && type.length <= MAX_TYPE && TYPE.test(type);
  require(isType, 'type', 'a name such as Ready or example.com/Ready', type);
  // Not the text "False", which would be truthy.
  require(typeof status === 'boolean' || status === 'Unknown', 'status', 'true, false or "Unknown"', status);
  const isReason = typeof reason === 'string' && reason.length <= MAX_REASON && REASON.test(reason);
  require(isReason, 'reason', 'a word such as NeverRan', reason);
  require(message === undefined || typeof message === 'string', 'message', 'a text', message);
}
