import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeList, type ListStreamOptions } from '../../../src/client/codec/list-stream.ts';
import { salvageEvent, salvageObject } from '../../../src/client/codec/salvage.ts';
import { decodeWatchStream, type WatchStreamOptions } from '../../../src/client/codec/watch-stream.ts';
import type { KubeError } from '../../../src/core/errors.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { unreadableCause } from '../../../src/core/object/unreadable.ts';
import { body, bytes, collect, concat, cutAt, failureOf } from '../rig/bodies.ts';

const META = '{"name":"a","namespace":"web","uid":"u1","resourceVersion":"7"}';
const KNOWN = { name: 'a', namespace: 'web', uid: 'u1', resourceVersion: '7' };
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** An object of which `spec` is whatever is given; deep objects have deep managedFields as well. */
const object = (spec: string | Uint8Array, metadata = META): Uint8Array =>
  concat(`{"apiVersion":"v1","kind":"Pod","metadata":${metadata},"spec":`, spec, '}');
const INVALID_UTF8 = concat('"', Uint8Array.of(0xff, 0xc0), '"');

const BAD: [string, Uint8Array, RegExp][] = [
  ['1,200 levels', object(nested(1_200)), /nests deeper than 1000 levels/],
  ['9,990 levels', object(nested(9_990)), /nests deeper than 1000 levels/],
  [
    '1,200 levels in managedFields, before the name',
    object('{}', `{"managedFields":[${nested(1_200)}],${META.slice(1)}`),
    /nests deeper/,
  ],
  ['JSON that is none', object('{"n":01}'), /not valid JSON/],
  ['a control character', object('"\u0001"'), /not valid JSON/],
  ['invalid UTF-8', object(INVALID_UTF8), /not valid UTF-8/],
  ['too many bytes', object(`"${'x'.repeat(3_000)}"`), /is longer than 2000 bytes/],
];
const LIMITS = { unreadable: 'mark' } as const;
const limitsFor = (name: string) => (name === 'too many bytes' ? 2_000 : 33_554_432);

async function decodeItems(
  items: readonly Uint8Array[],
  options: ListStreamOptions<KubeObject>,
  cuts: readonly number[] = [],
) {
  const whole = concat(
    '{"kind":"PodList","apiVersion":"v1","items":[',
    ...items.flatMap((one, i) => (i === 0 ? [one] : [',', one])),
    '],"metadata":{"resourceVersion":"9"}}',
  );
  const list = await decodeList<KubeObject>(
    body(
      cutAt(
        whole,
        cuts.map((cut) => cut % (whole.length + 1)),
      ),
    ),
    options,
  );
  return list.items;
}

async function decodeEvents(objects: readonly Uint8Array[], options: WatchStreamOptions, cuts: readonly number[] = []) {
  const whole = concat(...objects.flatMap((one) => ['{"type":"MODIFIED","object":', one, '}\n']));
  const { values, error } = await collect(
    decodeWatchStream<KubeObject>(
      body(
        cutAt(
          whole,
          cuts.map((cut) => cut % (whole.length + 1)),
        ),
      ),
      options,
    ),
  );
  return { values, error: error as KubeError };
}

const good = object('{"n":1}');

describe.each(BAD)('F52, F62, G9: %s', (name, bad, message) => {
  test('is marked in a list, with its type, name and version, and the items around it are decoded', async () => {
    const maxItemBytes = limitsFor(name);
    const [before, marked, after] = (await decodeItems([good, bad, good], { ...LIMITS, maxItemBytes })) as [
      KubeObject,
      KubeObject,
      KubeObject,
    ];
    expect([before, after]).toEqual([JSON.parse(new TextDecoder().decode(good)), before]);
    expect(marked).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: KNOWN });
    expect(unreadableCause(marked)).toMatchObject({
      code: 'LIST_INVALID',
      message: expect.stringMatching(message) as string,
    });
    expect(unreadableCause(before)).toBeUndefined();
  });

  test('is marked in a watch, and the events around it are decoded', async () => {
    const maxFrameBytes = limitsFor(name);
    const { values, error } = await decodeEvents([good, bad, good], { ...LIMITS, maxFrameBytes });
    expect(error).toBeUndefined();
    expect(values.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'MODIFIED']);
    expect(values[1]?.object).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: KNOWN });
    expect(unreadableCause(values[1]?.object)).toMatchObject({
      code: 'WATCH_DECODE',
      message: expect.stringMatching(message) as string,
    });
    expect(unreadableCause(values[2]?.object)).toBeUndefined();
  });

  test('ends the list or the watch of a caller that did not ask for marks', async () => {
    const maxBytes = limitsFor(name);
    expect(await failureOf(decodeItems([good, bad], { maxItemBytes: maxBytes }))).toMatchObject({
      code: 'LIST_INVALID',
    });
    const { values, error } = await decodeEvents([good, bad], { maxFrameBytes: maxBytes });
    expect([values.length, error.code]).toEqual([1, 'WATCH_DECODE']);
  });
});

