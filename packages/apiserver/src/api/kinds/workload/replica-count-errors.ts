import { type FieldError, invalidFieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { fieldsAt, numberField } from '../common/fields.ts';
import { negativeValueErrors } from '../common/value-errors.ts';

interface Counts {
  /** Fields that must not be negative. */
  readonly counts: readonly string[];
  /** Fields that must not exceed `replicas`. */
  readonly parts?: readonly string[];
  /** Name of the ready count in messages; it is at least the available count. */
  readonly ready?: string;
}

/** Checks that the counts in a status add up. */
function replicaCountErrors(next: ApiObject, old: ApiObject, { counts, parts = [], ready }: Counts): FieldError[] {
  const status = fieldsAt(next, 'status');
  const count = (name: string): number => numberField(status, name) ?? 0;
  const errors = negativeValueErrors(status, counts, 'status');
  for (const name of parts)
    if (count(name) > count('replicas'))
      errors.push(invalidFieldError(`status.${name}`, count(name), 'cannot be greater than status.replicas'));
  if (ready !== undefined && count('availableReplicas') > count('readyReplicas'))
    errors.push(
      invalidFieldError('status.availableReplicas', count('availableReplicas'), `cannot be greater than ${ready}`),
    );
  // Names are built from it: a smaller count would repeat a name.
  const before = numberField(fieldsAt(old, 'status'), 'collisionCount');
  if (before !== undefined && count('collisionCount') < before)
    errors.push(invalidFieldError('status.collisionCount', count('collisionCount'), 'cannot be decremented'));
  return errors;
}

type StatusCheck = (next: ApiObject, old: ApiObject) => FieldError[];

export const deploymentReplicaCountErrors: StatusCheck = (next, old) =>
  replicaCountErrors(next, old, {
    counts: [
      'observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount',
    ],
    parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  }); // prettier-ignore

export const replicaSetReplicaCountErrors: StatusCheck = (next, old) =>
  replicaCountErrors(next, old, {
    counts: [
      'replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas',
    ],
    parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
    ready: 'readyReplicas',
  }); // prettier-ignore

export const statefulSetReplicaCountErrors: StatusCheck = (next, old) =>
  replicaCountErrors(next, old, {
    counts: [
      'replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount',
    ],
    parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
  }); // prettier-ignore

export const daemonSetReplicaCountErrors: StatusCheck = (next, old) =>
  replicaCountErrors(next, old, {
    counts: [
      'currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount',
    ],
  }); // prettier-ignore

export const disruptionBudgetReplicaCountErrors: StatusCheck = (next, old) =>
  replicaCountErrors(next, old, { counts: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] });
