import { FieldSet } from './fields/field-set.ts';
import { fieldPathElement } from './fields/path-element.ts';

/** Fields by their names, from the root. */
export const fieldsNamed = (...paths: readonly (readonly string[])[]): FieldSet =>
  new FieldSet(paths.map((path) => path.map(fieldPathElement)));

/** What says which object this is, or what only the server writes: nobody owns it, whoever sent it. */
export const UNOWNED: FieldSet = fieldsNamed(
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
