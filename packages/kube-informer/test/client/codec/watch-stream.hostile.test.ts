import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { decodeWatchStream, type WatchStreamOptions } from '../../../src/client/codec/watch-stream.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import { body, bytes, collect, type TestBody } from '../rig/bodies.ts';

interface Rig {
  readonly source: TestBody;
  readonly values: { readonly type: string; readonly object: unknown }[];
  readonly failure: KubeError;
}

async function rig(chunks: Iterable<Uint8Array | string>, options: WatchStreamOptions = {}): Promise<Rig> {
  const source = body(chunks);
  const { values, error } = await collect(decodeWatchStream<object>(source, options));
  return { source, values, failure: error as KubeError };
}

/** Bytes that count how many of them are searched. */
class CountingChunk extends Uint8Array {
  static searched = 0;
  override indexOf(byte: number, from = 0): number {
    const found = super.indexOf(byte, from);
    CountingChunk.searched += (found === -1 ? this.length : found + 1) - from;
    return found;
  }
}

const MB = 1_048_576;
const frame = (object: string): string => `{"type":"ADDED","object":${object}}\n`;
const nested = (depth: number, open = '[', close = ']'): string => `${open.repeat(depth)}${close.repeat(depth)}`;

test('F51, S9: a line of 64 MB is refused at 32 MB, each byte is searched once, and the rest is never read', async () => {
  CountingChunk.searched = 0;
  const chunk = new CountingChunk(65_536).fill(0x61);
  const { source, values, failure } = await rig(Array.from({ length: 1_024 }, () => chunk));
  expect(values).toEqual([]);
  expect(failure.code).toBe('WATCH_DECODE');
  expect(failure.message).toContain('longer than 33554432 bytes (option maxFrameBytes)');
  expect(source).toMatchObject({ pulled: 513, closed: 1 });
  expect(CountingChunk.searched).toBe(32 * MB + 65_536);
});

test('F51: tiny chunks cost no more searching than large ones', async () => {
  CountingChunk.searched = 0;
  const chunk = new CountingChunk(16).fill(0x61);
  const { failure } = await rig(
    Array.from({ length: 70_000 }, () => chunk),
    { maxFrameBytes: MB },
  );
  expect(failure.message).toContain('longer than 1048576 bytes');
  expect(CountingChunk.searched).toBe(MB + 16);
});

test('F51: the bound counts the bytes of a line without its LF, however it is cut', async () => {
  const line = frame('{"a":"é"}');
  const length = bytes(line).length - 1;
  for (const chunks of [[line], [line.slice(0, 5), line.slice(5)], [line.slice(0, -1), '\n']]) {
    expect((await rig(chunks, { maxFrameBytes: length })).values).toHaveLength(1);
    const { values, failure } = await rig([frame('{}'), ...chunks], { maxFrameBytes: length - 1 });
    expect(values).toHaveLength(1);
    expect(failure.message).toContain(`line 2 (from byte ${frame('{}').length} of the stream) is longer than`);
  }
});

test('F51: white space without end is a line too long, not a wait without end', async () => {
  const { failure } = await rig(
    Array.from({ length: 100 }, () => ' '.repeat(100)),
    { maxFrameBytes: 5_000 },
  );
  expect(failure.message).toContain('longer than 5000 bytes');
});

test('F52, S34: an object nested deeper than 1,000 is refused with the bound, not handed on', async () => {
  for (const deep of [nested(10_000), nested(10_000, '{"a":', '}').replace(':}', ':{}}'), nested(1_000)]) {
    const { values, failure } = await rig([frame('{}'), frame(`{"a":${deep}}`)]);
    expect(values).toHaveLength(1);
    expect(failure.code).toBe('WATCH_DECODE');
    expect(failure.message).toMatch(/the object of line 2 .* nests deeper than 1000 levels$/);
  }
});

test('F52: exactly 1,000 levels are decoded, and brackets in strings or side by side do not count', async () => {
  const wide = JSON.stringify({ a: Array.from({ length: 2_000 }, () => [{}]), b: '[{'.repeat(2_000) });
  const { values, failure } = await rig([frame(`{"a":${nested(999)}}`), frame(wide)]);
  expect(failure).toBeUndefined();
  expect(values[1]?.object).toEqual(JSON.parse(wide));
});

test('F53, S30: prototype keys are data and change no prototype', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const labels =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":"y"}';
  const text = `{"__proto__":{"polluted":1},"metadata":{"labels":${labels},"name":"__proto__"}}`;
  const { values } = await rig([frame(text)]);
  const object = values[0]?.object as Record<string, unknown>;
  expect(JSON.stringify(object)).toBe(text);
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  expect(object['polluted']).toBeUndefined();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
});

test('S9: no error quotes the content of the line', async () => {
  // Short: engines quote ten characters around a mistake.
  const secret = 'hunter2';
  const lines = [
    `{"a":${secret}}`,
    `{"${secret}"`,
    `"${secret}" x`,
    `{"type":"ADDED","object":"${secret}"}`,
    `{"type":"${secret}"}`,
    `${secret}\u00ff`,
  ];
  const latin = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
  for (const line of lines) {
    const { failure } = await rig([latin(`${line}\n`)]);
    expect(failure.code).toBe('WATCH_DECODE');
    expect(inspect(failure, { depth: 10 })).not.toContain(secret);
    expect(failure.message.length).toBeLessThan(200);
  }
  expect(inspect((await rig([`{"${secret}"`])).failure)).not.toContain(secret);
});

test('invalid limits are refused', () => {
  for (const options of [{ maxFrameBytes: 0 }, { maxFrameBytes: 1.5 }, { maxDepth: -1 }, { maxDepth: Number.NaN }]) {
    expect(() => decodeWatchStream(body([]), options)).toThrow(/expected a whole number > 0/);
  }
});
