import { isDeepStrictEqual } from 'node:util';
import * as table from '@kube-informer/kubernetes/protobuf';
import { kinds } from '@kube-informer/kubernetes/kinds';
import { expect, test } from 'vitest';
import {
  decodeListOf,
  type InnerStreamOptions,
  type ListStreamOptions,
} from '../../../../src/client/codec/list-stream.ts';
import { protobufFormatOf } from '../../../../src/client/codec/protobuf/protobuf-format.ts';
import {
  decodePortableTextAtWireCursor,
  decodeWireText,
  WireCursor,
} from '../../../../src/client/codec/protobuf/wire-cursor.ts';
import { decodeWatchStreamOf } from '../../../../src/client/codec/watch-stream.ts';
import { unreadableCause } from '../../../../src/core/object/unreadable.ts';
import { body, collect } from '../../rig/bodies.ts';
import {
  encodeFrame,
  encodeList,
  encodeMessage,
  encodeObject,
  envelope,
  lengthField,
  numberField,
  varint,
} from '../../rig/protobuf-encoder.ts';
import { POD, testPod } from './objects.ts'; // prettier-ignore

const format = protobufFormatOf(table);

type Options = ListStreamOptions<object> & InnerStreamOptions<object>;

const decode = (chunks: Iterable<Uint8Array>, options: Options = {}, wire = format) =>
  decodeListOf<object>(wire, body(chunks), options);

const events = (chunks: Iterable<Uint8Array>, options: object = {}, wire = format) =>
  collect(decodeWatchStreamOf<object>(wire, body(chunks), options));

function* cutAt(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test('PKD-01: a list of pods in protobuf equals its JSON', async () => {
  const pods = [testPod('a'), testPod('b', { status: {} })];
  const list = await decode([encodeList(POD, pods, '42')]);
  const expected = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '42' }, items: pods };
  expect(isDeepStrictEqual(list, expected)).toBe(true);
});

test('PKD-01: every stable kind that can be listed is in the table', () => {
  const known = new Set(Object.keys(table.protobufKinds));
  const listed = kinds.filter(({ verbs, version }) => verbs.includes('list') && /^v\d+$/.test(version));
  expect(listed.length).toBeGreaterThan(40);
  const missing = listed
    .map(({ group, version, kind }) => (group === '' ? `${version}/${kind}` : `${group}/${version}/${kind}`))
    .filter((name) => !known.has(name));
  expect(missing).toEqual([]);
});

test('PKA-17: every chunk boundary of a list gives the same result', async () => {
  const bytes = encodeList(POD, [testPod('a'), testPod('b')]);
  const whole = await decode([bytes]);
  for (let at = 0; at <= bytes.length; at += 1)
    expect(isDeepStrictEqual(await decode([bytes.slice(0, at), bytes.slice(at)]), whole), `cut at ${at}`).toBe(true);
  expect(await decode(cutAt(bytes, 1))).toEqual(whole);
  expect(await decode(cutAt(bytes, 7))).toEqual(whole);
});

test('PKA-17: every chunk boundary of a watch gives the same events', async () => {
  const frames = [
    encodeFrame('ADDED', testPod('a')),
    encodeFrame('BOOKMARK', { ...POD, metadata: { resourceVersion: '9' } } as object),
    encodeFrame('DELETED', testPod('b')),
  ];
  const bytes = Uint8Array.from(frames.flatMap((frame) => [...frame]));
  const whole = await events([bytes]);
  expect(whole.values.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'DELETED']);
  expect(isDeepStrictEqual(whole.values[0]?.object, testPod('a'))).toBe(true);
  for (let at = 0; at <= bytes.length; at += 1) {
    const cut = await events([bytes.slice(0, at), bytes.slice(at)]);
    expect(isDeepStrictEqual(cut, whole), `cut at ${at}`).toBe(true);
  }
});

