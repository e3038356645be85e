/**
 * Accessors for objects of unknown shape: a field that is missing or has another type gives the default, never an
 * error.
 */

export type Fields = Readonly<Record<string, unknown>>;

export function at(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split('.')) {
    if (!isFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export function textAt(object: unknown, path: string, absent = ''): string {
  const value = at(object, path);
  if (typeof value === 'string') return value === '' ? absent : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : absent;
}

export function numberAt(object: unknown, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

export function itemsAt(object: unknown, path: string): readonly Fields[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textsAt(object: unknown, path: string): readonly string[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function entriesAt(object: unknown, path: string): readonly (readonly [string, unknown])[] {
  const value = at(object, path);
  return isFields(value) ? Object.entries(value) : [];
}

/** Finds a condition in `status.conditions`. */
export function conditionAt(object: unknown, type: string): Fields | undefined {
  return itemsAt(object, 'status.conditions').find((condition) => condition['type'] === type);
}

export const isTrue = (condition: Fields | undefined): boolean => condition?.['status'] === 'True';

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
