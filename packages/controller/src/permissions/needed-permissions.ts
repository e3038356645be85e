import type { Cluster } from 'kube-informer';
import type { ControllerDefinition } from '../front/controller.ts';
import { isClusterScoped } from './cluster-scoped.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules that are needed in one namespace of one cluster, or in all namespaces. */
export interface Permissions {
  readonly cluster: Cluster;
  /** Undefined for all namespaces and for cluster-scoped objects. */
  readonly namespace: string | undefined;
  readonly rules: readonly PolicyRule[];
}

/** Namespace and name of the Lease of an operator. */
export interface LeasePlace {
  readonly cluster: Cluster;
  readonly namespace: string;
}

const READ = ['get', 'list', 'watch'];
/** Verbs for children. Server-side apply needs `patch`, and `create` for a child that does not exist. */
const MANAGE = ['create', 'delete', 'get', 'list', 'patch', 'watch'];

/**
 * The permissions that controllers need according to their declarations: reads of every cache, writes of
 * children and of their own objects, events, the lease. Other requests of `run.client` are not known.
 */
export function neededPermissions(
  definitions: readonly ControllerDefinition[],
  lease: LeasePlace | undefined,
): readonly Permissions[] {
  const needs = new Needs();
  for (const { cluster, resource, options } of definitions) {
    const { owns = [], watches = [], cleanup } = options;
    const namespaces = neededPermissionNamespaces(options.namespace);
    const here = { cluster, namespaces };
    needs.add(here, resource, [...READ, 'patch']);
    needs.add(here, `${resource}/status`, ['get', 'patch']);
    // For children with blockOwnerDeletion, if the admission plugin requires it.
    if (owns.length > 0 || cleanup !== undefined) needs.add(here, `${resource}/finalizers`, ['update']);
    for (const child of owns) needs.add(here, child, MANAGE);
    for (const one of watches) {
      if (one.kind !== 'watch') continue;
      const inherited = isClusterScoped(one.resource) ? undefined : options.namespace;
      const { cluster: where = cluster, namespace: within = inherited } = one.options;
      needs.add({ cluster: where, namespaces: neededPermissionNamespaces(within) }, one.resource, READ);
    }
    needs.add(here, 'events.k8s.io/v1/events', ['create', 'patch']);
  }
  if (lease !== undefined) {
    const place = { cluster: lease.cluster, namespaces: [lease.namespace] };
    needs.add(place, 'coordination.k8s.io/v1/leases', ['create', 'get', 'update']);
  }
  return needs.permissions();
}

/** All rules, wherever they are needed. */
export function mergedNeededPermissions(permissions: readonly Permissions[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { rules } of permissions)
    for (const { apiGroups, resources, verbs: needed } of rules)
      addNeededPermissions(verbs, `${apiGroups[0] ?? ''}/${resources[0] ?? ''}`, needed);
  return neededPermissionRules(verbs);
}

/** Collects verbs by cluster, namespace and resource. */
class Needs {
  readonly #byCluster = new Map<Cluster, Map<string | undefined, Map<string, Set<string>>>>();

  /** `resource` may name a subresource: `apps/v1/deployments/status`, `v1/pods/status`. */
  add(
    { cluster, namespaces }: { readonly cluster: Cluster; readonly namespaces: readonly string[] },
    resource: string,
    verbs: readonly string[],
  ): void {
    const byNamespace = this.#byCluster.get(cluster) ?? new Map<string | undefined, Map<string, Set<string>>>();
    this.#byCluster.set(cluster, byNamespace);
    for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
      const needed = byNamespace.get(namespace) ?? new Map<string, Set<string>>();
      byNamespace.set(namespace, needed);
      addNeededPermissions(needed, neededPermissionResource(resource), verbs);
    }
  }

  permissions(): readonly Permissions[] {
    return [...this.#byCluster].flatMap(([cluster, byNamespace]) =>
      [...byNamespace]
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
        .map(([namespace, verbs]) => ({ cluster, namespace, rules: neededPermissionRules(verbs) })),
    );
  }
}

/** `apps/deployments`, `/pods/status`: the group, then the resource as rules name it. */
function neededPermissionResource(resource: string): string {
  const parts = resource.split('/');
  const isCore = /^v\d/.test(parts[0] ?? '');
  return isCore ? `/${parts.slice(1).join('/')}` : `${parts[0]}/${parts.slice(2).join('/')}`;
}

function addNeededPermissions(verbs: Map<string, Set<string>>, id: string, needed: readonly string[]): void {
  const known = verbs.get(id) ?? new Set();
  for (const verb of needed) known.add(verb);
  verbs.set(id, known);
}

const neededPermissionRules = (verbs: ReadonlyMap<string, ReadonlySet<string>>): readonly PolicyRule[] =>
  [...verbs]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, needed]) => {
      const slash = id.indexOf('/');
      return { apiGroups: [id.slice(0, slash)], resources: [id.slice(slash + 1)], verbs: [...needed].toSorted() };
    });

function neededPermissionNamespaces(namespace: string | readonly string[] | undefined): readonly string[] {
  return namespace === undefined ? [] : [namespace].flat().filter((one) => one !== '');
}
