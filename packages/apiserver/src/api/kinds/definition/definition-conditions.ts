import type { ApiObject, ObjectMeta } from '../../../core/kube-object.ts';

/** Conditions in the status of a CustomResourceDefinition. */

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

interface DefinitionStatus {
  conditions?: Condition[] | null;
}

export const definitionCondition = (definition: ApiObject, type: string): Condition | undefined =>
  ((definition['status'] as DefinitionStatus | undefined)?.conditions ?? []).find((one) => one.type === type);

/** Adds or replaces a condition; the time stays the same if only reason and message change. Changes `definition`. */
export function setDefinitionCondition(definition: ApiObject, condition: Condition): void {
  const status = (definition['status'] ??= {}) as DefinitionStatus;
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === condition.type);
  const next =
    before?.status === condition.status ? { ...condition, lastTransitionTime: before.lastTransitionTime } : condition;
  status.conditions =
    before === undefined ? [...conditions, next] : conditions.map((one) => (one === before ? next : one));
}

/** Marks a definition as deleted: it stays until its objects are gone. Changes `definition`. */
export function setDefinitionDeletedCondition(definition: ApiObject, now: string): void {
  const meta = definition.metadata as ObjectMeta;
  meta.deletionTimestamp = now;
  if (!(meta.finalizers ?? []).includes(CLEANUP_FINALIZER))
    meta.finalizers = [...(meta.finalizers ?? []), CLEANUP_FINALIZER];
  setDefinitionCondition(definition, {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
}
