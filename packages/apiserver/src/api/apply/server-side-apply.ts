import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject, ManagedFields } from '../../core/kube-object.ts';
import { badRequestStatusError, unknownStatusError } from '../../core/status-error.ts';
import { applyConflictStatus } from './apply-conflict-status.ts';
import { typeCheckError } from './structured-merge/check-type.ts';
import { collectFields } from './structured-merge/collect-fields.ts';
import { mergeApplied } from './structured-merge/merge-applied.ts';
import { objectSchemaType } from './structured-merge/schema-type.ts';
import { allowedByLastApplied, withLastApplied } from './last-applied.ts';
import { giveManagedFieldsToWriter } from './managed-fields.ts';
import { decodeApplyOwners, encodeApplyOwners, type Owners } from './apply-owners.ts';
import {
  ownershipComparisons,
  type Conflict,
  ownershipConflicts,
  takeOwnershipFromOthers,
  fitOwnershipToTypes,
  type ObjectVersion,
} from './ownership.ts';
import { pruneApplied } from './prune-applied.ts';
import { UNOWNED } from './stripped-fields.ts';
import {
  compactForWriteRequest,
  writeRequestOwner,
  writeRequestScope,
  type WriteRequest,
  writeRequestContent,
} from './write-request.ts';

export interface ApplyRequest extends WriteRequest {
  /** The stored object. Undefined if there is none: then the apply creates it. */
  readonly live: ApiObject | undefined;
  readonly applied: ApiObject;
  readonly force: boolean;
}

/**
 * The live object with the applied fields, without those that this manager applied before and no longer does,
 * and with matching `managedFields`. Defaults, validation and the kind's own rules follow.
 *
 * Throws StatusError: 400 for an object that cannot be applied here at all, 409 for fields that others own,
 * 500 (as a real server) for an object that does not fit its type.
 */
export function serverSideApply(request: ApplyRequest): ApiObject {
  const { live, applied, manager } = request;
  checkServerSideApply(request);
  const state = { object: writeRequestContent(live), owners: ownersBeforeServerSideApply(request) };
  let outcome = mergeServerSideApply(state, request, request.force);
  // kubectl moves from client-side to server-side apply: fields it applied before do not conflict with it.
  if ('conflicts' in outcome && manager === 'kubectl') {
    const allowed = allowedByLastApplied(state.object, request);
    const conflicts = outcome.conflicts.filter(({ path }) => !allowed.hasPath(path));
    outcome = conflicts.length === 0 ? mergeServerSideApply(state, request, true) : { conflicts };
  }
  if ('conflicts' in outcome) throw applyConflictStatus(outcome.conflicts);
  let object = compactForWriteRequest(outcome.object, request);
  if (manager === 'kubectl') object = withLastApplied(object, applied);
  return managedByServerSideApply(object, keepTimesOfServerSideApply(live, object, encodeApplyOwners(outcome.owners)));
}

function checkServerSideApply({ live, applied, apiVersion, resource, schema }: ApplyRequest): void {
  const kind = resource?.kind ?? live?.kind ?? applied.kind;
  if (applied.apiVersion !== apiVersion || applied.kind !== kind)
    throw badRequestStatusError(`invalid object type: ${serverSideApplyKind(applied)}`);
  if ((applied.metadata?.managedFields ?? null) !== null)
    throw badRequestStatusError('metadata.managedFields must be nil');
  const error = typeCheckError(applied as JsonObject, objectSchemaType(schema), { allowDuplicates: false });
  if (error === undefined) return;
  const { namespace, name } = applied.metadata ?? {};
  throw unknownStatusError(
    `failed to create typed patch object (${serverSideApplyText(namespace)}/${serverSideApplyText(name)}; ${serverSideApplyKind(applied)}): ${error}`,
  );
}

/** A value as text; empty if it is not a string. The object has not been validated yet. */
const serverSideApplyText = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * The owners before an apply. Before the first apply, everything in the object belongs to the manager
 * `before-first-apply`.
 */
