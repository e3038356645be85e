import { expect, test } from 'vitest';
import type { Resource } from '../../src/api/schema/resource.ts';
import { startGarbageCollector } from '../../src/controllers/garbage-collector.ts';
import type { ApiObject, OwnerReference } from '../../src/core/kube-object.ts';
import { startApiServer } from '../../src/index.ts';
import { FakeHost } from '../rig/controller-host.ts';
import { until } from '../rig/stream-client.ts';

function rig() {
  const host = new FakeHost();
  const owner = (name: string, fields: Partial<OwnerReference> = {}): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: `uid-${name}`,
    ...fields,
  });
  const config = (
    name: string,
    owners: readonly OwnerReference[] = [],
    finalizers: readonly string[] = [],
  ): ApiObject =>
    host.create('', 'configmaps', {
      metadata: {
        name,
        namespace: 'ns',
        ...(owners.length === 0 ? {} : { ownerReferences: [...owners] }),
        ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
      },
    });
  return {
    host,
    owner,
    config,
    remove: (name: string, propagationPolicy: 'Background' | 'Foreground' | 'Orphan' = 'Background') =>
      host.remove('', 'configmaps', 'ns', name, { propagationPolicy }),
    names: () => host.list('', 'configmaps').map(({ metadata }) => metadata?.name),
    find: (name: string) => host.get('', 'configmaps', 'ns', name),
  };
}

test('dependents are deleted after their owner, through all generations', async () => {
  const { host, owner, config, remove, names } = rig();
  startGarbageCollector(host);
  config('a');
  config('b', [owner('a')]);
  config('c', [owner('b')]);
  config('other');
  await host.settle();
  remove('a');
  await host.settle();
  expect(names()).toEqual(['other']);
  expect(host.changes.slice(-3)).toEqual(['DELETED configmaps/a', 'DELETED configmaps/b', 'DELETED configmaps/c']);
});

test('objects from before the start of the collector are collected too', async () => {
  const { host, owner, config, names } = rig();
  config('b', [owner('never-was')]);
  startGarbageCollector(host);
  await host.settle();
  expect(names()).toEqual([]);
});

test('an object stays as long as one of its owners, and loses the references to others', async () => {
  const { host, owner, config, remove, find } = rig();
  startGarbageCollector(host);
  config('a');
  config('b');
  config('c', [owner('a'), owner('b')]);
  remove('a');
  await host.settle();
  expect(find('c')?.metadata?.ownerReferences).toEqual([owner('b')]);
  remove('b');
  await host.settle();
  expect(find('c')).toBeUndefined();
});

test('an object with the name of the owner and another UID is not the owner', async () => {
  const { host, owner, config, names } = rig();
  startGarbageCollector(host);
  config('a');
  config('b', [owner('a', { uid: 'an-older-uid' })]);
  await host.settle();
  expect(names()).toEqual(['a']);
});

test('in the foreground the owner stays until its blocking dependents are gone', async () => {
  const { host, owner, config, remove, find, names } = rig();
  startGarbageCollector(host);
  config('a');
  config('blocking', [owner('a', { blockOwnerDeletion: true })], ['example.com/wait']);
  config('free', [owner('a')]);
  remove('a', 'Foreground');
  await host.settle();
  expect(names()).toEqual(['a', 'blocking']);
  expect(find('blocking')?.metadata?.deletionTimestamp).toBeDefined();
  const { finalizers: _done, ...metadata } = find('blocking')?.metadata ?? {};
  host.update('', 'configmaps', { metadata });
  await host.settle();
  expect(names()).toEqual([]);
  expect(host.changes.at(-1)).toBe('DELETED configmaps/a');
});

test('a foreground delete deletes the last generation first', async () => {
  const { host, owner, config, remove } = rig();
  startGarbageCollector(host);
  config('a');
  config('b', [owner('a', { blockOwnerDeletion: true })]);
  config('c', [owner('b', { blockOwnerDeletion: true })]);
  await host.settle();
  remove('a', 'Foreground');
  await host.settle();
  expect(host.changes.filter((change) => change.startsWith('DELETED'))).toEqual([
    'DELETED configmaps/c',
    'DELETED configmaps/b',
    'DELETED configmaps/a',
  ]);
});

