import type { Authorizer } from '../auth/authz/authorize.ts';
import { rbac, type RbacResource } from '../auth/authz/rbac.ts';
import type { Registry } from '../registry/registry.ts';
import type { LocalClient } from './local-client.ts';

const GROUP = 'rbac.authorization.k8s.io';
const RESOURCES: readonly RbacResource[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];

/** Authorizes by the roles and bindings that are stored at the time of the request. */
export function storedRbac(registry: Registry, local: LocalClient): Authorizer {
  const version = (resource: RbacResource): number => registry.find(GROUP, 'v1', resource)?.collection.version ?? 0;
  return rbac({
    version: () => RESOURCES.map(version).join(),
    list: (resource) => local.list(GROUP, resource),
  });
}
