import type { ManagedFields } from '../../core/kube-object.ts';
import { type FieldPath, FieldSet } from './structured-merge/field-set.ts';
import { fieldPathElement } from './structured-merge/path-element.ts';
import { decodeApplyOwners, encodeApplyOwners, applyOwnerId, type Owners } from './apply-owners.ts';

/**
 * Converts the owners of the replicas to those of a Scale and back. A Scale is not an object of its own: to `scale`, the owners
 * of the replicas in the object behind it are the owners of `spec.replicas`.
 */
export interface ScaledObject {
  /** managedFields of the object behind the Scale. */
  readonly managedFields: readonly ManagedFields[] | undefined;
  readonly apiVersion: string;
  /** Path of the replicas in a version of it. Undefined: no such version. */
  replicasPath(apiVersion: string): readonly string[] | undefined;
}

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS: FieldPath = ['f:spec', 'f:replicas'];

/** The `managedFields` that the Scale of the object has, before a write to it. */
export function scaleOwnersFromObject(object: ScaledObject): ManagedFields[] {
  const owners: Owners = new Map();
  for (const [id, owner] of decodeApplyOwners(object.managedFields)) {
    const path = scaleOwnersReplicasPath(object, owner.apiVersion);
    if (path !== undefined && owner.fields.hasPath(path))
      owners.set(id, { ...owner, apiVersion: SCALE_VERSION, fields: new FieldSet([SCALE_REPLICAS]) });
  }
  return encodeApplyOwners(owners);
}

/**
 * The `managedFields` of the object behind, after a write to its Scale left `scaled`. As on a real server, an updater
 * counts as another one on the other side of a Scale: it loses its time, and its old entry loses the replicas.
 */
export function objectOwnersFromScale(
  object: ScaledObject,
  scaled: readonly ManagedFields[] | undefined,
): ManagedFields[] {
  const left: Owners = new Map();
  const scaleOwners = decodeApplyOwners(scaled);
  const before = decodeApplyOwners(object.managedFields);
  for (const [id, owner] of before) {
    const path = scaleOwnersReplicasPath(object, owner.apiVersion);
    if (path === undefined) continue;
    const isKept = !owner.fields.hasPath(path) || scaleOwners.delete(id);
    const fields = isKept ? owner.fields : owner.fields.difference(new FieldSet([path]));
    if (!fields.isEmpty) left.set(id, { ...owner, fields });
  }
  const path = scaleOwnersReplicasPath(object, object.apiVersion);
  for (const [id, owner] of scaleOwners) {
    if (path === undefined || !owner.fields.hasPath(SCALE_REPLICAS)) continue;
    const time = before.get(applyOwnerId(owner))?.time;
    left.set(id, { ...owner, apiVersion: object.apiVersion, time, fields: new FieldSet([path]) });
  }
  return encodeApplyOwners(left);
}

const scaleOwnersReplicasPath = (object: ScaledObject, apiVersion: string): FieldPath | undefined =>
  object.replicasPath(apiVersion)?.map(fieldPathElement);
