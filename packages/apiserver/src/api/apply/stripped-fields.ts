import { type FieldSet, fieldSetAt } from './structured-merge/field-set.ts';

/** Fields that identify the object or that only the server writes: they have no owner, whichever client sent them. */
export const UNOWNED: FieldSet = fieldSetAt(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
);
