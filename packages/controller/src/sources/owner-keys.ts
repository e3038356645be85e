import { joinKey, type Key, type KubeObject, type OwnerReference } from 'kube-informer/core';

/** The kind of the objects that a controller is about. */
export interface OwnerKind {
  readonly group: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Name of the index of children by the uid of their controller. */
export const CONTROLLER_INDEX = 'kube-informer.dev/controller-uid';

/** The index of children by controller. One function for all controllers, so that they can share a cache. */
export const CONTROLLER_INDEXERS: Readonly<Record<typeof CONTROLLER_INDEX, (object: KubeObject) => string[]>> = {
  [CONTROLLER_INDEX]: (object) => {
    const uid = ownerKeyOfController(object)?.uid;
    return uid === undefined ? [] : [uid];
  },
};

function ownerKeyOfController(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** The key of the object's controller, if that is of the given group and kind, in any version. */
export function ownerKeyOf(object: KubeObject, owner: OwnerKind): Key | undefined {
  const reference = ownerKeyOfController(object);
  if (reference === undefined || reference.kind !== owner.kind) return undefined;
  if (groupOfOwnerKey(reference.apiVersion) !== owner.group) return undefined;
  const namespace = owner.namespaced ? (object.metadata?.namespace ?? '') : '';
  return joinKey({ namespace, name: reference.name });
}

/** `apps/v1` → `apps`, `v1` → ``. */
export function groupOfOwnerKey(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
