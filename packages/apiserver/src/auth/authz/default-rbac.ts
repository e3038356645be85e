import { defined } from 'kube-informer/core';
import { type DefaultRole, defaultObjects, type DefaultRule } from '../../core/data.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { PolicyRule } from './authorize.ts';
import { type RoleObject, rbacAggregation } from './rbac-aggregation.ts';

const API_GROUP = 'rbac.authorization.k8s.io';

/** The roles and bindings of a new cluster, ready to be stored; `admin`, `edit` and `view` come with their rules filled in. */
export function defaultRbacObjects(): ApiObject[] {
  const { roles: table, bindings } = defaultObjects();
  const roles = Object.entries(table).map(([place, row]) => defaultRbacRole(place, row));
  const clusterRoles = roles.filter(({ kind }) => kind === 'ClusterRole') as RoleObject[];
  const filled = roles.map((role) =>
    role['aggregationRule'] === undefined
      ? role
      : { ...role, rules: rbacAggregation(role as RoleObject, clusterRoles) },
  );
  return [...filled, ...Object.entries(bindings).map(([place, row]) => defaultRbacBinding(place, row))];
}

function defaultRbacRole(place: string, { rules = [], into, from }: DefaultRole): ApiObject {
  const role = defaultRbacObject('Role', place, into === undefined ? {} : { [defaultRbacLabel(into)]: 'true' });
  const clusterRoleSelectors = from === undefined ? [] : [{ matchLabels: { [defaultRbacLabel(from)]: 'true' } }];
  return { ...role, rules: rules.map(defaultRbacRule), ...(from === undefined ? {} : { aggregationRule: { clusterRoleSelectors } }) };
} // prettier-ignore

function defaultRbacBinding(place: string, [name, ...subjects]: readonly string[]): ApiObject {
  const kind = place.includes('/') ? 'Role' : 'ClusterRole';
  return {
    ...defaultRbacObject('RoleBinding', place),
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(defaultRbacSubject) }),
    roleRef: { apiGroup: API_GROUP, kind, name },
  };
}

const defaultRbacLabel = (name: string): string => `${API_GROUP}/aggregate-to-${name}`;

/** Makes one object. `place` is the name, or `namespace/name`. */
function defaultRbacObject(kind: string, place: string, labels: Record<string, string> = {}): ApiObject {
  const [name = '', namespace] = place.split('/').toReversed();
  return {
    apiVersion: `${API_GROUP}/v1`,
    kind: namespace === undefined ? `Cluster${kind}` : kind,
    metadata: {
      name,
      ...defined({ namespace }),
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}

function defaultRbacRule([verbs, ...of]: DefaultRule): PolicyRule {
  const [first = [], resources, names] = of.map((text) => text.split(' '));
  if (resources === undefined) return { verbs: verbs.split(' '), nonResourceURLs: first };
  return {
    verbs: verbs.split(' '),
    apiGroups: first,
    resources,
    ...defined({ resourceNames: names }),
  };
}

function defaultRbacSubject(text: string): object {
  const [kind = '', place = ''] = text.split(' ');
  const [name = '', namespace] = place.split('/').toReversed();
  return namespace === undefined ? { kind, apiGroup: API_GROUP, name } : { kind, name, namespace };
}
