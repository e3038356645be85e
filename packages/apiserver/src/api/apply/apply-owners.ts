import { defined } from 'kube-informer/core';
import type { ManagedFields } from '../../core/kube-object.ts';
import { FieldSet } from './structured-merge/field-set.ts';

/** One entry of `metadata.managedFields`: the owner, its fields, and the API version that names them. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Owners by `applyOwnerId`. */
export type Owners = Map<string, Owner>;

type OwnerKey = Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

/**
 * The id of an owner: two entries with the same id are one owner. A manager that applies is one owner for all versions; one
 * that updates is another owner in each version. The text also orders the owners in a conflict's message, so its form is that of a real server.
 */
export function applyOwnerId({ manager, operation, apiVersion, subresource }: OwnerKey): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/** Decodes `managedFields`. Throws if an entry is not valid; the caller decides what happens to the object. */
export function decodeApplyOwners(entries: readonly ManagedFields[] | null | undefined): Owners {
  const owners: Owners = new Map();
  for (const [index, entry] of (entries ?? []).entries()) {
    const { manager = '', operation, apiVersion, subresource = '', time, fieldsType, fieldsV1 } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
    if (apiVersion === undefined || apiVersion === '') throw new Error('apiVersion must not be empty');
    if (fieldsType === undefined || (fieldsType as string) === '')
      throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (fieldsType !== 'FieldsV1')
      throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
    const fields = FieldSet.fromFieldsV1(fieldsV1 ?? {});
    const owner: Owner = { manager, operation, apiVersion, subresource, time, fields };
    owners.set(applyOwnerId(owner), owner);
  }
  return owners;
}

export function encodeApplyOwners(owners: Owners): ManagedFields[] {
  return [...owners.values()].toSorted(compareApplyOwners).map((owner) => ({
    ...(owner.manager === '' ? {} : { manager: owner.manager }),
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...defined({ time: owner.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: owner.fields.toFieldsV1(),
    ...(owner.subresource === '' ? {} : { subresource: owner.subresource }),
  }));
}

/** Orders appliers before updaters, each by time; an entry without a time is the oldest. */
const compareApplyOwners = (a: Owner, b: Owner): number =>
  compareApplyOwnerTexts(a.operation, b.operation) ||
  compareApplyOwnerTexts(a.time ?? '', b.time ?? '') ||
  compareApplyOwnerTexts(a.manager, b.manager) ||
  compareApplyOwnerTexts(a.apiVersion, b.apiVersion) ||
  compareApplyOwnerTexts(a.subresource, b.subresource);

const compareApplyOwnerTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * Maximum number of updaters. Every controller that ever wrote an object leaves an entry; beyond this number
 * the oldest are merged.
 */
const MAX_UPDATERS = 10;

/** Merges the oldest updaters of each version into one called `ancient-changes`. */
export function capApplyUpdateOwners(owners: Owners): Owners {
  const updaters = [...owners].filter(([, { operation }]) => operation === 'Update');
  let excess = updaters.length - MAX_UPDATERS;
  if (excess <= 0) return owners;
  updaters.sort(
    ([idA, a], [idB, b]) => compareApplyOwnerTexts(a.time ?? '', b.time ?? '') || compareApplyOwnerTexts(idA, idB),
  );
  const capped = new Map(owners);
  const oldest = new Map<string, [string, Owner]>();
  for (const [id, owner] of updaters) {
    if (excess === 0) break;
    const { apiVersion } = owner;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, [id, owner]);
      continue;
    }
    const bucket: OwnerKey = { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' };
    const bucketId = applyOwnerId(bucket);
    const ancient = capped.get(bucketId) ?? first[1];
    if (!capped.has(bucketId)) capped.delete(first[0]);
    capped.delete(id);
    capped.set(bucketId, { ...bucket, time: owner.time, fields: owner.fields.union(ancient.fields) });
    excess -= 1;
  }
  return capped;
}
