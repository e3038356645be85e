import type { ApiObject } from '../core/object.ts';
import type { Target } from './api.ts';
import type { DeleteOptions } from './request/delete-options.ts';

const RULES = '"x-kubernetes-validations":[{';

/** Warns when a definition brings CEL rules, which are not evaluated: once, not with every object. */
export function warnOfRules({ served, warn }: Target, definition: ApiObject, old?: ApiObject): void {
  const { group, resource } = served.resource;
  if (group !== 'apiextensions.k8s.io' || resource !== 'customresourcedefinitions') return;
  if (hasRulesToWarnOf(definition) && (old === undefined || !hasRulesToWarnOf(old)))
    warn('x-kubernetes-validations: the rules of this definition are stored, but this server does not evaluate CEL');
}

const hasRulesToWarnOf = ({ spec }: ApiObject): boolean => JSON.stringify(spec ?? {}).includes(RULES);

/** Warns when a delete of a job leaves its pods behind without having been asked to. */
export function warnOfOrphans({ served, warn }: Target, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (served.resource.group !== 'batch' || served.resource.resource !== 'jobs') return;
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set ' +
      'propagationPolicy=Orphan to suppress this warning',
  );
}
