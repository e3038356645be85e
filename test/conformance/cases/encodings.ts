import { expect, test } from 'vitest';
import { expectStatus } from '../rig/failures.ts';
import { configMap, type Fixture, lease, ok } from '../rig/fixture.ts';
import { PROTOBUF } from '../rig/protobuf.ts';
import type { Answer, Body } from '../rig/target.ts';

const JSON_TYPE = 'application/json';
const METADATA = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const METADATA_LIST = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** Messages inside another have no kind. */
const withoutKinds = (items: readonly Body[]): object[] =>
  items.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);

/** Cases 110 to 114: the same objects in JSON and in protobuf. */
export function encodingCases(fixture: () => Fixture): void {
  const ask = (f: Fixture, path: string, accept: string): Promise<Answer> =>
    f.http.ask('GET', path, { headers: { accept } });

  async function inProtobuf(f: Fixture, path: string, form = ''): Promise<Body> {
    const answer = await ask(f, path, PROTOBUF + form);
    expect(answer.headers['content-type'], path).toBe(PROTOBUF);
    return ok(answer);
  }

  test('case 110: objects and lists are the same in both encodings', async () => {
    const f = fixture();
    const space = await f.space();
    await f.create(space.configMaps, configMap('a', { k: 'ä😀', __proto__x: '' }, { labels: { b: '1', a: '2' } }));
    await f.create(space.leases, lease('a'));
    await f.createPod(space, 'a', { finalizers: ['example.com/x'], annotations: { long: 'x'.repeat(300) } });
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: {
        containers: [
          { name: 'c', image: 'none', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '0.5' } } },
        ],
      },
    };
    await f.create(space.deployments, {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template,
        replicas: 0,
        strategy: { rollingUpdate: { maxSurge: '50%' } },
      },
    });
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    for (const path of [
      ...[space.configMaps, space.leases, space.pods, space.deployments].flatMap((list) => [list, `${list}/a`]),
      `${crds}/widgets.${f.group}`,
      `/api/v1/namespaces/${space.name}`,
    ]) {
      const json = await ask(f, path, JSON_TYPE);
      // A list has the version of its moment; nothing else changes in a namespace of its own.
      const { metadata, ...rest } = await inProtobuf(f, path);
      const { metadata: shown, ...body } = ok(json);
      expect(rest, path).toEqual(body);
      if (body.items === undefined) expect(metadata, path).toEqual(shown);
    }
  });

  test('case 111: metadata comes in protobuf, also of custom resources', async () => {
    const f = fixture();
    const { widgets } = await f.space();
    const created = await f.create(widgets, f.widget('a', {}, { labels: { x: 'y' } }));
    const one = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: created.metadata };
    expect(await inProtobuf(f, `${widgets}/a`, `;${METADATA}`)).toEqual(one);
    const list = await inProtobuf(f, widgets, `;${METADATA_LIST}`);
    expect(list).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(list.items).toEqual(withoutKinds([one as Body]));
    using watch = await f.http.watch(widgets, {}, { accept: `${PROTOBUF};${METADATA}` });
    expect(watch.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    expect(await watch.next()).toEqual({ type: 'ADDED', object: one });
  });

  test('case 112: quality, order and parameters of Accept choose the encoding', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a'));
    for (const [accept, type] of [
      [`${PROTOBUF},${JSON_TYPE}`, PROTOBUF],
      [`${JSON_TYPE},${PROTOBUF}`, JSON_TYPE],
      [`${PROTOBUF};q=0.5,${JSON_TYPE};q=0.9`, JSON_TYPE],
      [`*/*,${PROTOBUF}`, PROTOBUF],
      ['*/*', JSON_TYPE],
      [`${PROTOBUF};stream=watch`, PROTOBUF],
      [`${PROTOBUF};stream=other,${JSON_TYPE}`, JSON_TYPE],
      [`${PROTOBUF};v=v1,${JSON_TYPE}`, JSON_TYPE],
      [`${PROTOBUF};as=Table;g=meta.k8s.io;v=v1,${JSON_TYPE}`, JSON_TYPE],
    ] as const) {
      const answer = await ask(f, `${configMaps}/a`, accept);
      expect([answer.status, answer.headers['content-type']], accept).toEqual([200, type]);
    }
    for (const form of ['as=Table;g=meta.k8s.io;v=v1', 'stream=other', 'as=Pod;g=;v=v1'])
      expect((await ask(f, `${configMaps}/a`, `${PROTOBUF};${form}`)).status, form).toBe(406);
  });

  test('case 113: watches in both encodings have the same events', async () => {
    const f = fixture();
    const { leases } = await f.space();
    const { resourceVersion } = (await f.get(leases)).metadata;
    using json = await f.http.watch(leases, { resourceVersion }, { accept: JSON_TYPE });
    using protobuf = await f.http.watch(leases, { resourceVersion }, { accept: `${PROTOBUF},${JSON_TYPE}` });
    expect(protobuf.headers['content-type']).toBe(`${PROTOBUF};stream=watch`);
    await f.create(leases, lease('a', { labels: { k: 'v' } }));
    await f.merge(`${leases}/a`, { spec: { holderIdentity: 'é', renewTime: '2024-02-03T04:05:06.000007Z' } });
    await f.remove(`${leases}/a`);
    expect(await protobuf.take(3)).toEqual(await json.take(3));
  });

  test('case 114: failures come in protobuf, and a custom resource that cannot be sent is not written', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    const missing = await ask(f, `${configMaps}/nope`, PROTOBUF);
    expect(missing.headers['content-type']).toBe(PROTOBUF);
    expectStatus(missing.body, 404, 'NotFound', { details: { name: 'nope', kind: 'configmaps' } });
    const refused = await f.http.ask('POST', widgets, { body: f.widget('a'), headers: { accept: PROTOBUF } });
    expect(refused.status).toBe(406);
    expectStatus(refused.body, 406, 'NotAcceptable', { message: /application\/vnd\.kubernetes\.protobuf$/ });
    expect((await f.get(widgets)).items).toEqual([]);
    const stream = await ask(f, `${widgets}?watch=true`, PROTOBUF);
    expectStatus(stream.body, 406, 'NotAcceptable', { message: /application\/vnd\.kubernetes\.protobuf$/ });
  });
}
