import type { ApiObject } from '../../core/object.ts';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../user/user-table.ts';
import type { PolicyRule } from './authorize.ts';
import { type RoleObject, aggregatedRules } from './rbac-aggregation.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

const READ = 'get list watch';
const WRITE = 'create delete deletecollection patch update';
const READ_WRITE = 'create delete deletecollection get list patch update watch';

/** Lists are written as words, for they are long and full of repetition otherwise. */
const roleWords = (text: string): string[] => text.split(' ');

const defaultResourceRule = (apiGroups: readonly string[], verbs: string, resources: string): PolicyRule => ({
  verbs: roleWords(verbs),
  apiGroups,
  resources: roleWords(resources),
});

const defaultPathRule = (verbs: string, urls: string): PolicyRule => ({
  verbs: roleWords(verbs),
  nonResourceURLs: roleWords(urls),
});

const CORE = [''];
const APPS = ['apps'];
const EVENTS = ['', 'events.k8s.io'];
/** A group that is no longer served, and that the roles still name. */
const EXTENSIONS = ['extensions'];
const NETWORKING = ['networking.k8s.io'];
const RESOURCE = ['resource.k8s.io'];

const VIEW: readonly PolicyRule[] = [
  defaultResourceRule(
    CORE,
    READ,
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  defaultResourceRule(
    CORE,
    READ,
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  defaultResourceRule(CORE, READ, 'namespaces'),
  defaultResourceRule(EVENTS, READ, 'events'),
  defaultResourceRule(['discovery.k8s.io'], READ, 'endpointslices'),
  defaultResourceRule(
    APPS,
    READ,
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  defaultResourceRule(['autoscaling'], READ, 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  defaultResourceRule(['batch'], READ, 'cronjobs cronjobs/status jobs jobs/status'),
  defaultResourceRule(
    EXTENSIONS,
    READ,
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  defaultResourceRule(['policy'], READ, 'poddisruptionbudgets poddisruptionbudgets/status'),
  defaultResourceRule(NETWORKING, READ, 'ingresses ingresses/status networkpolicies'),
  defaultResourceRule(RESOURCE, READ, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const EDIT: readonly PolicyRule[] = [
  defaultResourceRule(CORE, READ, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  defaultResourceRule(CORE, 'impersonate', 'serviceaccounts'),
  defaultResourceRule(CORE, WRITE, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  defaultResourceRule(CORE, 'create', 'pods/eviction'),
  defaultResourceRule(
    CORE,
    WRITE,
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  defaultResourceRule(CORE, 'create', 'serviceaccounts/token'),
  defaultResourceRule(EVENTS, WRITE, 'events'),
  defaultResourceRule(
    APPS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  defaultResourceRule(['autoscaling'], WRITE, 'horizontalpodautoscalers'),
  defaultResourceRule(['batch'], WRITE, 'cronjobs jobs'),
  defaultResourceRule(
    EXTENSIONS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
  ),
  defaultResourceRule(['policy'], WRITE, 'poddisruptionbudgets'),
  defaultResourceRule(NETWORKING, WRITE, 'ingresses networkpolicies'),
  defaultResourceRule(['coordination.k8s.io'], READ_WRITE, 'leases'),
  defaultResourceRule(RESOURCE, WRITE, 'resourceclaims resourceclaimtemplates'),
];

const ADMIN_ONLY: readonly PolicyRule[] = [
  defaultResourceRule(['authorization.k8s.io'], 'create', 'localsubjectaccessreviews'),
  defaultResourceRule([API_GROUP], READ_WRITE, 'rolebindings roles'),
];

const BASIC_USER: readonly PolicyRule[] = [
  defaultResourceRule(['authorization.k8s.io'], 'create', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
  defaultResourceRule(['authentication.k8s.io'], 'create', 'selfsubjectreviews'),
];

const DISCOVERY = defaultPathRule(
  'get',
  '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
);

const PUBLIC_INFO = defaultPathRule('get', '/healthz /livez /readyz /version /version/');

/**
 * The roles and bindings of a fresh cluster that people and tools rely on, ready to be stored; `admin`, `edit` and `view`
 * come with their rules filled in. The many roles of control-plane parts are left out, since no such part runs here.
 */
export function defaultRbacObjects(): ApiObject[] {
  const roles = [
    defaultAggregatedRole('admin', {}),
    defaultRole('cluster-admin', [defaultResourceRule(['*'], '*', '*'), defaultPathRule('*', '*')]),
    defaultAggregatedRole('edit', { [roleAggregationLabel('admin')]: 'true' }),
    defaultRole('system:aggregate-to-admin', ADMIN_ONLY, { [roleAggregationLabel('admin')]: 'true' }),
    defaultRole('system:aggregate-to-edit', EDIT, { [roleAggregationLabel('edit')]: 'true' }),
    defaultRole('system:aggregate-to-view', VIEW, { [roleAggregationLabel('view')]: 'true' }),
    defaultRole('system:basic-user', BASIC_USER),
    defaultRole('system:discovery', [DISCOVERY]),
    defaultRole('system:public-info-viewer', [PUBLIC_INFO]),
    defaultAggregatedRole('view', { [roleAggregationLabel('edit')]: 'true' }),
  ];
  return [
    ...roles.map((object) => ({ ...object, rules: aggregatedRules(object as RoleObject, roles as RoleObject[]) })),
    defaultRoleBinding('cluster-admin', MASTERS),
    defaultRoleBinding('system:basic-user', AUTHENTICATED),
    defaultRoleBinding('system:discovery', AUTHENTICATED),
    defaultRoleBinding('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
  ];
}

const roleAggregationLabel = (name: string): string => `${API_GROUP}/aggregate-to-${name}`;

function defaultRbacObject(kind: string, name: string, labels: Record<string, string>): ApiObject {
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}

const defaultRole = (name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}): ApiObject => ({
  ...defaultRbacObject('ClusterRole', name, labels),
  rules,
});

const defaultAggregatedRole = (name: string, labels: Record<string, string>): ApiObject => ({
  ...defaultRbacObject('ClusterRole', name, labels),
  rules: [],
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [roleAggregationLabel(name)]: 'true' } }] },
});

/** A binding of a group to the role of the same name. */
const defaultRoleBinding = (name: string, ...groups: readonly string[]): ApiObject => ({
  ...defaultRbacObject('ClusterRoleBinding', name, {}),
  subjects: groups.map((group) => ({ kind: 'Group', apiGroup: API_GROUP, name: group })),
  roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name },
});
