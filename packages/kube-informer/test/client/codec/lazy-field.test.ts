import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { decodeList } from '../../../src/client/codec/list-stream.ts';
import { decodeWatchStream } from '../../../src/client/codec/watch-stream.ts';
import { deepFreeze } from '../../../src/core/object/freeze.ts';
import { defineLazyField } from '../../../src/client/codec/lazy-field.ts';
import { body, collect } from '../rig/bodies.ts';

const FIELDS = Array.from({ length: 20 }, (_, i) => ({
  manager: `manager-${i}`,
  fieldsV1: { 'f:spec': { 'f:a': {} } },
}));

function rig(): { readonly metadata: Record<string, unknown>; readonly decoded: () => number } {
  let count = 0;
  const metadata: Record<string, unknown> = { name: 'a' };
  defineLazyField(metadata, 'managedFields', () => {
    count += 1;
    return structuredClone(FIELDS);
  });
  return { metadata, decoded: () => count };
}

const whole = { name: 'a', managedFields: FIELDS };

describe('PKD-01: managedFields that are decoded late behave like any property', () => {
  test('they are decoded once, when they are read', () => {
    const { metadata, decoded } = rig();
    expect(Object.keys(metadata)).toEqual(['name', 'managedFields']);
    expect('managedFields' in metadata).toBe(true);
    expect(decoded()).toBe(0);
    expect(metadata['managedFields']).toBe(metadata['managedFields']);
    expect(decoded()).toBe(1);
  });

  test.each<[string, (object: object) => unknown]>([
    ['spread', (object) => ({ ...object })],
    ['JSON', (object) => JSON.parse(JSON.stringify(object)) as unknown],
    ['structuredClone', (object) => structuredClone(object)],
    ['freeze', (object) => Object.freeze(object)],
  ])('%s', (_, copy) => {
    expect(isDeepStrictEqual(copy(rig().metadata), whole)).toBe(true);
  });

  test('isDeepStrictEqual works both ways, and finds differences', () => {
    expect(isDeepStrictEqual(rig().metadata, whole)).toBe(true);
    expect(isDeepStrictEqual(whole, rig().metadata)).toBe(true);
    expect(isDeepStrictEqual(rig().metadata, { ...whole, managedFields: [] })).toBe(false);
  });

  test('G10: a deep freeze does not decode them, and what is decoded later is frozen, too', () => {
    const { metadata, decoded } = rig();
    deepFreeze({ metadata });
    expect(decoded()).toBe(0);
    const [first] = metadata['managedFields'] as { fieldsV1: object }[];
    expect([Object.isFrozen(metadata['managedFields']), Object.isFrozen(first?.fieldsV1)]).toEqual([true, true]);
    expect(Object.isFrozen(rig().metadata['managedFields'])).toBe(false);
  });

  test('assigning makes an ordinary property; of a frozen object it throws', () => {
    const { metadata, decoded } = rig();
    metadata['managedFields'] = [];
    expect(Object.getOwnPropertyDescriptor(metadata, 'managedFields')).toMatchObject({ value: [], writable: true });
    expect(decoded()).toBe(0);
    const { metadata: frozen } = rig();
    Object.freeze(frozen);
    expect(() => (frozen['managedFields'] = [])).toThrow(TypeError);
    expect(frozen['managedFields']).toEqual(FIELDS);
  });

  test('an object that inherits from it reads the same, and its own assignment stays its own', () => {
    const { metadata } = rig();
    const child = Object.create(metadata) as Record<string, unknown>;
    expect(child['managedFields']).toEqual(FIELDS);
    child['managedFields'] = 1;
    expect([child['managedFields'], metadata['managedFields']]).toEqual([1, FIELDS]);
  });

  test('deleting removes it', () => {
    const { metadata } = rig();
    delete metadata['managedFields'];
    expect(metadata).toStrictEqual({ name: 'a' });
  });
});

describe('PKD-01: managedFields cut from JSON', () => {
  const isLate = (item: unknown): boolean => {
    const { metadata } = item as { metadata?: object };
    return Object.getOwnPropertyDescriptor(metadata ?? {}, 'managedFields')?.get !== undefined;
  };
  const big = JSON.stringify(FIELDS);
  const items: [string, string, boolean][] = [
    ['as servers write it', `{"metadata":{"name":"a","managedFields":${big}},"spec":{}}`, true],
    ['with white space', `{ "metadata" : { "managedFields" : ${big} , "name" : "a" } }`, true],
    ['short ones are parsed at once', '{"metadata":{"managedFields":[{"manager":"a"}]}}', false],
    ['twice: the last wins', `{"metadata":{"managedFields":${big},"managedFields":[1]}}`, false],
    ['written with an escape', `{"metadata":{"managed\\u0046ields":${big}}}`, false],
    ['twice, once with an escape', `{"metadata":{"managedFields":${big},"managed\\u0046ields":[1]}}`, false],
    ['two metadata', `{"metadata":{"managedFields":${big}},"metadata":{"name":"b"}}`, false],
    ['elsewhere', `{"spec":{"managedFields":${big},"metadata":{"managedFields":${big}}}}`, false],
    ['no list', `{"metadata":{"managedFields":{"a":${big}}}}`, false],
    ['name in a value', `{"metadata":{"a":"managedFields","managedFields":${big}}}`, true],
  ];

  test.each(items)('%s', async (_, text, late) => {
    const { items: listed } = await decodeList(body([`{"kind":"List","apiVersion":"v1","items":[${text}]}`]));
    expect(listed.map(isLate)).toEqual([late]);
    expect(isDeepStrictEqual(listed[0], JSON.parse(text))).toBe(true);
    const { values } = await collect(decodeWatchStream(body([`{"type":"ADDED","object":${text}}\n`])));
    expect(values.map(({ object }) => isLate(object))).toEqual([late]);
    expect(isDeepStrictEqual(values[0]?.object, JSON.parse(text))).toBe(true);
  });

  test('a value that is not valid JSON is named when it is read, without its content', async () => {
    const text = `{"metadata":{"name":"a","managedFields":[canary${big}]}}`;
    const { items: listed } = await decodeList(body([`{"kind":"PodList","apiVersion":"v1","items":[${text}]}`]));
    const { metadata } = listed[0] as { metadata: { managedFields: unknown } };
    const read = (): unknown => metadata.managedFields;
    expect(read).toThrow('metadata.managedFields cannot be read: they are not valid JSON');
    expect(read).not.toThrow('canary');
  });
});
