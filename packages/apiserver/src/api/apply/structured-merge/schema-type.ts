import { isJson, type Json } from '../../../core/json.ts';
import { schemaFromReference } from '../../schema/schema-from.ts';
import type { Schema } from '../../schema/schema.ts';
import { DEDUCED, FORMATTED, OBJECT_FIELDS, WHOLE } from './fixed-types.ts';
import type { ListType, MapType, MergeType, Scalar } from './merge-type.ts';

/** The type of whole objects. Without a schema, maps are owned in parts and lists as a whole. */
export const objectSchemaType = (schema: Schema | undefined): MergeType =>
  schema === undefined ? DEDUCED : cachedSchemaType(rootTypes, schema, () => new SchemaType(schema, false, true));

const rootTypes = new WeakMap<Schema, MergeType>();
const plainTypes = new WeakMap<Schema, MergeType>();
const openTypes = new WeakMap<Schema, MergeType>();

function cachedSchemaType(types: WeakMap<Schema, MergeType>, schema: Schema, make: () => MergeType): MergeType {
  let type = types.get(schema);
  if (type === undefined) types.set(schema, (type = make()));
  return type;
}

/**
 * The type of a child. `raw` is the child as its parent has it, with its reference. `isOpen`: a schema above
 * keeps unknown fields, which applies to everything below it.
 */
function childSchemaType(schema: Schema, raw: Json | undefined, isOpen: boolean): MergeType {
  const reference = isJson(raw) ? schemaFromReference(raw) : undefined;
  // An object of an unknown type: nothing in it can be owned alone.
  if (reference?.endsWith('.RawExtension')) return WHOLE;
  if (reference?.endsWith('.Quantity')) return FORMATTED;
  return cachedSchemaType(isOpen ? openTypes : plainTypes, schema, () => new SchemaType(schema, isOpen, false));
}

class SchemaType implements MergeType {
  readonly scalar: Scalar | undefined;
  readonly list: ListType | undefined;
  readonly map: MapType | undefined;

  constructor(schema: Schema, isOpenAbove: boolean, isRoot: boolean) {
    const { type } = schema;
    const isOpen = isOpenAbove || schema.preserveUnknownFields;
    this.scalar = scalarOfSchemaType(schema);
    this.list = type === undefined || type === 'array' ? new SchemaList(schema, isOpen) : undefined;
    this.map = type === undefined || type === 'object' ? new SchemaMap(schema, isOpen, isRoot) : undefined;
  }
}

function scalarOfSchemaType({ type, format }: Schema): Scalar | undefined {
  switch (type) {
    case undefined:
      return 'untyped';
    case 'integer':
    case 'number':
      return 'numeric';
    case 'boolean':
      return 'boolean';
    case 'string':
      return format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped';
    case 'object':
    case 'array':
      return undefined;
  }
}

class SchemaList implements ListType {
  readonly kind: ListType['kind'];
  readonly keys: readonly string[];
  readonly #schema: Schema;
  readonly #isOpen: boolean;

  constructor(schema: Schema, isOpen: boolean) {
    this.#schema = schema;
    this.#isOpen = isOpen;
    this.kind = listSchemaType(schema);
    this.keys = this.kind === 'map' ? mapKeysOfSchemaType(schema) : [];
  }

  get items(): MergeType {
    const { items, raw } = this.#schema;
    return items === undefined ? WHOLE : childSchemaType(items, raw['items'], this.#isOpen);
  }
}

/** The type of a list. Types older than list types are merged by their strategic merge settings. */
function listSchemaType({ listType, patchStrategy, patchMergeKey }: Schema): ListType['kind'] {
  if (listType !== undefined) return listType;
  if (patchStrategy !== 'merge' && patchStrategy !== 'merge,retainKeys') return 'atomic';
  return patchMergeKey === undefined ? 'set' : 'map';
}

const mapKeysOfSchemaType = ({ listType, listMapKeys, patchMergeKey }: Schema): readonly string[] =>
  listType === 'map' || patchMergeKey === undefined ? listMapKeys : [patchMergeKey];

class SchemaMap implements MapType {
  readonly isAtomic: boolean;
  readonly #schema: Schema;
  readonly #isOpen: boolean;
  readonly #hasObjectFields: boolean;

  constructor(schema: Schema, isOpen: boolean, isRoot: boolean) {
    this.#schema = schema;
    this.#isOpen = isOpen;
    this.#hasObjectFields = isRoot || schema.embeddedResource;
    this.isAtomic = schema.mapType === 'atomic';
  }

  field(name: string): MergeType | undefined {
    const known = this.#hasObjectFields ? OBJECT_FIELDS.get(name) : undefined;
    if (known !== undefined) return known;
    const schema = this.#schema.property(name);
    if (schema === undefined) return undefined;
    const properties = this.#schema.raw['properties'];
    return childSchemaType(schema, isJson(properties) ? properties[name] : undefined, this.#isOpen);
  }

  fieldDefault(name: string): Json | undefined {
    return this.#schema.property(name)?.default;
  }

  get values(): MergeType | undefined {
    const { values, raw, propertyNames } = this.#schema;
    const allowed = raw['additionalProperties'];
    if (values !== undefined) return childSchemaType(values, allowed, this.#isOpen);
    if (allowed === false) return undefined;
    return allowed === true || this.#isOpen || propertyNames.length === 0 ? DEDUCED : undefined;
  }
}
