import type { KubeObject } from 'kube-informer/core';

/** A value of JSON that has fields. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * The part of an object that one manager has applied, by `metadata.managedFields`; undefined if the manager
 * has applied nothing, or if the object came without managed fields.
 *
 * Comparing it with a desired object shows whether an apply would change anything: fields that the server
 * added or defaulted, or that come from other managers, are not in it.
 */
export function ownedFields(object: KubeObject, manager: string, subresource = ''): Fields | undefined {
  const entry = object.metadata?.managedFields?.find(
    (each) => each.manager === manager && each.operation === 'Apply' && (each.subresource ?? '') === subresource,
  );
  if (entry?.fieldsV1 === undefined) return undefined;
  const owned = extractFieldsOwned(object, entry.fieldsV1 as Fields);
  return isOwnedFieldsMap(owned) ? owned : undefined;
}

/**
 * The part of `value` that a set of fields names (FieldsV1):
 *
 *   f:name    a field          k:{"name":"x"}   the item of a list with these keys
 *   v:"x"     an item of a set  i:0             an item by its place
 *   .         the value itself, besides its fields
 */
function extractFieldsOwned(value: unknown, set: Fields): unknown {
  const names = Object.keys(set).filter((name) => name !== '.');
  // Nothing below: the value belongs to the manager as a whole.
  if (names.length === 0) return value;
  if (Array.isArray(value)) return extractOwnedFieldItems(value, set, names);
  if (!isOwnedFieldsMap(value)) return undefined;
  const found = new Map<string, unknown>();
  for (const name of names) {
    const field = name.slice(2);
    if (!name.startsWith('f:') || !Object.hasOwn(value, field)) continue;
    const part = extractFieldsOwned(value[field], set[name] as Fields);
    if (part !== undefined) found.set(field, part);
  }
  return Object.fromEntries(found);
}

function extractOwnedFieldItems(list: readonly unknown[], set: Fields, names: readonly string[]): unknown[] {
  const items = new OwnedItems(set, names);
  // In the order of the list; the set is in the order of the keys.
  return list.flatMap((item, at) => {
    const owned = items.find(item, at);
    return owned === undefined ? [] : [extractFieldsOwned(item, owned)];
  });
}

/** Maximum number of different sets of keys. A list has one; any user who may write the object can invent more. */
const MAX_KEY_SETS = 16;

/** The items of a list that a set of fields names, found without trying each name for each item. */
class OwnedItems {
  readonly #byPlace = new Map<unknown, Fields>();
  readonly #byValue = new Map<unknown, Fields>();
  /** Items by the names of their keys, then by the values. */
  readonly #byKeys = new Map<string, { readonly keys: readonly string[]; readonly items: Map<string, Fields> }>();

  constructor(set: Fields, names: readonly string[]) {
    for (const name of names) {
      const wanted = parsedOwnedKey(name.slice(2));
      const owned = set[name] as Fields;
      if (name.startsWith('i:')) this.#byPlace.set(wanted, owned);
      else if (name.startsWith('v:')) this.#byValue.set(wanted, owned);
      else if (name.startsWith('k:') && isOwnedFieldsMap(wanted)) this.#addKeyed(wanted, owned);
    }
  }

  find(item: unknown, at: number): Fields | undefined {
    const found = this.#byPlace.get(at) ?? this.#byValue.get(item);
    if (found !== undefined || !isOwnedFieldsMap(item)) return found;
    for (const { keys, items } of this.#byKeys.values()) {
      const owned = items.get(textOfOwnedKeys(item, keys));
      if (owned !== undefined) return owned;
    }
    return undefined;
  }

  #addKeyed(wanted: Fields, owned: Fields): void {
    const keys = Object.keys(wanted).toSorted();
    const id = JSON.stringify(keys);
    const known = this.#byKeys.get(id) ?? { keys, items: new Map<string, Fields>() };
    if (!this.#byKeys.has(id) && this.#byKeys.size >= MAX_KEY_SETS) return;
    this.#byKeys.set(id, known);
    known.items.set(textOfOwnedKeys(wanted, keys), owned);
  }
}

function textOfOwnedKeys(fields: Fields, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (Object.hasOwn(fields, key) ? fields[key] : undefined)));
}

function parsedOwnedKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a form of a later version: matches nothing, so the apply is sent
  }
}

function isOwnedFieldsMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