function ownersBeforeServerSideApply(request: ApplyRequest): Owners {
  const { live } = request;
  const owners = decodeOwnersBeforeServerSideApply(live);
  if (owners.size > 0 || live === undefined) return owners;
  const { apiVersion, kind } = live;
  const nothing = { apiVersion, kind } as JsonObject;
  return giveManagedFieldsToWriter({ before: nothing, after: writeRequestContent(live) }, owners, {
    ...request,
    manager: 'before-first-apply',
  });
}

function decodeOwnersBeforeServerSideApply(live: ApiObject | undefined): Owners {
  try {
    return decodeApplyOwners(live?.metadata?.managedFields);
  } catch (error) {
    throw unknownStatusError(`failed to decode managed fields: ${(error as Error).message}`);
  }
}

interface State {
  readonly object: JsonObject;
  readonly owners: Owners;
}

function mergeServerSideApply(
  live: State,
  request: ApplyRequest,
  force: boolean,
): State | { readonly conflicts: readonly Conflict[] } {
  const { apiVersion, now } = request;
  const scope = writeRequestScope(request);
  const version = scope.version(apiVersion) as ObjectVersion;
  const applied = writeRequestContent(request.applied);
  const owners = fitOwnershipToTypes(live.owners, scope);
  const { id, ...applier } = writeRequestOwner(request, 'Apply');
  const last = owners.get(id);
  const fields = collectFields(applied, version.type).without(scope.reset);
  owners.set(id, { ...applier, time: last?.time, fields });

  const merged = mergeApplied(live.object, applied, version.type);
  // Mostly a manager applies the same fields as before, and more.
  const isPruned = last !== undefined && !(last.apiVersion === apiVersion && last.fields.difference(fields).isEmpty);
  const object = isPruned ? pruneApplied(merged, last, owners, scope, version) : merged;
  const compared = ownershipComparisons({ before: live.object, after: object, apiVersion }, scope);
  if (!force) {
    const conflicts = ownershipConflicts(compared, owners, id);
    if (conflicts.length > 0) return { conflicts };
  }
  const left = takeOwnershipFromOthers(compared, owners, id);
  const owned = fields.difference(UNOWNED);
  // As on a real server, an apply that changes no value sets no time, although its applier becomes an owner.
  const time = isDeepStrictEqual(live.object, object) ? last?.time : now;
  if (owned.isEmpty) left.delete(id);
  else left.set(id, { ...applier, time, fields: owned });
  return { object, owners: left };
}

/** Keeps the old times if nothing else would change: an apply without effect writes nothing. */
function keepTimesOfServerSideApply(
  live: ApiObject | undefined,
  object: JsonObject,
  entries: ManagedFields[],
): ManagedFields[] {
  const before = live?.metadata?.managedFields ?? [];
  const isSame = isDeepStrictEqual(before.map(withoutServerSideApplyTime), entries.map(withoutServerSideApplyTime));
  return isSame && isDeepStrictEqual(writeRequestContent(live), object) ? before : entries;
}

function withoutServerSideApplyTime(entry: ManagedFields): ManagedFields {
  const { time: _, ...rest } = entry;
  return rest;
}

function managedByServerSideApply(object: JsonObject, managedFields: ManagedFields[]): ApiObject {
  const { metadata, ...rest } = object as ApiObject;
  return { ...rest, metadata: managedFields.length === 0 ? { ...metadata } : { ...metadata, managedFields } };
}

function serverSideApplyKind(object: ApiObject): string {
  const apiVersion = serverSideApplyText(object.apiVersion);
  const parts = apiVersion.split('/');
  if (parts.length > 2) return '/, Kind=';
  return `${apiVersion === '' || parts.length === 2 ? apiVersion || '/' : `/${apiVersion}`}, Kind=${serverSideApplyText(object.kind)}`;
}
