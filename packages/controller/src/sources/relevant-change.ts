import type { KubeObject } from 'kube-informer/core';
import { isSameChangedField } from './changed-fields.ts';

/** Which updates of its own objects run a controller. A function decides by itself; a delete always runs. */
export type On = 'spec' | 'any';

/**
 * Whether an update is one that `spec` runs for: of generation, labels, annotations, finalizers, owners, deletion or uid. An
 * object without a generation runs for anything.
 */
export function isRelevantChange(on: On, old: KubeObject, object: KubeObject): boolean {
  const [a, b] = [old.metadata ?? {}, object.metadata ?? {}];
  if (on === 'any' || b.generation === undefined) return true;
  return (
    a.generation !== b.generation ||
    a.uid !== b.uid ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    !isSameChangedField(a.labels, b.labels) ||
    !isSameChangedField(a.annotations, b.annotations) ||
    !isSameChangedField(a.finalizers, b.finalizers) ||
    !isSameChangedField(a.ownerReferences, b.ownerReferences)
  );
}
