import { readFileSync } from 'node:fs';
import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { type ApiServerOptions, startApiServer } from '../../src/index.ts';
import { ask } from '../rig/http-client.ts';
import { accepts, asMetadata, binaryFrames, decoded, PROTOBUF } from '../rig/protobuf-client.ts';
import { CONFIG_MAPS, configMap, open, until, watch } from '../rig/stream-client.ts';

const JSON_TYPE = 'application/json';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

const rig = (options: ApiServerOptions = {}) => startApiServer({ tls: false, ...options });

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const widget = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
  spec: { size: 1 },
});

describe('negotiation', () => {
  test('PBS-01: quality and order of Accept decide between JSON and protobuf', async () => {
    await using server = await rig();
    server.load([configMap('a')]);
    const json = (await ask(server, 'GET', `${CONFIG_MAPS}/a`)).body;
    for (const [accept, type] of [
      [PROTOBUF, PROTOBUF],
      [`${PROTOBUF},${JSON_TYPE}`, PROTOBUF],
      [`${JSON_TYPE},${PROTOBUF}`, JSON_TYPE],
      [`${JSON_TYPE};q=0.5,${PROTOBUF}`, PROTOBUF],
      [`${PROTOBUF};q=0.5,${JSON_TYPE};q=0.9`, JSON_TYPE],
      [`*/*`, JSON_TYPE],
      [`*/*,${PROTOBUF}`, PROTOBUF],
      [`${PROTOBUF};stream=watch`, PROTOBUF],
      [`${PROTOBUF};stream=other,${JSON_TYPE}`, JSON_TYPE],
      [`${PROTOBUF};v=v1,${JSON_TYPE}`, JSON_TYPE],
      [`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,${JSON_TYPE}`, JSON_TYPE],
    ]) {
      const answer = await ask(server, 'GET', `${CONFIG_MAPS}/a`, accepts(accept as string));
      expect([answer.status, answer.headers['content-type']], accept).toEqual([200, type]);
      expect(type === JSON_TYPE ? answer.body : decoded(answer.bytes), accept).toEqual(json);
    }
  });

  test('PBS-02: every verb and every failure responds in protobuf', async () => {
    await using server = await rig();
    const call = async (method: string, path: string, body?: unknown, headers = {}) => {
      const answer = await ask(server, method, path, { body, headers: { accept: PROTOBUF, ...headers } });
      expect(answer.headers['content-type'], `${method} ${path}`).toBe(PROTOBUF);
      return { status: answer.status, body: decoded(answer.bytes) };
    };
    const created = await call('POST', CONFIG_MAPS, configMap('a'));
    expect(created).toMatchObject({ status: 201, body: { kind: 'ConfigMap', data: { text: '1' } } });
    expect(await call('PUT', `${CONFIG_MAPS}/a`, configMap('a', '2'))).toMatchObject({ body: { data: { text: '2' } } });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await call('PATCH', `${CONFIG_MAPS}/a`, { data: { text: '3' } }, merge);
    expect(patched).toMatchObject({ body: { data: { text: '3' } } });
    const listed = await call('GET', CONFIG_MAPS);
    expect(listed.body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ data: { text: '3' } }] });
    expect(listed.body.items[0].kind).toBeUndefined();
    const again = await call('POST', CONFIG_MAPS, configMap('a'));
    expect(again).toMatchObject({ status: 409, body: { kind: 'Status', apiVersion: 'v1', reason: 'AlreadyExists' } });
    expect(await call('DELETE', `${CONFIG_MAPS}/a`)).toMatchObject({ body: { kind: 'Status', status: 'Success' } });
    const gone = await call('GET', `${CONFIG_MAPS}/a`);
    expect(gone.body).toEqual((await ask(server, 'GET', `${CONFIG_MAPS}/a`)).body);
    expect(await call('DELETE', CONFIG_MAPS)).toMatchObject({ body: { kind: 'ConfigMapList' } });
    expect(await call('GET', '/api/v1/nosuch')).toMatchObject({ status: 404, body: { kind: 'Status' } });
  });

  test('PBS-03: a custom resource is 406 in protobuf alone, JSON where both are accepted, and metadata in either', async () => {
    await using server = await rig();
    server.load([definition]);
    server.load([widget('a')]);
    for (const [method, path, body] of [
      ['GET', `${WIDGETS}/a`],
      ['GET', WIDGETS],
      ['GET', `${WIDGETS}?watch=true`],
      ['POST', WIDGETS, widget('b')],
      ['DELETE', `${WIDGETS}/a`],
    ] as [string, string, object?][]) {
      const refused = await ask(server, method, path, { body, ...accepts(PROTOBUF) });
      expect(refused.status, `${method} ${path}`).toBe(406);
      expect(decoded(refused.bytes)).toMatchObject({ kind: 'Status', reason: 'NotAcceptable', code: 406 });
    }
    // Nothing was written or deleted by a request that was refused.
    const both = await ask(server, 'GET', WIDGETS, accepts(PROTOBUF, JSON_TYPE));
    expect(both.headers['content-type']).toBe(JSON_TYPE);
    expect(both.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a']);
    for (const [path, list] of [
      [`${WIDGETS}/a`, ''],
      [WIDGETS, 'List'],
    ] as const) {
      const json = await ask(server, 'GET', path, accepts(asMetadata(JSON_TYPE, list)));
      const protobuf = await ask(server, 'GET', path, accepts(asMetadata(PROTOBUF, list)));
      expect(protobuf.headers['content-type']).toBe(PROTOBUF);
      const { items, ...shown } = decoded(protobuf.bytes);
      const { items: expected, ...rest } = json.body;
      expect(shown).toEqual(rest);
      // A message inside another has no kind.
      expect(items).toEqual(
        expected?.map(({ kind: _kind, apiVersion: _apiVersion, ...item }: Record<string, unknown>) => item),
      );
    }
  });

  test('PBS-04: discovery is served in protobuf', async () => {
    await using server = await rig();
    for (const path of ['/api', '/apis', '/api/v1', '/apis/apps', '/apis/apps/v1']) {
      const answer = await ask(server, 'GET', path, accepts(PROTOBUF));
      expect(answer.headers['content-type'], path).toBe(PROTOBUF);
      const { body } = await ask(server, 'GET', path);
      expect(decoded(answer.bytes), path).toEqual({ apiVersion: '', ...body });
    }
  });
});

