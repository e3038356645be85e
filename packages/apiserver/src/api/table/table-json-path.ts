import type { Json } from '../../core/json.ts';
import type { Work } from '../../core/work.ts';
import { type JsonPathNode, parseTableJsonPath } from './table-json-path-parser.ts';

/**
 * Finds values in an object. Throws on a path that does not fit it: an index out of bounds, two types
 * compared. Each value that is read is a step of `work`.
 */
export type JsonPath = (object: Json, work: Work) => readonly Json[];

/**
 * A JSON path as printer columns use it: `.spec.replicas`, `.metadata.annotations['a.b/c']`, `.spec.hosts[0]`,
 * `.status.conditions[?(@.type=="Ready")].status`, with `*`, slices, unions and `..`. Throws a SyntaxError.
 */
export function compileTableJsonPath(path: string): JsonPath {
  const nodes = parseTableJsonPath(path);
  return (object, work) => walkTableJsonPath([object], nodes, work);
}

function walkTableJsonPath(values: readonly Json[], nodes: readonly JsonPathNode[], work: Work): readonly Json[] {
  let found = values;
  for (const node of nodes) {
    work.spend(1 + found.length);
    found = stepTableJsonPath(found, node, work);
  }
  return found;
}

function stepTableJsonPath(values: readonly Json[], node: JsonPathNode, work: Work): readonly Json[] {
  switch (node.type) {
    case 'field':
      return values.flatMap((value) =>
        isTableJsonPathMap(value) && Object.hasOwn(value, node.name) ? [value[node.name] as Json] : [],
      );
    case 'wildcard':
      return values.flatMap(tableJsonPathChildren);
    case 'recursive':
      return values.flatMap((value) => tableJsonPathContainers(value, work));
    case 'slice':
      return values.flatMap((value) => (value === null ? [] : sliceByTableJsonPath(value, node)));
    case 'union':
      return node.paths.flatMap((path) => walkTableJsonPath(values, path, work));
    case 'filter':
      return values.flatMap((value) =>
        requireTableJsonPathList(value).filter((item) => passesTableJsonPathFilter(item, node, work)),
      );
    case 'literal':
      return [node.value];
  }
}

function sliceByTableJsonPath(value: Json, { from, to, step: by }: Extract<JsonPathNode, { type: 'slice' }>): Json[] {
  const list = requireTableJsonPathList(value);
  const start = tableJsonPathIndex(from ?? 0, list.length);
  // A single index is a slice of one item.
  const end = to === 'next' ? start + 1 : tableJsonPathIndex(to ?? list.length, list.length);
  if (start === end) return [];
  if (start < 0 || start >= list.length || end < start || end > list.length || by <= 0) throw new RangeError('index');
  return list.slice(start, end).filter((_, index) => index % by === 0);
}

const tableJsonPathIndex = (index: number, length: number): number => (index < 0 ? index + length : index);

function passesTableJsonPathFilter(
  item: Json,
  { left, operator, right }: Extract<JsonPathNode, { type: 'filter' }>,
  work: Work,
): boolean {
  const lefts = walkTableJsonPath([item], left, work);
  if (operator === 'exists') return lefts.length > 0;
  const rights = walkTableJsonPath([item], right, work);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new TypeError('one value can be compared at a time');
  const [a, b] = [lefts[0], rights[0]];
  if (!isTableJsonPathComparable(a) || typeof a !== typeof b) throw new TypeError('values of two types do not compare');
  return compareByTableJsonPath(a, b as typeof a, operator);
}

function compareByTableJsonPath<T extends string | number | boolean>(a: T, b: T, operator: string): boolean {
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new SyntaxError(`no operator ${operator}`);
  }
}

const isTableJsonPathComparable = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function tableJsonPathChildren(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isTableJsonPathMap(value) ? Object.values(value) : [];
}

/** The value and every object and list below it. */
function tableJsonPathContainers(value: Json, work: Work): Json[] {
  const below = tableJsonPathChildren(value);
  work.spend(1 + below.length);
  return below.length === 0 ? [] : [value, ...below.flatMap((child) => tableJsonPathContainers(child, work))];
}

function requireTableJsonPathList(value: Json): Json[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

const isTableJsonPathMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
