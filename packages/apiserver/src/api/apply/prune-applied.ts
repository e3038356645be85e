import type { JsonObject } from '../../core/json.ts';
import { FieldSet } from './structured-merge/field-set.ts';
import { collectFields } from './structured-merge/collect-fields.ts';
import { withNamedFields } from './structured-merge/named-fields.ts';
import { removeFields } from './structured-merge/remove-fields.ts';
import type { Owner, Owners } from './apply-owners.ts';
import type { ObjectVersion, Scope } from './ownership.ts';

/**
 * `merged` without the fields that the applier owned before (`last`), no longer applies, and that have no
 * other owner. `owners` already includes what it owns now.
 */
export function pruneApplied(
  merged: JsonObject,
  last: Owner,
  owners: Owners,
  scope: Scope,
  now: ObjectVersion,
): JsonObject {
  const then = scope.version(last.apiVersion);
  if (then === undefined || last.fields.isEmpty) return merged;
  const all = then.convert(merged);
  const applied = withNamedFields(last.fields, then.type);
  let pruned = removeFields(all, applied, then.type);
  for (const [apiVersion, owned] of appliedFieldsBeforePruning(owners, last.apiVersion)) {
    const version = scope.version(apiVersion);
    if (version !== undefined)
      pruned = restoreAppliedAfterPruning(version.convert(all), version.convert(pruned), owned, version);
  }
  // Removing a list item removes more fields than were owned. Only fields that were applied may go.
  const gone = prunedAppliedFields(all, then.convert(pruned), then);
  return now.convert(removeFields(all, gone.intersection(applied), then.type));
}

/** The fields of all owners, those of version `first` first: later conversions may need the fields it restores. */
function appliedFieldsBeforePruning(owners: Owners, first: string): Map<string, FieldSet> {
  const owned = new Map([[first, new FieldSet()]]);
  for (const { apiVersion, fields } of owners.values())
    owned.set(apiVersion, (owned.get(apiVersion) ?? new FieldSet()).union(fields));
  return owned;
}

/** `pruned` with those fields of `all` restored that have an owner. */
function restoreAppliedAfterPruning(
  all: JsonObject,
  pruned: JsonObject,
  owned: FieldSet,
  version: ObjectVersion,
): JsonObject {
  const gone = prunedAppliedFields(all, pruned, version).difference(withNamedFields(owned, version.type));
  return removeFields(all, gone, version.type);
}

function prunedAppliedFields(all: JsonObject, pruned: JsonObject, { type }: ObjectVersion): FieldSet {
  return withNamedFields(collectFields(all, type), type).difference(withNamedFields(collectFields(pruned, type), type));
}
