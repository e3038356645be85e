import { type ApiServer, type ApiServerOptions, startApiServer } from '@kube-informer/apiserver';
import type { Condition } from './objects.ts';
import type { KubeObject } from 'kube-informer';
import { Client, type ResourceClient } from 'kube-informer/client';
import { onTestFinished } from 'vitest';

export interface Backup extends KubeObject {
  readonly spec?: { readonly schedule?: string };
  readonly status?: { readonly lastRun?: string; readonly conditions?: readonly Condition[] };
}

export interface Rig {
  readonly server: ApiServer;
  readonly client: Client;
  readonly backups: ResourceClient<Backup>;
  /** Verbs of the requests since the last call. */
  readonly sent: () => string[];
}

/** The embedded server with the definition of backups. */
export async function rig(options: Pick<ApiServerOptions, 'controllers'> = {}): Promise<Rig> {
  const server = await startApiServer({ tls: false, requestLog: 100_000, ...options });
  const client = await Client.connect({ kubeconfig: server.kubeconfig(), allowCredentialsOverHttp: true });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', DEFINITION);
  const backups = client.resource<Backup>('example.com/v1/backups');
  await backups.list({ namespace: 'default' }); // discovery
  let seen = server.requests.length;
  return {
    server,
    client,
    backups,
    sent() {
      const entries = server.requests.slice(seen);
      seen = server.requests.length;
      return entries.map(({ verb }) => verb);
    },
  };
}

export const backup = (name: string, more: object = {}): Backup => ({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  metadata: { name, namespace: 'default', ...more },
});

const text = { type: 'string' };
const conditions = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type'],
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { type: text },
  },
};
const DEFINITION = {
  metadata: { name: 'backups.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'backups', singular: 'backup', kind: 'Backup', listKind: 'BackupList' },
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
              spec: { type: 'object', properties: { schedule: { ...text, maxLength: 20 } } },
              status: { type: 'object', properties: { lastRun: text, note: text, conditions } },
            },
          },
        },
      },
    ],
  },
};
