import { type ApplyConflict, applyConflictsOf, type ApplyOptions, type Partially } from 'kube-informer/client';
import { defined, errorMessageOf, isEqual, KubeError, type KubeObject } from 'kube-informer/core';
import { jsonHashOf } from './json-hash.ts';
import type { ObjectCall, ObjectClient } from './object-client.ts';
import { ownedFields } from './owned-fields.ts';
import {
  checkOwnerReference,
  confirmOwnerReference,
  controllerReferenceOfOwner,
  hasOwnerReferenceTo,
  ownerReferenceTo,
} from './owner-reference.ts';

/** The result of a server-side apply. */
export type Applied<T> =
  | {
      readonly outcome: 'created' | 'changed' | 'unchanged';
      readonly object: T;
      /** Whether a request was sent. */
      readonly sent: boolean;
      /** A mark for the next apply of the same object. */
      readonly mark: ApplyMark;
    }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly ApplyConflict[] };

/** A record of an apply, to recognise that the next one would change nothing. */
export interface ApplyMark {
  readonly uid: string;
  readonly version: string;
  /** Hash of the desired object. */
  readonly desired: string;
  /** Hash of the fields as the server stores them: with its quantities, defaults and order. */
  readonly owned: string;
}

export interface ApplyObjectOptions<T extends KubeObject> extends ObjectCall {
  readonly fieldManager: string;
  /** Takes fields from other managers. @default for an object that `owner` controls already */
  readonly force?: boolean;
  /** The object as the cache has it, with the writes of this run; undefined if it does not exist. */
  readonly cached?: T | undefined;
  /** Whether the cache has its metadata only: then it is unknown whether the apply would change something. */
  readonly isPartial?: boolean;
  /** The mark of the last apply of this object by this process. */
  readonly mark?: ApplyMark | undefined;
  /** The object that becomes the controller of the applied one. */
  readonly owner?: KubeObject;
  /** Reads the owner before it adopts an object without a controller. @default no check before adoption */
  readonly owners?: Pick<ObjectClient<KubeObject>, 'get'>;
}

/**
 * Applies an object, unless that would change nothing, and returns the outcome.
 *
 * Nothing is sent when the manager owns exactly the desired fields with the desired values, or when the last
 * apply was the same and its result on the server is unchanged. The second rule stops applies for which the
 * server creates a new version although nothing changes (kubernetes/kubernetes#131175), and values that the
 * server stores in another form.
 *
 * Throws OWNER_INVALID before any write when `owner` cannot own the object.
 */
export async function applyObject<T extends KubeObject>(
  client: ObjectClient<T>,
  desired: Partially<T>,
  options: ApplyObjectOptions<T>,
): Promise<Applied<T>> {
  const { fieldManager, cached, isPartial = false, mark, owner, owners, signal, timeoutMs } = options;
  const call = defined({ signal, timeoutMs });
  const wanted = owner === undefined ? desired : withOwnerOfAppliedObject(desired, owner, cached);
  const hash = hashOfAppliedObject(wanted);
  if (cached !== undefined && !isPartial && isObjectAlreadyApplied(wanted, hash, options)) {
    const isKnown = mark?.desired === hash && mark.version === cached.metadata?.resourceVersion;
    const latest = isKnown ? mark : applyObjectMark(cached, hash, fieldManager);
    return { outcome: 'unchanged', object: cached, sent: false, mark: latest };
  }
  if (
    owner !== undefined &&
    owners !== undefined &&
    cached !== undefined &&
    controllerReferenceOfOwner(cached) === undefined
  )
    await confirmOwnerReference(owners, owner, call);
  const { force = owner !== undefined && cached !== undefined && hasOwnerReferenceTo(cached, owner) } = options;
  let object: T;
  try {
    object = await client.apply(wanted, { ...call, fieldManager, force } satisfies ApplyOptions);
  } catch (error) {
    const conflicts = applyConflictsOf(error);
    if (conflicts.length === 0) throw error;
    return { outcome: 'conflict', conflicts };
  }
  const outcome = applyObjectOutcome(object, cached, mark);
  return { outcome, object, sent: true, mark: applyObjectMark(object, hash, fieldManager) };
}

