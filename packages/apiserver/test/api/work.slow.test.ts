import { describe, expect, test } from 'vitest';
import { jsonPatch } from '../../src/api/patch/json-patch.ts';
import { mergeStrategicList } from '../../src/api/patch/strategic-list.ts';
import { Re2 } from '../../src/api/schema/re2/re2.ts';
import { schemaFrom } from '../../src/api/schema/schema-from.ts';
import { validateAgainstSchema } from '../../src/api/schema/validation/validate.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { MAX_WORK_STEPS, Work } from '../../src/core/work.ts';

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const fields = (count: number): JsonObject => Object.fromEntries(many(count, (at) => [`k${at}`, `v${at}`]));
const tooMuch = expect.objectContaining({ status: expect.objectContaining({ code: 413 }) });

/** What a function throws. */
function refusal(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Steps of the validation of an object under a schema. */
function stepsOf(object: JsonObject, schema: JsonObject, old?: JsonObject): number {
  const work = new Work('this', Infinity);
  validateAgainstSchema(object, schemaFrom(schema), old, work);
  return work.spent;
}

const MAP: JsonObject = { type: 'object', additionalProperties: { type: 'string', maxLength: 9 } };

test('S63: work ends at its limit, with a refusal that names it', () => {
  const work = new Work('the patch', 10);
  work.spend(10);
  expect(refusal(() => work.spend())).toEqual(tooMuch);
  expect(() => work.spend()).toThrow('the patch takes more than 10 steps');
});

describe('validation', () => {
  test('S63: an ordinary object takes a few steps for each of its values', () => {
    const [small, large] = [stepsOf(fields(1_000), MAP), stepsOf(fields(10_000), MAP)];
    expect(small).toBeLessThan(10 * 1_000);
    expect(large / small).toBeLessThan(11);
    // The largest bodies are some 100,000 values: all of them can be validated.
    expect(10 * large).toBeLessThan(MAX_WORK_STEPS);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['alternatives', { ...MAP, anyOf: many(2_000, (at) => ({ required: [`z${at}`] })) }, fields(5_000)],
    [
      'alternatives of every value',
      { type: 'object', additionalProperties: { anyOf: many(2_000, (at) => ({ pattern: `^z${at}` })) } },
      fields(5_000),
    ],
    [
      'nested alternatives',
      many(14, () => 0).reduce<JsonObject>((inner) => ({ anyOf: [inner, inner, inner] }), MAP),
      fields(10),
    ],
    [
      'required fields',
      { type: 'object', additionalProperties: { type: 'object', required: many(2_000, (at) => `r${at}`) } },
      Object.fromEntries(many(5_000, (at) => [`k${at}`, {}])),
    ],
    ['choices', { type: 'object', additionalProperties: { enum: many(20_000, (at) => `e${at}`) } }, fields(5_000)],
    [
      'a pattern',
      { type: 'object', additionalProperties: { pattern: `${'(a?){1,100}'.repeat(20)}b` } },
      { a: 'a'.repeat(50_000) },
    ],
  ])('S63: %s that multiply are refused, after no more than the limit', (_, schema, object) => {
    const work = new Work('validation');
    expect(refusal(() => validateAgainstSchema(object, schemaFrom(schema), undefined, work))).toEqual(tooMuch);
    expect(work.spent).toBeLessThan(1.2 * MAX_WORK_STEPS);
  });

  test('S63: an update that compares every item of a list with every stored one is refused', () => {
    const items = { type: 'object', properties: { name: { type: 'string' } } };
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'], items };
    const object = { spec: many(20_000, (at) => ({ name: `n${at}` })) };
    const schema = schemaFrom({ type: 'object', properties: { spec: list } });
    expect(refusal(() => validateAgainstSchema(object, schema, object))).toEqual(tooMuch);
  });
});

describe('patterns', () => {
  test('S63: the work of a test is the product of the expression and the text', () => {
    const work = new Work('this', Infinity);
    const expression = new Re2('^(a|b)*c$', work);
    expect(work.spent).toBe(expression.size);
    expect(expression.test('ab'.repeat(1_000), work)).toBe(false);
    expect(work.spent).toBeLessThan(2_000 * expression.size);
  });

  test('S63: an expression that is large when it is compiled is refused with its definition', () => {
    expect(() => new Re2('(a{1,1000}){1,1000}')).toThrow('invalid repeat count');
    expect(() => new Re2('(a?){1,1000}'.repeat(200))).toThrow('expression too large');
  });

  test('S63: many expressions of one request share its work', () => {
    const work = new Work('the definition');
    const compile = (): void => void many(1_000, (at) => new Re2(`(a?){1,900}${at}`, work));
    expect(refusal(compile)).toEqual(tooMuch);
  });
});

describe('patches', () => {
  /** Reads of the key of all items, while a patch is merged into a list. */
  function keysRead(count: number, patchItem: JsonObject): number {
    let reads = 0;
    const item = (at: number, more: JsonObject): JsonObject =>
      Object.defineProperty({ ...more }, 'name', {
        enumerable: true,
        get: () => ((reads += 1), `n${at}`),
      }) as JsonObject;
    const current = many(count, (at) => item(at, {}));
    mergeStrategicList(current, many(count, (at) => item(at, patchItem)), 'name', (a) => a); // prettier-ignore
    return reads;
  }

  test.each<[string, JsonObject]>([
    ['delete', { $patch: 'delete' }],
    ['change', { image: 'x' }],
  ])('S63: a strategic patch that %ss items looks at each a few times', (_, patchItem) => {
    const [small, large] = [keysRead(100, patchItem), keysRead(1_000, patchItem)];
    expect(large / small).toBeLessThan(15);
    expect(large).toBeLessThan(50 * 1_000);
  });

  test('S63: a JSON patch that moves a long list again and again is refused', () => {
    const object = { list: many(500_000, () => 0 as Json) };
    const patch = many(9_000, () => ({ op: 'add', path: '/list/0', value: 0 }));
    expect(refusal(() => jsonPatch(object, patch))).toEqual(tooMuch);
    expect(jsonPatch({ list: [1] }, patch)['list']).toHaveLength(9_001);
  });
});
