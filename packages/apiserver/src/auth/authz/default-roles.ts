import type { ApiObject } from '../../core/object.ts';
import { AUTHENTICATED, MASTERS, UNAUTHENTICATED } from '../user/user-table.ts';
import type { PolicyRule } from './authorize.ts';
import { type RoleObject, rulesOf } from './rbac-aggregation.ts';

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const API_GROUP = 'rbac.authorization.k8s.io';

const READ = 'get list watch';
const WRITE = 'create delete deletecollection patch update';
const READ_WRITE = 'create delete deletecollection get list patch update watch';

/** Lists are written as words, for they are long and full of repetition otherwise. */
const words = (text: string): string[] => text.split(' ');

const on = (apiGroups: readonly string[], verbs: string, resources: string): PolicyRule => ({
  verbs: words(verbs),
  apiGroups,
  resources: words(resources),
});

const paths = (verbs: string, urls: string): PolicyRule => ({ verbs: words(verbs), nonResourceURLs: words(urls) });

const CORE = [''];
const APPS = ['apps'];
const EVENTS = ['', 'events.k8s.io'];
/** A group that is no longer served, and that the roles still name. */
const EXTENSIONS = ['extensions'];
const NETWORKING = ['networking.k8s.io'];
const RESOURCE = ['resource.k8s.io'];

const VIEW: readonly PolicyRule[] = [
  on(
    CORE,
    READ,
    'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
  ),
  on(
    CORE,
    READ,
    'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
  ),
  on(CORE, READ, 'namespaces'),
  on(EVENTS, READ, 'events'),
  on(['discovery.k8s.io'], READ, 'endpointslices'),
  on(
    APPS,
    READ,
    'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
  ),
  on(['autoscaling'], READ, 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  on(['batch'], READ, 'cronjobs cronjobs/status jobs jobs/status'),
  on(
    EXTENSIONS,
    READ,
    'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
  ),
  on(['policy'], READ, 'poddisruptionbudgets poddisruptionbudgets/status'),
  on(NETWORKING, READ, 'ingresses ingresses/status networkpolicies'),
  on(RESOURCE, READ, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
];

const EDIT: readonly PolicyRule[] = [
  on(CORE, READ, 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
  on(CORE, 'impersonate', 'serviceaccounts'),
  on(CORE, WRITE, 'pods pods/attach pods/exec pods/portforward pods/proxy'),
  on(CORE, 'create', 'pods/eviction'),
  on(
    CORE,
    WRITE,
    'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
  ),
  on(CORE, 'create', 'serviceaccounts/token'),
  on(EVENTS, WRITE, 'events'),
  on(
    APPS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  on(['autoscaling'], WRITE, 'horizontalpodautoscalers'),
  on(['batch'], WRITE, 'cronjobs jobs'),
  on(
    EXTENSIONS,
    WRITE,
    'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
  ),
  on(['policy'], WRITE, 'poddisruptionbudgets'),
  on(NETWORKING, WRITE, 'ingresses networkpolicies'),
  on(['coordination.k8s.io'], READ_WRITE, 'leases'),
  on(RESOURCE, WRITE, 'resourceclaims resourceclaimtemplates'),
];

const ADMIN_ONLY: readonly PolicyRule[] = [
  on(['authorization.k8s.io'], 'create', 'localsubjectaccessreviews'),
  on([API_GROUP], READ_WRITE, 'rolebindings roles'),
];

const BASIC_USER: readonly PolicyRule[] = [
  on(['authorization.k8s.io'], 'create', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
  on(['authentication.k8s.io'], 'create', 'selfsubjectreviews'),
];

const DISCOVERY = paths(
  'get',
  '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
);

const PUBLIC_INFO = paths('get', '/healthz /livez /readyz /version /version/');

/**
 * The roles and bindings of a fresh cluster that people and tools rely on, ready to be stored; `admin`, `edit` and `view`
 * come with their rules filled in. The many roles of control-plane parts are left out, since no such part runs here.
 */
export function defaultRbacObjects(): ApiObject[] {
  const roles = [
    aggregatedRole('admin', {}),
    role('cluster-admin', [on(['*'], '*', '*'), paths('*', '*')]),
    aggregatedRole('edit', { [aggregateTo('admin')]: 'true' }),
    role('system:aggregate-to-admin', ADMIN_ONLY, { [aggregateTo('admin')]: 'true' }),
    role('system:aggregate-to-edit', EDIT, { [aggregateTo('edit')]: 'true' }),
    role('system:aggregate-to-view', VIEW, { [aggregateTo('view')]: 'true' }),
    role('system:basic-user', BASIC_USER),
    role('system:discovery', [DISCOVERY]),
    role('system:public-info-viewer', [PUBLIC_INFO]),
    aggregatedRole('view', { [aggregateTo('edit')]: 'true' }),
  ];
  return [
    ...roles.map((object) => ({ ...object, rules: rulesOf(object as RoleObject, roles as RoleObject[]) })),
    binding('cluster-admin', MASTERS),
    binding('system:basic-user', AUTHENTICATED),
    binding('system:discovery', AUTHENTICATED),
    binding('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
  ];
}

const aggregateTo = (name: string): string => `${API_GROUP}/aggregate-to-${name}`;

function object(kind: string, name: string, labels: Record<string, string>): ApiObject {
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

const role = (name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}): ApiObject => ({
  ...object('ClusterRole', name, labels),
  rules,
});

const aggregatedRole = (name: string, labels: Record<string, string>): ApiObject => ({
  ...object('ClusterRole', name, labels),
  rules: [],
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateTo(name)]: 'true' } }] },
});

/** A binding of a group to the role of the same name. */
const binding = (name: string, ...groups: readonly string[]): ApiObject => ({
  ...object('ClusterRoleBinding', name, {}),
  subjects: groups.map((group) => ({ kind: 'Group', apiGroup: API_GROUP, name: group })),
  roleRef: { apiGroup: API_GROUP, kind: 'ClusterRole', name },
});
