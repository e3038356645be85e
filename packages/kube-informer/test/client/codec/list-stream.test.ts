import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { decodeList, type ListStreamOptions } from '../../../src/client/codec/list-stream.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import type { KubeList, KubeObject } from '../../../src/core/object/object.ts';
import { listPages } from '../../../src/informer/list-watch/pager.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';
import { body, type BodyOptions, bytes, cutAt, everyByte, failureOf, type TestBody } from '../rig/bodies.ts';

interface Item extends KubeObject {
  readonly [field: string]: unknown;
}
type Options = ListStreamOptions<Item> & BodyOptions;

interface Rig {
  readonly source: TestBody;
  readonly decoded: Promise<KubeList<Item>>;
}

function rig(text: string | Iterable<Uint8Array | string>, options: Options = {}): Rig {
  const source = body(typeof text === 'string' ? [text] : text, options);
  return { source, decoded: decodeList<Item>(source, options) };
}

const decode = (text: string | Iterable<Uint8Array | string>, options?: Options): Promise<KubeList<Item>> =>
  rig(text, options).decoded;
const refusal = async (text: string | Iterable<Uint8Array | string>, options?: Options): Promise<KubeError> =>
  (await failureOf(decode(text, options))) as KubeError;

const HEAD =
  '"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"next","remainingItemCount":3}';
const pod = (name: string): string => `{"metadata":{"name":"${name}"}}`;

test('STR-09: items without kind and apiVersion get them from the list; the rest of the list is kept', async () => {
  expect(await decode(`{${HEAD},"items":[${pod('a')},${pod('b')}]}\n`)).toEqual({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7', continue: 'next', remainingItemCount: 3 },
    items: ['a', 'b'].map((name) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name } })),
  });
});

test('STR-09: items with a type of their own are unchanged', async () => {
  const items = [{ kind: 'Foo' }, { apiVersion: 'x/v1' }, { kind: 'Foo', apiVersion: 'x/v1' }];
  const text = (kind: string): string => `{"kind":"${kind}","apiVersion":"v1","items":${JSON.stringify(items)}}`;
  for (const kind of ['PodList', 'List', 'Foos']) expect((await decode(text(kind))).items).toEqual(items);
  const empty = await decode('{"kind":"PodList","apiVersion":"v1","items":[{"kind":"","apiVersion":""}]}');
  expect(empty.items).toEqual([{ kind: 'Pod', apiVersion: 'v1' }]);
});

test('STR-09: a list whose kind does not end in List fills nothing in', async () => {
  for (const type of [
    '"kind":"List","apiVersion":"v1"',
    '"kind":"Pods","apiVersion":"v1"',
    '"kind":"PodList"',
    '"apiVersion":"v1"',
    '"kind":7,"apiVersion":{}',
  ]) {
    expect((await decode(`{${type},"items":[{}]}`)).items).toEqual([{}]);
    expect((await decode(`{"items":[{}],${type}}`)).items).toEqual([{}]);
  }
});

test('STR-09: the type may come after the items, or one half of it', async () => {
  const expected = [{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }];
  expect((await decode(`{"items":[${pod('a')}],${HEAD}}`)).items).toEqual(expected);
  expect((await decode(`{"kind":"PodList","items":[${pod('a')}],"apiVersion":"v1"}`)).items).toEqual(expected);
});

test('onItem gets items one by one as their last byte arrives, with their type, and may be changed in place', async () => {
  const names: string[] = [];
  const whole = `{${HEAD},"items":[${pod('a')},${pod('b')}]}`;
  const seenAfter: number[] = [];
  function* chunks(): Generator<string> {
    for (const char of whole) {
      yield char;
      seenAfter.push(names.length);
    }
  }
  const list = await decode(chunks(), {
    onItem: (item) => {
      names.push(`${item.kind} ${item.metadata?.name}`);
      (item as { seen?: boolean })['seen'] = true;
    },
  });
  expect(names).toEqual(['Pod a', 'Pod b']);
  expect(list.items.map((item) => item['seen'])).toEqual([true, true]);
  expect(seenAfter.indexOf(1)).toBe(whole.indexOf(pod('a')) + pod('a').length - 1);
  expect(seenAfter.indexOf(2)).toBe(whole.indexOf(pod('b')) + pod('b').length - 1);
});

