import type { ApiObject } from '../../../src/core/kube-object.ts';

type Fields = Record<string, unknown>;

/** More objects that a server refuses, each for one field. */

const named = (apiVersion: string, kind: string, fields: Fields): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name: 'v' },
  ...fields,
});

const container = { name: 'c', image: 'i' };
const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [container] } };

const workload = (kind: string, spec: Fields): ApiObject =>
  named('apps/v1', kind, { spec: { selector: { matchLabels: labels }, template, ...spec } });
const strategies = (kind: string, field: string, values: readonly Fields[]): ApiObject[] =>
  values.map((value) => workload(kind, { [field]: value }));
const rolling = (values: Fields): Fields => ({ rollingUpdate: values });

const rollouts: ApiObject[] = [
  ...strategies('Deployment', 'strategy', [
    { type: 'Recreate', ...rolling({ maxSurge: 1 }) },
    { type: 'Recreate', ...rolling({}) },
    { type: 'x' },
    rolling({ maxSurge: 'x' }),
    rolling({ maxSurge: '5' }),
    rolling({ maxSurge: -1 }),
    rolling({ maxUnavailable: '150%' }),
    rolling({ maxUnavailable: '-1%' }),
    rolling({ maxSurge: 0, maxUnavailable: 0 }),
    rolling({ maxSurge: '0%', maxUnavailable: '0%' }),
  ]),
  workload('Deployment', { progressDeadlineSeconds: 5, minReadySeconds: 5 }),
  workload('Deployment', { progressDeadlineSeconds: -1 }),
  ...strategies('StatefulSet', 'updateStrategy', [
    { type: 'OnDelete', ...rolling({ partition: 1 }) },
    { type: 'OnDelete', ...rolling({}) },
    { type: 'x' },
    rolling({ partition: -1 }),
  ]),
  workload('StatefulSet', { podManagementPolicy: 'x' }),
  workload('StatefulSet', { serviceName: 'Bad_x' }),
  workload('StatefulSet', { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'x' } }),
  workload('StatefulSet', { ordinals: { start: -1 } }),
  ...strategies('DaemonSet', 'updateStrategy', [
    { type: 'x' },
    rolling({ maxSurge: 1 }),
    rolling({ maxSurge: 0, maxUnavailable: 0 }),
    rolling({ maxUnavailable: 'x' }),
    rolling({ maxUnavailable: '150%' }),
    rolling({ maxSurge: -1, maxUnavailable: 0 }),
  ]),
  named('apps/v1', 'ControllerRevision', { revision: 1 }),
  named('apps/v1', 'ControllerRevision', { data: {}, revision: -1 }),
];

const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
const job = (spec: Fields): ApiObject => named('batch/v1', 'Job', { spec: { ...jobSpec, ...spec } });
const cron = (spec: Fields): ApiObject =>
  named('batch/v1', 'CronJob', { spec: { schedule: '@daily', jobTemplate: { spec: jobSpec }, ...spec } });
const SCHEDULES = [
  '61 * * * *', 'x * * * *', '@foo', '@every x', '*/0 * * * *', '5-1 * * * *', '* 24 * * *', '* * 32 * *', '* * 0 * *',
  '* * * 13 *', '* * * * 7', 'TZ=UTC * * * * *', 'CRON_TZ=x * * * * *', '1-2-3 * * * *', '1/2/3 * * * *', '* * L * *',
  '-1 * * * *', '1- * * * *', '* * * FOO *', '100-200 * * * *',
]; // prettier-ignore

const jobs: ApiObject[] = [
  job({ completionMode: 'x' }),
  job({ backoffLimitPerIndex: 1 }),
  job({ maxFailedIndexes: 1 }),
  job({ podReplacementPolicy: 'x' }),
  ...SCHEDULES.map((schedule) => cron({ schedule })),
  ...['Nope/x', '', 'Local'].map((timeZone) => cron({ timeZone })),
  { ...cron({}), metadata: { name: 'n'.repeat(53) } },
];

const budgets: ApiObject[] = [
  { minAvailable: 'x' },
  { minAvailable: '150%' },
  { minAvailable: -1 },
  { maxUnavailable: '150%' },
  { maxUnavailable: 'x' },
  { maxUnavailable: -1 },
  { minAvailable: 1, maxUnavailable: 1 },
  { unhealthyPodEvictionPolicy: 'x' },
].map((spec) => named('policy/v1', 'PodDisruptionBudget', { spec }));

const pod = (fields: Fields, spec: Fields = {}): ApiObject =>
  named('v1', 'Pod', { spec: { containers: [{ ...container, ...fields }], ...spec } });
const volume = (source: Fields): ApiObject => pod({}, { volumes: [{ name: 'v', ...source }] });
const variable = (fields: Fields): ApiObject => pod({ env: [{ name: 'A', ...fields }] });
const http = { httpGet: { port: 80 } };

