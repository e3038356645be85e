import type { KubeObject } from 'kube-informer';
import { KubeError, type KnownOptions, requireKnown, requireOption, splitKey } from 'kube-informer/core';
import { type Controller, controllerDefinitionOf } from '../front/controller.ts';
import { type PolicyRule, neededPermissions } from './needed-permissions.ts';

export interface RbacManifestOptions {
  /** Name of the roles, of their bindings and of the service account. */
  readonly name: string;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** `namespace/name` of the Lease, as given to `run()`. @default there is none */
  readonly election?: string;
}

const OPTIONS: KnownOptions<RbacManifestOptions> = { name: true, namespace: true, election: true };

/** A Role, a ClusterRole or a binding. */
export interface RbacManifest extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: object;
  readonly subjects?: readonly object[];
}

/**
 * The roles and bindings that let a service account run controllers: a ClusterRole for what is needed in all
 * namespaces, a Role for each other namespace. Sends no request. Controllers of several clusters: call it for
 * each cluster.
 *
 * @example
 * const items = rbacManifests([backups(cluster)], { name: 'backups', namespace: 'ops', election: 'ops/backups' });
 * console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })); // kubectl apply -f -
 */
export function rbacManifests(controllers: readonly Controller[], options: RbacManifestOptions): RbacManifest[] {
  requireKnown('rbacManifests', options, OPTIONS);
  const { name, namespace: home, election } = options;
  requireOption(typeof name === 'string' && name !== '', 'name', 'a name', name);
  requireOption(typeof home === 'string' && home !== '', 'namespace', 'the namespace of the service account', home);
  const definitions = controllers.map((one) => {
    const definition = controllerDefinitionOf(one);
    if (definition === undefined)
      throw new KubeError('INVALID_OPTION', 'controllers: expected results of controller()');
    return definition;
  });
  const [first] = definitions;
  if (first === undefined) throw new KubeError('INVALID_OPTION', 'controllers: expected at least one');
  const { cluster } = first;
  const lease = election === undefined ? undefined : { cluster, namespace: splitKey(election).namespace };
  const needed = neededPermissions(definitions, lease).filter((one) => one.cluster === cluster);
  const subjects = [{ kind: 'ServiceAccount', name, namespace: home }];
  return needed.flatMap(({ namespace, rules }): RbacManifest[] => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const metadata = namespace === undefined ? { name } : { name, namespace };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
    return [
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: `${kind}Binding`, metadata, roleRef, subjects },
    ];
  });
}