test('F47, F50, F52: property: any mixture of readable and unreadable objects, cut anywhere, gives each in its place', async () => {
  const one = fc.constantFrom(good, ...BAD.slice(0, -1).map(([, bytesOf]) => bytesOf));
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 9 }), async (objects, cuts) => {
      const expected = objects.map((each) => each === good);
      const items = await decodeItems(objects, LIMITS, cuts);
      expect(items.map((item) => unreadableCause(item) === undefined)).toEqual(expected);
      const { values, error } = await decodeEvents(objects, LIMITS, cuts);
      expect(error).toBeUndefined();
      expect(values.map((event) => unreadableCause(event.object) === undefined)).toEqual(expected);
      for (const item of items) expect(item.metadata).toEqual(KNOWN);
    }),
    { numRuns: 200 },
  );
});

describe('what must not pass for an event', () => {
  const cases: [string, string, RegExp][] = [
    ['no name', `{"type":"ADDED","object":{"metadata":{"resourceVersion":"7"},"spec":01}}`, /not valid JSON/],
    ['no version', `{"type":"ADDED","object":{"metadata":{"name":"a"},"spec":01}}`, /not valid JSON/],
    [
      'a version that is a number',
      `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":7},"spec":01}}`,
      /not valid JSON/,
    ],
    [
      'a bookmark',
      `{"type":"BOOKMARK","object":{"metadata":{"name":"a","resourceVersion":"7"},"spec":01}}`,
      /not valid JSON/,
    ],
    [
      'an error',
      `{"type":"ERROR","object":{"metadata":{"name":"a","resourceVersion":"7"},"spec":01}}`,
      /not valid JSON/,
    ],
    [
      'half an event',
      `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"7"},"spec":{`,
      /multi-line frame/,
    ],
  ];
  test.each(cases)('G8, STR-04: %s ends the stream, so that nothing is lost', async (_, line, message) => {
    const { values, error } = await collect(decodeWatchStream(body([`${line}\n`]), LIMITS));
    expect(values).toEqual([]);
    expect(error).toMatchObject({ code: 'WATCH_DECODE', message: expect.stringMatching(message) as string });
  });

  test('F51, S9: a line that never ends is refused all the same, and costs no more memory than a line may', async () => {
    const { error } = await collect(
      decodeWatchStream(body(Array.from({ length: 200 }, () => 'x'.repeat(1_000))), {
        ...LIMITS,
        maxFrameBytes: 5_000,
      }),
    );
    expect(error).toMatchObject({
      code: 'WATCH_DECODE',
      message: expect.stringContaining('longer than 80000 bytes') as string,
    });
  });
});

describe('salvage', () => {
  test('F62: property: of a readable object it finds what JSON.parse finds, and of any cut piece nothing else', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 8 });
    const metadata = fc.record(
      { name: text, namespace: text, uid: text, resourceVersion: text, labels: fc.dictionary(text, text) },
      { requiredKeys: [] },
    );
    const shape = fc.record(
      { spec: fc.json().map((json) => JSON.parse(json) as unknown), kind: text, metadata, apiVersion: text },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(shape, fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }), (value, indent, part) => {
        const whole = bytes(JSON.stringify(value, undefined, indent));
        const { labels: _, ...identity } = value.metadata ?? {};
        const { spec: __, metadata: ___, ...type } = value;
        expect(salvageObject(whole)).toEqual({ ...type, metadata: identity });
        const piece = salvageObject(whole.subarray(0, Math.floor(part * whole.length)));
        expect({ ...type, metadata: identity }).toMatchObject(piece);
        expect(salvageEvent(concat('{"type":"ADDED","object":', whole, '}'))).toEqual({
          type: 'ADDED',
          object: salvageObject(whole),
        });
      }),
      { numRuns: 500 },
    );
  });

  test('F62: property: arbitrary bytes throw nothing', () => {
    const byte = fc.constantFrom(...bytes('{}[]":,\\ ametdn0'), 0xff);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), (all) => void salvageEvent(Uint8Array.from(all))),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['cut off after the name', '{"metadata":{"name":"a","namespa'],
    ['cut off after the namespace', '{"metadata":{"name":"a","namespace":"web"'],
    ['a namespace that is no text', '{"metadata":{"name":"a","namespace":7,"uid":"u"},"spec":01}'],
    ['a namespace with an invalid escape', '{"metadata":{"name":"a","namespace":"\\x","uid":"u"},"spec":01}'],
    ['a key that makes no sense', '{"metadata":{"name":"a",namespace:"web"},"spec":01}'],
  ])('F62, G9: a name without its namespace is not used: %s', (_, text) => {
    expect(salvageObject(bytes(text))).toEqual({ metadata: {} });
  });

  test('F55: of equal keys the last wins, as in JSON.parse', () => {
    expect(salvageObject(bytes('{"kind":"A","kind":"B","spec":01}')).kind).toBe('B');
  });
});
