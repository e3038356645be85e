import type { Json, JsonObject } from '../../core/json.ts';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * One node of a type, of a built-in kind or a custom resource. Children are resolved when needed, because
 * types are recursive.
 */
export interface Schema {
  /** The type; undefined if any value is allowed. */
  readonly type: SchemaType | undefined;
  readonly format: string | undefined;
  readonly nullable: boolean;
  readonly required: readonly string[];
  readonly enum: readonly Json[] | undefined;
  readonly default: Json | undefined;
  readonly propertyNames: readonly string[];
  property(name: string): Schema | undefined;
  /** Schema of an array's items. */
  readonly items: Schema | undefined;
  /** Schema of a map's values (`additionalProperties`). */
  readonly values: Schema | undefined;
  readonly intOrString: boolean;
  /**
   * Whether fields that the schema does not name are kept: RawExtension, JSON,
   * `x-kubernetes-preserve-unknown-fields`.
   */
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  /** Strategy of strategic merge: `merge`, `replace`, `retainKeys`, joined by commas as in the API. */
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** List type of server-side apply. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** The node as an OpenAPI v3 schema, including references; numeric bounds, patterns, allOf … are read from it. */
  readonly raw: JsonObject;
}
