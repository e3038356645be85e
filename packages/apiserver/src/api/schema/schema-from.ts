import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Schema, SchemaType } from './schema.ts';

/** Finds a schema by the name a `$ref` ends with. */
export type References = (name: string) => JsonObject | undefined;

const REFERENCE = /^.*\//;
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

/** Nodes already created, per set of references, so that the same child is returned again. */
const known = new WeakMap<References, WeakMap<JsonObject, Schema>>();

const schemaFromNoReferences: References = () => undefined;

/**
 * A `Schema` over a node of OpenAPI v3: of a built-in's document, or of a CustomResourceDefinition.
 *
 * Nothing is copied or checked in advance; a node is read on first use. If it refers to another one (`$ref`,
 * or `allOf` with a single reference, as servers write it), the keys beside the reference win over those of
 * the referenced node. `raw` is the node after that step; its children still hold their references.
 */
export function schemaFrom(raw: JsonObject, refs: References = schemaFromNoReferences): Schema {
  let nodes = known.get(refs);
  if (nodes === undefined) known.set(refs, (nodes = new WeakMap()));
  let schema = nodes.get(raw);
  if (schema === undefined) nodes.set(raw, (schema = new OpenApiSchema(schemaFromResolvedReference(raw, refs), refs)));
  return schema;
}

/** The name at the end of a reference, if the node is one. */
export function schemaFromReference(raw: JsonObject): string | undefined {
  const [only, ...others] = Array.isArray(raw['allOf']) ? raw['allOf'] : [];
  const ref = raw['$ref'] ?? (others.length === 0 && isJson(only) ? only['$ref'] : undefined);
  return typeof ref === 'string' ? ref.replace(REFERENCE, '') : undefined;
}

function schemaFromResolvedReference(raw: JsonObject, refs: References): JsonObject {
  const name = schemaFromReference(raw);
  if (name === undefined) return raw;
  const { $ref: _, allOf: __, ...beside } = raw;
  const target = refs(name);
  return target === undefined ? beside : { ...schemaFromResolvedReference(target, refs), ...beside };
}

class OpenApiSchema implements Schema {
  readonly raw: JsonObject;
  readonly #refs: References;

  constructor(raw: JsonObject, refs: References) {
    this.raw = raw;
    this.#refs = refs;
  }

  get type(): SchemaType | undefined {
    const type = this.raw['type'];
    return TYPES.has(type) ? (type as SchemaType) : undefined;
  }

  get format(): string | undefined {
    return this.#text('format');
  }

  get nullable(): boolean {
    return this.raw['nullable'] === true;
  }

  get required(): readonly string[] {
    return this.#texts('required');
  }

  get enum(): readonly Json[] | undefined {
    const values = this.raw['enum'];
    return Array.isArray(values) ? values : undefined;
  }

  get default(): Json | undefined {
    return this.raw['default'];
  }

  get propertyNames(): readonly string[] {
    return isJson(this.raw['properties']) ? Object.keys(this.raw['properties']) : [];
  }

  property(name: string): Schema | undefined {
    const properties = this.raw['properties'];
    if (!isJson(properties) || !Object.hasOwn(properties, name)) return undefined;
    return this.#child(properties[name]);
  }

  get items(): Schema | undefined {
    return this.#child(this.raw['items']);
  }

  get values(): Schema | undefined {
    const values = this.raw['additionalProperties'];
    return values === true ? UNKNOWN_VALUES : this.#child(values);
  }

  get intOrString(): boolean {
    return this.raw['x-kubernetes-int-or-string'] === true || this.raw['format'] === 'int-or-string';
  }

  get preserveUnknownFields(): boolean {
    return this.raw['x-kubernetes-preserve-unknown-fields'] === true;
  }

  get embeddedResource(): boolean {
    return this.raw['x-kubernetes-embedded-resource'] === true;
  }

  get patchStrategy(): string | undefined {
    return this.#text('x-kubernetes-patch-strategy');
  }

  get patchMergeKey(): string | undefined {
    return this.#text('x-kubernetes-patch-merge-key');
  }

  get listType(): 'atomic' | 'set' | 'map' | undefined {
    const type = this.raw['x-kubernetes-list-type'];
    return type === 'atomic' || type === 'set' || type === 'map' ? type : undefined;
  }

  get listMapKeys(): readonly string[] {
    return this.#texts('x-kubernetes-list-map-keys');
  }

  get mapType(): 'atomic' | 'granular' | undefined {
    const type = this.raw['x-kubernetes-map-type'];
    return type === 'atomic' || type === 'granular' ? type : undefined;
  }

  #child(raw: Json | undefined): Schema | undefined {
    return isJson(raw) ? schemaFrom(raw, this.#refs) : undefined;
  }

  #text(key: string): string | undefined {
    const value = this.raw[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  #texts(key: string): readonly string[] {
    const value = this.raw[key];
    return Array.isArray(value) ? (value as string[]) : [];
  }
}

/** A schema for values of which nothing is known: real servers keep the key and prune below it. */
const UNKNOWN_VALUES: Schema = schemaFrom({ nullable: true });
