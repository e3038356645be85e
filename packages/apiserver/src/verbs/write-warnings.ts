import type { ApiObject } from '../core/kube-object.ts';
import type { Target } from './api-context.ts';
import type { DeleteOptions } from './request/delete-options.ts';

/** Warns when the deletion of a job orphans its pods although that was not requested. */
export function writeWarningsOfOrphans(
  { served, warn }: Target,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): void {
  if (served.resource.group !== 'batch' || served.resource.resource !== 'jobs') return;
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
      'propagationPolicy=Orphan to suppress this warning',
  );
}

/** Finalizers of the server itself. */
const OWN_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Sends the warnings of a kind about an object that is about to be stored. Writes to status and other
 * subresources have none.
 */
export function writeWarningsOfContent({ served, subresource, warn }: Target, next: ApiObject, old?: ApiObject): void {
  if (subresource !== '') return;
  for (const text of served.strategy.warnings(next, old)) warn(text);
  if (!served.resource.custom) return;
  const before = new Set(old?.metadata?.finalizers);
  for (const finalizer of [...new Set(next.metadata?.finalizers)].toSorted())
    if (!before.has(finalizer) && !finalizer.includes('/') && !OWN_FINALIZERS.has(finalizer))
      warn(
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
      );
}
