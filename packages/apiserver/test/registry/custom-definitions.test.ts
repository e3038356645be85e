import { expect, test } from 'vitest';
import { startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const MERGE = { 'content-type': 'application/merge-patch+json' };

const version = (name: string, fields: readonly string[], served = true) => ({
  name,
  served,
  storage: name === 'v1',
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    },
  },
});

/** A server with a definition of two versions, a watch of each, and a watch of another resource. */
async function rig() {
  const server = await startApiServer({ tls: false });
  const spec = {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [version('v1', ['a']), version('v2', ['a'])],
  };
  await ask(server, 'POST', DEFINITIONS, { body: { metadata: { name: 'widgets.example.com' }, spec } });
  const ended: string[] = [];
  const watch = (path: string, name: string) =>
    void ask(server, 'GET', `${path}?watch=1`).then(
      () => ended.push(name),
      () => ended.push(`${name} was cut`),
    );
  const watchBoth = async () => {
    ended.length = 0;
    watch('/apis/example.com/v1/widgets', 'v1');
    watch('/apis/example.com/v2/widgets', 'v2');
    await server.waitFor({ watches: 2, resource: 'widgets' });
  };
  watch('/api/v1/configmaps', 'config maps');
  await watchBoth();
  const change = (body: object) => ask(server, 'PATCH', DEFINITION, { body, headers: MERGE });
  return { server, ended, watchBoth, change, [Symbol.asyncDispose]: () => server.close() };
}

test('a change of the spec of a definition ends the watches of all its versions, and no others', async () => {
  await using one = await rig();
  await one.change({ spec: { versions: [version('v1', ['a', 'b']), version('v2', ['a'])] } });
  await expect.poll(() => one.ended.toSorted(), { timeout: 60_000 }).toEqual(['v1', 'v2']);
  await one.watchBoth();
  await one.change({ spec: { versions: [version('v1', ['a', 'b']), version('v2', ['a'], false)] } });
  await expect.poll(() => one.ended.toSorted(), { timeout: 60_000 }).toEqual(['v1', 'v2']);
  expect((await ask(one.server, 'GET', '/apis/example.com/v2/widgets')).status).toBe(404);
  expect(one.server.watchers().map(({ resource }) => resource)).toEqual(['configmaps']);
});

test('a change of its names ends them too', async () => {
  await using one = await rig();
  await one.change({ spec: { names: { shortNames: ['w'] } } });
  await expect.poll(() => one.ended.toSorted(), { timeout: 60_000 }).toEqual(['v1', 'v2']);
});

test('labels of a definition, and a spec that is the same, end no watch', async () => {
  await using one = await rig();
  await one.change({ metadata: { labels: { a: 'b' } } });
  await one.change({ spec: { group: 'example.com' } });
  await ask(one.server, 'POST', '/apis/example.com/v1/widgets', {
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } },
  });
  await expect
    .poll(() => one.server.watchers().filter(({ resource, events }) => resource === 'widgets' && events > 0).length, {
      timeout: 60_000,
    })
    .toBe(2);
  expect(one.ended).toEqual([]);
});

test('a deprecated version names the newest version that is not', async () => {
  await using server = await startApiServer({ tls: false });
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = (name: string, more: object) => ({ name, served: true, storage: false, schema, ...more });
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', {
    metadata: { name: 'olds.x.io' },
    spec: {
      group: 'x.io',
      scope: 'Cluster',
      names: { plural: 'olds', kind: 'Old' },
      versions: [
        version('v1beta1', { deprecated: true }),
        version('v1', { storage: true }),
        version('v2', {}),
        version('v3', { deprecated: true }),
      ],
    },
  });
  const warning = async (name: string): Promise<string | undefined> =>
    (await ask(server, 'GET', `/apis/x.io/${name}/olds`)).headers['warning'] as string | undefined;
  expect(await warning('v1beta1')).toBe('299 - "x.io/v1beta1 Old is deprecated; use x.io/v2 Old"');
  expect(await warning('v3')).toBe('299 - "x.io/v3 Old is deprecated"');
  expect(await warning('v1')).toBeUndefined();
});
