import { defined, isNotFound, KubeError, keyOf, type KubeObject, type OwnerReference } from 'kube-informer/core';
import type { ObjectCall, ObjectClient } from './object-client.ts';

/** The reference that makes `owner` the controller of an object. Throws OWNER_INVALID when the owner is not complete. */
export function ownerReferenceTo(owner: KubeObject): OwnerReference {
  const { apiVersion, kind, metadata: { name, uid } = {} } = owner;
  if (!apiVersion || !kind || !name || !uid)
    throw ownerReferenceInvalid(
      'the owner needs apiVersion, kind, metadata.name and metadata.uid: use an object from the server',
    );
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The reference to the controller of an object. */
export function controllerReferenceOfOwner(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * Whether `owner` is the controller of `object`: by uid, because a name can be used again, and in the namespace of the owner.
 *
 * A reference is written by any user who may write the object, and no server checks it. Without the namespace, a user of another one could
 * pass objects off as children of `owner`, and a reconcile would count them.
 */
export function hasOwnerReferenceTo(object: KubeObject, owner: KubeObject): boolean {
  const { uid, namespace = '' } = owner.metadata ?? {};
  const isReachable = namespace === '' || object.metadata?.namespace === namespace;
  return uid !== undefined && isReachable && controllerReferenceOfOwner(object)?.uid === uid;
}

/**
 * Throws OWNER_INVALID if the garbage collector would delete the child too early, or never.
 *
 * The collector looks for an owner in the namespace of the child, or among cluster-scoped objects. An owner
 * that it does not find there counts as gone, and the child is deleted although its owner exists.
 *
 * @param child the object to be owned, without a namespace if it is cluster-scoped
 * @param existing the child as it is on the server, if it exists
 */
export function checkOwnerReference(owner: KubeObject, child: KubeObject, existing?: KubeObject): void {
  const ownerNamespace = owner.metadata?.namespace ?? '';
  const childNamespace = child.metadata?.namespace ?? '';
  const what = `${owner.kind ?? 'the owner'} ${keyOf(owner)} cannot own ${child.kind ?? 'the object'} ${keyOf(child)}`;
  if (ownerNamespace !== '' && childNamespace === '')
    throw ownerReferenceInvalid(
      `${what}: the object has no metadata.namespace, and an owner in a namespace cannot own a cluster-scoped object; write namespace: '${ownerNamespace}'`,
    );
  if (ownerNamespace !== '' && childNamespace !== ownerNamespace)
    throw ownerReferenceInvalid(
      `${what}: they are in different namespaces; the garbage collector would delete the object`,
    );
  if (existing?.metadata?.uid !== undefined && existing.metadata.uid === owner.metadata?.uid)
    throw ownerReferenceInvalid(
      `${what}: it is the same object; use owner: false to apply fields of the run's own object`,
    );
  const other = existing === undefined ? undefined : controllerReferenceOfOwner(existing);
  if (other !== undefined && other.uid !== owner.metadata?.uid)
    throw ownerReferenceInvalid(`${what}: ${other.kind} ${other.name} (uid ${other.uid}) controls it already`);
}

/**
 * Reads the owner from the server before it adopts an object that exists without a controller. Throws
 * OWNER_INVALID if the owner is gone, was created again or is being deleted: a cached owner may be outdated.
 */
export async function confirmOwnerReference<T extends KubeObject>(
  owners: Pick<ObjectClient<T>, 'get'>,
  owner: KubeObject,
  call: ObjectCall = {},
): Promise<void> {
  const key = keyOf(owner);
  let live: T;
  try {
    live = await owners.get(key, call);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw ownerReferenceInvalid(`${key} cannot adopt an object: it no longer exists`, error);
  }
  if (live.metadata?.uid !== owner.metadata?.uid)
    throw ownerReferenceInvalid(`${key} cannot adopt an object: it was deleted and created again`);
  if (live.metadata?.deletionTimestamp !== undefined)
    throw ownerReferenceInvalid(`${key} cannot adopt an object: it is being deleted`);
}

function ownerReferenceInvalid(message: string, cause?: unknown): KubeError {
  return new KubeError('OWNER_INVALID', message, defined({ cause }));
}
