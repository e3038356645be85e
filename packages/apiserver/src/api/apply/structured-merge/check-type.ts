import { goText, goTypeText } from '../../../core/go/text.ts';
import type { Json } from '../../../core/json.ts';
import { listItemElement } from './list-item.ts';
import {
  mergeTypeOfField,
  schemaMergeType,
  type ListType,
  type MapType,
  type MergeType,
  type Scalar,
} from './merge-type.ts';
import { type PathElement, showPathElement } from './path-element.ts';

/** A real server's error message about `value` as a value of `type`; undefined if there is none. */
export function typeCheckError(
  value: Json,
  type: MergeType,
  options: { allowDuplicates: boolean },
): string | undefined {
  const errors: string[] = [];
  checkTypedValue(value, type, '', options.allowDuplicates, errors);
  if (errors.length <= 1) return errors[0];
  return ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

function checkTypedValue(value: Json, type: MergeType, path: string, allowDuplicates: boolean, errors: string[]): void {
  const fail = (why: string): void => void errors.push(path === '' ? why : `${path}: ${why}`);
  switch (schemaMergeType(type, value)) {
    case 'scalar': {
      const error = checkTypedScalar(value, type.scalar as Scalar);
      if (error !== undefined) fail(error);
      break;
    }
    case 'map':
      if (value === null) break;
      if (typeof value !== 'object' || Array.isArray(value)) fail(`expected map, got &{${goText(value)}}`);
      else
        for (const [name, field] of Object.entries(value)) {
          const below = mergeTypeOfField(type.map as MapType, name);
          // The first unknown field ends the check of its map.
          if (below === undefined) return void errors.push(`${path}.${name}: field not declared in schema`);
          checkTypedValue(field, below, `${path}.${name}`, allowDuplicates, errors);
        }
      break;
    case 'list':
      if (value === null) break;
      if (Array.isArray(value)) checkTypedItems(value, type.list as ListType, path, allowDuplicates, errors);
      else fail(`expected list, got &{${goText(value)}}`);
      break;
  }
}

function checkTypedItems(
  items: readonly Json[],
  list: ListType,
  path: string,
  allowDuplicates: boolean,
  errors: string[],
): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (list.kind !== 'atomic') {
      try {
        element = listItemElement(list, item);
      } catch (error) {
        errors.push(`${path}: element ${index}: ${(error as Error).message}`);
        return;
      }
      if (seen.has(element) && !allowDuplicates)
        errors.push(`${path}: duplicate entries for key ${showPathElement(element)}`);
      seen.add(element);
    }
    checkTypedValue(item, list.items, path + showPathElement(element), allowDuplicates, errors);
  }
}

function checkTypedScalar(value: Json, scalar: Scalar): string | undefined {
  if (value === null) return undefined;
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeText(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goText(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goText(value)}}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got &{${goText(value)}}` : undefined;
  }
}
