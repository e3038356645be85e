import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/object.ts';
import type { Schema } from './schema.ts';

/**
 * Fills in what a structural schema gives as default: where a field is absent, and where it is null and may not be.
 *
 * A default's own fields get their defaults in turn. The object is not changed; a copy comes back, which shares with
 * it what needed no default.
 */
export function applySchemaDefaults(object: ApiObject, schema: Schema): ApiObject {
  return withSchemaDefaults(object as JsonObject, schema) as ApiObject;
}

function withSchemaDefaults(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item) => withSchemaDefaults(valueOrSchemaDefault(item, items), items));
  }
  return isJsonObject(value) ? objectWithSchemaDefaults(value, schema) : value;
}

function objectWithSchemaDefaults(object: JsonObject, schema: Schema): JsonObject {
  const filled = Object.entries(object).map(([name, value]): [string, Json] => {
    const child = schema.property(name) ?? schema.values;
    return [name, child === undefined ? value : withSchemaDefaults(valueOrSchemaDefault(value, child), child)];
  });
  for (const name of schema.propertyNames) {
    const child = schema.property(name) as Schema;
    if (!Object.hasOwn(object, name) && child.default !== undefined) {
      filled.push([name, withSchemaDefaults(structuredClone(child.default), child)]);
    }
  }
  // Not by assignment: a field may be called `__proto__`.
  return Object.fromEntries(filled);
}

function valueOrSchemaDefault(value: Json, schema: Schema): Json {
  const isForbiddenNull = value === null && !schema.nullable;
  return isForbiddenNull && schema.default !== undefined ? structuredClone(schema.default) : value;
}
