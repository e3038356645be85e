import { requireOption } from '../core/errors.ts';
import { FieldSelector, LabelSelector } from '../core/selector/selector.ts';

/** Which part of a resource is meant. */
export interface Scope {
  /** "" means all. @default all */
  readonly namespace?: string;
  /** @default everything */
  readonly labelSelector?: string;
  /** @default everything */
  readonly fieldSelector?: string;
}

/** `v1/pods`, `apps/v1/deployments`: what a source can be asked for. */
export function requireResource(resource: string): void {
  const isComplete = typeof resource === 'string' && /^[^\s/]+(\/[^\s/]+){1,2}$/.test(resource);
  requireOption(isComplete, 'resource', 'the full name of a resource, as "v1/pods" or "apps/v1/deployments"', resource);
}

/**
 * The one way to write a scope, so that two texts with the same meaning are the same
 * scope: selectors in their printed order, and nothing for what does not narrow.
 */
export function normalScope({ namespace = '', labelSelector = '', fieldSelector = '' }: Scope): Scope {
  const isName = typeof namespace === 'string' && /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(namespace);
  requireOption(isName, 'namespace', 'a namespace, or "" for all', namespace);
  const labels = LabelSelector.parse(labelSelector).toString();
  const fields = FieldSelector.parse(fieldSelector).toString();
  return {
    ...(namespace === '' ? {} : { namespace }),
    ...(labels === '' ? {} : { labelSelector: labels }),
    ...(fields === '' ? {} : { fieldSelector: fields }),
  };
}

/** `v1/pods in web (labels app=shop)`: for messages and metrics, and different for different scopes. */
export function describeScope(resource: string, { namespace, labelSelector, fieldSelector }: Scope): string {
  const within = namespace === undefined ? '' : ` in ${namespace}`;
  const narrowed = [
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
  ];
  return `${resource}${within}${narrowed.length === 0 ? '' : ` (${narrowed.join('; ')})`}`;
}
