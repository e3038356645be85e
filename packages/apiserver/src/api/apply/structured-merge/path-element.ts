import { goJsonText } from '../../../core/go/json-text.ts';
import type { Json } from '../../../core/json.ts';

/**
 * One step of a field path, in the text form of FieldsV1: `f:name` a field, `k:{"name":"x"}` a list item by its keys,
 * `v:"x"` a member of a set, `i:0` an index. The text is canonical, so equal steps are equal strings.
 */
export type PathElement = string;

export const fieldPathElement = (name: string): PathElement => `f:${name}`;

export const valuePathElement = (value: Json): PathElement => `v:${goJsonText(value)}`;

export function keyPathElement(keys: readonly (readonly [string, Json])[]): PathElement {
  const fields = keys
    .toSorted(([a], [b]) => comparePathElementTexts(a, b))
    .map(([name, value]) => `${goJsonText(name)}:${goJsonText(value)}`);
  return `k:{${fields.join(',')}}`;
}

/** The field's name, or undefined where the step is not a field. */
export const pathElementFieldName = (element: PathElement): string | undefined =>
  element.startsWith('f:') ? element.slice(2) : undefined;

/** The canonical form of a key of FieldsV1. Undefined for an unknown kind, which is skipped. Throws if malformed. */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ':') throw new Error(`not a path element: ${text}`);
  switch (text.charAt(0)) {
    case 'f':
      return text;
    case 'v':
      return valuePathElement(JSON.parse(text.slice(2)) as Json);
    case 'k':
      return keyPathElement(pathElementKeys(text));
    case 'i': {
      if (!/^i:[+-]?\d+$/.test(text)) throw new Error(`not an index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** The element as messages show it: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function showPathElement(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'f':
      return `.${element.slice(2)}`;
    case 'k':
      return `[${pathElementKeys(element)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${JSON.stringify(JSON.parse(element.slice(2)))}]`;
    default:
      return `[${element.slice(2)}]`;
  }
}

export const showPathElements = (path: readonly PathElement[]): string => path.map(showPathElement).join('');

const KIND_ORDER = 'fkvi';

/** Sorts elements: fields, then items by key, members of sets, indexes; each kind by its content. */
export function sortPathElements(elements: Iterable<PathElement>): PathElement[] {
  const contents = [...elements].map((element): Content => [element, pathElementContent(element)]);
  return contents.toSorted(comparePathElements).map(([element]) => element);
}

/** The content of an element, parsed once and not for every comparison. */
type Content = readonly [PathElement, string | number | Json | readonly [string, Json][]];

function pathElementContent(element: PathElement): Content[1] {
  switch (element.charAt(0)) {
    case 'f':
      return element;
    case 'k':
      return pathElementKeys(element);
    case 'v':
      return JSON.parse(element.slice(2)) as Json;
    default:
      return Number(element.slice(2));
  }
}

function comparePathElements([a, aContent]: Content, [b, bContent]: Content): number {
  const kind = KIND_ORDER.indexOf(a.charAt(0)) - KIND_ORDER.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  return a.startsWith('k')
    ? comparePathElementKeys(aContent as [string, Json][], bContent as [string, Json][])
    : comparePathElementScalars(aContent as Json, bContent as Json);
}

const pathElementKeys = (element: PathElement): [string, Json][] =>
  Object.entries(JSON.parse(element.slice(2)) as Record<string, Json>);

function comparePathElementKeys(a: readonly [string, Json][], b: readonly [string, Json][]): number {
  for (const [index, [name, value]] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const order = comparePathElementTexts(name, other[0]) || comparePathElementScalars(value, other[1]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const SCALAR_ORDER = ['number', 'string', 'boolean', 'object'];

function comparePathElementScalars(a: Json, b: Json): number {
  const type = SCALAR_ORDER.indexOf(typeof a) - SCALAR_ORDER.indexOf(typeof b);
  if (type !== 0) return type;
  if (typeof a === 'number') return a - (b as number);
  if (typeof a === 'string') return comparePathElementTexts(a, b as string);
  return Number(a) - Number(b);
}

const comparePathElementTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
