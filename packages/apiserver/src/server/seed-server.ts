import { defaultRbacObjects } from '../auth/authz/default-rbac.ts';
import { CLUSTER_IPS } from '../api/kinds/network/service-addresses.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import { builtinApiServices } from './defaults/api-services.ts';
import { flowControlObjects } from './defaults/flow-control.ts';
import type { LocalClient } from './local-client.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const PRIORITY_CLASSES = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
] as const;

/**
 * Creates the objects of a fresh cluster: its namespaces, its own service, the two system priority classes,
 * APIServices, flow schemas, priority levels, roles and bindings, and the range of cluster addresses. Objects
 * that a data directory has restored stay as they are.
 */
export function seedServer(client: LocalClient): void {
  const isMissing = (group: string, resource: string, { metadata = {} }: ApiObject): boolean =>
    client.get(group, resource, metadata.namespace ?? '', metadata.name ?? '') === undefined;
  const provide = (group: string, resource: string, object: ApiObject): void => {
    if (isMissing(group, resource, object)) client.create(group, resource, object);
  };
  for (const name of NAMESPACES) provide('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  provide('', 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  });
  for (const [name, value, description] of PRIORITY_CLASSES)
    provide('scheduling.k8s.io', 'priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
    });
  const now = serverTimestamp(client.env.wallNow());
  // Stored unchecked: the rules of their kinds would take most of the time of a start.
  const objects = [
    ...builtinApiServices(now),
    ...flowControlObjects(now),
    ...defaultRbacObjects(),
    seedServiceRange(now),
  ];
  const missing = objects.filter((object) => {
    const { apiVersion = '', kind = '' } = object;
    // The plurals of all these kinds are regular.
    return isMissing(apiVersion.split('/')[0] ?? '', `${kind.toLowerCase()}s`, object);
  });
  client.load(missing);
}

const seedServiceRange = (now: string): ApiObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: [CLUSTER_IPS] },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastTransitionTime: now,
        reason: '',
        message: 'Kubernetes default Service CIDR is ready',
      },
    ],
  },
});
