import type { Schema } from './schema.ts';

export interface Subresource {
  /** Name, such as `status`, `scale` or `eviction`. */
  readonly name: string;
  /** The kind of the subresource's objects: `autoscaling/v1 Scale` for `scale`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** One resource in one version, built in or custom: its discovery entry and the schema of its objects. */
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
  /**
   * Whether it is from a CustomResourceDefinition: other key order, other patch types, kind and apiVersion on list
   * items.
   */
  readonly custom: boolean;
  /** The schema of the objects; undefined if it is unknown: then everything is allowed and kept. */
  readonly schema: Schema | undefined;
}