const pods: ApiObject[] = [
  volume({ emptyDir: {}, hostPath: { path: '/x' } }),
  volume({ secret: { secretName: 'x' }, configMap: { name: 'y' } }),
  volume({ emptyDir: {}, secret: { secretName: 'x' }, configMap: { name: 'y' } }),
  ...['configMap', 'secret', 'hostPath', 'persistentVolumeClaim'].map((source) => volume({ [source]: {} })),
  volume({ hostPath: { path: '../x' } }),
  volume({ configMap: { name: 'x', defaultMode: 9999 } }),
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) => pod({ [probe]: {} })),
  pod({ livenessProbe: { ...http, tcpSocket: { port: 80 } } }),
  pod({ livenessProbe: { httpGet: { port: 0 } } }),
  pod({ livenessProbe: { httpGet: { port: 'http-port-name-too-long' } } }),
  pod({ livenessProbe: { tcpSocket: { port: 70000 } } }),
  pod({ livenessProbe: { exec: {} } }),
  pod({ livenessProbe: { ...http, periodSeconds: -1 } }),
  pod({ livenessProbe: { ...http, successThreshold: 2 } }),
  pod({ readinessProbe: { ...http, terminationGracePeriodSeconds: 3 } }),
  pod({ readinessProbe: { ...http, failureThreshold: -1, timeoutSeconds: -1, initialDelaySeconds: -1 } }),
  pod({ lifecycle: { preStop: {} } }),
  pod({ lifecycle: { postStart: { exec: { command: ['x'] }, ...http } } }),
  variable({ value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }),
  variable({ valueFrom: {} }),
  variable({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 'x', key: 'y' } } }),
  variable({ valueFrom: { fieldRef: { fieldPath: 'spec.bogus' } } }),
  variable({ valueFrom: { secretKeyRef: { name: 'x' } } }),
  variable({ valueFrom: { configMapKeyRef: { name: 'x', key: 'b/d' } } }),
  variable({ valueFrom: { resourceFieldRef: { resource: 'bogus' } } }),
  variable({ name: '1bad=' }),
  variable({ name: 'é' }),
  pod({ envFrom: [{}] }),
  pod({ envFrom: [{ configMapRef: { name: 'x' }, secretRef: { name: 'y' } }] }),
  pod({ envFrom: [{ configMapRef: {} }] }),
  pod({ envFrom: [{ prefix: 'a=', configMapRef: { name: 'x' } }] }),
  pod({ resources: { limits: { cpu: '-1' } } }),
  pod({ resources: { requests: { foo: '1' } } }),
  pod({ resources: { requests: { storage: '1' } } }),
  pod(
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '../x' }, { name: 'v', mountPath: '/a' }] },
    { volumes: [{ name: 'v', emptyDir: {} }] },
  ),
  pod(
    { volumeMounts: [{ name: 'v', mountPath: '/a', subPath: '/x' }] },
    { volumes: [{ name: 'v', emptyDir: {} }] },
  ),
  pod({ ports: [{ containerPort: 80, name: 'a' }, { containerPort: 81, name: 'a' }] }),
  pod({ ports: [{ containerPort: 80, name: 'Bad_' }] }),
  pod({ ports: [{ containerPort: 80, name: 'toolongnameforaport' }] }),
  pod({ ports: [{ containerPort: 80, hostPort: 70000 }] }),
  ...['nodeName', 'hostname', 'subdomain', 'serviceAccountName'].map((name) => pod({}, { [name]: 'Bad_' })),
  ...[
    { key: 'a', operator: 'x' },
    { operator: 'Exists', value: 'x' },
    { operator: 'Equal' },
    { key: 'a', effect: 'x' },
    { key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 },
  ].map((toleration) => pod({}, { tolerations: [toleration] })),
  pod({}, { nodeSelector: { 'a b': 'x' } }),
  pod({}, { dnsPolicy: 'None' }),
  pod({}, { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'x' }] }),
  pod({}, { schedulingGates: [{ name: 'x' }, { name: 'x' }], nodeName: 'n' }),
]; // prettier-ignore

const service = (spec: Fields): ApiObject => named('v1', 'Service', { spec: { ports: [{ port: 80 }], ...spec } });
const services: ApiObject[] = [
  service({ ports: [{ port: 80, name: 'a' }, { port: 80, name: 'b' }] }),
  service({ ports: [{ port: 80, name: 'a' }, { port: 81, name: 'a' }] }),
  service({ ports: [{ port: 80, targetPort: 'Bad_' }] }),
  service({ externalIPs: ['x'] }),
  service({ externalTrafficPolicy: 'Local' }),
  service({ loadBalancerSourceRanges: ['1.2.3.4/8'] }),
  service({ type: 'LoadBalancer', loadBalancerSourceRanges: ['x'] }),
  service({ selector: { 'a b': 'c' } }),
  service({ loadBalancerClass: 'a/b' }),
  service({ internalTrafficPolicy: 'x' }),
  service({ type: 'ExternalName', externalName: 'Bad_' }),
  service({ type: 'NodePort', clusterIP: 'None' }),
]; // prettier-ignore

