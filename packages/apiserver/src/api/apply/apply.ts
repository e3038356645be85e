import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json.ts';
import type { ApiObject, ManagedFields } from '../../core/object.ts';
import { badRequest, unknownError } from '../../core/status.ts';
import { applyConflict } from './apply-conflict.ts';
import { typeError } from './fields/check-type.ts';
import { fieldsOf } from './fields/fields-of.ts';
import { mergeApplied } from './fields/merge-applied.ts';
import { objectType } from './fields/schema-type.ts';
import { allowedByLastApplied, withLastApplied } from './last-applied.ts';
import { withUpdate } from './managed-fields.ts';
import { decodeOwners, encodeOwners, type Owners } from './owners.ts';
import { comparisonsOf, type Conflict, conflictsOf, disown, fitOwners, type ObjectVersion } from './ownership.ts';
import { pruneApplied } from './prune-applied.ts';
import { UNOWNED } from './stripped-fields.ts';
import { kept, ownerOf, scopeOf, type WriteRequest, withoutManagedFields } from './write-request.ts';

export interface ApplyRequest extends WriteRequest {
  /** Undefined: there is none; the applied object becomes it. */
  readonly live: ApiObject | undefined;
  readonly applied: ApiObject;
  readonly force: boolean;
}

/**
 * The live object with what is applied, without what this manager applied before and does not any more, and with
 * `managedFields` that say so. Defaults, validation and the kind's own rules come after.
 *
 * Throws StatusError: 400 for what cannot be applied here at all, 409 for fields that others own, 500 (as a real server)
 * for an object that does not fit its type.
 */
export function serverSideApply(request: ApplyRequest): ApiObject {
  const { live, applied, manager } = request;
  checkApplied(request);
  const state = { object: withoutManagedFields(live), owners: liveOwners(request) };
  let outcome = apply(state, request, request.force);
  // kubectl moves from applying on its own side to applying here: what it applied there is no conflict for it.
  if ('conflicts' in outcome && manager === 'kubectl') {
    const allowed = allowedByLastApplied(state.object, request);
    const conflicts = outcome.conflicts.filter(({ path }) => !allowed.hasPath(path));
    outcome = conflicts.length === 0 ? apply(state, request, true) : { conflicts };
  }
  if ('conflicts' in outcome) throw applyConflict(outcome.conflicts);
  let object = kept(outcome.object, request);
  if (manager === 'kubectl') object = withLastApplied(object, applied);
  return withManagedFields(object, keepTimes(live, object, encodeOwners(outcome.owners)));
}

function checkApplied({ live, applied, apiVersion, resource, schema }: ApplyRequest): void {
  const kind = resource?.kind ?? live?.kind ?? applied.kind;
  if (applied.apiVersion !== apiVersion || applied.kind !== kind)
    throw badRequest(`invalid object type: ${groupVersionKind(applied)}`);
  if ((applied.metadata?.managedFields ?? null) !== null) throw badRequest('metadata.managedFields must be nil');
  const error = typeError(applied as JsonObject, objectType(schema), { allowDuplicates: false });
  if (error === undefined) return;
  const { namespace, name } = applied.metadata ?? {};
  throw unknownError(
    `failed to create typed patch object (${textOf(namespace)}/${textOf(name)}; ${groupVersionKind(applied)}): ${error}`,
  );
}

/** What is no text is no name either: this may be what is wrong with the object. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Before the first apply, everything in the object belongs to whoever came before. */
function liveOwners(request: ApplyRequest): Owners {
  const { live } = request;
  const owners = decoded(live);
  if (owners.size > 0 || live === undefined) return owners;
  const { apiVersion, kind } = live;
  const nothing = { apiVersion, kind } as JsonObject;
  return withUpdate({ before: nothing, after: withoutManagedFields(live) }, owners, {
    ...request,
    manager: 'before-first-apply',
  });
}

function decoded(live: ApiObject | undefined): Owners {
  try {
    return decodeOwners(live?.metadata?.managedFields);
  } catch (error) {
    throw unknownError(`failed to decode managed fields: ${(error as Error).message}`);
  }
}

interface State {
  readonly object: JsonObject;
  readonly owners: Owners;
}

function apply(
  live: State,
  request: ApplyRequest,
  force: boolean,
): State | { readonly conflicts: readonly Conflict[] } {
  const { apiVersion, now } = request;
  const scope = scopeOf(request);
  const version = scope.version(apiVersion) as ObjectVersion;
  const applied = withoutManagedFields(request.applied);
  const owners = fitOwners(live.owners, scope);
  const { id, ...applier } = ownerOf(request, 'Apply');
  const last = owners.get(id);
  const fields = fieldsOf(applied, version.type).without(scope.reset);
  owners.set(id, { ...applier, time: last?.time, fields });

  const merged = mergeApplied(live.object, applied, version.type);
  // Mostly a manager applies what it applied before, and more.
  const isPruned = last !== undefined && !(last.apiVersion === apiVersion && last.fields.difference(fields).isEmpty);
  const object = isPruned ? pruneApplied(merged, last, owners, scope, version) : merged;
  const compared = comparisonsOf({ before: live.object, after: object, apiVersion }, scope);
  if (!force) {
    const conflicts = conflictsOf(compared, owners, id);
    if (conflicts.length > 0) return { conflicts };
  }
  const left = disown(compared, owners, id);
  const owned = fields.difference(UNOWNED);
  // As on a real server, an apply that changes no value has no time, though its applier becomes an owner.
  const time = isDeepStrictEqual(live.object, object) ? last?.time : now;
  if (owned.isEmpty) left.delete(id);
  else left.set(id, { ...applier, time, fields: owned });
  return { object, owners: left };
}

/** Where nothing but times would change, they do not either: an apply that does nothing writes nothing. */
function keepTimes(live: ApiObject | undefined, object: JsonObject, entries: ManagedFields[]): ManagedFields[] {
  const before = live?.metadata?.managedFields ?? [];
  const isSame = isDeepStrictEqual(before.map(timeless), entries.map(timeless));
  return isSame && isDeepStrictEqual(withoutManagedFields(live), object) ? before : entries;
}

function timeless(entry: ManagedFields): ManagedFields {
  const { time: _, ...rest } = entry;
  return rest;
}

function withManagedFields(object: JsonObject, managedFields: ManagedFields[]): ApiObject {
  const { metadata, ...rest } = object as ApiObject;
  return { ...rest, metadata: managedFields.length === 0 ? { ...metadata } : { ...metadata, managedFields } };
}

function groupVersionKind(object: ApiObject): string {
  const apiVersion = textOf(object.apiVersion);
  const parts = apiVersion.split('/');
  if (parts.length > 2) return '/, Kind=';
  return `${apiVersion === '' || parts.length === 2 ? apiVersion || '/' : `/${apiVersion}`}, Kind=${textOf(object.kind)}`;
}
