import { type Fields, fieldsAt, isFields, itemsField, nameField, textField } from '../api/kinds/common/fields.ts';
import type { Authorizer, PolicyRule } from '../auth/authz/authorize.ts';
import { rbacAggregation, type RoleObject } from '../auth/authz/rbac-aggregation.ts';
import { rulesWithoutCover, ruleCoverList } from '../auth/authz/rule-cover.ts';
import { MASTERS } from '../auth/user/user-table.ts';
import { isSameJson } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { forbiddenStatusError, notFoundStatusError } from '../core/status-error.ts';
import type { Registry } from '../registry/registry.ts';
import type { Attributes } from '../verbs/admission-gate.ts';

const GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Whether a write could grant rights to a user. */
export const isEscalationAllowed = ({ target, operation }: Attributes): boolean =>
  target.served.resource.group === GROUP && operation !== 'DELETE' && !target.user.groups.includes(MASTERS);

/**
 * Refuses a write by which a user would grant rights that they do not have, unless they may `escalate` the
 * role or `bind` it. Throws 403.
 */
export function refuseEscalation(registry: Registry, authorizer: Authorizer, attributes: Attributes): void {
  const { object, oldObject, target } = attributes;
  if (
    object === undefined ||
    (oldObject !== undefined && isSameJson(escalationRightsOf(object), escalationRightsOf(oldObject)))
  )
    return;
  const { resource } = target.served.resource;
  const isRole = resource === 'roles' || resource === 'clusterroles';
  const may = (verb: string, plural: string, name: string): boolean =>
    authorizer.allows(target.user, {
      verb, path: '', isResource: true, group: GROUP, resource: plural, subresource: '', namespace: target.namespace, name,
    }).allowed; // prettier-ignore
  const refuse = (why: string): never => {
    throw forbiddenStatusError(target.served.resource, nameField(object), why);
  };
  const confirm = (rules: readonly PolicyRule[]): string[] =>
    rulesWithoutCover(authorizer.rulesFor(target.user, target.namespace).rules, rules);
  if (isRole) {
    if (may('escalate', resource, target.name)) return;
    if (isFields(object['aggregationRule']) && confirm(EVERYTHING).length > 0)
      refuse('must have cluster-admin privileges to use an aggregationRule');
  }
  const roleRef = fieldsAt(object, 'roleRef');
  const plural = textField(roleRef, 'kind') === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (!isRole && may('bind', plural, textField(roleRef, 'name'))) return;
  const rules = isRole
    ? escalationRulesInRole(object)
    : escalationRulesOfRoleRef(registry, plural, target.namespace, textField(roleRef, 'name'));
  // The real server names the resource of the binding, and the role.
  if (rules === undefined) throw notFoundStatusError(target.served.resource, textField(roleRef, 'name'));
  const missing = confirm(rules);
  const { name, groups } = target.user;
  if (missing.length > 0)
    refuse(
      `user ${JSON.stringify(name)} (groups=${ruleCoverList(groups)}) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}`,
    );
}

const escalationRulesInRole = (role: Fields): readonly PolicyRule[] =>
  itemsField(role, 'rules') as unknown as readonly PolicyRule[];

function escalationRulesOfRoleRef(
  registry: Registry,
  plural: string,
  namespace: string,
  name: string,
): readonly PolicyRule[] | undefined {
  const served = registry.find(GROUP, 'v1', plural);
  const record = served?.collection.get(plural === 'roles' ? namespace : '', name);
  if (served === undefined || record === undefined) return undefined;
  const clusterRoles = registry.find(GROUP, 'v1', 'clusterroles');
  const all = clusterRoles?.collection.current().map((one) => clusterRoles.object(one)) ?? [];
  return rbacAggregation(served.object(record) as RoleObject, all as RoleObject[]);
}

/** A copy without the fields that the garbage collector and managed fields change. */
function escalationRightsOf(object: ApiObject): ApiObject {
  const {
    finalizers: _finalizers,
    ownerReferences: _owners,
    managedFields: _managed,
    resourceVersion: _version,
    ...metadata
  } = object.metadata ?? {};
  return { ...object, metadata };
}
