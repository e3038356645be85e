import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { FieldSet } from './field-set.ts';
import { itemElement } from './list-item.ts';
import { fieldType, formOf, type ListType, type MapType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';

/** `object` without the fields and list items in `set`. */
export const removeFields = (object: JsonObject, set: FieldSet, type: MergeType): JsonObject =>
  (remove(object, set, type) ?? {}) as JsonObject;

/** What has nothing left is null, as on a real server: the field was not told to go, only all that was in it. */
function remove(value: Json, set: FieldSet, type: MergeType | undefined): Json {
  if (set.isEmpty || type === undefined) return value;
  switch (formOf(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return removeFromMap(value, set, type.map as MapType);
    case 'list':
      return removeFromList(value, set, type.list as ListType);
  }
}

function removeFromMap(value: Json, set: FieldSet, map: MapType): Json {
  if (map.isAtomic || !isObject(value)) return null;
  const kept: JsonObject = {};
  for (const [name, field] of Object.entries(value)) {
    const element = fieldElement(name);
    if (!set.has(element)) kept[name] = remove(field, set.below(element), fieldType(map, name));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function removeFromList(value: Json, set: FieldSet, list: ListType): Json {
  if (list.kind === 'atomic' || !Array.isArray(value)) return null;
  const kept: Json[] = [];
  for (const item of value) {
    const element = itemElement(list, item);
    if (!set.has(element)) kept.push(remove(item, set.below(element), list.items));
  }
  return kept.length === 0 ? null : kept;
}
