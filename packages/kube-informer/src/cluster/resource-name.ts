import { requireOption } from '../core/errors.ts';

/** Throws INVALID_OPTION unless `resource` is a full name: `v1/pods`, `apps/v1/deployments`. */
export function requireResourceName(resource: string): void {
  const isComplete = typeof resource === 'string' && /^[^\s/]+(\/[^\s/]+){1,2}$/.test(resource);
  const expected = 'the full name of a resource, such as "v1/pods" or "apps/v1/deployments"';
  requireOption(isComplete, 'resource', expected, resource);
}

/** `v1/pods` → group "", `apps/v1/deployments` → group "apps". */
export function splitResourceName(resource: string): { readonly group: string; readonly plural: string } {
  requireResourceName(resource);
  const [first = '', second = '', third] = resource.split('/');
  return third === undefined ? { group: '', plural: second } : { group: first, plural: third };
}
