import { isObjectFields } from '@kube-informer/inspector/internal';
import { KubeError } from 'kube-informer/core';

/** Returns all values a path selects, in order. */
export type JsonPath = (object: unknown) => readonly unknown[];

type Step = (value: unknown) => readonly unknown[];

const STEP =
  /\.?(?:\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|\[(-?\d+)\]|\[(\*)\]|\[\?\(@\.([\w.-]+)\s*==\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\)\])|\.(\*)|\.((?:[^.[\]\\]|\\.)+)/y;

/**
 * Compiles the part of JSONPath that printer columns use: fields (`.a.b`, `['a.b']`, `.a\.b`), list items (`[0]`,
 * `[-1]`), wildcards (`[*]`) and filters on one field (`[?(@.type=="Ready")]`).
 *
 * Throws INVALID_OPTION for anything else. Takes linear time in the length of the path.
 */
export function compileColumnJsonPath(path: string): JsonPath {
  const steps: Step[] = [];
  const text = path.trim().replace(/^\{(.*)\}$/, '$1').replace(/^\$/, ''); // prettier-ignore
  STEP.lastIndex = 0;
  for (let end = 0; end < text.length; end = STEP.lastIndex) {
    STEP.lastIndex = end;
    const found = STEP.exec(text);
    if (found === null)
      throw new KubeError('INVALID_OPTION', `JSONPath: expected a field or [ at character ${end + 1} of ${path}`);
    steps.push(columnJsonPathStep(found));
  }
  return (object) => steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step), [object]);
}

function columnJsonPathStep(found: RegExpExecArray): Step {
  const [, single, double, index, everyItem, where, a, b, c, everyField, field] = found;
  if (everyItem !== undefined || everyField !== undefined) return columnJsonPathChildren;
  if (index !== undefined) return columnJsonPathItem(Number(index));
  if (where !== undefined) return columnJsonPathFilter(where.split('.'), a ?? b ?? c ?? '');
  return columnJsonPathMember((single ?? double ?? field ?? '').replace(/\\(.)/g, '$1'));
}

const columnJsonPathChildren: Step = (value) =>
  Array.isArray(value) ? value : isObjectFields(value) ? Object.values(value) : [];

const columnJsonPathItem =
  (index: number): Step =>
  (value) => {
    const item: unknown = Array.isArray(value) ? value.at(index) : undefined;
    return item === undefined ? [] : [item];
  };

const columnJsonPathMember =
  (name: string): Step =>
  (value) =>
    isObjectFields(value) && Object.hasOwn(value, name) ? [value[name]] : [];

const columnJsonPathFilter =
  (names: readonly string[], wanted: string): Step =>
  (value) =>
    columnJsonPathChildren(value).filter((item) => {
      const [found] = names.reduce<readonly unknown[]>(
        (values, name) => values.flatMap(columnJsonPathMember(name)),
        [item],
      );
      return found === wanted || (typeof found !== 'string' && JSON.stringify(found) === wanted);
    });