test('onItem gets items that wait for their type at the end', async () => {
  const shown: unknown[] = [];
  const list = await decode(`{"items":[${pod('a')},{"kind":"X","apiVersion":"y"}],${HEAD}}`, {
    onItem: (item) => shown.push({ ...item }),
  });
  expect(shown).toEqual(list.items);
  expect(shown).toEqual([
    { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } },
    { kind: 'X', apiVersion: 'y' },
  ]);
});

test('empty lists are empty, also with null for items', async () => {
  for (const items of ['[]', '[ \n]', 'null']) {
    for (const text of [
      `{${HEAD},"items":${items}}`,
      `{"items":${items},${HEAD}}`,
      ` \r\n{ "items" : ${items} , ${HEAD} } \n`,
    ]) {
      const list = await decode(everyByte(bytes(text)));
      expect(list).toMatchObject({ kind: 'PodList', metadata: { resourceVersion: '7' } });
      expect(list.items).toEqual([]);
    }
  }
});

test('F56: a Table comes with its kind and without items, and the pager refuses it', async () => {
  const table =
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a"],"object":{"items":[1]}}]}';
  expect(await decode(everyByte(bytes(table)))).toEqual({ ...(JSON.parse(table) as object), items: [] });
  const source = { list: () => decode(table), watch: () => body([]) as never };
  const failure = await failureOf(listPages(source, {}, { pageSize: 0, signal: new AbortController().signal }));
  expect(failure).toMatchObject({ code: 'LIST_INVALID', message: expect.stringContaining('Table') as string });
});

test('a Status is handed over as it is', async () => {
  const status =
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","code":410,"details":{"items":[{}]}}';
  expect(await decode(everyByte(bytes(status)))).toEqual(JSON.parse(status));
});

test('F56: a response that is not a list is refused', async () => {
  const wrong = [
    '',
    ' \n',
    'null',
    '[]',
    '"x"',
    '[{"items":[]}]',
    '<html>nope</html>',
    'Too many requests',
    '{}',
    '{"kind":"Pod","metadata":{"items":[]}}',
    `{${HEAD}}`,
    `{${HEAD},"items":{}}`,
    `{${HEAD},"items":"x"}`,
    `{${HEAD},"items":7}`,
    `{${HEAD},"items":[]} x`,
    `{${HEAD},"items":[]}{}`,
    `{${HEAD},"items":[]}\uFEFF`,
  ];
  for (const text of wrong) {
    for (const chunks of [[text], everyByte(bytes(text))]) {
      const failure = await refusal(chunks);
      expect(failure).toMatchObject({ code: 'LIST_INVALID' });
    }
  }
});

test('F56: items that are not objects are refused', async () => {
  for (const items of [
    '[1]',
    '[null]',
    '["a"]',
    '[[]]',
    `[${pod('a')},null]`,
    `[${pod('a')} ${pod('b')}]`,
    `[,${pod('a')}]`,
    `[${pod('a')},]`,
    `[${pod('a')},,${pod('b')}]`,
    '[}',
    `[${pod('a')}}`,
  ]) {
    expect(await refusal(`{${HEAD},"items":${items}}`)).toMatchObject({
      code: 'LIST_INVALID',
      message: expect.stringMatching(/expected an object as item \d at byte \d+$/) as string,
    });
  }
});

