export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The fields of an OpenAPI v3 schema that matter for types. All others are ignored. */
export interface Schema {
  readonly $ref?: string;
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

/** The document at `/openapi/v3/apis/<group>/<version>`. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface ResponseKind {
  /** Empty, like `version`: that of the resource. */
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

/** Aggregated discovery (`APIGroupDiscoveryList`), the response of `/api` and `/apis`. */
export interface DiscoveryList {
  readonly items?: readonly {
    /** Absent for the core group. */
    readonly metadata?: { readonly name?: string };
    /** The preferred version first. */
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly DiscoveredResource[];
    }[];
  }[];
}

/** The input of the generator. */
export interface ServerSchemas {
  /** By their names in `/openapi/v3`: `api/v1`, `apis/apps/v1`. */
  readonly documents: Readonly<Record<string, OpenApiDocument>>;
  /** The responses of `/api` and `/apis`, in any order. */
  readonly discovery: readonly DiscoveryList[];
}

/** `v1`, `apps/v1`: group and version as an object's `apiVersion`. */
export function apiVersionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
