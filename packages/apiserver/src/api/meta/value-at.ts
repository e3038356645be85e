/** The value at nested keys; undefined if one of them is absent. */
export function valueAt(object: unknown, keys: readonly string[]): unknown {
  let value = object;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** A string, number or boolean as text; undefined for other values. */
export function scalarValueAt(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