/** The hash of a desired object. Throws INVALID_OPTION if it cannot be sent. */
function hashOfAppliedObject(wanted: object): string {
  try {
    return jsonHashOf(wanted);
  } catch (error) {
    const why = error instanceof RangeError ? 'it contains itself, or is nested too deeply' : errorMessageOf(error);
    throw new KubeError('INVALID_OPTION', `apply: the object cannot be written as JSON: ${why}`, { cause: error });
  }
}

/** Whether the apply would change nothing. */
function isObjectAlreadyApplied<T extends KubeObject>(
  wanted: Partially<T>,
  hash: string,
  { cached = {} as T, mark, fieldManager }: ApplyObjectOptions<T>,
): boolean {
  const { uid, resourceVersion } = cached.metadata ?? {};
  const isRepeated = mark !== undefined && mark.desired === hash && mark.uid === uid;
  if (isRepeated && mark.version === resourceVersion) return true;
  const owned = ownedFields(cached, fieldManager);
  if (owned === undefined) return false;
  return (isRepeated && mark.owned === jsonHashOf(owned)) || isEqual(owned, comparableAppliedObject(wanted));
}

/** The fields of a desired object that managed fields can name. */
function comparableAppliedObject(desired: object): object {
  const {
    apiVersion: _,
    kind: __,
    metadata = {},
    ...rest
  } = desired as { metadata?: object } & Record<string, unknown>;
  const { name: ___, namespace: ____, ...meta } = metadata as Record<string, unknown>;
  return JSON.parse(JSON.stringify({ ...(Object.keys(meta).length > 0 ? { metadata: meta } : {}), ...rest })) as object;
}

function applyObjectOutcome(
  object: KubeObject,
  cached: KubeObject | undefined,
  mark: ApplyMark | undefined,
): 'created' | 'changed' | 'unchanged' {
  const { uid, resourceVersion, generation = 1, managedFields = [] } = object.metadata ?? {};
  if (cached !== undefined && cached.metadata?.uid === uid)
    return cached.metadata?.resourceVersion === resourceVersion ||
      isEqual(withoutApplyObjectTimes(cached), withoutApplyObjectTimes(object))
      ? 'unchanged'
      : 'changed';
  if (mark?.uid === uid) return mark?.version === resourceVersion ? 'unchanged' : 'changed';
  // The cache has no object with this uid. If others have written to it, it existed before, and the cache is behind.
  return managedFields.length <= 1 && generation <= 1 ? 'created' : 'changed';
}

/** The object without the fields that a no-op apply may change. */
function withoutApplyObjectTimes(given: KubeObject): object {
  const { apiVersion: _, kind: __, ...object } = given; // items of a list may come without them
  const { resourceVersion: ___, managedFields = [], ...metadata } = object.metadata ?? {};
  return {
    ...object,
    metadata: { ...metadata, managedFields: managedFields.map(({ time: ____, ...entry }) => entry) },
  };
}

function withOwnerOfAppliedObject<T extends KubeObject>(
  desired: Partially<T>,
  owner: KubeObject,
  cached: T | undefined,
): Partially<T> {
  const object = desired as KubeObject;
  checkOwnerReference(owner, object, cached);
  const { metadata = {} } = object;
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata?.uid);
  return { ...desired, metadata: { ...metadata, ownerReferences: [...others, ownerReferenceTo(owner)] } };
}

function applyObjectMark({ metadata = {}, ...object }: KubeObject, desired: string, fieldManager: string): ApplyMark {
  const owned = jsonHashOf(ownedFields({ metadata, ...object }, fieldManager) ?? {});
  return { uid: metadata.uid ?? '', version: metadata.resourceVersion ?? '', desired, owned };
}