test('invalid JSON is refused wherever it is', async () => {
  const wrong = [
    `{${HEAD},"items":[{"a":}]}`,
    `{${HEAD},"items":[{"a":[}]}]}`,
    `{${HEAD},"items":[{"a":1]]}`,
    `{"kind":PodList,"items":[]}`,
    `{${HEAD},"items":5 []}`,
    `{${HEAD},"items"[]}`,
    `{${HEAD},items:[]}`,
    `{${HEAD},"items":[],}`,
    `{${HEAD},"it\\ems":[]}`,
    `{,"items":[]}`,
    `{${HEAD},"items":[{"a":"\n"}]}`,
    `{${HEAD}]`,
    `{${HEAD},"items":[]]`,
  ];
  for (const text of wrong) {
    expect(() => void JSON.parse(text)).toThrow();
    for (const chunks of [[text], everyByte(bytes(text))])
      expect(await refusal(chunks)).toMatchObject({ code: 'LIST_INVALID' });
  }
});

test('F5: a body that ends too early is truncated, at every byte', async () => {
  const whole = bytes(`{${HEAD},"items":[${pod('a')},${pod('b')}],"x":1}`);
  for (let at = 1; at < whole.length; at += 1) {
    const failure = await refusal([whole.subarray(0, at)]);
    expect(failure.code).toBe('TRANSPORT');
    expect(failure.message).toBe(`the list was truncated: it ended after ${at} bytes without being closed`);
  }
});

test('F4: a broken connection fails with its own error', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const { source, decoded } = rig(`{${HEAD},"items":[${pod('a')}`, { error: reset });
  expect(await failureOf(decoded)).toBe(reset);
  expect(source.closed).toBe(0);
});

test('F47: a character of several bytes may be cut at every byte; a leading byte order mark is ignored', async () => {
  const text = '{"kind":"PodList","apiVersion":"v1","é€𝄞":"ñ","items":[{"metadata":{"name":"é€𝄞\u2028\uFEFF"}}]}';
  const expected = JSON.parse(text) as { items: object[] };
  expected.items = expected.items.map((item) => ({ ...item, kind: 'Pod', apiVersion: 'v1' }));
  const whole = bytes(`\uFEFF${text}`);
  for (let at = 0; at <= whole.length; at += 1) expect(await decode(cutAt(whole, [at]))).toEqual(expected);
});

test('F49: bytes that are not UTF-8 are refused, in an item and around the items', async () => {
  const whole = bytes(`{"kind":"PodList","apiVersion":"v1","a":"é","items":[{"b":"é"}]}`);
  const first = whole.indexOf(0xc3);
  for (const at of [first, whole.indexOf(0xc3, first + 1)]) {
    const wrong = Uint8Array.from(whole);
    wrong[at + 1] = 0x20;
    for (const chunks of [[wrong], everyByte(wrong)]) {
      expect(await refusal(chunks)).toMatchObject({
        code: 'LIST_INVALID',
        message: expect.stringContaining('is not valid UTF-8') as string,
      });
    }
  }
});

test('F54, S35: numbers are those of JSON.parse', async () => {
  const { items } = await decode(`{${HEAD},"items":[{"a":9223372036854775807,"b":1e400,"c":-0,"d":9007199254740993}]}`);
  const [item] = items as [Item];
  expect([item['a'], item['b'], item['d']]).toEqual([2 ** 63, Number.POSITIVE_INFINITY, 2 ** 53]);
  expect(Object.is(item['c'], -0)).toBe(true);
});

test('F55: of equal keys the last wins, also for the items and the type', async () => {
  const last = async (text: string): Promise<unknown> => (await decode(everyByte(bytes(text)))).items;
  expect(await last(`{${HEAD},"items":[{"a":1,"a":2}]}`)).toEqual([{ a: 2, kind: 'Pod', apiVersion: 'v1' }]);
  expect(await last(`{${HEAD},"items":[{"a":1}],"items":[{"a":2}]}`)).toEqual([
    { a: 2, kind: 'Pod', apiVersion: 'v1' },
  ]);
  expect(await last(`{${HEAD},"items":[{"a":1}],"it\\u0065ms":[{"a":2}]}`)).toEqual([
    { a: 2, kind: 'Pod', apiVersion: 'v1' },
  ]);
  expect(await last(`{${HEAD},"items":[{"a":1}],"items":null}`)).toEqual([]);
  expect(await last(`{${HEAD},"items":{"a":[1]},"items":[{}]}`)).toEqual([{ kind: 'Pod', apiVersion: 'v1' }]);
  expect(await last(`{${HEAD},"items":null,"items":[{"a":1}],"kind":"PodList"}`)).toEqual([
    { a: 1, kind: 'Pod', apiVersion: 'v1' },
  ]);
  expect(await last(`{"kind":"X","kind":"NodeList","apiVersion":"v1","items":[{}]}`)).toEqual([
    { kind: 'Node', apiVersion: 'v1' },
  ]);
});

