import { isObject, referenceOf } from '../schema/open-api.ts';
import type { Json, Schema } from '../types.ts';

/**
 * The first value that a typed decoder could not take, in its words; undefined when all fit.
 *
 * Only what cannot be decoded at all: bounds, enums and required fields are validation, which comes later.
 */
export function typeFault(value: Json, schema: Schema | undefined, kind: string): string | undefined {
  return faultIn(value, schema, undefined, { kind, path: '' });
}

interface Place {
  /** The Go type that the field is in. */
  readonly kind: string;
  readonly path: string;
}

/** `raw` is the node as its parent has it: it may have the name of a type there. */
function faultIn(
  value: Json | undefined,
  schema: Schema | undefined,
  raw: Json | undefined,
  at: Place,
): string | undefined {
  if (value === undefined || value === null || schema === undefined) return undefined;
  if (schema.intOrString)
    return typeof value === 'object' || typeof value === 'boolean' ? mismatch(value, 'int32', at) : undefined;
  switch (schema.type) {
    case 'object':
      return objectFault(value, schema, raw, at);
    case 'array':
      if (!Array.isArray(value)) return mismatch(value, goType(schema, raw), at);
      return first(value, (item) => faultIn(item, schema.items, schema.raw['items'], at));
    case 'string':
      return typeof value === 'string' || isQuantity(schema, value) ? undefined : mismatch(value, 'string', at);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch(value, 'bool', at);
    case 'integer':
      return Number.isInteger(value) ? undefined : mismatch(value, goType(schema, raw), at);
    case 'number':
      return typeof value === 'number' ? undefined : mismatch(value, 'float64', at);
    case undefined:
      return undefined;
  }
}

function objectFault(value: Json, schema: Schema, raw: Json | undefined, at: Place): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return mismatch(value, goType(schema, raw), at);
  const properties = schema.raw['properties'];
  const name = typeName(raw);
  const kind = name === undefined ? at.kind : name.slice(name.indexOf('.') + 1);
  return first(Object.entries(value), ([key, field]) => {
    const property = schema.property(key);
    const path = at.path === '' ? key : `${at.path}.${key}`;
    if (property !== undefined)
      return faultIn(field, property, isObject(properties) ? properties[key] : undefined, { kind, path });
    // The values of a map are called by the map's own name.
    return faultIn(field, schema.values, schema.raw['additionalProperties'], at);
  });
}

/** As Go writes a type: `[]v1.Container`, `map[string]string`. */
function goType(schema: Schema | undefined, raw: Json | undefined): string {
  const name = typeName(raw);
  if (name !== undefined) return name;
  switch (schema?.type) {
    case 'array':
      return `[]${goType(schema.items, schema.raw['items'])}`;
    case 'object':
      return `map[string]${goType(schema.values, schema.raw['additionalProperties'])}`;
    case 'integer':
      return schema.format ?? 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case undefined:
      return 'interface {}';
  }
}

/** `io.k8s.api.core.v1.PodSpec` → `v1.PodSpec` */
function typeName(raw: Json | undefined): string | undefined {
  const reference = isObject(raw) ? referenceOf(raw) : undefined;
  return reference?.split('.').slice(-2).join('.');
}

/** Quantities are strings that may be written as numbers. */
const isQuantity = (schema: Schema, value: Json): boolean =>
  typeof value === 'number' && schema.format === undefined && schema.raw['x-quantity'] === true;

function mismatch(value: Json, wanted: string, { kind, path }: Place): string {
  return `json: cannot unmarshal ${goName(value)} into Go struct field ${kind}.${path} of type ${wanted}`;
}

/** What Go's decoder calls a JSON value. */
export function goName(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function first<T>(items: Iterable<T>, fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
