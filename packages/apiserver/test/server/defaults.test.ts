import { expect, onTestFinished, test } from 'vitest';
import { type ApiObject, type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

async function rig(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer({ tls: false, ...options });
  onTestFinished(() => server.close());
  return server;
}

const definition = (plural: string, versions: readonly string[] = ['v1']): ApiObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: plural.toUpperCase(), plural },
    versions: versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
  },
});

const SERVICES = ['apiregistration.k8s.io', 'apiservices'] as const;
const DEFINITIONS = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;

const customServices = ({ local }: ApiServer): string[] =>
  local
    .list(...SERVICES)
    .map(({ metadata }) => metadata?.name ?? '')
    .filter((name) => name.endsWith('.example.com'));

test('a new server has what a real one creates by itself, whatever the authentication', async () => {
  const server = await rig();
  const names = (group: string, resource: string): string[] =>
    server.local.list(group, resource).map(({ metadata }) => metadata?.name ?? '');
  expect(names(...SERVICES)).toContain('v1.apps');
  expect(names('flowcontrol.apiserver.k8s.io', 'flowschemas')).toContain('catch-all');
  expect(names('flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations')).toContain('workload-low');
  const RBAC = 'rbac.authorization.k8s.io';
  expect(names(RBAC, 'clusterroles')).toContain('system:controller:job-controller');
  expect(names(RBAC, 'clusterrolebindings')).toContain('system:kube-scheduler');
  expect(names(RBAC, 'roles')).toContain('extension-apiserver-authentication-reader');
  expect(names(RBAC, 'rolebindings')).toContain('system:controller:token-cleaner');
  const schema = server.local.get('flowcontrol.apiserver.k8s.io', 'flowschemas', '', 'exempt');
  expect(schema?.metadata).toMatchObject({ generation: 1 });
  // Reads and writes go through the rules of the kinds: what is stored must keep them.
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt';
  expect((await ask(server, 'PUT', path, { body: schema })).status).toBe(200);
});

test('versions of custom groups have an APIService as long as a definition serves them', async () => {
  const server = await rig();
  const { local } = server;
  local.create(...DEFINITIONS, definition('as', ['v1', 'v2']));
  local.create(...DEFINITIONS, definition('bs'));
  expect(customServices(server)).toEqual(['v1.example.com', 'v2.example.com']);
  expect(local.get(...SERVICES, '', 'v2.example.com')).toMatchObject({
    metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
    spec: { group: 'example.com', version: 'v2', groupPriorityMinimum: 1000, versionPriority: 100 },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
  });
  local.remove(...DEFINITIONS, '', 'as.example.com');
  expect(customServices(server)).toEqual(['v1.example.com']);
  const { uid } = local.get(...SERVICES, '', 'v1.example.com')?.metadata ?? {};
  local.remove(...SERVICES, '', 'v1.example.com');
  expect(customServices(server)).toEqual(['v1.example.com']);
  expect(local.get(...SERVICES, '', 'v1.example.com')?.metadata?.uid).not.toBe(uid);
  local.remove(...DEFINITIONS, '', 'bs.example.com');
  expect(customServices(server)).toEqual([]);
});

test('APIServices go back and forth with snapshots', async () => {
  const server = await rig();
  const empty = server.snapshot();
  server.local.create(...DEFINITIONS, definition('as'));
  const full = server.snapshot();
  server.restore(empty);
  expect(customServices(server)).toEqual([]);
  server.restore(full);
  expect(customServices(server)).toEqual(['v1.example.com']);
  server.restore(empty, { revisions: 'continue' });
  expect(customServices(server)).toEqual([]);
  server.restore(full, { revisions: 'continue' });
  expect(customServices(server)).toEqual(['v1.example.com']);
  server.reset();
  expect(customServices(server)).toEqual([]);
});
