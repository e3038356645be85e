import { expect, test } from 'vitest';
import { decodeList, type ListStreamOptions } from '../../../src/client/codec/list-stream.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import { isTooLargeStatus } from '../../../src/core/status.ts';
import { body, failureOf, type TestBody } from '../rig/bodies.ts';

type Item = Record<string, unknown>;

interface Rig {
  readonly source: TestBody;
  readonly decoded: Promise<{ readonly items: readonly Item[] }>;
}

function rig(chunks: Iterable<Uint8Array | string>, options: ListStreamOptions<Item> = {}): Rig {
  const source = body(chunks);
  return { source, decoded: decodeList<Item>(source, options) };
}

const HEAD = '{"kind":"PodList","apiVersion":"v1","items":[';
const nested = (depth: number, open = '[', close = ']'): string => `${open.repeat(depth)}${close.repeat(depth)}`;

function* endless(start: string, chunk: string): Generator<string> {
  yield start;
  for (;;) yield chunk;
}

test('F51, S9: an endless item is refused at the maximum size, and the rest is never read', async () => {
  for (const chunk of ['x'.repeat(65_536), '\\"', '[]']) {
    const inString = chunk !== '[]';
    const max = inString && chunk.length > 2 ? 33_554_432 : 100_000;
    const start = `${HEAD}{}, {"a":${inString ? '"' : '['}`;
    const { source, decoded } = rig(endless(start, chunk), { maxItemBytes: max });
    const failure = (await failureOf(decoded)) as KubeError;
    expect(failure.code).toBe('LIST_INVALID');
    expect(failure.message).toContain(
      `item 1 (from byte ${HEAD.length + 4}) is longer than ${max} bytes (option maxItemBytes)`,
    );
    expect(source.closed).toBe(1);
    expect(source.pulled).toBe(1 + Math.ceil((max + 1 - 6) / chunk.length));
  }
});

test('F51: the maximum counts the bytes of one item, for any cuts', async () => {
  const item = '{"a":"é"}';
  for (const chunks of [
    [`${HEAD}${item},${item}]}`],
    [`${HEAD}${item},{"a"`, ':"é"', '}', ']}'],
    [`${HEAD}${item},${item}`, ']}'],
  ]) {
    expect((await rig(chunks, { maxItemBytes: HEAD.length + 2 }).decoded).items).toHaveLength(2);
    const failure = (await failureOf(rig(chunks, { maxItemBytes: 9 }).decoded)) as KubeError;
    // The part around the items is longer still, and comes first.
    expect(failure.message).toContain('the part outside the items is longer than 9 bytes');
  }
  const bare = ['{"items":[', item, ']}'];
  const large = ['{"items":[{"a":"01234567"}', ']}'];
  expect((await rig(bare, { maxItemBytes: 12 }).decoded).items).toHaveLength(1);
  expect((await rig(large, { maxItemBytes: 16 }).decoded).items).toHaveLength(1);
  expect(((await failureOf(rig(large, { maxItemBytes: 15 }).decoded)) as KubeError).message).toContain(
    'longer than 15 bytes',
  );
});

test('F51, S9: the part outside the items, and the whole list, have a maximum too', async () => {
  const around = rig(endless('{"metadata":{"continue":"', 'x'.repeat(65_536)), { maxItemBytes: 1_000_000 });
  expect(await failureOf(around.decoded)).toMatchObject({
    code: 'LIST_INVALID',
    message: expect.stringContaining('the part outside the items is longer than 1000000 bytes') as string,
  });
  expect(around.source).toMatchObject({ pulled: 17, closed: 1 });
  const whole = rig(endless(HEAD, '{},'), { maxBytes: 5_000 });
  expect(await failureOf(whole.decoded)).toMatchObject({
    code: 'LIST_INVALID',
    message: expect.stringContaining('longer than 5000 bytes (option maxBytes') as string,
  });
  expect(whole.source.closed).toBe(1);
});

test('S90: an item counts as at least 256 bytes, and their number has a maximum', async () => {
  const small = rig([`${HEAD}${'{},'.repeat(2_000)}{}]}`], { maxBytes: 256 * 1_000 });
  const failure = (await failureOf(small.decoded)) as KubeError;
  expect(failure).toMatchObject({ code: 'LIST_INVALID' });
  expect(failure.message).toContain('longer than 256000 bytes (option maxBytes, an item counted as at least 256)');
  expect(isTooLargeStatus(failure)).toBe(true);
  expect((await rig([`${HEAD}${'{},'.repeat(900)}{}]}`], { maxBytes: 256 * 1_000 }).decoded).items).toHaveLength(901);

  const many = rig(endless(HEAD, '{},'.repeat(1_000)), { maxItems: 50_000 });
  expect(await failureOf(many.decoded)).toMatchObject({
    code: 'LIST_INVALID',
    message: expect.stringContaining('it has more than 50000 items (option maxItems)') as string,
  });
  expect(many.source).toMatchObject({ pulled: 52, closed: 1 });
  // An earlier array of items counts as well.
  const twice = `{"items":[${'{},'.repeat(99)}{}],"items":[{}]}`;
  expect(await failureOf(rig([twice], { maxItems: 100 }).decoded)).toMatchObject({ code: 'LIST_INVALID' });
  expect((await rig([twice], { maxItems: 101 }).decoded).items).toHaveLength(1);
});

test('F52, S34: an item nested deeper than 1,000 is refused with the maximum in the message; 1,000 levels are decoded', async () => {
  for (const deep of [nested(10_000), nested(10_000, '{"a":', '}'), nested(1_000)]) {
    expect(await failureOf(rig([`${HEAD}{},{"a":${deep}}]}`]).decoded)).toMatchObject({
      code: 'LIST_INVALID',
      message: expect.stringMatching(/item 1 \(\d+ bytes, from byte \d+\) nests deeper than 1000 levels$/) as string,
    });
  }
  expect((await rig([`${HEAD}{"a":${nested(999)}}]}`]).decoded).items).toHaveLength(1);
  expect(await failureOf(rig([`{"metadata":${nested(1_000)},"items":[]}`]).decoded)).toMatchObject({
    code: 'LIST_INVALID',
    message: expect.stringContaining('it nests deeper than 1000 levels outside its items') as string,
  });
});

test('F53, S30: prototype keys are data in items and around them, and change no prototype', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  const item =
    '{"__proto__":{"polluted":1,"kind":"X","apiVersion":"y"},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
  const list = await rig([`{"__proto__":{"items":[1]},"kind":"PodList","apiVersion":"v1","items":[${item}]}`]).decoded;
  const [decoded] = list.items as [Item];
  expect(JSON.stringify(decoded)).toBe(`${item.slice(0, -1)},"apiVersion":"v1","kind":"Pod"}`);
  expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  expect(Object.getPrototypeOf(list)).toBe(Object.prototype);
  expect(Object.hasOwn(list, '__proto__')).toBe(true);
  expect(({} as Item)['polluted']).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
});

test('invalid limits are refused', async () => {
  for (const options of [{ maxItemBytes: 0 }, { maxBytes: 1.5 }, { maxDepth: -1 }, { maxItems: 0 }]) {
    expect(await failureOf(rig([], options).decoded)).toMatchObject({ code: 'INVALID_OPTION' });
  }
});
