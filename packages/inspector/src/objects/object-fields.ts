/**
 * Accessors for objects of unknown shape: a field that is missing or has another type gives the default, never an
 * error.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function objectField(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) {
    if (!isObjectFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function objectFieldText(object: unknown, path: string, absent = ''): string {
  const value = objectField(object, path);
  if (typeof value === 'string') return value === '' ? absent : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : absent;
}

export function objectFieldNumber(object: unknown, path: string): number {
  const value = objectField(object, path);
  return typeof value === 'number' ? value : 0;
}

export function objectFieldObjects(object: unknown, path: string): readonly Fields[] {
  const value = objectField(object, path);
  return Array.isArray(value) ? value.filter(isObjectFields) : [];
}

export function objectFieldTexts(object: unknown, path: string): readonly string[] {
  const value = objectField(object, path);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function objectFieldEntries(object: unknown, path: string): readonly (readonly [string, unknown])[] {
  const value = objectField(object, path);
  return isObjectFields(value) ? Object.entries(value) : [];
}

/** Finds a condition in `status.conditions`. */
export function objectFieldCondition(object: unknown, type: string): Fields | undefined {
  return objectFieldObjects(object, 'status.conditions').find((condition) => condition['type'] === type);
}

export const isObjectFieldConditionTrue = (condition: Fields | undefined): boolean => condition?.['status'] === 'True';

export const isObjectFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
