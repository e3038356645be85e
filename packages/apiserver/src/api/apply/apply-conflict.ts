import { statusError, type StatusError } from '../../core/status.ts';
import { showPathElements } from './fields/path-element.ts';
import type { Owner } from './owners.ts';
import type { Conflict } from './ownership.ts';

/** 409: fields that others own would change. */
export function applyConflictStatus(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${showApplyConflictOwner(owner)}`,
    field: showPathElements(path),
  }));
  return statusError(409, 'Conflict', applyConflictStatusMessage(conflicts), { details: { causes } });
}

function applyConflictStatusMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${showApplyConflictOwner(first.owner)}: ${showPathElements(first.path)}`;
  const lines: string[] = [];
  let id: string | undefined;
  for (const conflict of conflicts) {
    if (conflict.id !== id) lines.push(`conflicts with ${showApplyConflictOwner(conflict.owner)}:`);
    lines.push(`- ${showPathElements(conflict.path)}`);
    id = conflict.id;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function showApplyConflictOwner({ manager, subresource, operation, apiVersion }: Owner): string {
  const door = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${door}${version}`;
}
