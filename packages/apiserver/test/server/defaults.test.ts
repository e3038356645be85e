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

/** An object as text, without what differs between two of the same kind. */
const shapeOf = (object: ApiObject | undefined): string =>
  JSON.stringify({ ...object, metadata: { ...object?.metadata, uid: '', resourceVersion: '', creationTimestamp: '' } })
    .replaceAll(/"time":"[^"]*"/g, '"time":""')
    .replaceAll(/copy|kube-public|system-node-critical/g, 'name')
    .replaceAll('10.96.0.2', '10.96.0.1')
    .replaceAll('1000000', '2000001000');

test.each([{ managedFields: true }, { managedFields: false }])(
  'the first objects are stored as a create would store them: %o',
  async (options) => {
    const { local } = await rig(options);
    const copy = { name: 'copy' };
    local.create('', 'namespaces', { metadata: copy });
    expect(shapeOf(local.get('', 'namespaces', '', 'copy'))).toBe(
      shapeOf(local.get('', 'namespaces', '', 'kube-public')),
    );
    const { spec } = local.get('', 'services', 'default', 'kubernetes') as { spec: { ports: object[] } };
    const labels = { component: 'apiserver', provider: 'kubernetes' };
    const service = {
      metadata: { ...copy, namespace: 'default', labels },
      spec: { clusterIP: '10.96.0.2', ports: spec.ports },
    };
    local.create('', 'services', service);
    const shapeOfService = (name: string): string =>
      shapeOf(local.get('', 'services', 'default', name)).replace('"name":"kubernetes"', '"name":"name"');
    expect(shapeOfService('copy')).toBe(shapeOfService('kubernetes'));
    const SCHEDULING = ['scheduling.k8s.io', 'priorityclasses'] as const;
    const { description } = local.get(...SCHEDULING, '', 'system-node-critical') ?? {};
    local.create(...SCHEDULING, { metadata: copy, value: 1_000_000, description });
    expect(shapeOf(local.get(...SCHEDULING, '', 'copy'))).toBe(
      shapeOf(local.get(...SCHEDULING, '', 'system-node-critical')),
    );
  },
);

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
