import type { JsonObject } from '../../core/json.ts';
import type { ApiObject, ManagedFields } from '../../core/kube-object.ts';
import { capApplyUpdateOwners, decodeApplyOwners, encodeApplyOwners, type Owners } from './apply-owners.ts';
import { type Change, ownershipComparisons, takeOwnershipFromOthers, fitOwnershipToTypes } from './ownership.ts';
import { UNOWNED } from './stripped-fields.ts';
import {
  comparableForWriteRequest,
  writeRequestOwner,
  writeRequestScope,
  type WriteRequest,
  writeRequestContent,
} from './write-request.ts';

export interface UpdateRequest extends WriteRequest {
  /** Undefined if the object is being created. */
  readonly before: ApiObject | undefined;
  /**
   * The object as the client sent it, decoded, patched and with defaults, before the kind's own rules change it. Values
   * that those rules fill in (a cluster IP, a finalizer) have no owner.
   */
  readonly after: ApiObject;
}

/**
 * The `managedFields` of an object after a create, an update or any patch but apply: fields that changed are the
 * writer's. Empty where ownership of the object is not tracked.
 */
export function managedFieldsAfterUpdate(request: UpdateRequest): ManagedFields[] {
  const { before, after } = request;
  const owners = managedFieldsBeforeUpdate(request);
  // `[{}]` clears all owners. Tracking begins again with the next apply.
  if (owners.size === 0 && before !== undefined) return [];
  try {
    const change = { before: writeRequestContent(before), after: writeRequestContent(after) };
    return encodeApplyOwners(capApplyUpdateOwners(giveManagedFieldsToWriter(change, owners, request)));
  } catch {
    // A list has items that cannot be told apart: a server stores the object and drops its owners.
    return [];
  }
}

/** `owners` after the fields of a change went to the writer. */
export function giveManagedFieldsToWriter(
  { before, after }: { before: JsonObject; after: JsonObject },
  owners: Owners,
  request: WriteRequest,
): Owners {
  const scope = writeRequestScope(request);
  const { apiVersion, now } = request;
  const change: Change = {
    before: comparableForWriteRequest(before, request),
    after: comparableForWriteRequest(after, request),
    apiVersion,
  };
  const compared = ownershipComparisons(change, scope);
  const left = takeOwnershipFromOthers(compared, fitOwnershipToTypes(owners, scope));
  const mine = compared(apiVersion);
  const taken = mine?.modified.union(mine.added).difference(UNOWNED);
  if (taken === undefined || taken.isEmpty) return left;
  const { id, ...writer } = writeRequestOwner(request, 'Update');
  const last = left.get(id);
  left.set(id, { ...writer, time: now, fields: last === undefined ? taken : taken.union(last.fields) });
  return left;
}

/**
 * The `managedFields` before an update. A client may write the list itself; one that does not send it, or
 * sends an invalid one, does not lose it.
 */
function managedFieldsBeforeUpdate({ before, after, subresource = '', resource }: UpdateRequest): Owners {
  const live = before?.metadata?.managedFields;
  const sent = after.metadata?.managedFields;
  if (subresource === '') {
    if (areManagedFieldsCleared(sent, resource?.custom === true)) return new Map();
    const owners = decodeManagedFields(sent);
    if (owners.size > 0) return owners;
  }
  return decodeManagedFields(live);
}

function decodeManagedFields(entries: readonly ManagedFields[] | null | undefined): Owners {
  try {
    return decodeApplyOwners(entries);
  } catch {
    return new Map();
  }
}

/** `[{}]` clears all owners. So does `[]`, but a custom resource loses that when it is decoded. */
function areManagedFieldsCleared(entries: readonly ManagedFields[] | null | undefined, isCustom: boolean): boolean {
  if (entries === undefined || entries === null || entries.length > 1) return false;
  const [only] = entries;
  return only === undefined ? !isCustom : Object.keys(only).length === 0;
}
