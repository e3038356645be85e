import { schemaFromReference } from '../../api/schema/schema-from.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { jsonSyntaxTypeName } from '../../core/go/json-syntax.ts';
import { goMicroTime, goTime } from '../../core/go/go-time.ts';
import { goBase64Fault } from '../../core/go/go-base64.ts';
import { goQuantityFault } from '../../core/go/go-quantity.ts';
import { isJson, type Json } from '../../core/json.ts';

/** A value that cannot be decoded. */
export interface TypeFault {
  readonly why: string;
  /** Whether the value has the right type, but its text is not a time, quantity or base64. */
  readonly isInText: boolean;
}

/**
 * The first value that a typed decoder would refuse, with its message; undefined if there is none.
 *
 * Only for values that cannot be decoded at all: bounds, enums and required fields are checked later, by
 * validation.
 */
export function typeFault(value: Json, schema: Schema | undefined, kind: string): TypeFault | undefined {
  return typeFaultIn(value, schema, undefined, { kind, path: '' });
}

interface Place {
  /** The Go type that has the field. */
  readonly kind: string;
  readonly path: string;
}

/** The first fault in a value. `raw` is the node as its parent has it, which may name a type. */
function typeFaultIn(
  value: Json | undefined,
  schema: Schema | undefined,
  raw: Json | undefined,
  at: Place,
): TypeFault | undefined {
  if (value === undefined || value === null || schema === undefined) return undefined;
  if (schema.intOrString) return typeof value === 'string' ? undefined : integerTypeFault(value, 'int32', at);
  switch (schema.type) {
    case 'object':
      return objectTypeFault(value, schema, raw, at);
    case 'array':
      if (!Array.isArray(value)) return typeMismatchFault(value, expectedTypeInFault(schema, raw), at);
      return firstTypeFault(value, (item) => typeFaultIn(item, schema.items, schema.raw['items'], at));
    case 'string':
      return typeof value === 'string'
        ? textTypeFault(value, schema, raw)
        : typeMismatchFault(value, expectedTypeInFault(schema, raw), at);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : typeMismatchFault(value, 'bool', at);
    case 'integer':
      return integerTypeFault(value, expectedTypeInFault(schema, raw), at);
    case 'number':
      return typeof value === 'number' ? undefined : typeMismatchFault(value, 'float64', at);
    case undefined:
      return typeNameInFault(raw) === QUANTITY
        ? typeFaultInText(goQuantityFault(quantityTypeFaultText(value)))
        : undefined;
  }
}

const QUANTITY = 'resource.Quantity';
const TIMES: ReadonlySet<string | undefined> = new Set(['v1.Time', 'v1.MicroTime']);

/**
 * The text of a quantity. It may be written as a number; any other value is read as its text, which is not a
 * quantity.
 */
const quantityTypeFaultText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const typeFaultInText = (why: string | undefined): TypeFault | undefined =>
  why === undefined ? undefined : { why, isInText: true };

/** The fault of a string that a typed server decodes as another type. */
function textTypeFault(text: string, schema: Schema, raw: Json | undefined): TypeFault | undefined {
  if (schema.format === 'byte') return typeFaultInText(goBase64Fault(text));
  if (schema.format !== 'date-time') return undefined;
  const time = typeNameInFault(raw) === 'v1.MicroTime' ? goMicroTime(text) : goTime(text);
  return 'fault' in time ? typeFaultInText(time.fault) : undefined;
}

function integerTypeFault(value: Json, type: string, at: Place): TypeFault | undefined {
  if (typeof value !== 'number') return typeMismatchFault(value, type, at);
  const limit = type === 'int32' ? 2 ** 31 : 2 ** 63;
  // 2^63 itself is allowed: JavaScript rounds the largest valid number to it.
  const fits = Number.isInteger(value) && value >= -limit && (type === 'int32' ? value < limit : value <= limit);
  return fits ? undefined : typeMismatchFault(value, type, at, `number ${value}`);
}

function objectTypeFault(value: Json, schema: Schema, raw: Json | undefined, at: Place): TypeFault | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return typeMismatchFault(value, expectedTypeInFault(schema, raw), at);
  const properties = schema.raw['properties'];
  const name = typeNameInFault(raw);
  const kind = name === undefined ? at.kind : name.slice(name.indexOf('.') + 1);
  return firstTypeFault(Object.entries(value), ([key, field]) => {
    const property = schema.property(key);
    const path = at.path === '' ? key : `${at.path}.${key}`;
    if (property !== undefined)
      return typeFaultIn(field, property, isJson(properties) ? properties[key] : undefined, { kind, path });
    // The values of a map have the map's own name.
    return typeFaultIn(field, schema.values, schema.raw['additionalProperties'], at);
  });
}

/** The expected type as Go writes it: `[]v1.Container`, `map[string]string`. */
function expectedTypeInFault(schema: Schema | undefined, raw: Json | undefined): string {
  const name = typeNameInFault(raw);
  // Times decode themselves from a string.
  if (name !== undefined && !TIMES.has(name)) return name;
  switch (schema?.type) {
    case 'array':
      return `[]${expectedTypeInFault(schema.items, schema.raw['items'])}`;
    case 'object':
      return `map[string]${expectedTypeInFault(schema.values, schema.raw['additionalProperties'])}`;
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

/** The name of a type: `io.k8s.api.core.v1.PodSpec` → `v1.PodSpec` */
function typeNameInFault(raw: Json | undefined): string | undefined {
  const reference = isJson(raw) ? schemaFromReference(raw) : undefined;
  return reference?.split('.').slice(-2).join('.');
}

function typeMismatchFault(
  value: Json,
  wanted: string,
  { kind, path }: Place,
  name: string = jsonSyntaxTypeName(value),
): TypeFault {
  const why = `json: cannot unmarshal ${name} into Go struct field ${kind}.${path} of type ${wanted}`;
  return { why, isInText: false };
}

function firstTypeFault<T>(items: Iterable<T>, fault: (item: T) => TypeFault | undefined): TypeFault | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
