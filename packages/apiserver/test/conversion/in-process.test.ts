import { expect, test } from 'vitest';
import { type ApiObject, type ApiServer, startApiServer } from '../../src/index.ts';
import { type Answer, ask } from '../rig/http-client.ts';

const GROUP = 'stable.example.com';
const NAME = `crontabs.${GROUP}`;
const at = (version: string, name = ''): string =>
  `/apis/${GROUP}/${version}/namespaces/default/crontabs${name === '' ? '' : `/${name}`}`;

const version = (name: string, storage: boolean, properties: object) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
  },
}); // prettier-ignore

const definition = (stored: 'v1' | 'v2' = 'v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
    versions: [
      version('v1', stored === 'v1', { hostPort: { type: 'string' } }),
      version('v2', stored === 'v2', { host: { type: 'string' }, port: { type: 'string' } }),
    ],
  },
});

/** v1 has `hostPort`, v2 `host` and `port`. */
function convert(object: ApiObject, to: string): void {
  const spec = object['spec'] as { hostPort?: string; host?: string; port?: string } | undefined;
  if (spec === undefined) return;
  if (to.endsWith('/v2')) {
    const [host = '', port = ''] = (spec.hostPort ?? '').split(':');
    object['spec'] = { host, port };
  } else object['spec'] = { hostPort: `${spec.host}:${spec.port}` };
}

const crontab = (name: string, apiVersion: string, spec: object) => ({
  apiVersion: `${GROUP}/${apiVersion}`,
  kind: 'CronTab',
  metadata: { name },
  spec,
});

async function define(server: ApiServer, stored?: 'v1' | 'v2'): Promise<void> {
  const answer = await ask(server, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: definition(stored),
  });
  expect(answer.status).toBe(201);
}

const post = (server: ApiServer, name: string, v: string, spec: object): Promise<Answer> =>
  ask(server, 'POST', at(v), { body: crontab(name, v, spec) });

/** A function that answers at once, and one that has to be waited for. */
const ways = [
  ['at once', convert],
  [
    'later',
    async (object: ApiObject, to: string): Promise<void> => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      convert(object, to);
    },
  ],
] as const;

test.each(ways)('a function converts reads, lists and writes (%s)', async (_, way) => {
  await using server = await startApiServer({ tls: false });
  using hook = server.conversion({ on: NAME, convert: way });
  await define(server);
  const made = await post(server, 'a', 'v2', { host: 'h', port: '1' });
  expect(made.body).toMatchObject({ apiVersion: `${GROUP}/v2`, spec: { host: 'h', port: '1' } });
  expect((await ask(server, 'GET', at('v1', 'a'))).body.spec).toEqual({ hostPort: 'h:1' });
  expect((await post(server, 'b', 'v1', { hostPort: 'i:2' })).status).toBe(201);
  const list = (await ask(server, 'GET', at('v2'))).body as { items: { spec: object }[] };
  expect(list.items.map(({ spec }) => spec)).toEqual([
    { host: 'h', port: '1' },
    { host: 'i', port: '2' },
  ]);

  const patched = await ask(server, 'PATCH', at('v2', 'b'), {
    body: { spec: { port: '3' } },
    headers: { 'content-type': 'application/merge-patch+json' },
  });
  expect(patched.body.spec).toEqual({ host: 'i', port: '3' });
  expect((await ask(server, 'GET', at('v1', 'b'))).body.spec).toEqual({ hostPort: 'i:3' });
  const status = await ask(server, 'PUT', `${at('v2', 'b')}/status`, {
    body: { ...(patched.body as object), status: { n: 1 } },
  });
  expect(status.body).toMatchObject({ spec: { host: 'i', port: '3' }, status: { n: 1 } });
  const same = await ask(server, 'PUT', at('v2', 'b'), { body: status.body as object });
  expect(same.body.metadata.resourceVersion).toBe(status.body.metadata.resourceVersion);
  expect((await ask(server, 'DELETE', at('v2', 'b'))).status).toBe(200);
  expect(hook.calls).toBeGreaterThan(4);
});

