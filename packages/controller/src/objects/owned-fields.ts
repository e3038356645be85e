import type { KubeObject } from 'kube-informer/core';

/** A value of JSON that has fields. */
type Fields = Readonly<Record<string, unknown>>;

/**
 * The part of an object that one manager has applied, by `metadata.managedFields`; undefined if the manager has applied
 * nothing, or if the object came without managed fields.
 *
 * Compared with a desired object it says whether an apply would change anything: what the server added, defaulted or got
 * from other managers is not in it.
 */
export function ownedFields(object: KubeObject, manager: string, subresource = ''): Fields | undefined {
  const entry = object.metadata?.managedFields?.find(
    (each) => each.manager === manager && each.operation === 'Apply' && (each.subresource ?? '') === subresource,
  );
  if (entry?.fieldsV1 === undefined) return undefined;
  const owned = extractFields(object, entry.fieldsV1 as Fields);
  return isFields(owned) ? owned : undefined;
}

/**
 * The part of `value` that a set of fields names (FieldsV1):
 *
 *   f:name    a field          k:{"name":"x"}   the item of a list with these keys
 *   v:"x"     an item of a set  i:0             an item by its place
 *   .         the value itself, besides its fields
 */
function extractFields(value: unknown, set: Fields): unknown {
  const names = Object.keys(set).filter((name) => name !== '.');
  // Nothing below: the value belongs to the manager as a whole.
  if (names.length === 0) return value;
  if (Array.isArray(value)) return extractItems(value, set, names);
  if (!isFields(value)) return undefined;
  const found = new Map<string, unknown>();
  for (const name of names) {
    const field = name.slice(2);
    if (!name.startsWith('f:') || !Object.hasOwn(value, field)) continue;
    const part = extractFields(value[field], set[name] as Fields);
    if (part !== undefined) found.set(field, part);
  }
  return Object.fromEntries(found);
}

function extractItems(list: readonly unknown[], set: Fields, names: readonly string[]): unknown[] {
  const matched = names.map((name) => ({ set: set[name] as Fields, isItem: itemMatcher(name) }));
  // In the order of the list: that of the set is the order of the keys.
  return list.flatMap((item, at) => {
    const match = matched.find(({ isItem }) => isItem(item, at));
    return match === undefined ? [] : [extractFields(item, match.set)];
  });
}

function itemMatcher(name: string): (item: unknown, at: number) => boolean {
  const wanted = parsedKey(name.slice(2));
  if (name.startsWith('i:')) return (_, at) => at === wanted;
  if (name.startsWith('v:')) return (item) => item === wanted;
  if (!name.startsWith('k:') || !isFields(wanted)) return () => false;
  const keys = Object.entries(wanted);
  return (item) => isFields(item) && keys.every(([key, value]) => item[key] === value);
}

function parsedKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a form of a later version: matches nothing, so the apply is sent
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