test('PKA-17: a frame after others is read as the first one, however it is written, and so is a broken one', async () => {
  const pod = testPod('a');
  const text = (value: string): number[] => [...new TextEncoder().encode(value)];
  const inEnvelope = envelope(pod, encodeObject(pod));
  const event = (...fields: (readonly number[])[]): Uint8Array => {
    const bytes = Uint8Array.from([0, 0, 0, 0, ...fields.flat()]);
    new DataView(bytes.buffer).setUint32(0, bytes.length - 4);
    return bytes;
  };
  const [type, object] = [lengthField(1, text('MODIFIED')), lengthField(2, lengthField(1, inEnvelope))];
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', resourceVersion: '3' } };
  const raw = encodeObject(pod);
  const written = [
    event(type, object),
    event(object, type),
    event(type, object, lengthField(9, [1])),
    event(type, lengthField(2, [...lengthField(1, inEnvelope), ...lengthField(7, [])])),
    event(type, lengthField(2, lengthField(1, inEnvelope.slice(0, -4)))),
    event(type, lengthField(2, lengthField(1, [...inEnvelope.slice(0, -4), ...lengthField(3, text('x'))]))),
    event(type, lengthField(2, lengthField(1, [...inEnvelope, ...lengthField(2, encodeObject(testPod('later')))]))),
    encodeFrame('MODIFIED', service),
    encodeFrame('UNKNOWN', pod),
    encodeFrame('MODIFIED', pod, [...raw.slice(0, -3), 0x7a, 0x7f]),
    event(type, lengthField(2, lengthField(1, [0x6b, 0x38, 0x74, ...inEnvelope.slice(3)]))),
    event(lengthField(1, text('MODIFIED')).slice(0, 4), object),
  ];
  for (const [i, frame] of written.entries()) {
    const alone = await events([frame], { unreadable: 'throw' });
    const after = await events([encodeFrame('ADDED', pod), frame], { unreadable: 'throw' });
    expect(isDeepStrictEqual(after.values.slice(1), alone.values), `frame ${i}`).toBe(true);
    expect(after.error === undefined, `frame ${i}`).toBe(alone.error === undefined);
    if (alone.error !== undefined) expect(after.error, `frame ${i}`).toMatchObject({ code: 'WATCH_DECODE' });
  }
  expect(isDeepStrictEqual((await events([written[0] as Uint8Array])).values[0]?.object, pod)).toBe(true);
});

test('PKA-12, PKD-03: a field that the table does not have is never dropped: the list and the watch fail and name it', async () => {
  const without = (message: string, line: RegExp): typeof format =>
    protobufFormatOf({
      ...table,
      protobufMessages: {
        ...table.protobufMessages,
        [message]: (table.protobufMessages[message] as string[]).filter((each) => !line.test(each)),
      },
    });
  const older = without('io.k8s.api.core.v1.PodSpec', / nodeName\?/);
  const received: unknown[] = [];
  const onUnknown = (...args: unknown[]): void => void received.push(args);
  await expect(decode([encodeList(POD, [testPod('a')])], { onUnknown, unreadable: 'mark' }, older)).rejects.toThrow(
    'the list cannot be read: io.k8s.api.core.v1.PodSpec has no field 10',
  );
  const { values, error } = await events([encodeFrame('ADDED', testPod('a'))], { onUnknown, unreadable: 'mark' }, older);
  expect([values, (error as { code: string }).code]).toEqual([[], 'WATCH_DECODE']);
  const field = { message: 'io.k8s.api.core.v1.PodSpec', field: 10 };
  expect(received).toEqual([[POD, field], [POD, field]]);
}); // prettier-ignore