test.each(ways)('owners of fields are known in every version (%s)', async (_, way) => {
  await using server = await startApiServer({ tls: false });
  using _hook = server.conversion({ on: NAME, convert: way });
  await define(server);
  const apply = (v: string, manager: string, spec: object): Promise<Answer> =>
    ask(server, 'PATCH', `${at(v, 'a')}?fieldManager=${manager}`, {
      body: crontab('a', v, spec),
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
  expect((await apply('v1', 'one', { hostPort: 'h:1' })).status).toBe(201);
  const refused = await apply('v2', 'two', { host: 'other' });
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('conflict with "one": .spec.hostPort');
});

test.each(ways)('a watch of another version sees every change in its order (%s)', async (_, way) => {
  await using server = await startApiServer({ tls: false });
  using _hook = server.conversion({ on: NAME, convert: way });
  await define(server);
  await post(server, 'a', 'v1', { hostPort: 'h:0' });
  const response = await fetch(`${server.url}${at('v2')}?watch=true`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  for (let port = 1; port <= 20; port += 1)
    await ask(server, 'PATCH', at('v1', 'a'), {
      body: { spec: { hostPort: `h:${port}` } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  await ask(server, 'DELETE', at('v1', 'a'));
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (/"DELETED".*\n/.test(text)) break;
  }
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; object: { apiVersion: string; spec: { port: string } } });
  expect(events.map(({ object }) => object.spec.port)).toEqual([...Array.from({ length: 21 }, (_x, i) => String(i)), '20']);
  expect(events.map(({ type }) => type)).toEqual(['ADDED', ...Array.from({ length: 20 }, () => 'MODIFIED'), 'DELETED']);
  expect(new Set(events.map(({ object }) => object.apiVersion))).toEqual(new Set([`${GROUP}/v2`]));
}); // prettier-ignore

test('objects stay in the version in which they were stored', async () => {
  await using server = await startApiServer({ tls: false });
  using _hook = server.conversion({ on: NAME, convert });
  await define(server);
  await post(server, 'a', 'v1', { hostPort: 'h:1' });
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;
  const found = (await ask(server, 'GET', path)).body;
  expect((await ask(server, 'PUT', path, { body: { ...found, spec: definition('v2').spec } })).status).toBe(200);
  await post(server, 'b', 'v1', { hostPort: 'i:2' });
  const specs = async (v: string): Promise<object[]> =>
    ((await ask(server, 'GET', at(v))).body as { items: { spec: object }[] }).items.map(({ spec }) => spec);
  expect(await specs('v2')).toEqual([
    { host: 'h', port: '1' },
    { host: 'i', port: '2' },
  ]);
  expect(await specs('v1')).toEqual([{ hostPort: 'h:1' }, { hostPort: 'i:2' }]);
});

test('a definition whose objects are converted can be deleted, and code of the process reads them as stored', async () => {
  await using server = await startApiServer({ tls: false, controllers: ['garbageCollector', 'namespaces'] });
  using _hook = server.conversion({ on: NAME, convert: ways[1][1] });
  await define(server, 'v2');
  await post(server, 'a', 'v1', { hostPort: 'h:1' });
  expect(server.local.get(GROUP, 'crontabs', 'default', 'a')).toMatchObject({
    apiVersion: `${GROUP}/v2`,
    spec: { host: 'h', port: '1' },
  });
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;
  expect((await ask(server, 'DELETE', path)).status).toBe(200);
  expect((await ask(server, 'GET', path)).status).toBe(404);
});

test('options that lead nowhere are refused', async () => {
  await using server = await startApiServer({ tls: false });
  expect(() => server.conversion({ convert })).toThrow(/expected on/);
  expect(() => server.conversion({ on: NAME })).toThrow(/either convert or review/);
});
