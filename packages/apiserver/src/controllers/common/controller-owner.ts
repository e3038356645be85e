import type { LabelSelector } from '@kube-informer/kubernetes/meta.k8s.io/v1';
import type { OwnerReference } from '../../core/kube-object.ts';
import type { Meta, Typed, TypedResource } from './typed-resource.ts';
import { controllerSelectorMatches } from './controller-selector.ts';

/** The reference to the controller of an object, if it has one. */
export const controllerOwnerOf = ({ metadata }: Typed): Readonly<OwnerReference> | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true);

export const isOwnedByController = (object: Typed, { metadata }: Typed): boolean =>
  controllerOwnerOf(object)?.uid === metadata?.uid;

export function controllerOwnerFields({ apiVersion = '', kind = '', metadata }: Typed): OwnerReference {
  const { name = '', uid = '' } = metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface Claim {
  readonly owner: Typed;
  readonly selector: LabelSelector | undefined;
  /** A further condition for an object to belong to the owner, such as the name of a StatefulSet's pod. */
  readonly fits?: (metadata: Meta) => boolean;
}

/**
 * The objects that belong to an owner. One that matches and has no controller is adopted; one that no longer
 * matches is released.
 */
export function claimForControllerOwner<T extends Typed>(resource: TypedResource<T>, claim: Claim): readonly T[] {
  const { owner, selector, fits = () => true } = claim;
  const isEnding = owner.metadata?.deletionTimestamp !== undefined;
  return resource.list(owner.metadata?.namespace).flatMap((object) => {
    const { metadata = {} } = object;
    const references = metadata.ownerReferences ?? [];
    const isMatch = controllerSelectorMatches(selector, metadata.labels) && fits(metadata);
    if (isOwnedByController(object, owner)) {
      if (isMatch || isEnding) return [object];
      const ownerReferences = references.filter(({ uid }) => uid !== owner.metadata?.uid);
      resource.update({ ...object, metadata: { ...metadata, ownerReferences } });
      return [];
    }
    const isOrphan = controllerOwnerOf(object) === undefined && metadata.deletionTimestamp === undefined;
    if (!isMatch || !isOrphan || isEnding) return [];
    const ownerReferences = [...references, controllerOwnerFields(owner)];
    return [resource.update({ ...object, metadata: { ...metadata, ownerReferences } })];
  });
}
