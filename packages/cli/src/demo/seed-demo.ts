import type { ApiObject } from '@kube-informer/apiserver';
import type { World } from './demo-world.ts';

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

/** Creates the initial objects, unless they come from a data directory. */
export function seedDemo({ local }: World): void {
  if (local.get('', 'namespaces', '', 'shop') !== undefined) return;
  for (const name of ['shop', 'db', 'ops'])
    local.create('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  local.create('apiextensions.k8s.io', 'customresourcedefinitions', seedDemoDefinition());
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

export function seedDemoDefinition(): ApiObject {
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
