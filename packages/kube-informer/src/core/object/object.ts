import { hasEqualContent } from './equal.ts';

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
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

/** The owner of an object: the garbage collector deletes the object after its last owner. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** The owner that manages the object. An object has at most one. */
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that one manager owns, as server-side apply records them. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: object;
  readonly subresource?: string;
}

/** The common part of all Kubernetes objects. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/**
 * An object that a server has stored, in a cache or in a response: it has a name, a uid, a version and the
 * time of its creation, so code that reads them needs no `?`. A transform that removes one of them makes this
 * untrue.
 */
export type Live<T extends object> = T & {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
} & Created<T>;

/** The creation time of `T`; nothing for a selection of paths (`select`) without it. */
type Created<T> = T extends { readonly metadata?: infer M }
  ? 'creationTimestamp' extends keyof NonNullable<M>
    ? { readonly metadata: { readonly creationTimestamp: string } }
    : unknown
  : unknown;

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
  /** Compares two states completely. Without it, states of the same version count as the same. */
  hasSameContent?(one: T, other: T): boolean;
}

/** Reads decoded JSON. It accepts any value; one that is not a Kubernetes object has no name. */
export const plainAccess: ObjectAccess<unknown> = {
  name: (object) => plainObjectMetadata(object)?.name,
  namespace: (object) => plainObjectMetadata(object)?.namespace,
  uid: (object) => plainObjectMetadata(object)?.uid,
  resourceVersion: (object) => plainObjectMetadata(object)?.resourceVersion,
  labels: (object) => plainObjectMetadata(object)?.labels ?? EMPTY,
  annotations: (object) => plainObjectMetadata(object)?.annotations ?? EMPTY,
  type: (object) => object as TypeRef,
  hasSameContent: (one, other) => hasEqualContent(one as object, other as object),
};

function plainObjectMetadata(object: unknown): ObjectMeta | undefined {
  return (object as KubeObject).metadata;
}

/** A type for messages: `apps/v1, Kind=Deployment`. */
export function describeObjectType(type: TypeRef | undefined): string {
  if (type === undefined || (!type.kind && !type.apiVersion)) return '<unspecified>';
  return type.apiVersion ? `${type.apiVersion}, Kind=${type.kind ?? '?'}` : (type.kind ?? '<unspecified>');
}

/** Whether the server sent a table for printing instead of objects, which cannot be cached. */
export function isTableObject(type: TypeRef): boolean {
  return type.kind === 'Table' && (type.apiVersion === 'meta.k8s.io/v1' || type.apiVersion === 'meta.k8s.io/v1beta1');
}