test('F55: a list that changes its type after its items got it is refused', async () => {
  expect((await refusal(`{${HEAD},"items":[{}],"kind":"NodeList"}`)).message).toContain(
    'two different kind/apiVersion pairs',
  );
  expect((await refusal(`{${HEAD},"items":[{}],"apiVersion":"v2"}`)).message).toContain(
    'two different kind/apiVersion pairs',
  );
  const own = await decode(`{${HEAD},"items":[{"kind":"A","apiVersion":"b"}],"kind":"NodeList"}`);
  expect(own).toMatchObject({ kind: 'NodeList', items: [{ kind: 'A' }] });
});

test('an error closes the body, also one of the callback', async () => {
  const invalid = rig([`{${HEAD},"items":[1,`, '2']);
  await failureOf(invalid.decoded);
  expect(invalid.source).toMatchObject({ pulled: 1, closed: 1 });
  const thrown = new Error('from the callback');
  const callback = rig([`{${HEAD},"items":[{},`, '{}'], { onItem: () => { throw thrown; } }); // prettier-ignore
  expect(await failureOf(callback.decoded)).toBe(thrown);
  expect(callback.source).toMatchObject({ pulled: 1, closed: 1 });
});

test('F51: a list in one chunk yields to the event loop every ten milliseconds', async () => {
  const env = fakeEnv();
  let yields = 0;
  const count = { ...env, yield: () => ((yields += 1), Promise.resolve()) };
  const work = (): void => env.clock.freeze(0.5);
  await decode(`{${HEAD},"items":[${Array.from({ length: 1_000 }, () => '{}').join()}]}`, { env: count, onItem: work });
  // The first items are watched one by one: a turn after 20 of them, of 0.5 ms each.
  expect(yields).toBe(50);
  await decode(`{"items":[${Array.from({ length: 1_000 }, () => '{}').join()}],${HEAD}}`, { env: count, onItem: work });
  // The items are read first, which takes 1,000 steps, and completed when the head is known: only every 32nd of those looks.
  expect(yields).toBe(50 + 31);
});

test('F51: large items count as many', async () => {
  const env = fakeEnv();
  let yields = 0;
  const big = `{"a":"${'x'.repeat(40_000)}"}`;
  await decode(`{${HEAD},"items":[${Array.from({ length: 10 }, () => big).join()}]}`, {
    env: { ...env, yield: () => ((yields += 1), Promise.resolve()) },
    onItem: () => env.clock.freeze(10),
  });
  expect(yields).toBe(10);
});

test('F51: the part outside the items is read in steps too, however large the chunk', async () => {
  let yields = 0;
  let now = 0;
  const env = { ...fakeEnv(), now: () => (now += 10), yield: () => ((yields += 1), Promise.resolve()) };
  await decode(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":["${'x'.repeat(1_000_000)}"]}`, { env });
  expect(yields).toBeGreaterThan(14);
});

test('S9: no error quotes the content of the list', async () => {
  // Short: engines quote ten characters around a mistake.
  const secret = 'hunter2';
  for (const text of [
    secret,
    `{"a":${secret}}`,
    `{"items":[{"a":${secret}}]}`,
    `{"items":["${secret}"]}`,
    `{"kind":"${secret}"}`,
    `{"items":[]}${secret}`,
    `{"${secret}`,
  ]) {
    const failure = await refusal(text);
    expect(inspect(failure, { depth: 10 })).not.toContain(secret);
    expect(failure.message.length).toBeLessThan(200);
  }
});
