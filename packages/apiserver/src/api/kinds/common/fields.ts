import type { Json } from '../../../core/json.ts';
import type { ApiObject } from '../../../core/kube-object.ts';

/** A JSON object whose fields are looked at one by one, because it has no type here. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object at `name`, or an empty one that is not attached: it can be read, but writing to it has no effect. */
export const fieldsAt = (parent: Fields, name: string): Fields => {
  const value = parent[name];
  return isFields(value) ? value : {};
};

/** The object at `name`; creates it if it is absent. */
export function ensureFields(parent: Fields, name: string): Fields {
  const value = parent[name];
  if (isFields(value)) return value;
  const made: Fields = {};
  parent[name] = made;
  return made;
}

/** The objects in the list at `name`. Other items are left out, so indexes may differ from those of the list. */
export const itemsField = (parent: Fields, name: string): Fields[] => {
  const value = parent[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
};

export const textField = (parent: Fields, name: string): string => {
  const value = parent[name];
  return typeof value === 'string' ? value : '';
};

export const numberField = (parent: Fields, name: string): number | undefined => {
  const value = parent[name];
  return typeof value === 'number' ? value : undefined;
};

export const textsField = (parent: Fields, name: string): string[] => {
  const value = parent[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** The strings of a map such as labels. */
export const textMapField = (parent: Fields, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(fieldsAt(parent, name)).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;

export const specFields = (object: ApiObject): Fields => fieldsAt(object, 'spec');

export const nameField = (object: ApiObject): string => object.metadata?.name ?? '';

/** Whether a typed server treats the value as absent, such as an empty string. */
export const isFieldAbsent = (value: unknown): boolean => value === undefined || value === null || value === '';

export const isFieldEmpty = (value: unknown): boolean =>
  isFieldAbsent(value) ||
  (Array.isArray(value) ? value.length === 0 : isFields(value) && Object.keys(value).length === 0);

export function setDefaultField(parent: Fields, name: string, value: Json): void {
  if (isFieldAbsent(parent[name])) parent[name] = typeof value === 'object' ? structuredClone(value) : value;
}

/** Whether two values are equal as JSON, where null and absent are the same. */
export function sameFields(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (a === undefined || a === null) return b === undefined || b === null;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameFields(item, b[index]));
  if (!isFields(a) || !isFields(b)) return false;
  for (const key of Object.keys(a)) if (!sameFields(a[key], b[key])) return false;
  return Object.keys(b).every((key) => key in a || sameFields(undefined, b[key]));
}

/** The value as a field error shows it. */
export const shownFieldValue = (value: unknown): Json => (value === undefined ? null : (value as Json));
