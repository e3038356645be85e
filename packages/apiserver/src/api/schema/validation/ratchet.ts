import { isDeepStrictEqual } from 'node:util';
import { isJson, type Json, type JsonObject } from '../../../core/json.ts';
import type { Work } from '../../../core/work.ts';
import type { Schema } from '../schema.ts';

/**
 * A stored value that a value in an update corresponds to, and the structural schema of both.
 *
 * Unchanged values stay allowed, even if the schema has become stricter since. A real server can compare only values
 * that it can match by the schema: fields that the schema names, and items of lists with keys.
 */
export interface Stored {
  readonly value: Json;
  readonly schema: Schema;
}

/** The stored value of field `name`; undefined if there is none to compare with. */
export function ratchetStoredField(stored: Stored | undefined, name: string): Stored | undefined {
  if (stored === undefined || !isJson(stored.value) || !Object.hasOwn(stored.value, name)) return undefined;
  const schema = ratchetFieldSchema(stored.schema, name);
  return schema === undefined ? undefined : { value: stored.value[name] as Json, schema };
}

/** The stored value of a list item. Only items that have keys can be found again. */
export function ratchetStoredItem(stored: Stored | undefined, item: Json, work: Work): Stored | undefined {
  if (stored === undefined || !Array.isArray(stored.value) || stored.schema.listType !== 'map') return undefined;
  const { items, listMapKeys } = stored.schema;
  if (items === undefined || !isJson(item) || !listMapKeys.every((key) => isRatchetKey(item[key]))) return undefined;
  const isSame = (other: Json): boolean => isJson(other) && listMapKeys.every((key) => other[key] === item[key]);
  work.spend(stored.value.length);
  const value = stored.value.find(isSame);
  return value === undefined ? undefined : { value, schema: items };
}

export function isUnchangedForRatchet(value: Json, stored: Stored | undefined, work: Work): boolean {
  if (stored === undefined) return false;
  work.spend(Array.isArray(value) ? 1 + value.length : 1);
  const { value: before, schema } = stored;
  if (Array.isArray(value) && Array.isArray(before)) {
    if (schema.listType !== 'map') return isDeepStrictEqual(value, before);
    return (
      value.length === before.length &&
      value.every((item) => isUnchangedForRatchet(item, ratchetStoredItem(stored, item, work), work))
    );
  }
  if (isJson(value) && isJson(before)) return isSameObjectForRatchet(value, before, stored, work);
  return value === before;
}

function isSameObjectForRatchet(value: JsonObject, before: JsonObject, stored: Stored, work: Work): boolean {
  const fields = Object.entries(value);
  return (
    fields.length === Object.keys(before).length &&
    fields.every(([name, field]) => isUnchangedForRatchet(field, ratchetStoredField(stored, name), work))
  );
}

/** The schema of a field. `additionalProperties: true` has none for values, so they cannot be matched. */
function ratchetFieldSchema(schema: Schema, name: string): Schema | undefined {
  return schema.property(name) ?? (isJson(schema.raw['additionalProperties']) ? schema.values : undefined);
}

function isRatchetKey(value: Json | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}
