import { isObjectFields } from '../objects/object-fields.ts';

/** Maximum depth of a path; deeper differences are named by their parent. */
const MAX_DEPTH = 3;
const MAX_PATHS = 6;
const VERSION = 'metadata.resourceVersion';
const VERSION_ONLY: ReadonlySet<string> = new Set([VERSION]);
/** Fields that change along with others. */
const ALWAYS: ReadonlySet<string> = new Set([VERSION, 'metadata.managedFields', 'metadata.generation']);

/**
 * Returns the paths that differ between two versions of an object: `spec.replicas`, `status.conditions`. Fields that change
 * along with others are named only if nothing else differs.
 */
export function changedPathsInHistory(before: unknown, after: unknown): readonly string[] {
  const paths: string[] = [];
  collectHistoryPaths(before, after, [], paths, ALWAYS);
  if (paths.length === 0) collectHistoryPaths(before, after, [], paths, VERSION_ONLY);
  return paths;
}

function collectHistoryPaths(
  before: unknown,
  after: unknown,
  path: readonly string[],
  paths: string[],
  ignored: ReadonlySet<string>,
): void {
  if (paths.length >= MAX_PATHS || ignored.has(path.join('.'))) return;
  if (!isObjectFields(before) || !isObjectFields(after) || path.length >= MAX_DEPTH) {
    if (JSON.stringify(before) !== JSON.stringify(after)) paths.push(path.join('.'));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
    collectHistoryPaths(historyPathValue(before, name), historyPathValue(after, name), [...path, name], paths, ignored);
}

const historyPathValue = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (Reflect.get(value, name) as unknown) : undefined;
