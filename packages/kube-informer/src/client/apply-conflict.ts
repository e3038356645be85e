import { statusOf } from '../core/status.ts';

/** A field that somebody else owns. */
export interface ApplyConflict {
  /** Who owns it; empty when the server does not say. */
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/**
 * The fields for which a server-side apply was refused, with their owners. Empty for every other error, also for a
 * conflict of resource versions: there trying again with the newest object helps, here only `force` or giving way does.
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
