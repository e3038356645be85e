import { goQuoted } from '../../core/go/go-quoted.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { scanJsonFieldsBySchema } from './schema-json-scan.ts';
import { pruneBySchema } from './prune-by-schema.ts';
import type { Schema } from './schema.ts';

/** Maximum number of unknown fields reported. */
const MAX_FAULTS = 100;

/** Whether a schema is of a built-in kind: only those name their kind. */
const mayHaveUnknownFields = (schema: Schema): boolean => 'x-kubernetes-group-version-kind' in schema.raw;

/** Paths of fields that the type does not have, in the order of a real server. */
export function unknownFields(object: ApiObject, schema: Schema): string[] {
  if (!mayHaveUnknownFields(schema)) return pruneBySchema(object, schema).pruned;
  const unknown: string[] = [];
  withoutUnknownFields(object as JsonObject, schema, '', unknown);
  return unknown;
}

/** A copy without the fields that the type does not have; the same object if it has none of those. */
export function dropUnknownFields(object: ApiObject, schema: Schema): ApiObject {
  if (!mayHaveUnknownFields(schema)) return pruneBySchema(object, schema).object;
  return withoutUnknownFields(object as JsonObject, schema, '', []) as ApiObject;
}

/** Paths of fields that a JSON text has more than once, in the order of the text, each once. */
export function duplicateAndUnknownFields(jsonText: string): string[] {
  const found = new Set<string>();
  scanJsonFieldsBySchema(jsonText, undefined, (_, path) => found.add(path));
  return [...found];
}

/**
 * All messages of `fieldValidation` about a body, as a real server words and orders them: `unknown field
 * "spec.foo"`, `duplicate field "data.a"`.
 *
 * Built-in kinds report both in the order of the text; custom resources report duplicates first. Without
 * `text` (the body was not JSON) duplicates are unknown.
 */
export function strictUnknownFieldFaults(object: ApiObject, schema: Schema | undefined, text?: string): string[] {
  const faults = new Set<string>();
  const add = (fault: string, path: string): void => void faults.add(`${fault} field ${goQuoted(path)}`);
  const isTyped = schema !== undefined && mayHaveUnknownFields(schema);
  if (text !== undefined) scanJsonFieldsBySchema(text, isTyped ? schema : undefined, add);
  if (schema !== undefined && !(isTyped && text !== undefined)) {
    for (const path of unknownFields(object, schema)) add('unknown', path);
  }
  return [...faults].slice(0, MAX_FAULTS);
}

function withoutUnknownFields(value: Json, schema: Schema, path: string, unknown: string[]): Json {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const kept = value.map((item, index) => withoutUnknownFields(item, items, `${path}[${index}]`, unknown));
    return kept.some((item, index) => item !== value[index]) ? kept : value;
  }
  if (!isJson(value) || schema.preserveUnknownFields) return value;
  const kept: [string, Json][] = [];
  let isSame = true;
  for (const [name, field] of Object.entries(value)) {
    const child = schema.property(name) ?? schema.values;
    const fieldPath = path === '' ? name : `${path}.${name}`;
    // A type without fields accepts any field; a value of the wrong type is not checked here.
    if (child === undefined && schema.type === undefined) kept.push([name, field]);
    else if (child === undefined) {
      unknown.push(fieldPath);
      isSame = false;
    } else {
      const known = withoutUnknownFields(field, child, fieldPath, unknown);
      isSame &&= known === field;
      kept.push([name, known]);
    }
  }
  return isSame ? value : Object.fromEntries(kept);
}
