import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { Work } from '../../core/work.ts';
import type { Schema } from './schema.ts';

/**
 * Fills in the defaults of a structural schema where a field is absent, or is null although it must not be.
 *
 * A default's own fields get their defaults in turn. The object is not changed; the result is a copy that
 * shares the parts that needed no default. Throws 413 when the defaults are much longer than any body may be:
 * a small list of empty items can request all of them for each item.
 */
export function applySchemaDefaults(object: ApiObject, schema: Schema): ApiObject {
  return withSchemaDefaults(
    object as JsonObject,
    schema,
    new Work('filling in defaults', MAX_DEFAULT_LENGTH),
  ) as ApiObject;
}

/** Maximum length of all defaults of one object together, in characters of JSON; that of a body. */
const MAX_DEFAULT_LENGTH = 3 * 1024 * 1024;

function withSchemaDefaults(value: Json, schema: Schema, work: Work): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item) => withSchemaDefaults(valueOrSchemaDefault(item, items, work), items, work));
  }
  return isJson(value) ? objectWithSchemaDefaults(value, schema, work) : value;
}

function objectWithSchemaDefaults(object: JsonObject, schema: Schema, work: Work): JsonObject {
  const filled = Object.entries(object).map(([name, value]): [string, Json] => {
    const child = schema.property(name) ?? schema.values;
    return [
      name,
      child === undefined ? value : withSchemaDefaults(valueOrSchemaDefault(value, child, work), child, work),
    ];
  });
  for (const name of schema.propertyNames) {
    const child = schema.property(name) as Schema;
    if (!Object.hasOwn(object, name) && child.default !== undefined) {
      filled.push([name, withSchemaDefaults(copyOfSchemaDefault(child.default, work), child, work)]);
    }
  }
  // Not by assignment: a field may be called `__proto__`.
  return Object.fromEntries(filled);
}

function valueOrSchemaDefault(value: Json, schema: Schema, work: Work): Json {
  const isForbiddenNull = value === null && !schema.nullable;
  return isForbiddenNull && schema.default !== undefined ? copyOfSchemaDefault(schema.default, work) : value;
}

function copyOfSchemaDefault(given: Json, work: Work): Json {
  const text = JSON.stringify(given);
  // Including its name and the comma.
  work.spend(text.length + 8);
  return typeof given === 'object' && given !== null ? (JSON.parse(text) as Json) : given;
}
