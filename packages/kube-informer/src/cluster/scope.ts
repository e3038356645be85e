import { defined } from '../core/defined.ts';
import { requireOption } from '../core/errors.ts';
import { FieldSelector, LabelSelector } from '../core/selector/selector.ts';

/** The part of a resource that a cache holds. */
export interface Scope {
  /** "" means all namespaces. @default "" */
  readonly namespace?: string;
  /** @default everything */
  readonly labelSelector?: string;
  /** @default everything */
  readonly fieldSelector?: string;
}

/** Returns the same scope for all texts with the same meaning: selectors in their printed order, empty fields left out. */
export function normalizeScope({ namespace = '', labelSelector = '', fieldSelector = '' }: Scope): Scope {
  const isName = typeof namespace === 'string' && /^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/.test(namespace);
  requireOption(isName, 'namespace', 'a namespace, or "" for all', namespace);
  const labels = LabelSelector.parse(labelSelector).toString();
  const fields = FieldSelector.parse(fieldSelector).toString();
  return defined({
    namespace: namespace === '' ? undefined : namespace,
    labelSelector: labels === '' ? undefined : labels,
    fieldSelector: fields === '' ? undefined : fields,
  });
}

/** `v1/pods in web (labels app=shop)`: for messages and metrics, unique for each normalized scope. */
export function describeScope(resource: string, { namespace, labelSelector, fieldSelector }: Scope): string {
  const within = namespace === undefined ? '' : ` in ${namespace}`;
  const selectors = [
    ...(labelSelector === undefined ? [] : [`labels ${labelSelector}`]),
    ...(fieldSelector === undefined ? [] : [`fields ${fieldSelector}`]),
  ];
  return `${resource}${within}${selectors.length === 0 ? '' : ` (${selectors.join('; ')})`}`;
}
