import type { ApiObject } from '../../../src/core/kube-object.ts';
import { refusedValues } from './refused-values.ts';

type Fields = Record<string, unknown>;

/** Objects that a server refuses. */

const named = (apiVersion: string, kind: string, fields: Fields = {}, name = 'x'): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name },
  ...fields,
});

const container = { name: 'c', image: 'i' };
const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [container] } };
const badTemplate = {
  metadata: { labels },
  spec: {
    restartPolicy: 'Never',
    containers: [{ name: 'c' }, container, { image: 'i' }, { name: 'A_', image: 'x' }],
  },
};
const WORKLOADS = ['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet'];

const workloads: ApiObject[] = WORKLOADS.flatMap((kind) => [
  named('apps/v1', kind, { spec: { selector: { matchLabels: { app: 'b' } }, template } }),
  named('apps/v1', kind, { spec: { template } }),
  named('apps/v1', kind, { spec: { selector: {}, template } }),
  named('apps/v1', kind, { spec: { replicas: -1, selector: { matchLabels: labels }, template: badTemplate } }),
  named('apps/v1', kind),
  named('apps/v1', kind, {
    spec: { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] }, template },
  }),
]);

const jobs: ApiObject[] = [
  named('batch/v1', 'Job', { spec: { template: { spec: { containers: [] } } } }),
  named('batch/v1', 'Job', {
    spec: {
      manualSelector: true,
      selector: { matchLabels: { a: 'b' } },
      parallelism: -1,
      completions: -1,
      backoffLimit: -1,
      template: { spec: { restartPolicy: 'Never', containers: [container] } },
    },
  }),
  named('batch/v1', 'CronJob', {
    spec: {
      schedule: 'x',
      concurrencyPolicy: 'No',
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
    },
  }),
  named('batch/v1', 'CronJob', {
    spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } } },
  }),
  named('batch/v1', 'CronJob', {
    spec: {
      schedule: '@daily',
      failedJobsHistoryLimit: -1,
      jobTemplate: { spec: { template: { spec: { containers: [] } } } },
    },
  }),
  named('v1', 'ReplicationController', { spec: { replicas: -1, selector: { app: 'b' }, template } }),
  named('v1', 'ReplicationController', { spec: {} }),
];

const pods: ApiObject[] = [
  named('v1', 'Pod'),
  named('v1', 'Pod', {
    spec: {
      restartPolicy: 'Sometimes',
      dnsPolicy: 'x',
      containers: [
        {
          name: 'c',
          image: ' x',
          imagePullPolicy: 'x',
          ports: [{ containerPort: 0 }, { containerPort: 80 }, { containerPort: 70000 }],
          resources: { requests: { cpu: '2' }, limits: { cpu: '1' } },
          volumeMounts: [{ name: 'no', mountPath: '/x' }],
          env: [{ value: 'x' }],
        },
      ],
    },
  }),
  named('v1', 'Pod', { spec: { volumes: [{ name: 'v' }, { name: 'v' }], containers: [container] } }),
  named('v1', 'Pod', { spec: { activeDeadlineSeconds: 0, containers: [container], initContainers: [container] } }),
];

const network: ApiObject[] = [
  named('v1', 'Service', { spec: {} }),
  named('v1', 'Service', { spec: { clusterIP: '10.0.0.1', ports: [{ port: 80 }] } }),
  named('v1', 'Service', { spec: { clusterIP: '9.9.9.9', ports: [{ port: 80 }] } }),
  named('v1', 'Service', { spec: { clusterIP: 'zzz', ports: [{ port: 80 }] } }),
  named('v1', 'Service', {
    spec: { type: 'Foo', sessionAffinity: 'x', ports: [{ port: 0 }, { port: 81, protocol: 'x' }, { port: 82 }] },
  }),
  named('v1', 'Service', { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] } }),
  named('v1', 'Service', { spec: { type: 'ExternalName', ports: [{ port: 80 }] } }),
  named('v1', 'Service', { spec: { ports: [{ port: 80, nodePort: 30501 }] } }),
  named('networking.k8s.io/v1', 'Ingress', { spec: {} }),
  named('networking.k8s.io/v1', 'Ingress', { spec: { rules: [{ http: { paths: [{ path: 'x', backend: {} }] } }] } }),
  named('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'Foo', endpoints: [{ addresses: [] }] }),
  named('discovery.k8s.io/v1', 'EndpointSlice', { endpoints: [] }),
];

const data: ApiObject[] = [
  named('v1', 'Secret', { type: 'kubernetes.io/tls', data: { 'a b': 'eA==' } }),
  named('v1', 'Secret', { type: 'kubernetes.io/dockerconfigjson' }),
  named('v1', 'Secret', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'x' } }),
  named('v1', 'Secret', { type: 'kubernetes.io/basic-auth' }),
  named('v1', 'Secret', { type: 'kubernetes.io/ssh-auth' }),
  named('v1', 'Secret', { type: 'kubernetes.io/service-account-token' }),
  named('v1', 'ConfigMap', { data: { 'a b': 'b' } }),
  named('v1', 'ConfigMap', { data: { '..': 'b' } }),
  named('v1', 'ConfigMap', { data: { '..y': 'b' } }),
  named('v1', 'ConfigMap', { data: { c: 'd' }, binaryData: { c: 'eA==' } }),
  named('v1', 'PersistentVolumeClaim', { spec: {} }),
  named('v1', 'PersistentVolumeClaim', {
    spec: { accessModes: ['Foo'], resources: { requests: { storage: '1Gi' } } },
  }),
  named('v1', 'PersistentVolume', { spec: {} }),
  named('v1', 'LimitRange', { spec: { limits: [{ type: 'Container' }, { type: 'Container' }] } }),
  named('storage.k8s.io/v1', 'StorageClass'),
];

