import type { KubeObject } from 'kube-informer/core';
import { isSameChangedField } from './changed-fields.ts';

/** The updates of its own objects that run a controller. A function decides by itself; a delete always runs. */
export type On = 'spec' | 'any';

/**
 * Whether an update causes a run: with `spec`, a change of generation, labels, annotations, finalizers,
 * owners, deletion or uid. For an object without a generation, every change does.
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
