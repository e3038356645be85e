import { gunzipSync } from 'node:zlib';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import type { GarbageName } from '../../src/faults/rules/rule.ts';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { CONFIG_MAPS, configMap, open, until } from '../rig/stream-client.ts';

const rig = async (options: ApiServerOptions = {}) => {
  const server = await startApiServer({ tls: false, ...options });
  server.load(['a', 'b', 'c', 'd'].map((name) => configMap(name)));
  return server;
};

const list = (server: ApiServer, more = '') => ask(server, 'GET', CONFIG_MAPS + more);

describe('failures', () => {
  test.each([
    [401, 'Unauthorized', 'Unauthorized'],
    [
      403,
      'Forbidden',
      'configmaps is forbidden: User "admin" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ],
    [404, 'NotFound', 'the server could not find the requested resource'],
    [410, 'Expired', 'The resourceVersion for the provided list is too old.'],
    [429, 'TooManyRequests', 'Too many requests, please try again later.'],
    [500, 'InternalError', 'Internal error occurred: etcdserver: request timed out'],
    [503, 'ServiceUnavailable', 'the server is currently unable to handle the request'],
    [504, 'Timeout', 'Timeout: request did not complete within the allotted timeout'],
  ])('%i with the Status of a real server', async (status, reason, message) => {
    await using server = await rig();
    server.faults.failRequests({ status });
    const answer = await list(server);
    expect([answer.status, answer.body.kind, answer.body.code]).toEqual([status, 'Status', status]);
    expect([answer.body.reason, answer.body.message]).toEqual([reason, message]);
  });

  test('429 as a Status or a line of text, with and without Retry-After, in seconds and as a date', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.tooManyRequests({ plain: true, retryAfterSeconds: 1 });
    const plain = await list(server);
    expect([plain.status, plain.headers['retry-after'], plain.text]).toEqual([
      429,
      '1',
      'Too many requests, please try again later.\n',
    ]);
    server.faults.tooManyRequests();
    expect((await list(server)).headers).not.toHaveProperty('retry-after');
    server.faults.tooManyRequests({ retryAfterSeconds: 7 });
    const status = await list(server);
    expect([status.headers['retry-after'], status.body.details.retryAfterSeconds]).toEqual(['7', 7]);
    server.faults.failRequests({ status: { code: 429, retryAfterSeconds: 10, retryAfterDate: true } });
    expect((await list(server)).headers['retry-after']).toBe('Tue, 14 Nov 2023 22:13:30 GMT');
  });

  test('an HTML page of a proxy, `times` times', async () => {
    await using server = await rig();
    server.faults.failRequests({ status: 502, html: true, times: 2 });
    const first = await list(server);
    expect([first.status, first.headers['content-type']]).toEqual([502, 'text/html']);
    expect(first.text).toContain('<h1>502 Bad Gateway</h1>');
    expect([(await list(server)).status, (await list(server)).status]).toEqual([502, 200]);
  });

  test('403 on the watch only, and 404 for a whole resource', async () => {
    await using server = await rig();
    server.faults.failRequests({ status: 403, times: Infinity, match: { verb: 'watch' } });
    server.faults.failRequests({ status: 404, times: Infinity, match: { resource: 'pods' } });
    expect((await list(server)).status).toBe(200);
    expect((await list(server, '?watch=true')).status).toBe(403);
    expect((await ask(server, 'GET', '/api/v1/pods')).status).toBe(404);
  });

  test('caches that are not ready', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.initializing(3000);
    const { status, body } = await list(server);
    expect([status, body.message]).toEqual([429, 'storage is (re)initializing']);
    await env.clock.advance(3000);
    expect((await list(server)).status).toBe(200);
  });

  test('repeated conflicts', async () => {
    await using server = await rig();
    server.faults.conflicts({ times: 2, match: { name: 'a' } });
    const put = () => ask(server, 'PUT', `${CONFIG_MAPS}/a`, { body: configMap('a', '2') });
    const first = await put();
    expect(first.body.message).toBe(
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect([first.status, (await put()).status, (await put()).status]).toEqual([409, 409, 200]);
  });

  test('a storage that refuses all writes', async () => {
    await using server = await rig();
    const match = { resource: 'configmaps', verb: 'update' };
    server.faults.add({ match, at: 'write', times: 2, do: { status: { code: 500, message: 'etcdserver: no space' } } });
    const answer = await ask(server, 'PUT', `${CONFIG_MAPS}/a`, { body: configMap('a', '2') });
    expect([answer.status, answer.body.message]).toEqual([500, 'etcdserver: no space']);
    expect(() => server.local.update('', 'configmaps', configMap('a', '3'))).toThrow('no space');
    expect(server.local.update('', 'configmaps', configMap('a', '4'))).toMatchObject({ data: { text: '4' } });
    await server.idle();
    expect(server.requests.at(-1)?.fault).toContain('status');
  });
});