test.each([
  ['at the top', [...encodeObject(testPod('a')), ...numberField(99, 1)], 'io.k8s.api.core.v1.Pod', 99],
  ['with another wire type', [...encodeObject(testPod('a')), ...numberField(2, 1)], 'io.k8s.api.core.v1.Pod', 2],
  ['in managedFields', lengthField(1, lengthField(17, numberField(30, 1))), 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry', 30],
  ['in a time', lengthField(1, lengthField(8, numberField(3, 1))), 'io.k8s.apimachinery.pkg.apis.meta.v1.Time', 3],
  ['in an entry of a map', lengthField(1, lengthField(11, lengthField(3, []))), 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.labels', 3],
])('PKD-03: an unknown field %s is found', async (_, item, message, field) => {
  const received: unknown[] = [];
  const onUnknown = (...args: unknown[]): void => void received.push(args);
  await expect(decode([encodeList(POD, [item])], { onUnknown })).rejects.toMatchObject({ code: 'LIST_INVALID' });
  expect(received).toEqual([[POD, { message, field }]]);
}); // prettier-ignore

test('PKD-03: a kind that the table does not have is refused before its items arrive', async () => {
  const received: unknown[] = [];
  const type = { apiVersion: 'example.com/v1', kind: 'Widget' };
  const failing = decode([encodeList(type, [[]])], { onUnknown: (...args) => void received.push(args) });
  await expect(failing).rejects.toMatchObject({ code: 'LIST_INVALID' });
  expect(received).toEqual([[type, undefined]]);
});

test('PKD-06: zero and absence are shown as Go shows them', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
  const [empty] = (await decode([encodeList(role, [[]])])).items;
  expect(empty).toStrictEqual({ ...role, rules: null });
  const event = { apiVersion: 'v1', kind: 'Event' };
  const given = {
    ...event,
    metadata: { name: 'e' },
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: '2026-01-31T08:05:52Z',
    eventTime: '2026-01-31T08:05:52.000120Z',
    reportingComponent: '',
    reportingInstance: '',
  };
  const [decoded] = (await decode([encodeList(event, [given])])).items;
  expect(decoded).toStrictEqual(given);
});

test('PKD-07: numbers beyond 2^53 round as in JSON, negative ones have ten bytes', () => {
  for (const value of [0n, 127n, 128n, 2n ** 49n, 2n ** 53n + 1n, 2n ** 63n - 1n, -1n, -(2n ** 63n)]) {
    const bytes = Uint8Array.from(varint(value));
    expect(new WireCursor(bytes, 0).varint(bytes.length)).toBe(JSON.parse(String(value)));
  }
  expect(varint(-1n)).toHaveLength(10);
});

test('PKD-07: a map key named __proto__ is an own property', async () => {
  const entry = lengthField(11, [...lengthField(1, [...Buffer.from('__proto__')]), ...lengthField(2, [0x78])]);
  const [pod] = (await decode([encodeList(POD, [lengthField(1, entry)])])).items as { metadata: { labels: object } }[];
  const labels = (pod as { metadata: { labels: object } }).metadata.labels;
  expect(Object.entries(labels)).toEqual([['__proto__', 'x']]);
  expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
});

test('PKD-08: claims inside a StatefulSet get their type back', async () => {
  const type = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
  expect(table.protobufEmbeddedKinds).toEqual({
    'io.k8s.api.apps.v1.StatefulSetSpec/volumeClaimTemplates': 'v1/PersistentVolumeClaim',
  });
  const set = { ...type, spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } };
  const [decoded] = (await decode([encodeList(type, [set])])).items;
  expect(decoded).toMatchObject({
    spec: { volumeClaimTemplates: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } }] },
  });
});

test('PKD-09: a declared length above the limit is refused before its bytes arrive', async () => {
  const bytes = encodeList(POD, [testPod('a')]);
  await expect(decode([bytes], { maxItemBytes: 100 })).rejects.toThrow(/longer than 100 bytes \(option maxItemBytes\)/);
  await expect(decode([bytes], { maxBytes: 100 })).rejects.toThrow(/longer than 100 bytes \(option maxBytes/);
  await expect(decode([encodeList(POD, [[], [], []])], { maxItems: 2 })).rejects.toThrow(/more than 2 items/);
  const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff);
  expect((await events([huge])).error).toMatchObject({ code: 'WATCH_DECODE' });
});

test('PKD-09: an item or a frame that is too long is marked, and the others are read', async () => {
  const long = testPod('long', { spec: { nodeName: 'n'.repeat(100_000) } });
  const options = { unreadable: 'mark', maxItemBytes: 50_000, maxFrameBytes: 50_000 } as const;
  const { items } = await decode([encodeList(POD, [testPod('a'), long, testPod('b')])], options);
  expect(items.map((item) => unreadableCause(item)?.code)).toEqual([undefined, 'LIST_INVALID', undefined]);
  expect(items[1]).toMatchObject({ ...POD, metadata: { name: 'long', namespace: 'web', resourceVersion: '7' } });
  const frames = [
    encodeFrame('ADDED', testPod('a')),
    encodeFrame('MODIFIED', long),
    encodeFrame('ADDED', testPod('b')),
  ];
  const { values, error } = await events(frames, options);
  expect(error).toBeUndefined();
  expect(values.map(({ object }) => unreadableCause(object)?.code)).toEqual([undefined, 'WATCH_DECODE', undefined]);
  expect(values[1]).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'long', uid: 'uid-long' } } });
});

