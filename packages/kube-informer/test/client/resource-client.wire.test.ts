import { expect, onTestFinished, test } from 'vitest';
import { Cluster } from '../../src/cluster/cluster.ts';
import { body } from './rig/bodies.ts';
import { type Answer, clientRig } from './rig/client-rig.ts';
import { encodeFrame, encodeList, encodeObject, envelope, numberField } from './rig/protobuf-encoder.ts';
import { POD, testPod, type TestObject } from './codec/protobuf/objects.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const protobuf = (bytes: Uint8Array, more: object = {}): Answer => ({
  headers: { 'content-type': PROTOBUF },
  body: body([bytes]),
  ...more,
});
const json = (value: object): Answer => ({ headers: { 'content-type': 'application/json' }, body: value });
const newer = [...encodeObject(testPod('a')), ...numberField(99, 1)];
const asJson = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '1' },
  items: [{ metadata: { name: 'a' }, new: 1 }],
};
const accepts = (transport: { sent: readonly { headers: Readonly<Record<string, unknown>> }[] }): unknown[] =>
  transport.sent.map(({ headers }) => headers['accept']);
const BOTH = `${PROTOBUF},application/json`; // prettier-ignore

test('PKD-05: a built-in kind is requested in protobuf, and the Content-Type decides how the response is read', async () => {
  const { client, transport } = clientRig([protobuf(encodeList(POD, [testPod('a')])), json({ ...asJson, items: [] })]);
  const pods = client.resource('v1/pods');
  expect((await pods.list()).items).toStrictEqual([testPod('a')]);
  expect((await pods.list()).items).toEqual([]);
  expect(accepts(transport)).toEqual([BOTH, BOTH]);
});

test('PKD-05: custom resources, beta versions, single objects and wire: json are requested in JSON', async () => {
  const list = json({ ...asJson, items: [] });
  const { client, transport } = clientRig([list, list, list, json({ kind: 'Pod' })]);
  await client.resource<object>('example.com/v1/widgets').list();
  await client.resource<object>('resource.k8s.io/v1beta1/resourceclaims').list();
  await client.resource('v1/pods').list({ wire: 'json' });
  await client.resource('v1/pods').get('web/a');
  expect(new Set(accepts(transport))).toEqual(new Set(['application/json']));
  await expect(client.resource('v1/pods').list({ wire: 'xml' as 'json' })).rejects.toThrow("option wire: expected 'auto' or 'json'");
}); // prettier-ignore

test('PKD-26: metadata of a custom resource is requested in protobuf too', async () => {
  const type = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
  const { client, transport } = clientRig([protobuf(encodeList(type, [{ ...type, metadata: { name: 'a' } } as object]))]);
  const { items } = await client.resource<object>('example.com/v1/widgets').metadataOnly().list();
  expect(items).toStrictEqual([{ ...type, metadata: { name: 'a' } }]);
  expect(accepts(transport)).toMatchObject([/^application\/vnd.kubernetes.protobuf;as=PartialObjectMetadataList/]);
}); // prettier-ignore

test('PKD-03, PKD-04: an unknown field in a list: the list is read again as JSON, and so is everything after it, with one warning', async () => {
  const { client, transport, env } = clientRig([protobuf(encodeList(POD, [newer])), json(asJson), json(asJson)]);
  const pods = client.resource('v1/pods');
  expect((await pods.list({ limit: 5 })).items).toMatchObject([{ metadata: { name: 'a' }, new: 1 }]);
  await client.resource('v1/pods').list();
  expect(accepts(transport)).toEqual([BOTH, 'application/json', 'application/json']);
  expect(transport.lines.slice(0, 2)).toEqual(['GET /api/v1/pods?limit=5', 'GET /api/v1/pods?limit=5']);
  const warnings = env.lines.filter(({ level }) => level === 'warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({
    fields: { resource: 'v1/pods', type: 'v1, Kind=Pod', message: 'io.k8s.api.core.v1.Pod', field: 99 },
  });
});

