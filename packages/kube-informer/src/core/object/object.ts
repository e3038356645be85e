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

/** The part every Kubernetes object has. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** What a LIST answers. `metadata.continue` is set when there are more pages. */
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

/** What an object claims to be. */
export interface TypeRef {
  readonly apiVersion?: string;
  readonly kind?: string;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze(Object.create(null) as Record<string, string>);

/**
 * How the engine sees an object: through its metadata and nothing else.
 *
 * One engine serves every representation that can answer these questions: the
 * decoded JSON value (`plainAccess`), or bytes that are decoded on demand.
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
  labels: (object) => object.metadata?.labels ?? NOTHING,
  annotations: (object) => object.metadata?.annotations ?? NOTHING,
  type: (object) => object,
};

/** `apps/v1, Kind=Deployment`: how messages name a type. */
export function describeType(type: TypeRef | undefined): string {
  if (type === undefined || (!type.kind && !type.apiVersion)) return '<unspecified>';
  return type.apiVersion ? `${type.apiVersion}, Kind=${type.kind ?? '?'}` : (type.kind ?? '<unspecified>');
}

/** Whether the server answered with a printable table instead of objects; a cache cannot live on rows. */
export function isTable(type: TypeRef): boolean {
  return type.kind === 'Table' && (type.apiVersion === 'meta.k8s.io/v1' || type.apiVersion === 'meta.k8s.io/v1beta1');
}
