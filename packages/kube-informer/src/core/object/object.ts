/**
 * The metadata this project relies on. Everything else in an object belongs to the user.
 *
 * Fields are optional because a server, a transform or a test may leave them out;
 * `keyOf` is where a missing name becomes an error.
 */
export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The common part of all Kubernetes objects. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** The response to a LIST. `metadata.continue` is set when there are more pages. */
export interface KubeList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** The type of an object, as written in it. */
export interface TypeRef {
  readonly apiVersion?: string;
  readonly kind?: string;
}

const EMPTY: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/**
 * Reads the metadata of an object; the engine uses nothing else of it.
 *
 * So the engine works with any representation: decoded JSON (`plainAccess`), or
 * bytes that are decoded on demand.
 *
 * Room rule: never decodes a body, never keeps a reference.
 */
export interface ObjectAccess<T> {
  name(object: T): string | undefined;
  namespace(object: T): string | undefined;
  uid(object: T): string | undefined;
  resourceVersion(object: T): string | undefined;
  labels(object: T): Readonly<Record<string, string>>;
  annotations(object: T): Readonly<Record<string, string>>;
  type(object: T): TypeRef;
}

export const plainAccess: ObjectAccess<KubeObject> = {
  name: (object) => object.metadata?.name,
  namespace: (object) => object.metadata?.namespace,
  uid: (object) => object.metadata?.uid,
  resourceVersion: (object) => object.metadata?.resourceVersion,
  labels: (object) => object.metadata?.labels ?? EMPTY,
  annotations: (object) => object.metadata?.annotations ?? EMPTY,
  type: (object) => object,
};

/** A type for messages: `apps/v1, Kind=Deployment`. */
export function describeObjectType(type: TypeRef | undefined): string {
  if (type === undefined || (!type.kind && !type.apiVersion)) return '<unspecified>';
  return type.apiVersion ? `${type.apiVersion}, Kind=${type.kind ?? '?'}` : (type.kind ?? '<unspecified>');
}

/** Whether the server sent a table for printing instead of objects, which cannot be cached. */
export function isTableObject(type: TypeRef): boolean {
  return type.kind === 'Table' && (type.apiVersion === 'meta.k8s.io/v1' || type.apiVersion === 'meta.k8s.io/v1beta1');
}