describe('lists', () => {
  const pages = async (server: ApiServer) => {
    const first = await list(server, '?limit=2');
    return list(server, `?limit=2&continue=${first.body.metadata.continue}`);
  };

  test('410 on a page, with and without a token to continue with', async () => {
    await using server = await rig();
    server.faults.add({ match: { query: { continue: '*' } }, do: { status: 410 } });
    const without = await pages(server);
    expect([without.status, without.body.metadata]).toEqual([410, {}]);
    server.faults.add({ match: { query: { continue: '*' } }, do: { status: { code: 410, continue: true } } });
    const token = (await pages(server)).body.metadata.continue;
    expect(
      (await list(server, `?continue=${token}`)).body.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      ),
    ).toEqual(['c', 'd']);
  });

  test('a failure on the second page', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'list', query: { continue: '*' }, nth: 1 }, do: { status: 500 } });
    expect((await pages(server)).status).toBe(500);
    expect((await pages(server)).status).toBe(200);
  });

  test('an item more, an item less, no version, no pages', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'list' }, do: { list: 'duplicate-item' } });
    expect((await list(server)).body.items).toHaveLength(5);
    server.faults.add({ match: { verb: 'list' }, do: { list: 'missing-item' } });
    expect((await list(server)).body.items).toHaveLength(3);
    server.faults.add({ match: { verb: 'list' }, do: { list: 'no-resource-version' } });
    expect((await list(server)).body.metadata.resourceVersion).toBe('');
    server.faults.add({ match: { verb: 'list' }, do: { query: { limit: null } } });
    expect((await list(server, '?limit=2')).body.items).toHaveLength(4);
  });

  test('any other body, and any other header', async () => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'list' }, do: { body: (value) => ({ ...value, items: null }) } });
    server.faults.add({ match: { verb: 'list' }, do: { headers: { date: 'yesterday', 'audit-id': null } } });
    const answer = await list(server);
    expect(answer.body.items).toBeNull();
    expect(answer.headers['date']).toBe('yesterday');
    expect(answer.headers).not.toHaveProperty('audit-id');
  });
});