const backend = { service: { name: 'x', port: { number: 80 } } };
const ingress = (spec: Fields): ApiObject => named('networking.k8s.io/v1', 'Ingress', { spec });
const route = (fields: Fields): ApiObject =>
  ingress({ rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend, ...fields }] } }] });
const ingresses: ApiObject[] = [
  ...['x', '', '/a//b', '/a/../b', '/a%2f'].map((path) => route({ path })),
  route({ pathType: 'x' }),
  route({ pathType: 'ImplementationSpecific', path: 'x' }),
  ...[
    {},
    { service: { name: 'x' } },
    { service: { name: 'x', port: { number: 80, name: 'a' } } },
    { service: { name: 'x', port: { number: 70000 } } },
    { service: { port: { number: 80 } } },
    { service: { name: 'Bad_', port: { number: 80 } } },
    { service: { name: 'a.b', port: { number: 80 } } },
    { ...backend, resource: { kind: 'a', name: 'b' } },
  ].map((one) => route({ backend: one })),
  ...['Bad_', '1.2.3.4', '*', 'a.*.b', 'foo:80'].map((host) => ingress({ rules: [{ host }] })),
  ingress({ defaultBackend: {} }),
  ingress({ tls: [{ hosts: ['Bad_'] }], defaultBackend: backend }),
  ingress({ tls: [{ secretName: 'Bad_' }], defaultBackend: backend }),
  ingress({ ingressClassName: 'Bad_', defaultBackend: backend }),
];

const policy = (spec: Fields): ApiObject =>
  named('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {}, ...spec } });
const from = (peer: Fields): ApiObject => policy({ ingress: [{ from: [peer] }] });
const block = (ipBlock: Fields): ApiObject => from({ ipBlock });
const policies: ApiObject[] = [
  policy({ policyTypes: ['x'] }),
  policy({ policyTypes: ['Ingress', 'Egress', 'Ingress'] }),
  ...['x', '', '10.0.0.1/8', '2001::/300'].map((cidr) => block({ cidr })),
  ...['11.0.0.0/8', '10.0.0.0/8', 'x'].map((except) => block({ cidr: '10.0.0.0/8', except: [except] })),
  from({ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }),
  from({}),
  ...[
    { port: 70000 },
    { port: 'Bad_' },
    { port: 80, endPort: 70 },
    { endPort: 70 },
    { port: 'a', endPort: 70 },
    { protocol: 'x' },
  ].map((port) => policy({ ingress: [{ ports: [port] }] })),
  policy({ egress: [{ to: [{ ipBlock: { cidr: 'x' } }], ports: [{ port: 0 }] }] }),
];

const subset = (fields: Fields): ApiObject => named('v1', 'Endpoints', { subsets: [fields] });
const good = { addresses: [{ ip: '1.2.3.4' }] };
const slice = (fields: Fields): ApiObject =>
  named('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [], ...fields });
const endpoints: ApiObject[] = [
  ...['nope', '127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', '', '::1', 'fe80::1', '010.1.1.1'].map((ip) =>
    subset({ addresses: [{ ip }] }),
  ),
  subset({ addresses: [{ ip: '1.2.3.4', hostname: 'Bad_' }] }),
  subset({ addresses: [{ ip: '1.2.3.4', nodeName: 'Bad_' }] }),
  subset({ notReadyAddresses: [{ ip: 'x' }] }),
  subset({}),
  ...[[{ port: 0 }], [{ port: 80 }, { port: 81 }], [{ port: 80, name: 'Bad_' }], [{ port: 80, protocol: 'x' }]].map(
    (ports) => subset({ ...good, ports }),
  ),
  ...['nope', '::2', '127.0.0.1'].map((address) => slice({ endpoints: [{ addresses: [address] }] })),
  ...['1.2.3.4', '::1'].map((address) => slice({ addressType: 'IPv6', endpoints: [{ addresses: [address] }] })),
  slice({ addressType: 'FQDN', endpoints: [{ addresses: ['Bad_'] }] }),
  slice({ endpoints: [{ addresses: ['1.2.3.4'], hostname: 'Bad_' }] }),
  slice({ endpoints: [{ addresses: ['1.2.3.4'], nodeName: 'Bad_' }] }),
  slice({ ports: [{ port: 80 }, { port: 81 }] }),
  slice({ ports: [{ name: 'Bad_', port: 80 }] }),
  slice({ ports: [{ protocol: 'x', port: 80 }] }),
];

const cluster: ApiObject[] = [
  named('v1', 'Node', { spec: { podCIDR: 'x' } }),
  named('v1', 'Node', { spec: { taints: [{ key: 'a', effect: 'x' }] } }),
  named('node.k8s.io/v1', 'RuntimeClass', { handler: 'Y_' }),
  named('node.k8s.io/v1', 'RuntimeClass', {}),
];

export const refusedValues: readonly ApiObject[] = [
  ...rollouts, ...jobs, ...budgets, ...pods, ...services, ...ingresses, ...policies, ...endpoints, ...cluster,
]; // prettier-ignore
