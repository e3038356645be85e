import { describe, expect, test } from 'vitest';
import { type ApiObject, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { until, watch } from '../rig/stream-client.ts';

const rig = () => startApiServer({ tls: false });

const configMap = (metadata: ApiObject['metadata'] = {}, text = '1'): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', ...metadata },
  data: { text },
});

describe('loading an existing object', () => {
  test('changes the object and keeps its UID and creation time', async () => {
    await using server = await rig();
    const stream = await watch(server);
    server.load([configMap()]);
    server.load([configMap({}, '2')]);
    await until(() => stream.frames().length === 2);
    const [added, modified] = stream.frames();
    expect([added?.type, modified?.type]).toEqual(['ADDED', 'MODIFIED']);
    expect(modified?.object.metadata.uid).toBe(added?.object.metadata.uid);
    expect(modified?.object.metadata.creationTimestamp).toBe(added?.object.metadata.creationTimestamp);
    expect(modified?.object.data).toEqual({ text: '2' });
    stream.close();
  });

  test('sends no event if nothing changes', async () => {
    await using server = await rig();
    server.load([configMap({ labels: { x: 'y' } })]);
    const { current } = server.revision;
    expect(server.load([configMap({ labels: { x: 'y' } })])).toBe(1);
    const read = (await ask(server, 'GET', '/api/v1/namespaces/default/configmaps/a')).body as ApiObject;
    expect(server.load([read])).toBe(1);
    expect(server.revision.current).toBe(current);
    server.load([configMap()]);
    expect(server.revision.current).toBe(current + 1);
  });

  test('with another UID deletes the object and adds a new one', async () => {
    await using server = await rig();
    server.load([configMap({ uid: 'one' })]);
    const stream = await watch(server);
    server.load([configMap({ uid: 'two' })]);
    await until(() => stream.frames().length === 2);
    expect(stream.frames().map(({ type, object }) => [type, object.metadata.uid])).toEqual([
      ['DELETED', 'one'],
      ['ADDED', 'two'],
    ]);
    stream.close();
  });
});

test.each<[string, unknown, string]>([
  ['no object', null, 'load: object 0: expected an object, got null'],
  ['an unknown kind', { ...configMap(), kind: 'Nope' }, 'expected objects of a served kind'],
  ['a kind that is never stored', { ...configMap(), kind: 'Binding' }, 'expected objects of a served kind'],
  ['no kind', { metadata: { name: 'a' } }, 'expected apiVersion and kind'],
  ['no metadata', { apiVersion: 'v1', kind: 'ConfigMap' }, 'metadata: expected an object'],
  ['no name', configMap({ name: '' }), 'metadata.name: expected a name, got ""'],
  ['a name that is no text', configMap({ name: 5 as unknown as string }), 'metadata.name: expected a name, got 5'],
  ['a bad name', configMap({ name: 'A/b' }), 'metadata.name: Invalid value: "A/b"'],
  ['a bad namespace', configMap({ namespace: 'A b' }), 'metadata.namespace: Invalid value: "A b"'],
  [
    'a namespace where there is none',
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', namespace: 'default' } },
    'nodes are not in namespaces',
  ],
])('refuses %s', async (_title, object, message) => {
  await using server = await rig();
  const { current } = server.revision;
  expect(() => server.load([object as ApiObject])).toThrow(message);
  expect(server.revision.current).toBe(current);
});

test('stores nothing of an array if one object is invalid; a definition may come before its objects', async () => {
  await using server = await rig();
  const { current } = server.revision;
  expect(() => server.load([configMap(), configMap({ name: 'B' })])).toThrow('load: object 1: metadata.name');
  expect(server.revision.current).toBe(current);
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
  expect(server.load([definition, widget])).toBe(2);
  expect((await ask(server, 'GET', '/apis/example.com/v1/namespaces/default/widgets/w')).status).toBe(200);
});

test('an object that was loaded without defaults can be updated: the defaults are not a change', async () => {
  await using server = await rig();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
  server.load([
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: template.spec },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', generation: 3 },
      spec: { selector: { matchLabels: { app: 'a' } }, template },
    },
  ]);
  const headers = { 'content-type': 'application/merge-patch+json' };
  const patch = (path: string, body: object) => ask(server, 'PATCH', path, { body: JSON.stringify(body), headers });
  const pod = '/api/v1/namespaces/default/pods/p';
  expect(await patch(`${pod}/status`, { status: { phase: 'Running' } })).toMatchObject({
    status: 200,
    body: { status: { phase: 'Running' }, spec: { restartPolicy: 'Always' } },
  });
  expect(await patch(pod, { spec: { restartPolicy: 'Never' } })).toMatchObject({ status: 422 });
  expect(
    await patch('/apis/apps/v1/namespaces/default/deployments/d', { metadata: { labels: { x: 'y' } } }),
  ).toMatchObject({ status: 200, body: { metadata: { generation: 3 }, spec: { replicas: 1 } } });
});

test('counts generations of loaded objects: 1 at first, one more after a change of the spec, the same after one of the status', async () => {
  await using server = await rig();
  const shop = (size: number, phase: string): ApiObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Shop',
    metadata: { name: 'corner', namespace: 'default' },
    spec: { size },
    status: { phase },
  });
  const names = { kind: 'Shop', listKind: 'ShopList', plural: 'shops', singular: 'shop' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  };
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', definition);
  const generation = (object: ApiObject): number | undefined => {
    server.load([object]);
    return server.local.get('example.com', 'shops', 'default', 'corner')?.metadata?.generation;
  };
  expect(generation(shop(1, 'open'))).toBe(1);
  expect(generation(shop(1, 'closed'))).toBe(1);
  expect(generation(shop(2, 'closed'))).toBe(2);
  expect(generation({ ...shop(2, 'closed'), metadata: { ...shop(2, '').metadata, generation: 9 } })).toBe(9);
  server.load([configMap()]);
  expect(server.local.get('', 'configmaps', 'default', 'a')?.metadata).not.toHaveProperty('generation');
});

test.each([
  ['with the controller of namespaces goes when it is empty', ['namespaces'] as const, [], undefined],
  ['without that controller stays, and so does its content', [], ['a'], { phase: 'Terminating' }],
])('a loaded namespace that is deleted %s', async (_title, controllers, left, status) => {
  await using server = await startApiServer({ tls: false, controllers });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  server.load([namespace, configMap({ namespace: 'shop' })]);
  // Also after it was loaded again.
  server.load([{ ...namespace, metadata: { ...namespace.metadata, labels: { x: 'y' } } }]);
  await ask(server, 'DELETE', '/api/v1/namespaces/shop');
  const names = () => server.local.list('', 'configmaps', 'shop').map(({ metadata }) => metadata?.name);
  await until(() => names().length === left.length);
  expect(names()).toEqual(left);
  await until(() => (server.local.get('', 'namespaces', '', 'shop') === undefined) === (status === undefined));
  expect(server.local.get('', 'namespaces', '', 'shop')?.['status']).toEqual(status);
});
