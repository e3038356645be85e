import { expect, test } from 'vitest';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import { body, collect } from '../rig/bodies.ts';

const frame = (object: string): string => `{"type":"ADDED","object":${object}}\n`;

test('S34: a million elements and a million keys are data like any other', async () => {
  const array = `[${'1,'.repeat(999_999)}1]`;
  const keys = `{${Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":0`).join(',')}}`;
  const { values, error } = await collect(decodeWatchStream<object>(body([frame(`{"a":${array}}`), frame(keys)])));
  expect(error).toBeUndefined();
  const [first] = values.map(({ object }) => object as { a: number[] });
  expect(first?.a.length).toBe(1_000_000);
  expect(Object.keys(values[1]?.object as object).length).toBe(1_000_000);
});
