/** A condition of a status. */
import { defined } from 'kube-informer/core';
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export const findStatusCondition = <C extends Condition>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined => conditions?.find((one) => one.type === type);

export const isStatusConditionTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findStatusCondition(conditions, type)?.status === 'True';

/** A copy of the conditions with one set. Its transition time changes with its status only. */
export function withStatusCondition<C extends Condition>(conditions: readonly C[] | undefined, next: C): C[] {
  const before = findStatusCondition(conditions, next.type);
  const { lastTransitionTime } = before?.status === next.status ? before : next;
  const set = { ...next, ...defined({ lastTransitionTime }) };
  return before === undefined
    ? [...(conditions ?? []), set]
    : (conditions ?? []).map((one) => (one === before ? set : one));
}

export const withoutStatusCondition = <C extends Condition>(conditions: readonly C[] | undefined, type: string): C[] =>
  (conditions ?? []).filter((one) => one.type !== type);
