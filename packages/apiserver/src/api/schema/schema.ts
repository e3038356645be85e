import type { Json, JsonObject } from '../../core/json.ts';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * One node of a type: a built-in's or a custom resource's, behind the same face. Children are resolved when asked for,
 * because types refer to each other in circles.
 */
export interface Schema {
  /** Undefined for any value. */
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
  /** Keep what the schema does not name: RawExtension, JSON, `x-kubernetes-preserve-unknown-fields`. */
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  /** Strategic merge: `merge`, `replace`, `retainKeys`, joined by commas as in the API. */
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** Server-side apply. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** The node as an OpenAPI v3 schema, references included: numeric bounds, patterns, allOf … are read from it. */
  readonly raw: JsonObject;
}