describe('lists and watches', () => {
  test('PBS-05: a list in protobuf holds what it holds in JSON, page by page', async () => {
    await using server = await rig();
    server.load(Array.from({ length: 300 }, (_, at) => configMap(`c-${at}`, 'ä'.repeat(at * 20))));
    const pages: unknown[][] = [];
    for (const accept of [JSON_TYPE, PROTOBUF]) {
      const read: unknown[] = [];
      let token = '';
      do {
        const page = await ask(server, 'GET', `${CONFIG_MAPS}?limit=170&continue=${token}`, accepts(accept));
        const { metadata, items } = accept === PROTOBUF ? decoded(page.bytes) : page.body;
        read.push({ ...metadata, continue: undefined }, ...items);
        token = encodeURIComponent(metadata.continue ?? '');
      } while (token !== '');
      pages.push(read);
    }
    expect(pages[0]).toHaveLength(302);
    expect(pages[1]).toEqual(pages[0]);
    const whole = await ask(server, 'GET', CONFIG_MAPS, accepts(PROTOBUF));
    expect(whole.bytes.length).toBeGreaterThan(1024 * 1024);
    expect(decoded(whole.bytes)).toEqual({
      ...(await ask(server, 'GET', CONFIG_MAPS)).body,
    });
  });

  test('PBS-06: frames are a length and an event, bookmarks a whole empty object, an expired version an ERROR', async () => {
    const env = fakeEnv();
    await using server = await rig({ env });
    server.load([configMap('a')]);
    const path = `/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=3600`;
    const pods = open(server, path, accepts(`${PROTOBUF},${JSON_TYPE}`));
    await until(() => binaryFrames(pods.bytes()).length === 1);
    expect(pods.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    expect(binaryFrames(pods.bytes())[0]).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: String(server.store.revision),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
        spec: { containers: null },
        status: {},
      },
    });
    server.load([configMap('b')]);
    await env.clock.advance(60_000);
    await until(() => binaryFrames(pods.bytes()).length >= 2);
    pods.close();

    server.history.compact();
    const expired = await ask(server, 'GET', `${CONFIG_MAPS}?watch=true&resourceVersion=1`, accepts(PROTOBUF));
    expect(expired.status).toBe(200);
    expect(binaryFrames(expired.bytes)).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
  });

  test('PBS-06: watches in both encodings see the same events, and those of one encoding the same bytes', async () => {
    await using server = await rig();
    server.load([definition]);
    const json = await watch(server);
    const one = await watch(server, accepts(PROTOBUF));
    const two = await watch(server, accepts(PROTOBUF));
    const metadata = await watch(server, accepts(asMetadata(PROTOBUF)));
    server.load([configMap('a')]);
    server.load([configMap('a', 'ä')]);
    server.local.remove('', 'configmaps', 'default', 'a');
    await until(() => json.frames().length === 3);
    for (const stream of [one, two, metadata]) await until(() => binaryFrames(stream.bytes()).length === 3);
    const shown = binaryFrames(one.bytes()).map(({ type, object }) => ({ type, object }));
    expect(shown).toEqual(json.frames());
    expect(two.bytes().equals(one.bytes())).toBe(true);
    expect(binaryFrames(metadata.bytes()).map(({ object }) => object)).toEqual(
      json.frames().map(({ object }) => ({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: object.metadata,
      })),
    );
    for (const stream of [json, one, two, metadata]) stream.close();
  });

  test('PBS-08: what writes protobuf is loaded by the first client that asks for it', () => {
    const loaded = new Set<string>([new URL('../../src/index.ts', import.meta.url).href]);
    // A Set that grows while it is read is read to its new end.
    for (const file of loaded)
      for (const [, path] of readFileSync(new URL(file), 'utf8').matchAll(/^(?:import|export|\}) .*from '(\..*)';$/gm))
        loaded.add(new URL(path as string, file).href);
    const names = [...loaded].map((file) => file.split('/src/')[1]);
    expect(names).toContain('http/served-watch-stream.ts');
    expect(names.filter((name) => /encode|protobuf-forms|reverse-writer/.test(name as string))).toEqual([]);
  });
});
