import { scalarValueAt, valueAt } from '../../meta/value-at.ts';

/** An object of which only the shown fields are read. */
export type Fields = Readonly<Record<string, unknown>>;

export const readField = (object: unknown, path: string): unknown => valueAt(object, path.split('.'));

/** The string, number or boolean at a path as text; `absent` if there is none. */
export const readFieldText = (object: unknown, path: string, absent = ''): string =>
  scalarValueAt(readField(object, path)) ?? absent;

/** The same text, where an empty string counts as absent. */
export const readFilledFieldText = (object: unknown, path: string, absent: string): string =>
  readFieldText(object, path) || absent;

export function readFieldNumber(object: unknown, path: string): number {
  const value = readField(object, path);
  return typeof value === 'number' ? value : 0;
}

export const readFieldFlag = (object: unknown, path: string, absent = false): boolean => {
  const value = readField(object, path);
  return typeof value === 'boolean' ? value : absent;
};

export function readFieldItems(object: unknown, path: string): readonly Fields[] {
  const value = readField(object, path);
  return Array.isArray(value) ? value.filter(isReadableField) : [];
}

export function readFieldTexts(object: unknown, path: string): readonly string[] {
  const value = readField(object, path);
  return Array.isArray(value) ? value.map(scalarValueAt).filter((text) => text !== undefined) : [];
}

export function readFieldMap(object: unknown, path: string): Readonly<Record<string, string>> {
  const value = readField(object, path);
  if (!isReadableField(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scalarValueAt(item) ?? '']));
}

export const readFieldSize = (object: unknown, path: string): number => {
  const value = readField(object, path);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
};

export const readFieldIsPresent = (object: unknown, path: string): boolean =>
  (readField(object, path) ?? undefined) !== undefined;

/** The first condition of a type. */
export const readFieldCondition = (object: unknown, type: string): Fields | undefined =>
  readFieldItems(object, 'status.conditions').find((condition) => condition['type'] === type);

export const readFieldConditionIsTrue = (condition: Fields | undefined): boolean => condition?.['status'] === 'True';

const isReadableField = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