test('owners that refer to each other are deleted, too', async () => {
  const { host, owner, config, remove, names } = rig();
  startGarbageCollector(host);
  config('a', [owner('b', { blockOwnerDeletion: true })]);
  config('b', [owner('a', { blockOwnerDeletion: true })]);
  await host.settle();
  remove('a', 'Foreground');
  await host.settle();
  expect(names()).toEqual([]);
});

test('with policy Orphan, dependents lose the reference before the owner is deleted', async () => {
  const { host, owner, config, remove, find, names } = rig();
  startGarbageCollector(host);
  config('a');
  config('b', [owner('a')]);
  await host.settle();
  remove('a', 'Orphan');
  await host.settle();
  expect(names()).toEqual(['b']);
  expect(find('b')?.metadata?.ownerReferences).toBeUndefined();
  expect(host.changes.slice(-2)).toEqual(['MODIFIED configmaps/b', 'DELETED configmaps/a']);
});

test('an owner of a kind that is not served counts as present', async () => {
  const { host, owner, config, names } = rig();
  startGarbageCollector(host);
  config('b', [owner('w', { apiVersion: 'example.com/v1', kind: 'Widget' })]);
  await host.settle();
  expect(names()).toEqual(['b']);
});

test('objects of a new definition are collected as soon as it is served', async () => {
  const { host, owner, config, names } = rig();
  startGarbageCollector(host);
  const configMaps = host.resources().find(({ kind }) => kind === 'ConfigMap') as Resource;
  const widgets: Resource = { ...configMaps, group: 'example.com', resource: 'widgets', kind: 'Widget', custom: true };
  host.extraResources.push(widgets);
  host.create('apiextensions.k8s.io', 'customresourcedefinitions', { metadata: { name: 'widgets.example.com' } });
  await host.settle();
  host.create('example.com', 'widgets', { metadata: { name: 'w', namespace: 'ns' } });
  config('b', [owner('w', { apiVersion: 'example.com/v1', kind: 'Widget' })]);
  await host.settle();
  expect(names()).toEqual(['b']);
  host.remove('example.com', 'widgets', 'ns', 'w');
  await host.settle();
  expect(names()).toEqual([]);
});

test('a stopped collector watches nothing and does nothing', async () => {
  const { host, owner, config, remove, names } = rig();
  const stop = startGarbageCollector(host);
  config('a');
  config('b', [owner('a')]);
  await host.settle();
  remove('a');
  stop();
  await host.settle();
  expect(names()).toEqual(['b']);
  expect(host.watchers).toBe(0);
});

test('dependents of custom resources are deleted with the definition, although the kind is no longer served', async () => {
  await using server = await startApiServer({ tls: false, controllers: ['garbageCollector'] });
  const { local } = server;
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
  const definitions = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;
  local.create(...definitions, definition);
  const namespace = 'default';
  const [apiVersion, kind, name] = ['example.com/v1', 'Widget', 'w'];
  const { metadata } = local.create('example.com', 'widgets', { apiVersion, kind, metadata: { name, namespace } });
  const owner = { apiVersion, kind, name, uid: metadata?.uid ?? '' };
  const config = (own: string, ownerReferences: OwnerReference[]): void =>
    void local.create('', 'configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: own, namespace, ownerReferences },
    });
  config('mine', [owner]);
  config('of-a-stranger', [{ ...owner, apiVersion: 'other.example.com/v1', uid: 'never-seen' }]);
  local.remove(...definitions, '', 'widgets.example.com');
  await until(() => local.get('', 'configmaps', namespace, 'mine') === undefined);
  expect(local.get('', 'configmaps', namespace, 'of-a-stranger')).toBeDefined();
});
