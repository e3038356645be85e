import type { Json } from '../../core/json.ts';
import { type JsonPathNode, parseJsonPath } from './json-path-parser.ts';

/** Finds values in an object. Throws on a path that does not fit it: an index out of bounds, two types compared. */
export type JsonPath = (object: Json) => readonly Json[];

/**
 * A JSON path as printer columns use it: `.spec.replicas`, `.metadata.annotations['a.b/c']`, `.spec.hosts[0]`,
 * `.status.conditions[?(@.type=="Ready")].status`, with `*`, slices, unions and `..`. Throws a SyntaxError.
 */
export function compileJsonPath(path: string): JsonPath {
  const nodes = parseJsonPath(path);
  return (object) => walkJsonPath([object], nodes);
}

function walkJsonPath(values: readonly Json[], nodes: readonly JsonPathNode[]): readonly Json[] {
  let found = values;
  for (const node of nodes) found = stepJsonPath(found, node);
  return found;
}

function stepJsonPath(values: readonly Json[], node: JsonPathNode): readonly Json[] {
  switch (node.type) {
    case 'field':
      return values.flatMap((value) =>
        isJsonPathMap(value) && Object.hasOwn(value, node.name) ? [value[node.name] as Json] : [],
      );
    case 'wildcard':
      return values.flatMap(jsonPathChildren);
    case 'recursive':
      return values.flatMap(jsonPathContainers);
    case 'slice':
      return values.flatMap((value) => (value === null ? [] : sliceByJsonPath(value, node)));
    case 'union':
      return node.paths.flatMap((path) => walkJsonPath(values, path));
    case 'filter':
      return values.flatMap((value) => requireJsonPathList(value).filter((item) => passesJsonPathFilter(item, node)));
    case 'literal':
      return [node.value];
  }
}

function sliceByJsonPath(value: Json, { from, to, step: by }: Extract<JsonPathNode, { type: 'slice' }>): Json[] {
  const list = requireJsonPathList(value);
  const start = jsonPathIndexFromEnd(from ?? 0, list.length);
  // A single index ends right after its start.
  const end = to === 'next' ? start + 1 : jsonPathIndexFromEnd(to ?? list.length, list.length);
  if (start === end) return [];
  if (start < 0 || start >= list.length || end < start || end > list.length || by <= 0) throw new RangeError('index');
  return list.slice(start, end).filter((_, index) => index % by === 0);
}

const jsonPathIndexFromEnd = (index: number, length: number): number => (index < 0 ? index + length : index);

function passesJsonPathFilter(
  item: Json,
  { left, operator, right }: Extract<JsonPathNode, { type: 'filter' }>,
): boolean {
  const lefts = walkJsonPath([item], left);
  if (operator === 'exists') return lefts.length > 0;
  const rights = walkJsonPath([item], right);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new TypeError('one value can be compared at a time');
  const [a, b] = [lefts[0], rights[0]];
  if (!isJsonPathComparable(a) || typeof a !== typeof b) throw new TypeError('values of two types do not compare');
  return compareByJsonPath(a, b as typeof a, operator);
}

function compareByJsonPath<T extends string | number | boolean>(a: T, b: T, operator: string): boolean {
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

const isJsonPathComparable = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function jsonPathChildren(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isJsonPathMap(value) ? Object.values(value) : [];
}

/** The value and everything below it that holds something. */
function jsonPathContainers(value: Json): Json[] {
  const below = jsonPathChildren(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(jsonPathContainers)];
}

function requireJsonPathList(value: Json): Json[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

const isJsonPathMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
