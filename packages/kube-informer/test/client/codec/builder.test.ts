import * as table from '@kube-informer/kubernetes/protobuf';
import { describe, expect, test } from 'vitest';
import { jsonFormat } from '../../../src/client/codec/json-format.ts';
import { decodeListOf } from '../../../src/client/codec/list-stream.ts';
import { protobufFormatOf } from '../../../src/client/codec/protobuf/protobuf-format.ts';
import { decodeWatchStreamOf } from '../../../src/client/codec/watch-stream.ts';
import type { ObjectBuilder, WireFormat } from '../../../src/client/codec/wire-format.ts';
import { plainJsonCodec } from '../../../src/core/object/json-codec.ts';
import { unreadableCause } from '../../../src/core/object/unreadable.ts';
import { body, collect } from '../rig/bodies.ts';
import { encodeFrame, encodeList } from '../rig/protobuf-encoder.ts';
import { POD, testPod } from './protobuf/objects.ts';

/** Keeps the bytes of an object and its type. */
interface Kept {
  readonly format: string;
  readonly object: object;
}

const builder: ObjectBuilder<Kept> = {
  build: (codec, bytes, at, end) => ({ format: codec.format, object: codec.decode(bytes.slice(at, end), 0, end - at) }),
  jsonCodec: plainJsonCodec,
};

const { kind: _, apiVersion: __, ...untyped } = testPod('a');
const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const bare = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: testPod('a').metadata };
const bookmark = { ...POD, metadata: { resourceVersion: '9' } };

const FORMATS: readonly (readonly ['json' | 'protobuf', WireFormat, Uint8Array, readonly Uint8Array[]])[] = [
  [
    'json',
    jsonFormat,
    text({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [untyped] }),
    [
      text({ type: 'ADDED', object: testPod('a') }),
      text({ object: testPod('a'), type: 'DELETED' }),
      text({ type: 'BOOKMARK', object: bookmark }),
    ].map((line) => Uint8Array.from([...line, 10])),
  ],
  [
    'protobuf',
    protobufFormatOf(table),
    encodeList(POD, [testPod('a')]),
    [
      encodeFrame('ADDED', testPod('a')),
      encodeFrame('DELETED', testPod('a')),
      encodeFrame('BOOKMARK', bookmark),
    ],
  ],
]; // prettier-ignore

describe.each(FORMATS)('a caller that builds objects itself: %s', (format, wire, list, frames) => {
  test('gets each item of a list, and each event, as bytes', async () => {
    const { items } = await decodeListOf<Kept>(wire, body([list]), { builder });
    expect(items).toStrictEqual([{ format, object: testPod('a') }]);
    const { values } = await collect(decodeWatchStreamOf<Kept>(wire, body(frames), { builder }));
    expect(values.slice(0, 2)).toStrictEqual([
      { type: 'ADDED', object: { format, object: testPod('a') } },
      { type: 'DELETED', object: { format, object: testPod('a') } },
    ]);
    expect(values[2]).toMatchObject({ type: 'BOOKMARK', object: bookmark });
  });

  test('gets no bytes but those of the metadata, if that is all it asked for', async () => {
    const options = { builder, metadataOnly: POD };
    const { items } = await decodeListOf<Kept>(wire, body([list]), options);
    expect(items).toStrictEqual([{ format, object: bare }]);
    const { values } = await collect(decodeWatchStreamOf<Kept>(wire, body(frames.slice(0, 1)), options));
    expect(values).toStrictEqual([{ type: 'ADDED', object: { format, object: bare } }]);
  });
});

test('PKD-10: bytes that are no JSON are marked, and the objects after them are built', async () => {
  const bad = '{"metadata":{"name":"a","resourceVersion":"1"},"spec":tru}';
  const good = '{"metadata":{"name":"b","resourceVersion":"2"}}';
  const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
  const options = { builder, unreadable: 'mark' } as const;
  const list = bytes(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${bad},${good}]}`);
  const { items } = await decodeListOf<Kept>(jsonFormat, body([list]), options);
  expect([unreadableCause(items[0]), items[1]?.format]).toEqual([
    expect.objectContaining({ code: 'LIST_INVALID' }),
    'json',
  ]);
  const frames = bytes(`{"type":"ADDED","object":${bad}}\n{"type":"ADDED","object":${good}}\n`);
  const { values } = await collect(decodeWatchStreamOf<Kept>(jsonFormat, body([frames]), options));
  const [first, second] = values.map(({ object }) => object as Kept);
  expect([unreadableCause(first), second?.format]).toEqual([expect.objectContaining({ code: 'WATCH_DECODE' }), 'json']);
});

test('F52, G9: an object of 990 levels is built from a list and from an event, as one that is decoded is', async () => {
  const spec = `${'{"a":'.repeat(988)}1${'}'.repeat(988)}`;
  const deep = `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"deep"},"spec":${spec}}`;
  const encoded = (line: string): Uint8Array => new TextEncoder().encode(line);
  const options = { builder, unreadable: 'mark' } as const;
  const list = encoded(`{"apiVersion":"v1","kind":"WidgetList","metadata":{},"items":[${deep}]}`);
  const { items } = await decodeListOf<Kept>(jsonFormat, body([list]), options);
  const frame = encoded(`{"type":"ADDED","object":${deep}}\n`);
  const { values } = await collect(decodeWatchStreamOf<Kept>(jsonFormat, body([frame]), options));
  for (const kept of [items[0], values[0]?.object as Kept]) {
    expect(unreadableCause(kept)).toBeUndefined();
    expect(JSON.stringify(kept?.object)).toBe(deep);
  }
});
