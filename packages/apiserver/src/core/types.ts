/** The nouns that the rooms of this package share. No code, no imports: every room may import it. */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** Metadata while it is being worked on. What the store holds is never changed in place. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

/** Any Kubernetes object as JSON, with its metadata known by name. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  [field: string]: unknown;
}

export interface Subresource {
  /** `status`, `scale`, `eviction` … */
  readonly name: string;
  /** What the subresource speaks: `autoscaling/v1 Scale` for `scale`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** One resource in one version, built in or custom: what discovery says of it, and how its objects are shaped. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** Plural, as in the path: `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  /** From a CustomResourceDefinition: other key order, other patch types, kind and apiVersion on list items. */
  readonly custom: boolean;
  /** Undefined where nothing is known of the shape: everything is allowed and kept. */
  readonly schema: Schema | undefined;
}

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

/**
 * One node of a type: a built-in's or a custom resource's, behind the same face. Children are resolved when asked for,
 * because types refer to each other in circles.
 */
export interface Schema {
  /** Undefined: any value. */
  readonly type: SchemaType | undefined;
  readonly format: string | undefined;
  readonly nullable: boolean;
  readonly required: readonly string[];
  readonly enum: readonly Json[] | undefined;
  readonly default: Json | undefined;
  readonly propertyNames: readonly string[];
  property(name: string): Schema | undefined;
  /** Of an array's items. */
  readonly items: Schema | undefined;
  /** Of a map's values (`additionalProperties`). */
  readonly values: Schema | undefined;
  readonly intOrString: boolean;
  /** Keep what the schema does not name: RawExtension, JSON, `x-kubernetes-preserve-unknown-fields`. */
  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  /** Strategic merge: `merge`, `replace`, `retainKeys`, joined by commas as the API says it. */
  readonly patchStrategy: string | undefined;
  readonly patchMergeKey: string | undefined;
  /** Server-side apply. */
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: 'atomic' | 'granular' | undefined;
  /** The node as an OpenAPI v3 schema, references included: numeric bounds, patterns, allOf … are read from it. */
  readonly raw: JsonObject;
}

/** Who asks. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request's method and path mean, before anything is looked up. */
export interface RequestInfo {
  /** A resource verb, or the lower-case HTTP method where `isResource` is false. */
  readonly verb: string;
  readonly path: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: cluster scope, or all namespaces. */
  readonly namespace: string;
  /** Empty where the request names no single object. */
  readonly name: string;
}

/** A column of a Table answer, as the wire has it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** How the objects of one resource are shown as rows. */
export interface TableFormat {
  readonly columns: readonly ColumnDefinition[];
  /** One cell per column. `now` is milliseconds since 1970, for ages. */
  cells(object: ApiObject, now: number): Json[];
  /** No objects are no list of rows, not an empty one. */
  readonly isNullWhenEmpty?: boolean;
  /** `conditions` of the row, for the kinds whose rows have any. */
  conditions?(object: ApiObject): Json[] | undefined;
}

/** A field error: one line of a 422 and one cause of it. */
export interface FieldError {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  readonly field: string;
  /** Without the field: `Invalid value: "x": must be …`. */
  readonly message: string;
}
