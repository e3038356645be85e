import * as table from '@kube-informer/kubernetes/protobuf';
import { describe, expect, test } from 'vitest';
import { jsonFormat } from '../../../src/client/codec/json-format.ts';
import { decodeListOf } from '../../../src/client/codec/list-stream.ts';
import { protobufFormatOf } from '../../../src/client/codec/protobuf/protobuf-format.ts';
import { decodeWatchStreamOf } from '../../../src/client/codec/watch-stream.ts';
import type { WireFormat } from '../../../src/client/codec/wire-format.ts';
import { bytes, collect } from '../rig/bodies.ts';
import { encodeFrame, encodeList } from '../rig/protobuf-encoder.ts';
import { POD, testPod } from './protobuf/objects.ts';

const pods = ['a', 'b', 'c'].map((name) => testPod(name));
const line = (object: object): string => `${JSON.stringify({ type: 'ADDED', object })}\n`;

const FORMATS: readonly (readonly [string, WireFormat, Uint8Array, Uint8Array])[] = [
  [
    'json',
    jsonFormat,
    bytes(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: pods })),
    bytes(pods.map(line).join('')),
  ],
  [
    'protobuf',
    protobufFormatOf(table),
    encodeList(POD, pods),
    Buffer.concat(pods.map((pod) => encodeFrame('ADDED', pod))),
  ],
];

/** Every chunk in the same memory: it has other bytes as soon as the next chunk is asked for. */
async function* lent(whole: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const memory = new Uint8Array(size);
  for (let at = 0; at < whole.length; at += size) {
    const chunk = whole.subarray(at, at + size);
    memory.set(chunk);
    yield memory.subarray(0, chunk.length);
    memory.fill(0xff);
  }
}

describe.each(FORMATS)('chunks are only read until the next one is asked for: %s', (_, format, list, frames) => {
  test.each([1, 7, 100, 1_000, 100_000])('by lists and watches, in chunks of %i bytes', async (size) => {
    const { items } = await decodeListOf<object>(format, lent(list, size), {});
    const { values } = await collect(decodeWatchStreamOf<object>(format, lent(frames, size), {}));
    // Reads managedFields, too, which are decoded when they are read.
    expect(items).toStrictEqual(pods);
    expect(values).toStrictEqual(pods.map((object) => ({ type: 'ADDED', object })));
  });
});
