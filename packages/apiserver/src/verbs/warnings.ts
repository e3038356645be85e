import type { Target } from './api.ts';
import type { DeleteOptions } from './request/delete-options.ts';

/** Warns when a delete of a job leaves its pods behind without having been asked to. */
export function warnOfOrphans({ served, warn }: Target, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (served.resource.group !== 'batch' || served.resource.resource !== 'jobs') return;
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
      'propagationPolicy=Orphan to suppress this warning',
  );
}
