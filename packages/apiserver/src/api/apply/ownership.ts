import type { JsonObject } from '../../core/json.ts';
import { type Comparison, compareFields } from './structured-merge/compare-fields.ts';
import type { FieldPath, FieldSet } from './structured-merge/field-set.ts';
import type { MergeType } from './structured-merge/merge-type.ts';
import { fitNamedFields } from './structured-merge/named-fields.ts';
import type { Owner, Owners } from './apply-owners.ts';

/** An object in one version. */
export interface ObjectVersion {
  readonly type: MergeType;
  convert(object: JsonObject): JsonObject;
}

/** The versions that owners may have used, and the fields that no owner may own. */
export interface Scope {
  /** Undefined for a version that is no longer served: its owners are dropped. */
  version(apiVersion: string): ObjectVersion | undefined;
  /** Fields, with everything below them, that a request to this endpoint cannot change. */
  readonly reset: FieldSet;
}

export interface Conflict {
  readonly owner: Owner;
  /** The key of `owner` among the owners. */
  readonly id: string;
  readonly path: FieldPath;
}

export interface Change {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Version of the request, which `before` and `after` are in. */
  readonly apiVersion: string;
}

/** The change as each version sees it, without the fields that cannot change. Undefined for versions not served. */
export type Comparisons = (apiVersion: string) => Comparison | undefined;

export function ownershipComparisons(change: Change, scope: Scope): Comparisons {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!known.has(apiVersion)) known.set(apiVersion, compareForOwnership(apiVersion, change, scope));
    return known.get(apiVersion);
  };
}

/** The fields that a change sets and an owner other than `self` owns. */
export function ownershipConflicts(compared: Comparisons, owners: Owners, self: string): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [id, owner] of owners) {
    const comparison = id === self ? undefined : compared(owner.apiVersion);
    if (comparison === undefined) continue;
    const touched = owner.fields.intersection(comparison.modified.union(comparison.added));
    for (const path of touched.paths()) conflicts.push({ owner, id, path });
  }
  return conflicts.toSorted(({ id: a }, { id: b }) => (a === b ? 0 : a < b ? -1 : 1));
}

/**
 * Removes the changed fields from every owner but `self`. Owners without fields, or of versions that are no
 * longer served, are dropped.
 */
export function takeOwnershipFromOthers(compared: Comparisons, owners: Owners, self?: string): Owners {
  const left: Owners = new Map();
  for (const [id, owner] of owners) {
    let { fields } = owner;
    if (id !== self) {
      const comparison = compared(owner.apiVersion);
      if (comparison === undefined) continue;
      const { added, modified, removed } = comparison;
      fields = fields.difference(modified).difference(added).difference(removed);
    }
    if (!fields.isEmpty) left.set(id, { ...owner, fields });
  }
  return left;
}

function compareForOwnership(
  apiVersion: string,
  { before, after, ...change }: Change,
  scope: Scope,
): Comparison | undefined {
  const version = scope.version(apiVersion);
  if (version === undefined) return undefined;
  const { type } = version;
  const { added, modified, removed } =
    apiVersion === change.apiVersion
      ? compareFields(before, after, type)
      : compareFields(version.convert(before), version.convert(after), type);
  return {
    added: added.without(scope.reset),
    modified: modified.without(scope.reset),
    removed: removed.without(scope.reset),
  };
}

/** The owners with their fields adapted to the current types. */
export function fitOwnershipToTypes(owners: Owners, scope: Scope): Owners {
  const fitted: Owners = new Map();
  for (const [id, owner] of owners) {
    const version = scope.version(owner.apiVersion);
    if (version !== undefined) fitted.set(id, { ...owner, fields: fitNamedFields(owner.fields, version.type) });
  }
  return fitted;
}
