import type { ApiObject } from '../core/object.ts';
import type { Target } from './api.ts';

const RULES = '"x-kubernetes-validations":[{';

/** Warns when a definition brings CEL rules, which are not evaluated: once, not with every object. */
export function warnOfRules({ served, warn }: Target, definition: ApiObject, old?: ApiObject): void {
  const { group, resource } = served.resource;
  if (group !== 'apiextensions.k8s.io' || resource !== 'customresourcedefinitions') return;
  if (hasRulesToWarnOf(definition) && (old === undefined || !hasRulesToWarnOf(old)))
    warn('x-kubernetes-validations: the rules of this definition are stored, but this server does not evaluate CEL');
}

const hasRulesToWarnOf = ({ spec }: ApiObject): boolean => JSON.stringify(spec ?? {}).includes(RULES);
