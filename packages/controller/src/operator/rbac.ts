import type { ControllerDefinition } from '../front/controller.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * The permissions that controllers need by what they declare: reads of every cache, writes of children and of their own objects,
 * events, the lease. What `run.client` does besides is not known.
 */
export function rbacRules(
  definitions: readonly ControllerDefinition[],
  { hasElection }: { readonly hasElection: boolean },
): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  const need = (resource: string, subresource: string, needed: readonly string[]): void => {
    const parts = resource.split('/');
    const group = parts.length === 3 ? parts[0] : '';
    const id = `${group}/${parts.at(-1)}${subresource}`;
    const known = verbs.get(id) ?? new Set();
    for (const verb of needed) known.add(verb);
    verbs.set(id, known);
  };
  for (const { resource, options } of definitions) {
    need(resource, '', [...READ, 'patch']);
    need(resource, '/status', ['get', 'patch']);
    // For children with blockOwnerDeletion, where the admission plugin asks for it.
    if ((options.owns ?? []).length > 0 || options.cleanup !== undefined) need(resource, '/finalizers', ['update']);
    for (const child of options.owns ?? []) need(child, '', WRITE);
    for (const one of options.watches ?? []) if (one.kind === 'watch') need(one.resource, '', READ);
  }
  need('events.k8s.io/v1/events', '', ['create', 'patch']);
  if (hasElection) need('coordination.k8s.io/v1/leases', '', ['create', 'get', 'update']);
  return [...verbs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, needed]) => {
      const slash = id.indexOf('/');
      return { apiGroups: [id.slice(0, slash)], resources: [id.slice(slash + 1)], verbs: [...needed].toSorted() };
    });
}
