import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import type { FieldSet } from './field-set.ts';
import { listItemElement } from './list-item.ts';
import { mergeTypeOfField, schemaMergeType, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { fieldPathElement } from './path-element.ts';

/** `object` without the fields and list items in `set`. */
export const removeFields = (object: JsonObject, set: FieldSet, type: MergeType): JsonObject =>
  (removeFieldsFromValue(object, set, type) ?? {}) as JsonObject;

/** A value whose content was all removed becomes null, as on a real server: only its content was in the set. */
function removeFieldsFromValue(value: Json, set: FieldSet, type: MergeType | undefined): Json {
  if (set.isEmpty || type === undefined) return value;
  switch (schemaMergeType(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return removeFieldsFromMap(value, set, type.map as MapType);
    case 'list':
      return removeFieldsFromList(value, set, type.list as ListType);
  }
}

function removeFieldsFromMap(value: Json, set: FieldSet, map: MapType): Json {
  if (map.isAtomic || !isJson(value)) return null;
  const kept: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const element = fieldPathElement(name);
    if (!set.has(element)) kept[name] = removeFieldsFromValue(field, set.below(element), mergeTypeOfField(map, name));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function removeFieldsFromList(value: Json, set: FieldSet, list: ListType): Json {
  if (list.kind === 'atomic' || !Array.isArray(value)) return null;
  const kept: Json[] = [];
  for (const item of value) {
    const element = listItemElement(list, item);
    if (!set.has(element)) kept.push(removeFieldsFromValue(item, set.below(element), list.items));
  }
  return kept.length === 0 ? null : kept;
}
