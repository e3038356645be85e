import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCellSince } from './age-cell.ts';

/** The cells of one object, in the order of its kind's columns. */
export type Cells = (object: ApiObject, now: number) => Json[];

export const nameCell = (object: ApiObject): string => object.metadata?.name ?? '';

export const ageCell = (object: ApiObject, now: number): string =>
  ageCellSince(object.metadata?.creationTimestamp, now);

/** The name, marked if an annotation makes this class the default one. */
export function defaultNameCell(object: ApiObject, ...annotations: readonly string[]): string {
  const isDefault = annotations.some((annotation) => object.metadata?.annotations?.[annotation] === 'true');
  return isDefault ? `${nameCell(object)} (default)` : nameCell(object);
}
