import { statusOf } from '../core/status.ts';

/** A field that another field manager owns. */
export interface ApplyConflict {
  /** The owner; empty when the server does not name it. */
  readonly manager: string;
  /** Path of the field, such as `.spec.replicas`. */
  readonly field: string;
}

/**
 * The fields for which a server-side apply was refused, with their owners. Empty for every other error, including a
 * resource version conflict: that one is solved by a retry with the newest object, this one only by `force` or by not
 * applying the field.
 */
export function applyConflictsOf(error: unknown): readonly ApplyConflict[] {
  const { code, details } = statusOf(error) ?? {};
  if (code !== undefined && code !== 409) return [];
  return (details?.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message = '', field = '' }) => ({
      manager: /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '',
      field,
    }));
}

export const isApplyConflict = (error: unknown): boolean => applyConflictsOf(error).length > 0;
