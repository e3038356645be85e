import type { ApiObject } from '../../core/kube-object.ts';

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

/** The server's first write: who writes, and when. */
export interface FirstWrite {
  readonly manager: string;
  readonly time: string;
}

/**
 * The namespaces of a new cluster, its own service and the two system priority classes, ready to be stored. They look as a create would store them, which would take most of the time of a start: schemas and rules would be loaded.
 */
export function firstObjects(write: FirstWrite): ApiObject[] {
  return [
    ...NAMESPACES.map((name) => firstNamespace(name, write)),
    firstServiceObject(write),
    ...PRIORITY_CLASSES.map((row) => firstPriorityClassObject(row, write)),
  ];
}

/** Fields of the server's first write of an object. */
const firstManagedFields = (apiVersion: string, { manager, time }: FirstWrite, fieldsV1: object): object[] => [
  { manager, operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 },
];

function firstNamespace(name: string, write: FirstWrite): ApiObject {
  const fields = { 'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } } };
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: { 'kubernetes.io/metadata.name': name },
      managedFields: firstManagedFields('v1', write, fields),
    },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

function firstServiceObject(write: FirstWrite): ApiObject {
  const fields = {
    'f:metadata': { 'f:labels': { '.': {}, 'f:component': {}, 'f:provider': {} } },
    'f:spec': {
      'f:clusterIP': {},
      'f:internalTrafficPolicy': {},
      'f:ports': {
        '.': {},
        'k:{"port":443,"protocol":"TCP"}': {
          '.': {},
          'f:name': {},
          'f:port': {},
          'f:protocol': {},
          'f:targetPort': {},
        },
      },
      'f:sessionAffinity': {},
      'f:type': {},
    },
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
      managedFields: firstManagedFields('v1', write, fields),
    },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  };
}

function firstPriorityClassObject(
  [name, value, description]: (typeof PRIORITY_CLASSES)[number],
  write: FirstWrite,
): ApiObject {
  const apiVersion = 'scheduling.k8s.io/v1';
  const fields = { 'f:description': {}, 'f:preemptionPolicy': {}, 'f:value': {} };
  return {
    apiVersion,
    kind: 'PriorityClass',
    metadata: { name, generation: 1, managedFields: firstManagedFields(apiVersion, write, fields) },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

/** The range of cluster addresses. */
export const firstServiceRangeObject = (cidr: string, now: string): ApiObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: [cidr] },
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
