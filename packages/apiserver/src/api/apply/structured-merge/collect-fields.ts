import { isJson, type Json } from '../../../core/json.ts';
import { type FieldPath, FieldSet } from './field-set.ts';
import { listItemElement } from './list-item.ts';
import { mergeTypeOfField, schemaMergeType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { fieldPathElement, type PathElement } from './path-element.ts';

/** The fields that `value` sets: applying it makes the applier their owner. */
export function collectFields(value: Json, type: MergeType): FieldSet {
  const set = new FieldSet();
  collectFieldsInto(value, type, [], set);
  return set;
}

function collectFieldsInto(value: Json, type: MergeType, path: FieldPath, set: FieldSet): void {
  switch (schemaMergeType(type, value)) {
    case 'scalar':
      set.add(path);
      break;
    case 'map':
      collectFieldsOfMap(value, type.map as MapType, path, set);
      break;
    case 'list':
      collectFieldsOfList(value, type.list as ListType, path, set);
      break;
  }
}

function collectFieldsOfMap(value: Json, map: MapType, path: FieldPath, set: FieldSet): void {
  if (map.isAtomic) {
    set.add(path);
    return;
  }
  if (!isJson(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const fieldPath = [...path, fieldPathElement(name)];
    const type = mergeTypeOfField(map, name);
    if (type !== undefined) collectFieldsInto(field, type, fieldPath, set);
    // Fields that a type names are owned through their contents; keys of a map are owned themselves.
    if (collectsNoFields(field) || map.field(name) === undefined) set.add(fieldPath);
  }
}

const collectsNoFields = (value: Json): boolean => value === null || (isJson(value) && Object.keys(value).length === 0);

function collectFieldsOfList(value: Json, list: ListType, path: FieldPath, set: FieldSet): void {
  if (list.kind === 'atomic') {
    set.add(path);
    return;
  }
  if (!Array.isArray(value)) return;
  const items = value.map((item): [PathElement, Json] => [listItemElement(list, item), item]);
  const times = new Map<PathElement, number>();
  for (const [element] of items) times.set(element, (times.get(element) ?? 0) + 1);
  for (const [element, item] of items) {
    const itemPath = [...path, element];
    // Items with the same keys can only be owned together.
    if (times.get(element) === 1) collectFieldsInto(item, list.items, itemPath, set);
    set.add(itemPath);
  }
}