test('PKD-09: JSON inside protobuf has the same maximum depth as other JSON', async () => {
  const type = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };
  const deep = JSON.parse(`${'{"a":'.repeat(1_200)}1${'}'.repeat(1_200)}`) as object;
  const bytes = encodeList(type, [
    { ...type, metadata: { name: 'a', resourceVersion: '1' }, data: deep, revision: 1 } as object,
  ]);
  await expect(decode([bytes])).rejects.toThrow('the JSON inside it is nested too deep');
  const { items } = await decode([bytes], { unreadable: 'mark' });
  expect(unreadableCause(items[0])?.code).toBe('LIST_INVALID');
});

test('PKD-10: a list or a frame that is cut short is TRANSPORT, a malformed one is not', async () => {
  const bytes = encodeList(POD, [testPod('a')]);
  for (const length of [1, 4, 20, 60, bytes.length - 1])
    await expect(decode([bytes.slice(0, length)])).rejects.toMatchObject({ code: 'TRANSPORT' });
  await expect(decode([])).rejects.toMatchObject({ code: 'LIST_INVALID' });
  await expect(decode([Uint8Array.from(Buffer.from('{"kind":"PodList"}'))])).rejects.toMatchObject({ code: 'LIST_INVALID' });
  const frame = encodeFrame('ADDED', testPod('a'));
  for (const length of [1, 3, 4, 50, frame.length - 1])
    expect((await events([frame.slice(0, length)])).error).toMatchObject({ code: 'TRANSPORT' });
  const bad = await events([encodeFrame('ADDED', testPod('a'), [0x0a, 0x7f])]);
  expect(bad.error).toMatchObject({ code: 'WATCH_DECODE' });
  expect(String(bad.error)).not.toContain('uid-');
}); // prettier-ignore

test('PKD-10: property: changed bytes never hang, crash or leak content', async () => {
  const bytes = encodeList({ apiVersion: 'v1', kind: 'Secret' }, [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: btoa('canary-canary') } } as object]);
  let state = 7;
  const next = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 1_000; round += 1) {
    const changed = bytes.slice(0, next(4) === 0 ? next(bytes.length) : bytes.length);
    for (let i = 0; i <= next(3); i += 1) if (changed.length > 0) changed[next(changed.length)] = next(256);
    const failure = await decode([changed], { unreadable: next(2) === 0 ? 'mark' : 'throw' }).then(
      () => undefined,
      (error: unknown) => error as Error & { code: string },
    );
    if (failure === undefined) continue;
    expect(['LIST_INVALID', 'TRANSPORT']).toContain(failure.code);
    expect(failure.message).not.toContain('canary');
  }
}); // prettier-ignore

test('PKD-05: the Status of a watch and of a list is read', async () => {
  const gone = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', reason: 'Expired', code: 410 };
  const { values } = await events([encodeFrame('ERROR', gone)]);
  expect(values).toMatchObject([{ type: 'ERROR', object: { reason: 'Expired', code: 410 } }]);
  const raw = encodeMessage('io.k8s.apimachinery.pkg.apis.meta.v1.Status', gone);
  expect(await decode([Uint8Array.from(envelope(gone, raw))])).toEqual(gone);
});

test('PKD-26: metadata only: a PartialObjectMetadataList, and whole objects of a server that ignores the request', async () => {
  const { metadata } = testPod('a') as unknown as { metadata: object };
  const type = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
  const bare = { ...type, metadata };
  expect((await decode([encodeList(type, [bare])], { metadataOnly: POD })).items).toStrictEqual([bare]);
  expect((await decode([encodeList(POD, [testPod('a')])], { metadataOnly: POD })).items).toStrictEqual([bare]);
  const { values } = await events([encodeFrame('ADDED', testPod('a'))], { metadataOnly: POD });
  expect(values).toStrictEqual([{ type: 'ADDED', object: bare }]);
});

test('text is the same with and without the decoder of Node', () => {
  for (const text of ['', 'a', 'shöp ✓ 😀', '\ufeffmark', 'x'.repeat(1_000)]) {
    const bytes = Uint8Array.from([0x21, ...Buffer.from(text), 0x21]);
    expect(decodeWireText(bytes, 1, bytes.length - 1)).toBe(text);
    expect(decodePortableTextAtWireCursor(bytes, 1, bytes.length - 1)).toBe(text);
  }
});
