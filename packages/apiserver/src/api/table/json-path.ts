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
  return (object) => walk([object], nodes);
}

function walk(values: readonly Json[], nodes: readonly JsonPathNode[]): readonly Json[] {
  let found = values;
  for (const node of nodes) found = step(found, node);
  return found;
}

function step(values: readonly Json[], node: JsonPathNode): readonly Json[] {
  switch (node.type) {
    case 'field':
      return values.flatMap((value) =>
        isMap(value) && Object.hasOwn(value, node.name) ? [value[node.name] as Json] : [],
      );
    case 'wildcard':
      return values.flatMap(children);
    case 'recursive':
      return values.flatMap(containers);
    case 'slice':
      return values.flatMap((value) => (value === null ? [] : slice(value, node)));
    case 'union':
      return node.paths.flatMap((path) => walk(values, path));
    case 'filter':
      return values.flatMap((value) => requireList(value).filter((item) => passes(item, node)));
    case 'literal':
      return [node.value];
  }
}

function slice(value: Json, { from, to, step: by }: Extract<JsonPathNode, { type: 'slice' }>): Json[] {
  const list = requireList(value);
  const start = fromEnd(from ?? 0, list.length);
  // A single index says where it ends by where it begins.
  const end = to === 'next' ? start + 1 : fromEnd(to ?? list.length, list.length);
  if (start === end) return [];
  if (start < 0 || start >= list.length || end < start || end > list.length || by <= 0) throw new RangeError('index');
  return list.slice(start, end).filter((_, index) => index % by === 0);
}

const fromEnd = (index: number, length: number): number => (index < 0 ? index + length : index);

function passes(item: Json, { left, operator, right }: Extract<JsonPathNode, { type: 'filter' }>): boolean {
  const lefts = walk([item], left);
  if (operator === 'exists') return lefts.length > 0;
  const rights = walk([item], right);
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new TypeError('one value can be compared at a time');
  const [a, b] = [lefts[0], rights[0]];
  if (!isComparable(a) || typeof a !== typeof b) throw new TypeError('values of two types do not compare');
  return compares(a, b as typeof a, operator);
}

function compares<T extends string | number | boolean>(a: T, b: T, operator: string): boolean {
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

const isComparable = (value: Json | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

/** The value and everything below it that holds something. */
function containers(value: Json): Json[] {
  const below = children(value);
  return below.length === 0 ? [] : [value, ...below.flatMap(containers)];
}

function requireList(value: Json): Json[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