describe('invalid bodies', () => {
  const garbled = async (garbage: GarbageName) => {
    await using server = await rig();
    server.faults.add({ match: { verb: 'list' }, do: { garbage } });
    const stream = open(server, CONFIG_MAPS);
    await until(() => stream.outcome !== undefined);
    return stream;
  };

  test.each<[GarbageName, string]>([
    ['empty', ''],
    ['empty-lines', '\n\n\n'],
    ['null', 'null'],
    ['empty-object', '{}'],
  ])('%s', async (garbage, expected) => {
    const stream = await garbled(garbage);
    expect([stream.status, stream.outcome, stream.text()]).toEqual([200, 'end', expected]);
  });

  test('half of a body, with a correct end or with a larger content-length', async () => {
    const half = await garbled('truncated-json');
    expect(half.outcome).toBe('end');
    expect(() => JSON.parse(half.text())).toThrow();
    const promised = await garbled('long-content-length');
    expect(promised.outcome).toBe('ECONNRESET');
    expect(JSON.parse(promised.text()).items).toHaveLength(4);
  });

  test('of another content type, of another kind, without metadata or with an invalid version', async () => {
    expect((await garbled('wrong-content-type')).headers['content-type']).toBe('text/plain; charset=utf-8');
    expect((await garbled('html')).headers['content-type']).toBe('text/html');
    expect(JSON.parse((await garbled('wrong-kind')).text()).kind).toBe('Nonsense');
    expect(JSON.parse((await garbled('no-metadata')).text())).not.toHaveProperty('metadata');
    expect(JSON.parse((await garbled('no-resource-version')).text()).metadata.resourceVersion).toBe('');
    expect(JSON.parse((await garbled('bad-resource-version')).text()).metadata.resourceVersion).toBe('x1');
  });

  test('compressed in two members (legal) and with broken compression (illegal)', async () => {
    const twice = await garbled('multi-member-gzip');
    expect(twice.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(twice.bytes()).toString()).items).toHaveLength(4);
    const broken = await garbled('corrupt-gzip');
    expect(() => gunzipSync(broken.bytes())).toThrow();
  });

  test.each<GarbageName>(['random-bytes', 'bom', 'nan', 'deep', 'huge'])('%s', async (garbage) => {
    const stream = await garbled(garbage);
    expect(stream.bytes().length).toBeGreaterThan(20);
    if (garbage !== 'huge' && garbage !== 'deep') expect(() => JSON.parse(stream.text())).toThrow();
  });
});

describe('other servers', () => {
  const sendInitialEvents =
    '?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  test('1.33 refuses streaming lists with its message', async () => {
    await using server = await rig();
    await using real = await rig({ watchList: false });
    const undo = server.faults.withoutWatchList();
    const [ours, theirs] = [await list(server, sendInitialEvents), await list(real, sendInitialEvents)];
    expect([ours.status, ours.body.reason, ours.body.message]).toEqual([422, 'Invalid', theirs.body.message]);
    expect((await ask(server, 'GET', '/version')).body.minor).toBe('33');
    undo.remove();
    expect((await list(server, `${sendInitialEvents}&timeoutSeconds=1`)).status).toBe(200);
  });

  test('1.20 has no aggregated discovery and no OpenAPI v3', async () => {
    await using server = await rig();
    server.faults.emulate('1.20');
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    expect((await ask(server, 'GET', '/apis', { headers: { accept } })).body.kind).toBe('APIGroupList');
    expect((await ask(server, 'GET', '/openapi/v3')).status).toBe(404);
    expect((await list(server, sendInitialEvents)).status).toBe(422);
    const create = await ask(server, 'POST', `${CONFIG_MAPS}?fieldValidation=Strict`, {
      body: { metadata: { name: 'n' }, nonsense: 1 },
    });
    expect(create.status).toBe(201);
  });

  test('1.15 ignores all newer parameters', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.faults.emulate('1.15');
    const stream = open(server, `${CONFIG_MAPS}${sendInitialEvents}`);
    await until(() => stream.frames().length === 4);
    await env.clock.advance(200_000);
    expect(stream.frames().every(({ type }) => type === 'ADDED')).toBe(true);
    stream.close();
  });

  test('without tables, compression, PartialObjectMetadata or resourceVersionMatch', async () => {
    await using server = await rig();
    server.load([configMap('big', 'x'.repeat(200_000))]);
    server.faults.emulate('no-tables');
    server.faults.emulate('no-gzip');
    server.faults.emulate('no-metadata-only');
    server.faults.emulate('no-version-match');
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const answer = await ask(server, 'GET', CONFIG_MAPS, { headers: { accept: table, 'accept-encoding': 'gzip' } });
    expect([answer.body.kind, answer.headers['content-encoding']]).toEqual(['ConfigMapList', undefined]);
    const bare = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    expect((await ask(server, 'GET', CONFIG_MAPS, { headers: { accept: bare } })).status).toBe(406);
    expect((await list(server, '?resourceVersionMatch=Exact')).status).toBe(200);
    expect(() => server.faults.emulate('0.9' as '1.33')).toThrow('emulate: expected one of');
  });
});
