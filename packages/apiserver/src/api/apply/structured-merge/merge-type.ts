import type { Json } from '../../../core/json.ts';

/**
 * A type as server-side apply needs it: what its values may be, and whether lists and maps are owned as a
 * whole or in parts. A type may allow several forms; a value decides between them.
 */
export interface MergeType {
  readonly scalar: Scalar | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;
}

export type Scalar = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** `atomic`: owned as a whole. `set`: items are distinguished by their value. `map`: by the fields `keys`. */
  readonly kind: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly items: MergeType;
}

export interface MapType {
  readonly isAtomic: boolean;
  /** Type of a field that this type names. */
  field(name: string): MergeType | undefined;
  /** Default of a named field that an item leaves out: `protocol: TCP`. */
  fieldDefault(name: string): Json | undefined;
  /** Type of all other fields. Undefined if no others are allowed. */
  readonly values: MergeType | undefined;
}

/** The type of the value under `name` in a map. */
export const mergeTypeOfField = (map: MapType, name: string): MergeType | undefined => map.field(name) ?? map.values;

export type Form = 'map' | 'scalar' | 'list';

/**
 * The form that `value` has under `type`. For values that do not decide (null, absent, a wrong type) it is
 * the first form.
 */
export function schemaMergeType(type: MergeType, value: Json | undefined): Form {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return 'list';
  } else if (typeof value === 'object' && value !== null) {
    if (type.map !== undefined) return 'map';
  } else if (value !== undefined && value !== null && type.scalar !== undefined) return 'scalar';
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}
