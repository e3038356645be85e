import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { builtinObjectMetaSchema } from './builtin-schema.ts';
import type { Schema } from './schema.ts';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

interface Pruned {
  /** A copy without unknown fields. */
  readonly object: ApiObject;
  /** Paths of pruned fields: in the object's own metadata, then the others, then in metadata of embedded objects. */
  readonly pruned: string[];
}

interface Log {
  readonly metadata: string[];
  readonly fields: string[];
  readonly embedded: string[];
}

/**
 * Removes the fields of a custom resource that its structural schema does not name.
 *
 * Below `x-kubernetes-preserve-unknown-fields` unknown names stay, but the schemas of known ones still apply.
 * Objects, including embedded ones, keep apiVersion, kind and metadata; their metadata keeps only the fields
 * of ObjectMeta. Nulls that the schema neither allows nor replaces by a default are removed too, without
 * being reported.
 */
export function pruneBySchema(object: ApiObject, schema: Schema): Pruned {
  const log: Log = { metadata: [], fields: [], embedded: [] };
  const kept = pruneSchemaObject(object as JsonObject, schema, '', log, true);
  return {
    object: kept as ApiObject,
    pruned: [
      ...log.metadata.toSorted(comparePathsPrunedBySchema),
      ...log.fields.toSorted(comparePathsPrunedBySchema),
      ...log.embedded.toSorted(comparePathsPrunedBySchema),
    ],
  };
}

function pruneSchemaValue(value: Json, schema: Schema | undefined, path: string, log: Log): Json {
  if (schema?.preserveUnknownFields === true) return pruneOpenSchemaValue(value, schema, path, log);
  if (Array.isArray(value))
    return value.map((item, at) => pruneSchemaValue(item, schema?.items, `${path}[${at}]`, log));
  return isJson(value) ? pruneSchemaObject(value, schema, path, log, false) : value;
}

/** Prunes a value whose unknown fields are kept; items of a list are treated like the list. */
function pruneOpenSchemaValue(value: Json, schema: Schema | undefined, path: string, log: Log): Json {
  if (schema === undefined) return value;
  if (Array.isArray(value))
    return value.map((item, at) => pruneOpenSchemaValue(item, schema.items, `${path}[${at}]`, log));
  return isJson(value) ? pruneSchemaObject(value, schema, path, log, false, true) : value;
}

function pruneSchemaObject(
  object: JsonObject,
  schema: Schema | undefined,
  path: string,
  log: Log,
  isRoot: boolean,
  isOpen = schema?.preserveUnknownFields === true,
): JsonObject {
  const isResource = isRoot || schema?.embeddedResource === true;
  const kept: [string, Json][] = [];
  for (const [name, value] of Object.entries(object)) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    const child = schema?.property(name) ?? schema?.values;
    if (isResource && META_FIELDS.has(name)) {
      const own = isRoot ? log.metadata : log.embedded;
      kept.push([
        name,
        name === 'metadata' ? pruneSchemaMetadata(value, builtinObjectMetaSchema(), fieldPath, own) : value,
      ]);
    } else if (child === undefined && !isOpen) log.fields.push(fieldPath);
    else if (value === null && child !== undefined && !child.nullable && child.default === undefined) continue;
    else kept.push([name, child === undefined ? value : pruneSchemaValue(value, child, fieldPath, log)]);
  }
  // Not by assignment: a field may be called `__proto__`.
  return Object.fromEntries(kept);
}

/** Prunes metadata, which is a built-in type: unknown names are removed, and so are nulls, which are zero values. */
function pruneSchemaMetadata(value: Json, schema: Schema, path: string, log: string[]): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? value
      : value.map((item, index) => pruneSchemaMetadata(item, items, `${path}[${index}]`, log));
  }
  if (!isJson(value) || schema.preserveUnknownFields) return value;
  const kept: [string, Json][] = [];
  for (const [name, field] of Object.entries(value)) {
    const child = schema.property(name) ?? schema.values;
    if (child === undefined) log.push(`${path}.${name}`);
    else if (field !== null) kept.push([name, pruneSchemaMetadata(field, child, `${path}.${name}`, log)]);
  }
  return Object.fromEntries(kept);
}

const comparePathsPrunedBySchema = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