const HPA = 'HorizontalPodAutoscaler';
const others: ApiObject[] = [
  named('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, maxUnavailable: 1 } }),
  named('autoscaling/v2', HPA, { spec: {} }),
  named('autoscaling/v2', HPA, {
    spec: { minReplicas: 5, maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd' } },
  }),
  named('autoscaling/v1', HPA, {
    spec: { maxReplicas: 0, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'D', name: 'd' } },
  }),
  named('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { kind: 'Foo' },
    subjects: [{ kind: 'X' }, { kind: 'ServiceAccount', name: 's' }],
  }),
  named('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', {
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 's' }],
  }),
  named('rbac.authorization.k8s.io/v1', 'Role', { rules: [{}, { verbs: ['get'], nonResourceURLs: ['/x'] }] }),
  named('rbac.authorization.k8s.io/v1', 'ClusterRole', {
    rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''] }],
  }),
  named('coordination.k8s.io/v1', 'Lease', { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
  named('v1', 'Event', { involvedObject: { namespace: 'other' } }),
  named('v1', 'Event', { involvedObject: { namespace: 'default' }, eventTime: '2026-01-01T00:00:00.000000Z' }),
  named('events.k8s.io/v1', 'Event', { regarding: { namespace: 'default' } }),
  named('events.k8s.io/v1', 'Event', {
    regarding: { namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'a/b',
    deprecatedCount: 2,
    deprecatedSource: { component: 'c' },
  }),
  named('scheduling.k8s.io/v1', 'PriorityClass', { value: 2_000_000_000 }),
];

const version = (fields: Fields = {}): Fields => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...fields,
});
const definition = (fields: Fields = {}, name = 'gadgets.example.com'): ApiObject =>
  named(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [version()],
        ...fields,
      },
    },
    name,
  );
const withSchema = (properties: Fields, root: Fields = {}): ApiObject =>
  definition({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties, ...root } } })] });
const field = (schema: Fields): ApiObject => withSchema({ a: schema });
const item = { type: 'object', properties: { n: { type: 'string' } } };

const definitions: ApiObject[] = [
  definition({}, 'x'),
  named('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { spec: {} }, 'gadgets.example.com'),
  definition({ scope: 'Foo' }),
  definition({ scope: undefined }),
  definition({ versions: [version({ storage: false })] }),
  definition({ versions: [version(), version()] }),
  definition({ versions: [version(), version({ name: 'v2' })] }),
  definition({ versions: [version({ schema: undefined })] }),
  definition({ versions: [version({ schema: { openAPIV3Schema: {} } })] }),
  definition({ versions: [version({ schema: { openAPIV3Schema: { type: 'string' } } })] }),
  definition({
    versions: [
      version({ schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } }),
      version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { b: {} } } } }),
    ],
  }),
  definition({ preserveUnknownFields: true }),
  definition({ names: {} }),
  definition({ names: { kind: 'Gadget', plural: 'Gadgets' } }),
  definition({
    names: { kind: 'Gadget', plural: 'gadgets', shortNames: ['A_'], categories: ['All'], listKind: 'Gadget' },
  }),
  definition({ names: { kind: 'gad_get', plural: 'gadgets' } }),
  definition({ group: 'foo' }, 'gadgets.foo'),
  definition({ group: 'foo.k8s.io' }, 'gadgets.foo.k8s.io'),
  definition({ conversion: { strategy: 'Webhook' } }),
  definition({ conversion: { strategy: 'Foo' } }),
  definition({
    versions: [version({ additionalPrinterColumns: [{ name: 'a', type: 'foo', jsonPath: 'x' }, {}] })],
  }),
  definition({ versions: [version({ subresources: { scale: {} } })] }),
  definition({
    versions: [version({ subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: '.spec.x' } } })],
  }),
  withSchema({ spec: { properties: { a: {} } } }),
  field({ type: 'array' }),
  field({ type: 'foo' }),
  field({ type: 'object', additionalProperties: { type: 'string' }, properties: { b: { type: 'string' } } }),
  field({ type: 'array', uniqueItems: true, items: { type: 'string' } }),
  field({ type: 'string', default: 5 }),
  field({ type: 'string', enum: ['a'], default: 'b' }),
  withSchema({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } }),
  field({ type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['n'] }),
  field({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' }),
  field({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  field({ type: 'string', 'x-kubernetes-list-type': 'set' }),
  field({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'foo' }),
  field({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  field({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  field({ type: 'array', items: [{ type: 'string' }] }),
  field({ type: 'object', patternProperties: { x: { type: 'string' } } }),
  field({ type: 'object', 'x-kubernetes-map-type': 'foo' }),
  field({ $ref: '#/x' }),
  field({ type: 'string', 'x-kubernetes-validations': [{ rule: '' }] }),
  withSchema({}, { anyOf: [{ type: 'object' }, { properties: { zz: { type: 'string' } } }] }),
];

export const refused: readonly ApiObject[] = JSON.parse(
  JSON.stringify([...workloads, ...jobs, ...pods, ...network, ...data, ...others, ...definitions, ...refusedValues]),
) as ApiObject[];
