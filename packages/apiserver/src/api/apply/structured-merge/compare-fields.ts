import { isDeepStrictEqual } from 'node:util';
import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import { type FieldPath, FieldSet } from './field-set.ts';
import { listItemElement } from './list-item.ts';
import { mergeTypeOfField, schemaMergeType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { fieldPathElement, type PathElement } from './path-element.ts';

/** The changes of an update, field by field. No path is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareFields(before: Json, after: Json, type: MergeType): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareFieldValues(before, after, type, [], comparison);
  return comparison;
}

type Value = Json | undefined;

function compareFieldValues(before: Value, after: Value, type: MergeType, path: FieldPath, found: Comparison): void {
  const forms = new Set(
    [before, after].filter((value) => value !== undefined).map((value) => schemaMergeType(type, value)),
  );
  let isLeaf = false;
  for (const form of forms) {
    if (form === 'map') isLeaf = compareFieldMaps(before, after, type.map as MapType, path, found);
    else if (form === 'list') isLeaf = compareFieldLists(before, after, type.list as ListType, path, found);
    else isLeaf = compareFieldLeaves(before, after, path, found);
  }
  // A list or map that was added or removed is a changed field itself, in addition to its contents.
  if (isLeaf) return;
  if (before === undefined) found.added.add(path);
  else if (after === undefined) found.removed.add(path);
}

function compareFieldLeaves(before: Value, after: Value, path: FieldPath, found: Comparison): true {
  if (before === undefined) found.added.add(path);
  else if (after === undefined) found.removed.add(path);
  else if (!isDeepStrictEqual(before, after)) found.modified.add(path);
  return true;
}

/**
 * Compares two maps. Returns true if the map was compared as one leaf. Empty and null are leaves too, so that
 * they differ.
 */
function compareFieldMaps(before: Value, after: Value, map: MapType, path: FieldPath, found: Comparison): boolean {
  const [left, right] = [compareFieldsOfMap(before), compareFieldsOfMap(after)];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (map.isAtomic || names.size === 0) return compareFieldLeaves(before, after, path, found);
  for (const name of names) {
    const type = mergeTypeOfField(map, name);
    if (type !== undefined) compareFieldValues(left[name], right[name], type, [...path, fieldPathElement(name)], found);
  }
  return false;
}

function compareFieldLists(before: Value, after: Value, list: ListType, path: FieldPath, found: Comparison): boolean {
  const [left, right] = [compareFieldsOfList(before), compareFieldsOfList(after)];
  if (list.kind === 'atomic' || left.length + right.length === 0) return compareFieldLeaves(before, after, path, found);
  const [leftItems, rightItems] = [compareFieldsOfItems(left, list), compareFieldsOfItems(right, list)];
  for (const element of new Set([...leftItems.keys(), ...rightItems.keys()])) {
    const [was, is] = [leftItems.get(element) ?? [], rightItems.get(element) ?? []];
    const itemPath = [...path, element];
    if (was.length <= 1 && is.length <= 1) compareFieldValues(was[0], is[0], list.items, itemPath, found);
    else compareFieldDuplicates(was, is, list, itemPath, found);
  }
  return false;
}

/** Compares items with the same keys. They cannot be owned field by field: all of them are one leaf. */
function compareFieldDuplicates(
  was: readonly Json[],
  is: readonly Json[],
  list: ListType,
  path: FieldPath,
  found: Comparison,
): void {
  if (was.length > 1 && is.length > 1) {
    if (!isDeepStrictEqual(was, is)) found.modified.add(path);
  } else if (was.length > 1) {
    if (is.length === 1) compareFieldValues(undefined, is[0], list.items, path, found);
    found.removed.add(path);
  } else {
    if (was.length === 1) compareFieldValues(was[0], undefined, list.items, path, found);
    found.added.add(path);
  }
}

function compareFieldsOfItems(items: readonly Json[], list: ListType): Map<PathElement, Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = listItemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

const compareFieldsOfMap = (value: Value): JsonObject => (isJson(value) ? value : {});

const compareFieldsOfList = (value: Value): readonly Json[] => (Array.isArray(value) ? value : []);
