import type { ApiObject } from '@kube-informer/apiserver';
import { worldTimestamp, type World } from './world.ts';

export const GROUP = 'demo.kube-informer.dev';

interface App {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas: number;
  readonly port: number;
}

const APPS: readonly App[] = [
  { namespace: 'shop', name: 'web', image: 'shop/web:1.4.0', replicas: 3, port: 8080 },
  { namespace: 'shop', name: 'cart', image: 'shop/cart:2.1.3', replicas: 2, port: 8080 },
  { namespace: 'shop', name: 'checkout', image: 'shop/checkout:0.9.1', replicas: 2, port: 8080 },
  { namespace: 'db', name: 'orders', image: 'postgres:17.2', replicas: 1, port: 5432 },
  { namespace: 'db', name: 'cache', image: 'valkey:8.0', replicas: 2, port: 6379 },
  { namespace: 'ops', name: 'metrics', image: 'ops/metrics:3.2.0', replicas: 1, port: 9090 },
];

export const NODES: readonly string[] = ['node-1', 'node-2', 'node-3'];

/** Creates the initial objects. */
export function seedDemo({ local, env }: World): void {
  const now = worldTimestamp(env.wallNow());
  for (const [index, name] of NODES.entries()) {
    local.create('', 'nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: index === 0 ? { 'node-role.kubernetes.io/control-plane': '' } : {} },
      spec: { podCIDR: `10.244.${index + 1}.0/24` },
    });
    const node = local.get('', 'nodes', '', name) as ApiObject;
    local.update('', 'nodes', { ...node, status: demoSeedNodeStatus(name, index, now) }, 'status');
  }
  for (const name of ['shop', 'db', 'ops'])
    local.create('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  local.create('apiextensions.k8s.io', 'customresourcedefinitions', demoSeedBackupDefinition());
  for (const app of APPS) seedDemoApp(local, app);
  for (const [name, database, seconds] of [['orders-backup', 'orders', 20], ['cache-backup', 'cache', 45]] as const)
    local.create(GROUP, 'backups', {
      apiVersion: `${GROUP}/v1`,
      kind: 'Backup',
      metadata: { namespace: 'db', name },
      spec: { database, schedule: `@every ${seconds}s` },
    }); // prettier-ignore
}

function seedDemoApp(local: World['local'], { namespace, name, image, replicas, port }: App): void {
  const labels = { app: name };
  local.create('', 'configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: `${name}-settings`, labels },
    data: { LOG_LEVEL: 'info', PORT: String(port) },
  });
  local.create('', 'services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, labels },
    spec: { selector: labels, ports: [{ name: 'main', port, targetPort: port, protocol: 'TCP' }] },
  });
  local.create('apps', 'deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image, ports: [{ containerPort: port }] }] } },
    },
  });
}

export function demoSeedNodeConditions(isReady: boolean, since: string): object[] {
  return [
    {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'KubeletReady' : 'KubeletNotReady',
      message: isReady ? 'kubelet is posting ready status' : 'container runtime is down',
      lastHeartbeatTime: since,
      lastTransitionTime: since,
    },
  ];
}

function demoSeedNodeStatus(name: string, index: number, now: string): object {
  const size = { cpu: '4', memory: '16Gi', pods: '110' };
  return {
    capacity: size,
    allocatable: size,
    conditions: demoSeedNodeConditions(true, now),
    addresses: [
      { type: 'InternalIP', address: `192.168.7.${index + 11}` },
      { type: 'Hostname', address: name },
    ],
    nodeInfo: {
      kubeletVersion: 'v1.36.0', kubeProxyVersion: '', osImage: 'Demo Linux 1', kernelVersion: '6.12.0', architecture: 'amd64',
      operatingSystem: 'linux', containerRuntimeVersion: 'containerd://2.1.0', machineID: name, systemUUID: name, bootID: name,
    },
  }; // prettier-ignore
}

export function demoSeedBackupDefinition(): ApiObject {
  const text = { type: 'string' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `backups.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'Backup', listKind: 'BackupList', plural: 'backups', singular: 'backup', shortNames: ['bk'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { database: text, schedule: text } },
                status: {
                  type: 'object',
                  properties: {
                    phase: text,
                    lastRun: { type: 'string', format: 'date-time' },
                    runs: { type: 'integer' },
                    conditions: {
                      type: 'array',
                      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    },
                  },
                },
              },
            },
          },
          additionalPrinterColumns: [
            { name: 'Database', type: 'string', jsonPath: '.spec.database' },
            { name: 'Schedule', type: 'string', jsonPath: '.spec.schedule' },
            { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
            { name: 'Last Run', type: 'date', jsonPath: '.status.lastRun' },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        },
      ],
    },
  };
}
