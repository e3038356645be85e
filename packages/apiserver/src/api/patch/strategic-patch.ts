import { isJson, type Json, type JsonObject, jsonType, withoutJsonNulls } from '../../core/json.ts';
import { badRequestStatusError, unknownStatusError } from '../../core/status-error.ts';
import type { Schema } from '../schema/schema.ts';
import {
  badPatchDirective,
  DELETE_FROM_PREFIX,
  directiveListField,
  PATCH,
  requireDirectiveList,
  RETAIN_KEYS,
  SET_ORDER_PREFIX,
  withoutDirectives,
} from './strategic-directives.ts';
import { strategicListHoldsObjects, mergeStrategicList, orderStrategicList } from './strategic-list.ts';

/**
 * Applies a strategic merge patch: a merge patch that knows the type it works on. Lists with a merge key
 * merge item by item, lists of scalars with the strategy `merge` are united, and directives express what
 * plain JSON cannot:
 *
 *     $patch: replace | delete            this object (or, in an item, this list or item)
 *     $deleteFromPrimitiveList/<field>    takes values out of a list of scalars
 *     $setElementOrder/<field>            the order of the list afterwards
 *     $retainKeys                         drops every other key of the object
 *
 * Without a schema every list is replaced. Items that are new to a list are added unchanged, including any
 * directives, which are later reported as unknown fields.
 *
 * The result shares nothing with the arguments. Throws 400, 422 or 500, like the server.
 */
export function strategicPatch(object: JsonObject, patch: Json, schema: Schema | undefined): JsonObject {
  if (patch === null) return structuredClone(object);
  if (!isJson(patch)) {
    throw badRequestStatusError(
      `json: cannot unmarshal ${jsonType(patch)} into Go value of type map[string]interface {}`,
    );
  }
  const merged = strategicPatchMap(structuredClone(object), structuredClone(patch), schema);
  // Decoding removes nulls from added items.
  return withoutJsonNulls(merged) as JsonObject;
}

/** Merges two maps. Changes both arguments, which belong to it. */
function strategicPatchMap(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return strategicPatchWhole(patch);
  strategicPatchRetainKeys(original, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(SET_ORDER_PREFIX)) strategicPatchElementOrder(original, patch, key, value, schema);
  }
  // Deletions come last: one patch may merge a list and delete from it.
  const fields = Object.entries(patch).filter(([key]) => !key.startsWith(DELETE_FROM_PREFIX));
  for (const [field, value] of fields) strategicPatchField(original, field, value, schema);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM_PREFIX))
      strategicPatchDeletions(original, directiveListField(key, DELETE_FROM_PREFIX), value, schema);
  }
  return original;
}

function strategicPatchWhole(patch: JsonObject): JsonObject {
  const { [PATCH]: directive = null, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw badPatchDirective(directive, patch);
}

function strategicPatchField(original: JsonObject, field: string, value: Json, schema: Schema | undefined): void {
  const current = Object.hasOwn(original, field) ? (original[field] as Json) : undefined;
  const ofField = schema?.property(field) ?? schema?.values;
  if (value === null) delete original[field];
  else if (isJson(current) && isJson(value)) {
    original[field] = strategicPatchTable(ofField).includes('replace')
      ? value
      : strategicPatchMap(current, value, ofField);
  } else if (Array.isArray(current) && Array.isArray(value)) {
    original[field] = strategicPatchLists(current, value, ofField).merged;
  } else {
    const kept = withoutDirectives(withoutJsonNulls(value));
    if (kept === undefined) delete original[field];
    else original[field] = kept;
  }
}

function strategicPatchLists(
  current: Json[],
  patch: Json[],
  schema: Schema | undefined,
): { merged: Json[]; order: Json[] } {
  if (!strategicPatchTable(schema).includes('merge')) return { merged: patch, order: current };
  const { patchMergeKey, items } = schema as Schema;
  return mergeStrategicList(current, patch, patchMergeKey, (from, by) => strategicPatchMap(from, by, items));
}

function strategicPatchDeletions(original: JsonObject, field: string, value: Json, schema: Schema | undefined): void {
  const current = original[field];
  if (value === null) delete original[field];
  if (!Array.isArray(current) || !Array.isArray(value) || current.length + value.length === 0) return;
  const { patchMergeKey, items } = schema?.property(field) ?? {};
  // Nothing is deleted from a list of objects in this way: the server merges the two.
  original[field] = strategicListHoldsObjects(current, value)
    ? mergeStrategicList(current, value, patchMergeKey, (from, by) => strategicPatchMap(from, by, items)).merged
    : strategicPatchWithout(current, value);
}

function strategicPatchWithout(current: readonly Json[], values: readonly Json[]): Json[] {
  const removed = new Set(values);
  return current.filter((item) => !removed.has(item));
}

function strategicPatchElementOrder(
  original: JsonObject,
  patch: JsonObject,
  directive: string,
  wanted: Json,
  schema: Schema | undefined,
): void {
  delete patch[directive];
  const wantedOrder = requireDirectiveList(wanted);
  const field = directiveListField(directive, SET_ORDER_PREFIX);
  const current = Object.hasOwn(original, field) ? requireDirectiveList(original[field] as Json) : undefined;
  const patched = Object.hasOwn(patch, field) ? requireDirectiveList(patch[field] as Json) : undefined;
  const ofField = schema?.property(field);
  if (schema !== undefined && ofField === undefined) {
    throw unknownStatusError(
      `unable to find api field in struct ${strategicPatchTypeName(schema)} for the json field "${field}"`,
    );
  }
  const ordered = orderStrategicList({
    current,
    patched,
    wanted: wantedOrder,
    mergeKey: ofField?.patchMergeKey,
    merge: (from, by) => strategicPatchLists(from, by, ofField),
  });
  if (ordered === undefined) return;
  original[field] = ordered;
  delete patch[field];
}

function strategicPatchRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const keys = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badStrategicPatchRetainKeys();
  const retained = new Set<Json>(keys);
  for (const [key, value] of Object.entries(patch)) {
    const isDirective = key.startsWith(DELETE_FROM_PREFIX) || key.startsWith(SET_ORDER_PREFIX);
    if (value !== null && !isDirective && !retained.has(key)) throw badStrategicPatchRetainKeys();
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

const badStrategicPatchRetainKeys = (): Error => badRequestStatusError('invalid patch format of retainKeys');

const strategicPatchTable = (schema: Schema | undefined): readonly string[] => schema?.patchStrategy?.split(',') ?? [];

/** The name of the Go type in the server's messages: the last part of the schema's name, if it has one. */
function strategicPatchTypeName(schema: Schema): string {
  const reference = schema.raw['$ref'];
  return typeof reference === 'string' ? (reference.split('.').at(-1) as string) : '';
}
