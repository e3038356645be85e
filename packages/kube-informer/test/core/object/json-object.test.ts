import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainJsonCodec } from '../../../src/core/object/json-codec.ts';

const encoder = new TextEncoder();
const codec = plainJsonCodec();

/** The bytes of a text inside other bytes, as slabs hold them. */
function inside(text: string): { bytes: Uint8Array; at: number; end: number } {
  const bytes = encoder.encode(`}"${text}{"x`);
  return { bytes, at: 2, end: bytes.length - 3 };
}

const names = fc.oneof(
  fc.constantFrom('kind', 'metadata', 'spec', 'name', 'ä"\\', '__proto__'),
  fc.string({ maxLength: 6 }),
);
const { object: jsonObject } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
}));

describe('objects as JSON', () => {
  test('PKD-01: every field decodes to what JSON.parse gives', () => {
    fc.assert(
      fc.property(jsonObject, fc.constantFrom(0, 2), (object, space) => {
        const text = JSON.stringify(object, undefined, space);
        const truth = JSON.parse(text) as Record<string, unknown>;
        const { bytes, at, end } = inside(text);
        expect(codec.check(bytes, at, end)).toBeUndefined();
        expect(codec.outline(bytes, at, end).names).toEqual(
          JSON.parse(
            `[${Object.keys(truth)
              .map((name) => JSON.stringify(name))
              .join(',')}]`,
          ),
        );
        for (const [name, value] of Object.entries(truth))
          expect(isDeepStrictEqual(codec.decodeField(name, bytes, at, end), value)).toBe(true);
        expect(isDeepStrictEqual(codec.decode(bytes, at, end), truth)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['[1]', [1]],
    ['[1,[2,"a"],true]', [1, 2, 'a', true]],
    ['[ -0.5 , null , false ]', [-0.5, false]],
    ['[[[7]]]', [7]],
    ['[]', []],
  ])('PKD-20: the scalars of an array are read, whatever their types: %s', (text, scalars) => {
    const { bytes, at, end } = inside(`{"spec":{"groups":${text}}}`);
    expect(codec.read(bytes, at, end, ['spec', 'groups'])).toEqual(scalars);
  });

  test('PKD-09: check accepts and refuses the same texts as JSON.parse', () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.nat(),
        fc.string({ minLength: 0, maxLength: 2 }),
        fc.boolean(),
        (object, place, junk, isCut) => {
          const text = JSON.stringify(object);
          const at = place % (text.length + 1);
          const broken = isCut ? text.slice(0, at) : text.slice(0, at) + junk + text.slice(at + junk.length);
          const outcome = (run: () => unknown): boolean => {
            try {
              const value = run();
              return value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value));
            } catch {
              return false;
            }
          };
          // A lone surrogate becomes a replacement character in bytes.
          const bytes = encoder.encode(broken);
          const clean = new TextDecoder().decode(bytes);
          expect(outcome(() => codec.check(bytes, 0, bytes.length))).toBe(outcome(() => JSON.parse(clean) as unknown));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('PKD-09: bytes that are not UTF-8, and nesting without end, are refused', () => {
    const bytes = encoder.encode('{"a":"xx"}');
    bytes[6] = 0xff;
    expect(() => codec.check(bytes, 0, bytes.length)).toThrow(expect.objectContaining({ code: 'LIST_INVALID' }));
    // As many levels as an object may have that is decoded.
    const [most, deep] = [999, 1_000].map((arrays) =>
      encoder.encode(`{"a":${'['.repeat(arrays)}${']'.repeat(arrays)}}`),
    ) as [Uint8Array, Uint8Array];
    codec.check(most, 0, most.length);
    expect(() => codec.check(deep, 0, deep.length)).toThrow(expect.objectContaining({ code: 'LIST_INVALID' }));
  });

  test('PKD-20, PKD-21: identity, labels and paths are read without building the object', () => {
    const text = JSON.stringify({
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'web', labels: { app: 'ü', 'x.io/y': 'z' }, uid: 'u1', resourceVersion: '7' },
      spec: {
        nodeName: 'n1',
        containers: [{ image: 'i1', ports: [{ port: 1 }, { port: 2 }] }, { image: 'i"2' }],
        on: true,
        numbers: [7, 8],
      },
    });
    const { bytes, at, end } = inside(text);
    expect(codec.identity(bytes, at, end)).toEqual({ name: 'a', namespace: 'web', uid: 'u1', resourceVersion: '7' });
    expect(codec.readMap(bytes, at, end, ['metadata', 'labels'])).toEqual({ app: 'ü', 'x.io/y': 'z' });
    expect(codec.readMap(bytes, at, end, ['metadata', 'annotations'])).toBeUndefined();
    expect(codec.read(bytes, at, end, ['metadata', 'labels', 'x.io/y'])).toEqual(['z']);
    expect(codec.read(bytes, at, end, ['spec', 'containers', 'image'])).toEqual(['i1', 'i"2']);
    expect(codec.read(bytes, at, end, ['spec', 'containers', 'ports', 'port'])).toEqual([1, 2]);
    expect(codec.read(bytes, at, end, ['spec', 'on'])).toEqual([true]);
    expect(codec.read(bytes, at, end, ['spec', 'numbers'])).toEqual([7, 8]);
    expect(codec.read(bytes, at, end, ['spec', 'nowhere'])).toEqual([]);
  });

  test('PKD-01: an object without a type gets that of its list, behind its own fields', () => {
    const typed = plainJsonCodec({ apiVersion: 'v1', kind: 'Pod' });
    const { bytes, at, end } = inside('{"metadata":{"name":"a"}}');
    expect(typed.outline(bytes, at, end).names).toEqual(['metadata', 'apiVersion', 'kind']);
    expect(typed.decode(bytes, at, end)).toEqual({ metadata: { name: 'a' }, apiVersion: 'v1', kind: 'Pod' });
    expect(typed.decodeField('kind', bytes, at, end)).toBe('Pod');
    expect(typed.read(bytes, at, end, ['kind'])).toEqual(['Pod']);
  });

  test('PKD-25: managedFields are decoded when they are read, and look like any property', () => {
    const text = '{"metadata":{"name":"a","managedFields":[{"manager":"m"}],"uid":"u"}}';
    const { bytes, at, end } = inside(text);
    const metadata = codec.decodeField('metadata', bytes, at, end) as Record<string, unknown>;
    expect(Object.getOwnPropertyDescriptor(metadata, 'managedFields')).not.toHaveProperty('value');
    expect(JSON.stringify({ metadata })).toBe(text);
    expect(structuredClone(metadata)).toEqual({ name: 'a', managedFields: [{ manager: 'm' }], uid: 'u' });
    metadata['managedFields'] = 1;
    expect({ ...metadata }).toEqual({ name: 'a', managedFields: 1, uid: 'u' });
  });
});
