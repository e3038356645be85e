import { expect, test } from 'vitest';
import { servedDiscovery } from '../../../src/api/discovery/served-discovery.ts';
import { compareKubeVersions } from '../../../src/api/meta/kube-versions.ts';
import { builtinResources } from '../../../src/api/kinds/builtin-resources.ts';
import type { Resource } from '../../../src/api/schema/resource.ts';
import type { JsonObject } from '../../../src/core/json.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

function widgets(version: string, group = 'example.com'): Resource {
  return {
    group,
    version,
    resource: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    namespaced: true,
    verbs: VERBS,
    shortNames: ['wd'],
    categories: [],
    subresources: [
      { name: 'status', group, version, kind: 'Widget', verbs: ['get', 'patch', 'update'] },
      { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
    ],
    custom: true,
    schema: undefined,
  };
}

function rig(...custom: Resource[]) {
  const documents = servedDiscovery([...builtinResources(), ...custom], { address: '127.0.0.1:6443' });
  const named = (list: JsonObject | undefined, name: string): unknown =>
    (list?.['resources'] as JsonObject[] | undefined)?.find((resource) => resource['name'] === name);
  return { documents, named };
}

test('/api names the versions of the core group and where the server is', () => {
  expect(rig().documents.apiVersions()).toEqual({
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' }],
  });
});

test('/apis has the groups in the order of a real server, each with its preferred version first', () => {
  const groups = rig().documents.groupList()['groups'] as { name: string; preferredVersion: { version: string } }[];
  expect(groups.map(({ name }) => name).slice(0, 4)).toEqual([
    'apiregistration.k8s.io',
    'apps',
    'events.k8s.io',
    'authentication.k8s.io',
  ]);
  expect(groups.find(({ name }) => name === 'autoscaling')?.preferredVersion.version).toBe('v2');
});

test('groups of custom resources follow by name, their versions by rank', () => {
  const custom = [widgets('v1', 'z.example.com'), widgets('v1beta1'), widgets('v2alpha1'), widgets('v1')];
  const groups = rig(...custom).documents.groupList()['groups'] as { name: string; versions: { version: string }[] }[];
  expect(groups.slice(-2).map(({ name }) => name)).toEqual(['example.com', 'z.example.com']);
  expect(groups.at(-2)?.versions.map(({ version }) => version)).toEqual(['v1', 'v1beta1', 'v2alpha1']);
});

test('/apis/<group> is the group, and nothing for an unknown group', () => {
  const { documents } = rig();
  const version = { groupVersion: 'batch/v1', version: 'v1' };
  expect(documents.group('batch')).toEqual({
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'batch',
    versions: [version],
    preferredVersion: version,
  });
  expect(documents.group('no.such')).toBeUndefined();
  expect(documents.group('')).toBeUndefined();
});

test('a list of resources equals that of a real server, key by key', () => {
  const { documents, named } = rig();
  const core = documents.resourceList('', 'v1');
  // Order of keys and the hash as recorded from a server.
  expect(JSON.stringify(named(core, 'pods'))).toBe(
    '{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["create","delete","deletecollection",' +
      '"get","list","patch","update","watch"],"shortNames":["po"],"categories":["all"],"storageVersionHash":"xPOwRZ+Yhw8="}',
  );
  expect(JSON.stringify(named(core, 'pods/eviction'))).toBe(
    '{"name":"pods/eviction","singularName":"","namespaced":true,"group":"policy","version":"v1","kind":"Eviction",' +
      '"verbs":["create"]}',
  );
  expect(named(core, 'bindings')).not.toHaveProperty('storageVersionHash');
  expect(named(documents.resourceList('events.k8s.io', 'v1'), 'events')).toMatchObject({
    storageVersionHash: 'r2yiGXH7wu8=',
  });
});

test('the core list has no apiVersion, other lists have one, and an unknown group has no list', () => {
  const { documents } = rig();
  expect(Object.keys(documents.resourceList('', 'v1') ?? {})).toEqual(['kind', 'groupVersion', 'resources']);
  expect(documents.resourceList('apps', 'v1')).toMatchObject({ apiVersion: 'v1', groupVersion: 'apps/v1' });
  expect(documents.resourceList('apps', 'v9')).toBeUndefined();
  expect(documents.resourceList('no.such', 'v1')).toBeUndefined();
});

test('aggregated discovery has the core group at /api and all others at /apis', () => {
  const { documents } = rig(widgets('v1'));
  const api = documents.aggregated('api')['items'] as JsonObject[];
  const apis = documents.aggregated('apis')['items'] as JsonObject[];
  expect(api.map(({ metadata }) => metadata)).toEqual([{}]);
  expect(apis.map(({ metadata }) => (metadata as JsonObject)['name'])).toContain('apps');
  expect(JSON.stringify(apis.at(-1))).toBe(
    '{"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[{"resource":"widgets","responseKind":' +
      '{"group":"example.com","version":"v1","kind":"Widget"},"scope":"Namespaced","singularResource":"widget","verbs":' +
      `${JSON.stringify(VERBS)},"shortNames":["wd"],"subresources":[{"subresource":"status","responseKind":{"group":` +
      '"example.com","version":"v1","kind":"Widget"},"verbs":["get","patch","update"]},{"subresource":"scale",' +
      '"responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","patch","update"]}]}],' +
      '"freshness":"Current"}]}',
  );
});

test('built-in resources have an empty group and version in responseKind', () => {
  const [core] = rig().documents.aggregated('api')['items'] as { versions: { resources: JsonObject[] }[] }[];
  const pods = core?.versions[0]?.resources.find(({ resource }) => resource === 'pods');
  expect(pods?.['responseKind']).toEqual({ group: '', version: '', kind: 'Pod' });
});

test('versions are ordered by stage, then by number; other names come last, in order', () => {
  const versions = ['foo10', 'v1alpha1', 'v3beta1', 'v12alpha1', 'v10', 'v2', 'foo1', 'v1', 'v3beta2', 'v11beta2'];
  expect(versions.toSorted(compareKubeVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta2',
    'v3beta1',
    'v12alpha1',
    'v1alpha1',
    'foo1',
    'foo10',
  ]);
});
