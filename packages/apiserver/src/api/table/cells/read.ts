import { scalarValueText, valueAt } from '../../meta/value-at.ts';

/** An object of which only the fields that are shown are looked at. */
export type Fields = Readonly<Record<string, unknown>>;

export const at = (object: unknown, path: string): unknown => valueAt(object, path.split('.'));

/** A string, or number or boolean as one; `absent` where there is none. */
export const textAt = (object: unknown, path: string, absent = ''): string =>
  scalarValueText(at(object, path)) ?? absent;

/** The same where an empty string counts as none. */
export const filledAt = (object: unknown, path: string, absent: string): string => textAt(object, path) || absent;

export function numberAt(object: unknown, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

export const flagAt = (object: unknown, path: string, absent = false): boolean => {
  const value = at(object, path);
  return typeof value === 'boolean' ? value : absent;
};

export function itemsAt(object: unknown, path: string): readonly Fields[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textsAt(object: unknown, path: string): readonly string[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.map(scalarValueText).filter((text) => text !== undefined) : [];
}

export function mapAt(object: unknown, path: string): Readonly<Record<string, string>> {
  const value = at(object, path);
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scalarValueText(item) ?? '']));
}

export const sizeAt = (object: unknown, path: string): number => {
  const value = at(object, path);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
};

export const isPresent = (object: unknown, path: string): boolean => (at(object, path) ?? undefined) !== undefined;

/** The first condition of a type. */
export const conditionOf = (object: unknown, type: string): Fields | undefined =>
  itemsAt(object, 'status.conditions').find((condition) => condition['type'] === type);

export const isTrue = (condition: Fields | undefined): boolean => condition?.['status'] === 'True';

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
