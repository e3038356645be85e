import { statusError, type StatusError } from '../../core/status-error.ts';
import { showPathElements } from './structured-merge/path-element.ts';
import type { Owner } from './apply-owners.ts';
import type { Conflict } from './ownership.ts';

/** Maximum number of conflicts that are named. Every owner of every field may be one, and each is named twice. */
const MAX_CONFLICTS = 1_000;

/** The status 409 for a change of fields that others own. */
export function applyConflictStatus(all: readonly Conflict[]): StatusError {
  const conflicts = all.slice(0, MAX_CONFLICTS);
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${ownerInApplyConflictStatus(owner)}`,
    field: showPathElements(path),
  }));
  return statusError(409, 'Conflict', applyConflictStatusMessage(conflicts, all.length), { details: { causes } });
}

function applyConflictStatusMessage(conflicts: readonly Conflict[], count: number): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${ownerInApplyConflictStatus(first.owner)}: ${showPathElements(first.path)}`;
  const lines: string[] = [];
  let id: string | undefined;
  for (const conflict of conflicts) {
    if (conflict.id !== id) lines.push(`conflicts with ${ownerInApplyConflictStatus(conflict.owner)}:`);
    lines.push(`- ${showPathElements(conflict.path)}`);
    id = conflict.id;
  }
  if (count > conflicts.length) lines.push(`and ${count - conflicts.length} more`);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function ownerInApplyConflictStatus({ manager, subresource, operation, apiVersion }: Owner): string {
  const door = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${door}${version}`;
}
