import { isJson, type Json, type JsonObject, jsonType, withoutJsonNulls } from '../../core/json.ts';
import { badRequestStatusError } from '../../core/status-error.ts';

/**
 * Applies an RFC 7386 merge patch: objects merge, null removes, everything else replaces.
 *
 * Beyond the RFC, nulls inside the objects of an array are dropped as well, as the server's library does; only an array
 * that takes the place of an object keeps them.
 *
 * The result shares nothing with the arguments. Throws 400 for a patch that is not an object.
 */
export function mergePatch(object: JsonObject, patch: Json): JsonObject {
  if (patch === null) throw badRequestStatusError('Invalid JSON Patch');
  if (!isJson(patch)) {
    const type = jsonType(patch);
    throw badRequestStatusError(
      `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
    );
  }
  return mergePatchedObject(structuredClone(object), structuredClone(patch));
}

function mergePatchedObject(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    const current = merged.get(key);
    if (value === null) merged.delete(key);
    else if (!isJson(current)) merged.set(key, withoutJsonNulls(value));
    else merged.set(key, isJson(value) ? mergePatchedObject(current, value) : value);
  }
  return Object.fromEntries(merged);
}
