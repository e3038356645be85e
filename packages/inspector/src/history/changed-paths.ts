import { isObjectFields } from '../objects/fields.ts';

/** Maximum depth of a path; deeper differences are named by their parent. */
const MAX_DEPTH = 3;
const MAX_PATHS = 6;
/** Fields that change with every update. */
const ALWAYS = new Set(['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation']);

/** Returns the paths that differ between two versions of an object: `spec.replicas`, `status.conditions`. */
export function changedPathsInHistory(before: unknown, after: unknown): readonly string[] {
  const paths: string[] = [];
  collectHistoryPaths(before, after, [], paths);
  return paths;
}

function collectHistoryPaths(before: unknown, after: unknown, path: readonly string[], paths: string[]): void {
  if (paths.length >= MAX_PATHS || ALWAYS.has(path.join('.'))) return;
  if (!isObjectFields(before) || !isObjectFields(after) || path.length >= MAX_DEPTH) {
    if (JSON.stringify(before) !== JSON.stringify(after)) paths.push(path.join('.'));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    collectHistoryPaths(historyPathValue(before, name), historyPathValue(after, name), [...path, name], paths);
}

const historyPathValue = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : undefined;
