/** Maximum number of paths in one reason. */
const MAX_PATHS = 8;
/** Maximum depth of a path; deeper differences are reported at this depth. */
const MAX_DEPTH = 5;
/** Maximum length of a name in a path. Names in free-form fields are written by users and may be as long as an object. */
const MAX_NAME = 128;
/** Fields of metadata that change with every write. */
const ALWAYS_CHANGED: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);

/** A field that differs. */
export interface ChangedField {
  /** Path of the field, such as `spec.replicas`. */
  readonly path: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** Paths of the fields that differ, such as `spec.replicas`. Lists are compared as a whole. */
export function pathsOfChangedFields(old: object, now: object): readonly string[] {
  return changedFields(old, now).map(({ path }) => path);
}

/** The fields that differ, with their values. */
export function changedFields(old: object, now: object): readonly ChangedField[] {
  const fields: ChangedField[] = [];
  collectChangedFields(old, now, '', 0, fields);
  return fields;
}

function collectChangedFields(a: object, b: object, prefix: string, depth: number, fields: ChangedField[]): void {
  const before = new Map(Object.entries(a) as [string, unknown][]);
  const after = new Map(Object.entries(b) as [string, unknown][]);
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    if (fields.length >= MAX_PATHS) return;
    if (prefix === 'metadata' && ALWAYS_CHANGED.has(name)) continue;
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) continue;
    const shown = name.length > MAX_NAME ? beginningOfChangedField(name) : name;
    const path = prefix === '' ? shown : `${prefix}.${shown}`;
    if (isPlainChangedField(was) && isPlainChangedField(is) && depth < MAX_DEPTH)
      collectChangedFields(was, is, path, depth + 1, fields);
    else if (!isSameChangedField(was, is)) fields.push({ path, was, is });
  }
}

/** The beginning of a name, as a copy: a slice would keep the whole name in memory as long as the path. */
function beginningOfChangedField(name: string): string {
  return `${Buffer.from(name.slice(0, MAX_NAME)).toString()}…`;
}

const isPlainChangedField = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isSameChangedField(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [before, after] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    before.length === after.size &&
    before.every(([name, value]) => after.has(name) && isSameChangedField(value, after.get(name)))
  );
}
