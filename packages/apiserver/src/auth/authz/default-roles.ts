import type { ApiObject } from '../../core/object.ts';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../user/user-table.ts';
import type { PolicyRule } from './authorize.ts';
import { type RoleObject, aggregatedRbacRules } from './rbac-aggregation.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

const READ = 'get list watch';
const WRITE = 'create delete deletecollection patch update';
const READ_WRITE = 'create delete deletecollection get list patch update watch';

/** Lists are written as words, for they are long and full of repetition otherwise. */
const defaultRoleWords = (text: string): string[] => text.split(' ');

const defaultRoleResourceRule = (apiGroups: readonly string[], verbs: string, resources: string): PolicyRule => ({
  verbs: defaultRoleWords(verbs),
  apiGroups,
  resources: defaultRoleWords(resources),
});

const defaultRolePathRule = (verbs: string, urls: string): PolicyRule => ({
  verbs: defaultRoleWords(verbs),
  nonResourceURLs: defaultRoleWords(urls),
});

const CORE = [''];
const APPS = ['apps'];
const EVENTS = ['', 'events.k8s.io'];
/** A group that is no longer served, and that the roles still name. */
const EXTENSIONS = ['extensions'];
const NETWORKING = ['networking.k8s.io'];
const RESOURCE = ['resource.k8s.io'];

const VIEW: readonly PolicyRule[] = [
  defaultRoleResourceRule(
    CORE,
    READ,
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  defaultRoleResourceRule(
    CORE,
    READ,
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  defaultRoleResourceRule(CORE, READ, 'namespaces'),
  defaultRoleResourceRule(EVENTS, READ, 'events'),
  defaultRoleResourceRule(['discovery.k8s.io'], READ, 'endpointslices'),
  defaultRoleResourceRule(
    APPS,
    READ,
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  defaultRoleResourceRule(['autoscaling'], READ, 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  defaultRoleResourceRule(['batch'], READ, 'cronjobs cronjobs/status jobs jobs/status'),
  defaultRoleResourceRule(
    EXTENSIONS,
    READ,
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  defaultRoleResourceRule(['policy'], READ, 'poddisruptionbudgets poddisruptionbudgets/status'),
  defaultRoleResourceRule(NETWORKING, READ, 'ingresses ingresses/status networkpolicies'),
  defaultRoleResourceRule(RESOURCE, READ, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const EDIT: readonly PolicyRule[] = [
  defaultRoleResourceRule(CORE, READ, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  defaultRoleResourceRule(CORE, 'impersonate', 'serviceaccounts'),
  defaultRoleResourceRule(CORE, WRITE, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  defaultRoleResourceRule(CORE, 'create', 'pods/eviction'),
  defaultRoleResourceRule(
    CORE,
    WRITE,
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  defaultRoleResourceRule(CORE, 'create', 'serviceaccounts/token'),
  defaultRoleResourceRule(EVENTS, WRITE, 'events'),
  defaultRoleResourceRule(
    APPS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  defaultRoleResourceRule(['autoscaling'], WRITE, 'horizontalpodautoscalers'),
  defaultRoleResourceRule(['batch'], WRITE, 'cronjobs jobs'),
  defaultRoleResourceRule(
    EXTENSIONS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
  ),
  defaultRoleResourceRule(['policy'], WRITE, 'poddisruptionbudgets'),
  defaultRoleResourceRule(NETWORKING, WRITE, 'ingresses networkpolicies'),
  defaultRoleResourceRule(['coordination.k8s.io'], READ_WRITE, 'leases'),
  defaultRoleResourceRule(RESOURCE, WRITE, 'resourceclaims resourceclaimtemplates'),
];

const ADMIN_ONLY: readonly PolicyRule[] = [
  defaultRoleResourceRule(['authorization.k8s.io'], 'create', 'localsubjectaccessreviews'),
  defaultRoleResourceRule([API_GROUP], READ_WRITE, 'rolebindings roles'),
];

const BASIC_USER: readonly PolicyRule[] = [
  defaultRoleResourceRule(['authorization.k8s.io'], 'create', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
  defaultRoleResourceRule(['authentication.k8s.io'], 'create', 'selfsubjectreviews'),
];

const DISCOVERY = defaultRolePathRule(
  'get',
  '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
);

const PUBLIC_INFO = defaultRolePathRule('get', '/healthz /livez /readyz /version /version/');

/**
 * The roles and bindings of a fresh cluster that people and tools rely on, ready to be stored; `admin`, `edit` and `view`
 * come with their rules filled in. The many roles of control-plane parts are left out, since no such part runs here.
 */
export function defaultRoleObjects(): ApiObject[] {
  const roles = [
    defaultAggregatedRole('admin', {}),
    defaultRole('cluster-admin', [defaultRoleResourceRule(['*'], '*', '*'), defaultRolePathRule('*', '*')]),
    defaultAggregatedRole('edit', { [defaultRoleAggregationLabel('admin')]: 'true' }),
    defaultRole('system:aggregate-to-admin', ADMIN_ONLY, { [defaultRoleAggregationLabel('admin')]: 'true' }),
    defaultRole('system:aggregate-to-edit', EDIT, { [defaultRoleAggregationLabel('edit')]: 'true' }),
    defaultRole('system:aggregate-to-view', VIEW, { [defaultRoleAggregationLabel('view')]: 'true' }),
    defaultRole('system:basic-user', BASIC_USER),
    defaultRole('system:discovery', [DISCOVERY]),
    defaultRole('system:public-info-viewer', [PUBLIC_INFO]),
    defaultAggregatedRole('view', { [defaultRoleAggregationLabel('edit')]: 'true' }),
  ];
  return [
    ...roles.map((object) => ({ ...object, rules: aggregatedRbacRules(object as RoleObject, roles as RoleObject[]) })),
    defaultRoleBinding('cluster-admin', MASTERS),
    defaultRoleBinding('system:basic-user', AUTHENTICATED),
    defaultRoleBinding('system:discovery', AUTHENTICATED),
    defaultRoleBinding('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
  ];
}

const defaultRoleAggregationLabel = (name: string): string => `${API_GROUP}/aggregate-to-${name}`;

function defaultRoleObject(kind: string, name: string, labels: Record<string, string>): ApiObject {
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
  ...defaultRoleObject('ClusterRole', name, labels),
  rules,
});

const defaultAggregatedRole = (name: string, labels: Record<string, string>): ApiObject => ({
  ...defaultRoleObject('ClusterRole', name, labels),
  rules: [],
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [defaultRoleAggregationLabel(name)]: 'true' } }] },
});

/** A binding of a group to the role of the same name. */
const defaultRoleBinding = (name: string, ...groups: readonly string[]): ApiObject => ({
  ...defaultRoleObject('ClusterRoleBinding', name, {}),
  subjects: groups.map((group) => ({ kind: 'Group', apiGroup: API_GROUP, name: group })),
  roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name },
});