test('PKD-03: an unknown field in a watch: the event is not delivered, and the next watch is JSON', async () => {
  const frames = Uint8Array.from([...encodeFrame('ADDED', testPod('a')), ...encodeFrame('MODIFIED', POD, newer)]);
  const { client, transport } = clientRig([protobuf(frames), { headers: { 'content-type': 'application/json' }, body: '' }]);
  const source = client.resource('v1/pods').listWatch();
  const { signal } = new AbortController();
  const seen: string[] = [];
  const failing = (async () => {
    for await (const { type } of source.watch({}, signal)) seen.push(type);
  })();
  await expect(failing).rejects.toMatchObject({ code: 'WATCH_DECODE' });
  expect(seen).toEqual(['ADDED']);
  for await (const { type } of source.watch({}, signal)) seen.push(type);
  expect(accepts(transport)).toEqual([BOTH, 'application/json']);
}); // prettier-ignore

test('PKD-05: an error is a Status in protobuf too', async () => {
  const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'no pods for you', code: 403 };
  const bytes = Uint8Array.from(envelope(status, encodeObject(status)));
  const { client } = clientRig([protobuf(bytes, { status: 403 }), protobuf(Uint8Array.of(1, 2, 3), { status: 403 })]);
  await expect(client.resource('v1/pods').list()).rejects.toMatchObject({
    code: 'API_STATUS',
    message: 'GET /api/v1/pods: no pods for you',
    status: { reason: 'Forbidden', code: 403 },
  });
  await expect(client.resource('v1/pods').list()).rejects.toMatchObject({ status: { reason: 'Forbidden', code: 403 } });
}); // prettier-ignore

test('PKD-05: a response in an unknown format is an error', async () => {
  const { client } = clientRig([{ headers: { 'content-type': 'text/html' }, body: '<html>' }]);
  await expect(client.resource('v1/pods').list()).rejects.toThrow('the server sent text/html instead of JSON');
});

test('PKD-04: an informer whose watch meets an unknown field continues as JSON: no event is lost, none is announced twice', async () => {
  const at = (version: string): TestObject => {
    const pod = testPod('a');
    return { ...pod, metadata: { ...pod.metadata, resourceVersion: version } };
  };
  const newest = [...encodeObject(at('9')), ...numberField(99, 1)];
  const frames = Uint8Array.from([...encodeFrame('MODIFIED', at('8')), ...encodeFrame('MODIFIED', POD, newest)]);
  const line = `${JSON.stringify({ type: 'MODIFIED', object: { ...at('9'), new: 1 } })}\n`;
  const { client, transport, env } = clientRig([
    protobuf(encodeList(POD, [at('7')], '7')),
    protobuf(frames),
    { headers: { 'content-type': 'application/json' }, body: openBody(line) },
  ]);
  const cluster = new Cluster({ client, env, informers: { watchList: false } });
  onTestFinished(() => cluster.close());
  const informer = cluster.informer('v1/pods');
  const seen: string[] = [];
  const note = (what: string) => (event: { readonly object: object }): void => {
    seen.push(`${what} ${(event.object as { metadata: { resourceVersion: string } }).metadata.resourceVersion}`);
  };
  informer.on({ add: note('add'), update: note('update'), delete: note('delete') });
  for (let i = 0; i < 200 && seen.length < 3; i += 1) await env.clock.advance(100);
  expect(seen).toEqual(['add 7', 'update 8', 'update 9']);
  expect(accepts(transport)).toEqual([BOTH, BOTH, 'application/json']);
  expect(transport.lines[2]).toContain('resourceVersion=8');
  expect(informer.get('web/a')).toMatchObject({ new: 1 });
}); // prettier-ignore

/** A body that delivers a text and stays open. */
async function* openBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
  await new Promise(() => undefined);
}
