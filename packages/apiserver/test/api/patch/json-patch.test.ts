import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPatch } from '../../../src/api/patch/json-patch.ts';
import { mergePatch } from '../../../src/api/patch/merge-patch.ts';
import type { Json, JsonObject } from '../../../src/core/json.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import { fixtures } from '../../rig/fixtures.ts';

interface Recorded {
  readonly spec: Json;
  readonly patch: Json;
  readonly result?: Json;
  readonly code?: number;
}

const recorded = fixtures<{ json: Recorded[]; merge: Recorded[] }>('json.fixtures.json', import.meta);

function refusal(call: () => unknown): StatusError['status'] {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('expected a failure, but the patch was applied');
}

describe('a JSON patch', () => {
  test.each(recorded.json)('$patch on $spec does what it does on the real server', ({ spec, patch, result, code }) => {
    const object: JsonObject = { kind: 'Widget', spec };
    if (code === undefined) expect(jsonPatch(object, patch)['spec'] ?? null).toEqual(result);
    else expect(refusal(() => jsonPatch(object, patch)).code).toBe(code);
  });

  test('that cannot be applied is a 422 without details', () => {
    const patch = [{ op: 'test', path: '/a', value: 1 }];
    expect(refusal(() => jsonPatch({ a: 2 }, patch))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  });

  // The right-hand side is the response of a real server.
  test.each<[Json, string]>([
    [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1, path: '/a' }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [
      [{ op: 'add', path: 5 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ])('that is malformed (%j) is a 400', (patch, message) => {
    expect(refusal(() => jsonPatch({}, patch))).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test.each<[Json]>([
    [[null]],
    [[{}]],
    [[{ op: 'add' }]],
    [[{ op: 'foo', path: '/a' }]],
    [[{ op: 'add', path: '', value: {} }]],
    [[{ op: 'remove', path: '' }]],
    [[{ op: 'replace', path: '', value: 'x' }]],
    [[{ op: 'copy', path: '/b' }]],
    [[{ op: 'remove', path: '/b' }]],
    [[{ op: 'move', from: '/b', path: '/c' }]],
    [[{ op: 'test', path: '/a' }]],
    [[{ op: 'add', path: '/a/b', value: 1 }]],
    [[{ op: 'add', path: '/l/9', value: 1 }]],
    [[{ op: 'test', path: '/l/-', value: 1 }]],
  ])('that does not apply to the object (%j) is a 422', (patch) => {
    expect(refusal(() => jsonPatch({ a: 1, l: [1] }, patch)).code).toBe(422);
  });

  test.each<[Json, JsonObject]>([
    [null, { a: '1', l: [1, 2] }],
    [[{ op: 'replace', path: '/new', value: 'v' }], { a: '1', l: [1, 2], new: 'v' }],
    [[{ op: 'test', path: '/new' }], { a: '1', l: [1, 2] }],
    [[{ op: 'copy', from: '/new', path: '/b' }], { a: '1', l: [1, 2], b: null }],
    [[{ op: 'add', path: 'ignored/b', value: 2 }], { a: '1', l: [1, 2], b: 2 }],
    [[{ op: 'add', path: '/l/-1', value: 3 }], { a: '1', l: [1, 2, 3] }],
    [[{ op: 'add', path: '/l/+1', value: 3 }], { a: '1', l: [1, 3, 2] }],
    [[{ op: 'remove', path: '/l/-2' }], { a: '1', l: [2] }],
    [[{ op: 'add', path: '/x~1y~0z', value: 1 }], { a: '1', l: [1, 2], 'x/y~z': 1 }],
    [[{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
  ])('%j has the same result as on a real server', (patch, result) => {
    expect(jsonPatch({ a: '1', l: [1, 2] }, patch)).toEqual(result);
  });

  test('may have at most ten thousand operations', () => {
    const operations = (count: number): Json => Array.from({ length: count }, () => ({ op: 'test', path: '/b' }));
    expect(jsonPatch({ a: 1 }, operations(10_000))).toEqual({ a: 1 });
    expect(refusal(() => jsonPatch({ a: 1 }, operations(10_001)))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  test('cannot grow an object exponentially by copies', () => {
    const bomb = Array.from({ length: 30 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(refusal(() => jsonPatch({ a: ['x'.repeat(1000)] }, bomb)).code).toBe(422);
  });

  test('sets keys such as __proto__ as plain keys', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { evil: true } }]);
    expect(Object.keys(patched)).toEqual(['__proto__']);
    expect(({} as { evil?: boolean }).evil).toBeUndefined();
  });
});

describe('a merge patch', () => {
  test.each(recorded.merge)('$patch on $spec does what it does on the real server', ({ spec, patch, result }) => {
    expect(mergePatch({ spec }, patch)['spec'] ?? null).toEqual(result);
  });

  test.each<[Json, string]>([
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [null, 'Invalid JSON Patch'],
  ])('that is malformed (%j) is a 400', (patch, message) => {
    expect(refusal(() => mergePatch({}, patch))).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test('drops nulls inside a list it sets, except where the list replaces an object', () => {
    expect(mergePatch({}, { l: [{ a: null, b: 1 }, null] })).toEqual({ l: [{ b: 1 }, null] });
    expect(mergePatch({ l: {} }, { l: [{ a: null, b: 1 }] })).toEqual({ l: [{ a: null, b: 1 }] });
  });

  test('keeps the order of the fields that are there', () => {
    expect(Object.keys(mergePatch({ b: 1, a: 2 }, { c: 3, b: 4 }))).toEqual(['b', 'a', 'c']);
  });
});

const json: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json) as fc.Arbitrary<JsonObject>;

test('patches do not change their arguments, and the result shares nothing with them', () => {
  fc.assert(
    fc.property(objects, objects, json, (object, patch, value) => {
      const operations: Json = [
        { op: 'add', path: '/n', value },
        { op: 'copy', from: '/n', path: '/m' },
      ];
      const before = JSON.stringify([object, patch, operations]);
      for (const result of [mergePatch(object, patch), jsonPatch(object, operations)]) scribble(result);
      expect(JSON.stringify([object, patch, operations])).toBe(before);
    }),
  );
});

/** Changes every nested value. */
function scribble(value: Json): void {
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) scribble(item);
  if (Array.isArray(value)) value.push('scribbled');
  else value['scribbled'] = true;
}
