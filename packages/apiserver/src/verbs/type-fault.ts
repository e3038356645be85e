import type { Json, Schema } from '../types.ts';

/**
 * The first value that a typed decoder could not take, in its words; undefined when all fit.
 *
 * Only what cannot be decoded at all: bounds, enums and required fields are validation, which comes later.
 */
export function typeFault(value: Json, schema: Schema | undefined, kind: string): string | undefined {
  return faultIn(value, schema, { kind, path: '' });
}

interface Place {
  readonly kind: string;
  readonly path: string;
}

function faultIn(value: Json | undefined, schema: Schema | undefined, at: Place): string | undefined {
  if (value === undefined || value === null || schema === undefined) return undefined;
  if (schema.intOrString)
    return typeof value === 'object' || typeof value === 'boolean' ? mismatch(value, 'int32', at) : undefined;
  switch (schema.type) {
    case 'object':
      return objectFault(value, schema, at);
    case 'array':
      if (!Array.isArray(value)) return mismatch(value, '[]', at);
      return first(value, (item) => faultIn(item, schema.items, at));
    case 'string':
      return typeof value === 'string' || isQuantity(schema, value) ? undefined : mismatch(value, 'string', at);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch(value, 'bool', at);
    case 'integer':
      return Number.isInteger(value) ? undefined : mismatch(value, schema.format ?? 'int64', at);
    case 'number':
      return typeof value === 'number' ? undefined : mismatch(value, 'float64', at);
    case undefined:
      return undefined;
  }
}

function objectFault(value: Json, schema: Schema, at: Place): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return mismatch(value, 'map', at);
  return first(Object.entries(value), ([key, field]) => {
    const property = schema.property(key);
    const path = at.path === '' ? key : `${at.path}.${key}`;
    if (property !== undefined) return faultIn(field, property, { kind: at.kind, path });
    // The values of a map are called by the map's own name.
    return faultIn(field, schema.values, at);
  });
}

/** Quantities are strings that may be written as numbers. */
const isQuantity = (schema: Schema, value: Json): boolean =>
  typeof value === 'number' && schema.format === undefined && schema.raw['x-quantity'] === true;

function mismatch(value: Json, wanted: string, { kind, path }: Place): string {
  return `json: cannot unmarshal ${goName(value)} into Go struct field ${kind}.${path} of type ${wanted}`;
}

function goName(value: Json): string {
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
