import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  structType,
  TIMESTAMP,
  type Type,
} from '../../cel/types/type.ts';
import { isJson, type JsonObject } from '../../core/json.ts';
import { schemaFrom } from '../schema/schema-from.ts';
import type { Schema } from '../schema/schema.ts';
import { mapValuesSchema } from './rule-map-values.ts';
import { isReservedRuleFieldName, ruleFieldName } from './rule-field-names.ts';

const FORMATS: ReadonlyMap<string, Type> = new Map(Object.entries({
  byte: BYTES, duration: DURATION, date: TIMESTAMP, 'date-time': TIMESTAMP,
})); // prettier-ignore

/**
 * The schema as rules see it at the root of an object: with apiVersion, kind and the two names. The
 * definition's own schemas of them count only if it declares all four.
 */
export function withObjectRuleTypes(schema: Schema): Schema {
  let known = roots.get(schema);
  if (known === undefined) {
    const text = { type: 'string' };
    const metadata = { type: 'object', properties: { name: text, generateName: text } };
    const properties = isJson(schema.raw['properties']) ? schema.raw['properties'] : {};
    const own = { ...properties, kind: text, apiVersion: text, metadata };
    known = declaresRuleMetaTypes(schema) ? schema : schemaFrom({ ...schema.raw, properties: own } as JsonObject);
    roots.set(schema, known);
  }
  return known;
}

const roots = new WeakMap<Schema, Schema>();

function declaresRuleMetaTypes(schema: Schema): boolean {
  const metadata = schema.property('metadata');
  const texts = [schema.property('kind'), schema.property('apiVersion'), metadata?.property('name'), metadata?.property('generateName')]; // prettier-ignore
  return metadata?.type === 'object' && texts.every((text) => text?.type === 'string');
}

/**
 * The type of values under a schema. `name` is that of the struct, if it is one. Undefined if nothing is
 * known about the values: then rules cannot see them.
 */
export function ruleType(given: Schema, name: string, isRoot: boolean): Type | undefined {
  if (given.intOrString) return DYN;
  const schema = isRoot ? withObjectRuleTypes(given) : given;
  switch (schema.type) {
    case 'array':
      return schema.items === undefined
        ? undefined
        : wrappedRuleType(listType, ruleTypeBelow(schema.items, `${name}.@idx`));
    case 'object':
      return ruleObjectType(schema, name);
    case 'string':
      return FORMATS.get(schema.format ?? '') ?? STRING;
    case 'boolean':
      return BOOL;
    case 'number':
      return DOUBLE;
    case 'integer':
      return INT;
    case undefined:
      return undefined;
  }
}

const ruleTypeBelow = (schema: Schema, name: string): Type | undefined =>
  ruleType(schema, name, schema.embeddedResource);
const wrappedRuleType = (wrap: (type: Type) => Type, type: Type | undefined): Type | undefined =>
  type === undefined ? undefined : wrap(type);

function ruleObjectType(schema: Schema, name: string): Type | undefined {
  const values = mapValuesSchema(schema);
  if (values !== undefined)
    return wrappedRuleType((type) => mapType(STRING, type), ruleTypeBelow(values, `${name}.@elem`));
  const fields = new Map<string, Type>();
  for (const property of schema.propertyNames) {
    const written = ruleFieldName(property);
    const type = ruleTypeBelow(schema.property(property) as Schema, `${name}.${written ?? property}`);
    if (written === undefined || type === undefined) continue;
    fields.set(written, type);
    // Fields named like a reserved word may also be selected by that name.
    if (isReservedRuleFieldName(property)) fields.set(property, type);
  }
  return structType(name, fields);
}
