import { schemaReferenceOf } from '../../api/schema/schema-from.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { goName } from '../../core/go/json-syntax.ts';
import { goMicroTime, goTime } from '../../core/go/time.ts';
import { base64Fault, quantityFault } from '../../core/go/values.ts';
import { isObject, type Json } from '../../core/json.ts';

/** A value that cannot be decoded. */
export interface TypeFault {
  readonly why: string;
  /** It is of the right type, but its text is no time, no amount, no base64. */
  readonly isInText: boolean;
}

/**
 * The first value that a typed decoder could not take, in its words; undefined when all fit.
 *
 * Only what cannot be decoded at all: bounds, enums and required fields are validation, which comes later.
 */
export function typeFault(value: Json, schema: Schema | undefined, kind: string): TypeFault | undefined {
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
): TypeFault | undefined {
  if (value === undefined || value === null || schema === undefined) return undefined;
  if (schema.intOrString) return typeof value === 'string' ? undefined : integerFault(value, 'int32', at);
  switch (schema.type) {
    case 'object':
      return objectFault(value, schema, raw, at);
    case 'array':
      if (!Array.isArray(value)) return mismatch(value, goType(schema, raw), at);
      return first(value, (item) => faultIn(item, schema.items, schema.raw['items'], at));
    case 'string':
      return typeof value === 'string' ? textFault(value, schema, raw) : mismatch(value, goType(schema, raw), at);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch(value, 'bool', at);
    case 'integer':
      return integerFault(value, goType(schema, raw), at);
    case 'number':
      return typeof value === 'number' ? undefined : mismatch(value, 'float64', at);
    case undefined:
      return typeName(raw) === QUANTITY ? inText(quantityFault(quantityText(value))) : undefined;
  }
}

const QUANTITY = 'resource.Quantity';
const TIMES: ReadonlySet<string | undefined> = new Set(['v1.Time', 'v1.MicroTime']);

/** Amounts may be written as numbers; of anything else the text is read as well, and is no amount. */
const quantityText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const inText = (why: string | undefined): TypeFault | undefined =>
  why === undefined ? undefined : { why, isInText: true };

/** Strings that are something else to a typed server. */
function textFault(text: string, schema: Schema, raw: Json | undefined): TypeFault | undefined {
  if (schema.format === 'byte') return inText(base64Fault(text));
  if (schema.format !== 'date-time') return undefined;
  const time = typeName(raw) === 'v1.MicroTime' ? goMicroTime(text) : goTime(text);
  return 'fault' in time ? inText(time.fault) : undefined;
}

function integerFault(value: Json, type: string, at: Place): TypeFault | undefined {
  if (typeof value !== 'number') return mismatch(value, type, at);
  const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
  // 2^63 itself is what JavaScript makes of the largest number that fits.
  const fits = Number.isInteger(value) && value >= -limit && (type === 'int32' ? value < limit : value <= limit);
  return fits ? undefined : mismatch(value, type, at, `number ${value}`);
}

function objectFault(value: Json, schema: Schema, raw: Json | undefined, at: Place): TypeFault | undefined {
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
  // Times decode themselves, out of a string.
  if (name !== undefined && !TIMES.has(name)) return name;
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
      return schema.format === 'byte' ? '[]uint8' : 'string';
    case undefined:
      return 'interface {}';
  }
}

/** `io.k8s.api.core.v1.PodSpec` → `v1.PodSpec` */
function typeName(raw: Json | undefined): string | undefined {
  const reference = isObject(raw) ? schemaReferenceOf(raw) : undefined;
  return reference?.split('.').slice(-2).join('.');
}

function mismatch(value: Json, wanted: string, { kind, path }: Place, name: string = goName(value)): TypeFault {
  const why = `json: cannot unmarshal ${name} into Go struct field ${kind}.${path} of type ${wanted}`;
  return { why, isInText: false };
}

function first<T>(items: Iterable<T>, fault: (item: T) => TypeFault | undefined): TypeFault | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
