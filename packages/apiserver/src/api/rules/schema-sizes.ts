import type { SizeLookup } from '../../cel/expression.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Schema } from '../schema/schema.ts';
import { mapValuesSchema } from './rule-map-values.ts';
import { fieldOfRuleName, ruleFieldName } from './rule-field-names.ts';
import { ruleType, withObjectRuleTypes } from './rule-types.ts';

/** Maximum size of a request: values without a bound must fit into it. */
const MAX_REQUEST = 3 * 1024 * 1024;
/** Number of quotes, brackets or braces around a value. */
const AROUND = 2;
/** Maximum number of bytes of a character. */
const BYTES_PER_CHARACTER = 4;

/** The longest and the shortest text of each format, in JSON. */
const FORMATS: ReadonlyMap<string, { readonly max: number; readonly min: number }> = new Map(Object.entries({
  duration: { max: 32, min: 3 }, date: { max: 12, min: 12 }, 'date-time': { max: 32, min: 21 },
})); // prettier-ignore

/** The smallest JSON of each other type. */
const MIN_SIZES: ReadonlyMap<string | undefined, number> = new Map(Object.entries({
  string: 2, array: 2, boolean: 4, number: 1, integer: 1,
})); // prettier-ignore

/** A node of a schema; with `isRoot` it has the fields that every object has. */
interface SizedNode {
  readonly schema: Schema;
  readonly isRoot: boolean;
}

/** The sizes that values below `self` could have under a schema. Every other variable is taken for `self`, as the real server does. */
export function ruleSizes(schema: Schema, isRoot: boolean): SizeLookup {
  return (path) => {
    let node: SizedNode | 'key' | undefined = sizedNode(schema, isRoot);
    for (const name of path.slice(1)) {
      if (node === undefined || node === 'key') return undefined;
      node = sizedNodeBelow(node, name);
    }
    if (node === undefined) return undefined;
    // Keys of maps have no bounds, and count as empty.
    return { min: 0n, max: node === 'key' ? 0n : BigInt(maxElementsBySchemaSize(node)) };
  };
}

/** Maximum number of values of this schema that fit into a request. */
export const maxCardinalityOfSchemaSize = (schema: Schema, isRoot: boolean): bigint =>
  BigInt(Math.floor(MAX_REQUEST / (minSerializedSize(sizedNode(schema, isRoot)) + 1)));

const sizedNode = (schema: Schema, isRoot: boolean): SizedNode => ({
  schema: isRoot && !schema.intOrString ? withObjectRuleTypes(schema) : schema,
  isRoot,
});

const schemaSizeOfChild = (schema: Schema | undefined): SizedNode | undefined =>
  schema === undefined || !isVisibleToRules(schema) ? undefined : sizedNode(schema, schema.embeddedResource);

function isVisibleToRules(schema: Schema): boolean {
  let known = visible.get(schema);
  if (known === undefined) visible.set(schema, (known = ruleType(schema, '', schema.embeddedResource) !== undefined));
  return known;
}

/** Cached results by schema, because they are needed at each of its nodes. */
const visible = new WeakMap<Schema, boolean>();

const isSizedMap = ({ schema }: SizedNode): boolean =>
  schema.type === 'object' && mapValuesSchema(schema) !== undefined;

function sizedNodeBelow(node: SizedNode, name: string): SizedNode | 'key' | undefined {
  const { schema } = node;
  if (schema.intOrString) return undefined;
  if (name === '@keys') return isSizedMap(node) ? 'key' : undefined;
  if (name === '@items' || name === '@values')
    return schemaSizeOfChild(
      isSizedMap(node) ? mapValuesSchema(schema) : schema.type === 'array' ? schema.items : undefined,
    );
  if (schema.type !== 'object' || isSizedMap(node)) return undefined;
  const property = fieldOfRuleName(name);
  return ruleFieldName(property) === name ? schemaSizeOfChild(schema.property(property)) : undefined;
}

/** A bound of the schema; undefined if it has none. */
export function schemaSizeBound(raw: JsonObject, name: 'maxLength' | 'maxItems' | 'maxProperties'): number | undefined {
  const value = raw[name];
  return typeof value === 'number' ? Math.max(0, value) : undefined;
}

/** The number of characters, bytes, items or entries that a value could have; 0 for values without. */
function maxElementsBySchemaSize(node: SizedNode): number {
  const { schema } = node;
  if (schema.intOrString) return maxLengthBySchemaSize(schema, BYTES_PER_CHARACTER) ?? MAX_REQUEST - AROUND;
  if (schema.type === 'array') {
    const item = schemaSizeOfChild(schema.items);
    return (
      schemaSizeBound(schema.raw, 'maxItems') ??
      Math.floor((MAX_REQUEST - AROUND) / ((item === undefined ? 0 : minSerializedSize(item)) + 1))
    );
  }
  if (isSizedMap(node)) {
    const value = schemaSizeOfChild(mapValuesSchema(schema));
    // Two bytes of a key, its quotes, a colon and a comma.
    return (
      schemaSizeBound(schema.raw, 'maxProperties') ??
      Math.floor((MAX_REQUEST - AROUND) / ((value === undefined ? 0 : minSerializedSize(value)) + 6))
    );
  }
  return schema.type === 'string' ? maxTextBySchemaSize(schema) : 0;
}

function maxTextBySchemaSize(schema: Schema): number {
  const { format = '' } = schema;
  const fixed = FORMATS.get(format);
  if (fixed !== undefined) return fixed.max;
  if (format === 'byte') return maxLengthBySchemaSize(schema, 1) ?? MAX_REQUEST - AROUND;
  const bound = maxLengthBySchemaSize(schema, BYTES_PER_CHARACTER);
  if (bound !== undefined) return bound;
  if (schema.enum === undefined || schema.enum.length === 0) return MAX_REQUEST - AROUND;
  return Math.max(...schema.enum.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}

function maxLengthBySchemaSize({ raw }: Schema, bytes: number): number | undefined {
  const bound = schemaSizeBound(raw, 'maxLength');
  return bound === undefined ? undefined : bound * bytes;
}

/** Bytes of the smallest JSON that a value could have. */
function minSerializedSize(node: SizedNode): number {
  const { schema } = node;
  if (schema.intOrString) return 1;
  if (schema.type !== 'object') return FORMATS.get(schema.format ?? '')?.min ?? MIN_SIZES.get(schema.type) ?? 0;
  if (isSizedMap(node)) return AROUND;
  let known = objectSizes.get(schema);
  if (known === undefined) {
    known = [...new Set(schema.required)].reduce((size, name) => size + minPropertyOfSchemaSize(schema, name), AROUND);
    objectSizes.set(schema, known);
  }
  return known;
}

const objectSizes = new WeakMap<Schema, number>();

/**
 * Minimum size of a property in JSON. A required one has a name in quotes, a colon and a comma; one with a
 * default need not be sent.
 */
function minPropertyOfSchemaSize(schema: Schema, name: string): number {
  const property = schema.property(name);
  const child = schemaSizeOfChild(property);
  if (property === undefined || child === undefined || (property.default ?? null) !== null) return 0;
  return Buffer.byteLength(name) + 4 + minSerializedSize(child);
}
