import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiObject, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { until, watch } from '../rig/stream-client.ts';

async function rig(options: ApiServerOptions = {}) {
  const server = await startApiServer({ tls: false, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A folder with these files. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Shop, plural: shops, singular: shop, listKind: ShopList }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { size: { type: integer } }
              x-kubernetes-validations: [{ rule: 'self.size < 10', message: 'too large' }]
`;
const shop = (size: number): string =>
  `apiVersion: example.com/v1\nkind: Shop\nmetadata: { name: corner, namespace: town }\nspec: { size: ${size} }\n`;
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: town }\n';
const configMap = (name: string, text = '1'): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { text },
});

test('manifests of a folder and a pattern are there from the start, whatever the order of the files', async () => {
  const folder = await folderOf({
    'a/a-shop.yaml': `${shop(1)}---\n# nothing\n---\n${NAMESPACE}`,
    'a/kustomization.yaml': 'resources: [a-shop.yaml]',
    'a/notes.txt': 'not a manifest',
    'b/deep/z-definition.yml': DEFINITION,
    'b/list.json': JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [configMap('one'), configMap('two')] }),
  });
  const server = await rig({ manifests: [join(folder, 'a'), join(folder, 'b/**/*.yml'), join(folder, '?/list.json')] });
  expect(server.local.get('example.com', 'shops', 'town', 'corner')).toMatchObject({
    metadata: { generation: 1 },
    spec: { size: 1 },
  });
  expect(server.local.list('', 'configmaps', 'default').map(({ metadata }) => metadata?.name)).toEqual(['one', 'two']);
});

test('a manifest that is refused names its file and the reason; so does a path without manifests', async () => {
  const folder = await folderOf({ 'definition.yaml': DEFINITION, 'shop.yaml': `${NAMESPACE}---\n${shop(50)}` });
  await expect(rig({ manifests: folder })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringMatching(/shop\.yaml: example\.com\/v1 Shop corner: .*too large/),
  });
  const server = await rig();
  await expect(server.install(join(folder, 'shop.yaml'))).rejects.toThrow('no matches for kind "Shop"');
  await expect(server.install(join(folder, '*.json'))).rejects.toThrow('no .yaml, .yml or .json file at');
  await expect(server.install(join(folder, 'nothing'))).rejects.toThrow('cannot read');
});

test('reset leads back to the state after the start, and open watches see it as events', async () => {
  const folder = await folderOf({ 'definition.yaml': DEFINITION, 'shop.yaml': `${NAMESPACE}---\n${shop(1)}` });
  const server = await rig({ manifests: folder });
  await server.install(await folderOf({ 'map.json': JSON.stringify(configMap('kept')) }));
  server.faults.add({ match: { verb: 'get' }, do: { status: 500 } });
  const before = server.local.list('', 'namespaces').length;
  const uid = server.local.get('example.com', 'shops', 'town', 'corner')?.metadata?.uid;
  const stream = await watch(server);
  server.load([configMap('late')]);
  server.local.create('', 'namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'more' } });
  server.local.remove('apiextensions.k8s.io', 'customresourcedefinitions', '', 'shops.example.com');
  const { current } = server.revision;

  server.reset();
  await until(() => stream.frames().length >= 3);
  expect(stream.frames().map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'ADDED late',
    'DELETED kept',
    'DELETED late',
  ]);
  expect(server.revision.current).toBeGreaterThan(current);
  expect(server.local.get('example.com', 'shops', 'town', 'corner')?.metadata?.uid).toBe(uid);
  expect(server.local.list('', 'namespaces')).toHaveLength(before);
  expect((await ask(server, 'GET', '/api/v1/namespaces/town')).status).toBe(200);
  expect(server.requests).toHaveLength(1);
  stream.close();
});

test('reset removes definitions that came later, and their objects', async () => {
  const server = await rig();
  await server.install(await folderOf({ 'all.yaml': [DEFINITION, NAMESPACE, shop(2)].join('---\n') }));
  server.reset();
  expect((await ask(server, 'GET', '/apis/example.com/v1/shops')).status).toBe(404);
  expect(server.local.list('apiextensions.k8s.io', 'customresourcedefinitions')).toEqual([]);
  // The same definitions again.
  await server.install(await folderOf({ 'all.yaml': [DEFINITION, NAMESPACE, shop(3)].join('---\n') }));
  expect(server.local.get('example.com', 'shops', 'town', 'corner')).toMatchObject({ spec: { size: 3 } });
});

test("restore with 'continue' leads back to any snapshot", async () => {
  const server = await rig();
  server.load([configMap('a')]);
  const snapshot = server.snapshot();
  server.load([configMap('a', '2'), configMap('b')]);
  const { current } = server.revision;
  server.restore(snapshot, { revisions: 'continue' });
  expect(server.local.list('', 'configmaps').map((map) => map['data'])).toEqual([{ text: '1' }]);
  expect(server.revision.current).toBe(current + 2);
});

test('kubeconfigs of users carry their name, groups and namespace; RBAC decides', async () => {
  const server = await rig({ auth: 'rbac' });
  const review = async (options: Parameters<typeof server.kubeconfig>[0]): Promise<unknown> => {
    const [, token = ''] = /token: "?([^"\n]+)/.exec(server.kubeconfig(options)) ?? [];
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { body } = await ask(server, 'POST', path, { body: self, headers: { authorization: `Bearer ${token}` } });
    return (body as { status?: { userInfo: unknown } }).status?.userInfo;
  };
  expect(await review({ user: 'ann', groups: ['devs'] })).toMatchObject({
    username: 'ann',
    groups: ['devs', 'system:authenticated'],
  });
  expect(await review({})).toMatchObject({ username: 'admin' });
  expect(server.kubeconfig({ user: 'ann', namespace: 'town' })).toContain('namespace: town');
  const [, token = ''] = /token: "?([^"\n]+)/.exec(server.kubeconfig({ user: 'ann' })) ?? [];
  const asked = await ask(server, 'GET', '/api/v1/pods', { headers: { authorization: `Bearer ${token}` } });
  expect(asked.status).toBe(403);
});
