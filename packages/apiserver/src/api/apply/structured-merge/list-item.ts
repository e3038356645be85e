import type { Json } from '../../../core/json.ts';
import type { ListType } from './merge-type.ts';
import { keyPathElement, type PathElement, valuePathElement } from './path-element.ts';

/** The step that leads to `item` in a list owned item by item. Throws if the item cannot be distinguished from others. */
export function listItemElement(list: ListType, item: Json): PathElement {
  return list.kind === 'map' ? keyedListItem(list, item) : setListItem(item);
}

function keyedListItem({ keys, items }: ListType, item: Json): PathElement {
  if (item === null) throw new Error('associative list with keys may not have a null element');
  if (typeof item !== 'object' || Array.isArray(item))
    throw new Error('associative list with keys may not have non-map elements');
  const found: [string, Json][] = [];
  for (const key of keys) {
    // A key that is left out and has no default is not part of the step: such an item differs from one that has it.
    const value = item[key] ?? items.map?.fieldDefault(key);
    if (value !== undefined) found.push([key, value]);
  }
  if (keys.length > 0 && found.length === 0) {
    const names = `[${keys.map((key) => JSON.stringify(key)).join(' ')}]`;
    throw new Error(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    );
  }
  return keyPathElement(found);
}

function setListItem(item: Json): PathElement {
  if (item === null) throw new Error("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new Error('not supported: associative list with lists as elements');
  if (typeof item === 'object') throw new Error("associative list without keys has an element that's a map type");
  return valuePathElement(item);
}
