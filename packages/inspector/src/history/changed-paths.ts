import { isFields } from '../objects/fields.ts';

/** Deeper differences are named by where they begin. */
const MAX_DEPTH = 3;
const MAX_PATHS = 6;
/** Different in every version, and so no news. */
const ALWAYS = new Set(['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation']);

/** Where two states of an object differ, as paths people know: `spec.replicas`, `status.conditions`. */
export function changedPaths(before: unknown, after: unknown): readonly string[] {
  const paths: string[] = [];
  collect(before, after, [], paths);
  return paths;
}

function collect(before: unknown, after: unknown, path: readonly string[], paths: string[]): void {
  if (paths.length >= MAX_PATHS || ALWAYS.has(path.join('.'))) return;
  if (!isFields(before) || !isFields(after) || path.length >= MAX_DEPTH) {
    if (JSON.stringify(before) !== JSON.stringify(after)) paths.push(path.join('.'));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    collect(own(before, name), own(after, name), [...path, name], paths);
}

const own = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : undefined;
