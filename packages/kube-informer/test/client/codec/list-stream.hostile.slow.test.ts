import { expect, test } from 'vitest';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { body, failureOf } from '../rig/bodies.ts';

type Item = Record<string, unknown>;

function rig(chunks: Iterable<Uint8Array | string>) {
  const source = body(chunks);
  return { source, decoded: decodeList<Item>(source) };
}

const HEAD = '{"kind":"PodList","apiVersion":"v1","items":[';

function* endless(start: string, chunk: string): Generator<string> {
  yield start;
  for (;;) yield chunk;
}

test('S90: an endless list of empty items is refused by default, with a heap of ordinary size', async () => {
  const { decoded, source } = rig(endless(HEAD, '{},'.repeat(20_000)));
  expect(await failureOf(decoded)).toMatchObject({ code: 'LIST_INVALID' });
  expect(source.pulled).toBe(102);
});

test('F55, S34: items named a hundred thousand times, and as many keys, take linear time', async () => {
  const again = `{${'"items":[{}],'.repeat(100_000)}"kind":"PodList","apiVersion":"v1"}`;
  expect((await rig([again]).decoded).items).toEqual([{ kind: 'Pod', apiVersion: 'v1' }]);
  const keys = `{${Array.from({ length: 100_000 }, (_, i) => `"k\\u0041${i}":0`).join()},"items":[]}`;
  expect(Object.keys(await rig([keys]).decoded).length).toBe(100_001);
});

test('S34: a million items are a list like any other', async () => {
  const thousand = '{},'.repeat(1_000);
  const { items } = await rig([HEAD, ...Array.from({ length: 1_000 }, () => thousand), '{}]}']).decoded;
  expect(items.length).toBe(1_000_001);
  expect(items[1_000_000]).toEqual({ kind: 'Pod', apiVersion: 'v1' });
});
