export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The fields of an OpenAPI v3 schema that determine its type. Other fields are ignored. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

/** The response of `/openapi/v3/apis/<group>/<version>`. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface ResponseKind {
  /** Empty means the group of the resource; the same applies to `version`. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
}

export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: ResponseKind | null;
  readonly scope: string;
  readonly singularResource?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: ResponseKind | null;
    readonly verbs: readonly string[];
  }[];
}

/** Aggregated discovery (`APIGroupDiscoveryList`): the response of `/api` and `/apis`. */
export interface DiscoveryList {
  readonly items?: readonly {
    /** No name means the core group. */
    readonly metadata?: { readonly name?: string };
    /** In the server's order, the preferred version first. */
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly DiscoveredResource[];
    }[];
  }[];
}

/** Everything the generator reads from a server. */
export interface ServerSchemas {
  /** By their names in `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
  readonly documents: Readonly<Record<string, OpenApiDocument>>;
  /** The responses of `/api` and `/apis`, in any order. */
  readonly discovery: readonly DiscoveryList[];
}

/** The `apiVersion` of a group and a version: `v1`, `apps/v1`. */
export function inputApiVersion({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
