import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { applySchemaDefaults } from '../../../src/api/schema/apply-defaults.ts';
import { pruneBySchema } from '../../../src/api/schema/prune-by-schema.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import { strictUnknownFieldFaults } from '../../../src/api/schema/unknown-fields.ts';
import { validateAgainstSchema, validateStatusBySchema } from '../../../src/api/schema/validation/validate.ts';
import type { FieldError } from '../../../src/core/field-error.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';

interface Recorded {
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly warnings: readonly string[];
  /** The object that a real server stored; or */
  readonly stored?: JsonObject;
  /** the causes of its refusal: reason, field, message, in any order. */
  readonly causes?: readonly (readonly [string, string, string])[];
}

/** Objects sent to a real server under one definition, with its responses. */
const { schema: recordedSchema, cases } = JSON.parse(
  readFileSync(new URL('custom-resources.fixtures.json', import.meta.url), 'utf8'),
) as { schema: JsonObject; cases: Recorded[] };

function rig(raw: JsonObject) {
  const schema = schemaFrom({ type: 'object', properties: { spec: raw } });
  const object = (spec: unknown): ApiObject => ({
    apiVersion: 'example.com/v1',
    kind: 'A',
    metadata: { name: 'x' },
    spec,
  });
  const texts = (errors: FieldError[]): string[] => errors.map(({ field, message }) => `${field}: ${message}`);
  return {
    pruned: (spec: unknown) => pruneBySchema(object(spec), schema).object['spec'],
    defaulted: (spec: unknown) => applySchemaDefaults(object(spec), schema)['spec'],
    errors: (spec: unknown, old?: unknown) =>
      texts(validateAgainstSchema(object(spec), schema, old === undefined ? undefined : object(old))),
  };
}

test.each(cases.map((recorded, at) => [at, recorded] as const))(
  'recorded object %i is pruned, defaulted and validated as by a real server',
  (_, { spec, status, warnings, stored, causes = [] }) => {
    const schema = schemaFrom(recordedSchema);
    const sent = { apiVersion: 'fz.example.com/v1', kind: 'Fuzz', metadata: { name: 'x' }, spec, status } as ApiObject;
    const body = JSON.parse(JSON.stringify(sent)) as ApiObject;
    const before = structuredClone(body);
    expect(strictUnknownFieldFaults(body, schema, JSON.stringify(body))).toEqual(warnings);
    const object = applySchemaDefaults(pruneBySchema(body, schema).object, schema);
    const errors = validateAgainstSchema(object, schema).map(({ reason, field, message }) =>
      [reason, field, message].join(),
    );
    expect(new Set(errors)).toEqual(new Set(causes.map((cause) => cause.join())));
    if (stored !== undefined)
      expect({ spec: object['spec'], status: object['status'] }).toEqual({ status: undefined, ...stored });
    expect(body, 'the body is not changed').toEqual(before);
  },
);

test('a field called __proto__ is a field like others', () => {
  const { pruned, defaulted } = rig({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  const spec: unknown = JSON.parse('{"__proto__":{"a":1}}');
  expect(JSON.stringify(pruned(spec))).toBe('{"__proto__":{"a":1}}');
  expect(JSON.stringify(defaulted(spec))).toBe('{"__proto__":{"a":1}}');
});

test('nulls that are not allowed are removed, or replaced by a default', () => {
  const { pruned, defaulted } = rig({
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'string', nullable: true, default: 'x' },
      c: { type: 'string', default: 'd' },
      any: { type: 'object', additionalProperties: true },
    },
  });
  const kept = pruned({ a: null, b: null, c: null, any: { x: null } });
  expect(kept).toEqual({ b: null, c: null, any: { x: null } });
  expect(defaulted(kept)).toEqual({ b: null, c: 'd', any: { x: null } });
});

test('a default is a copy: changing one object does not change the next', () => {
  const { defaulted } = rig({ type: 'object', properties: { a: { type: 'object', default: { list: [] } } } });
  (defaulted({}) as { a: { list: number[] } }).a.list.push(1);
  expect(defaulted({})).toEqual({ a: { list: [] } });
});

test('defaults reach into lists, maps and other defaults', () => {
  const item = { type: 'object', properties: { p: { type: 'integer', default: 7 } } };
  const { defaulted } = rig({
    type: 'object',
    properties: {
      l: { type: 'array', items: item },
      m: { type: 'object', additionalProperties: item },
      d: { ...item, default: {} },
    },
  });
  expect(defaulted({ l: [{}, { p: 1 }], m: { x: {} } })).toEqual({
    l: [{ p: 7 }, { p: 1 }],
    m: { x: { p: 7 } },
    d: { p: 7 },
  });
});

test('a stored value that violates a newer rule is accepted until it changes', () => {
  const { errors } = rig({
    type: 'object',
    required: ['r'],
    properties: {
      n: { type: 'integer', maximum: 5 },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 5 } } },
      },
      plain: { type: 'array', items: { type: 'object', properties: { v: { type: 'integer', maximum: 5 } } } },
    },
  });
  const stored = { n: 9, list: [{ k: 'a', v: 9 }], plain: [{ v: 9 }] };
  expect(errors({ ...stored }, stored)).toEqual([]);
  expect(errors({ n: 9, r: 1 }, stored)).toEqual([]);
  expect(errors({ n: 8, r: 1 }, stored)).toEqual([
    'spec.n: Invalid value: 8: spec.n in body should be less than or equal to 5',
  ]);
  // Items with keys are matched with the old ones; items of a plain list are not.
  expect(errors({ r: 1, list: [{ k: 'b' }, { k: 'a', v: 9 }] }, stored)).toEqual([]);
  expect(errors({ r: 1, plain: [{ v: 9 }, {}] }, stored)).toEqual([
    'spec.plain[0].v: Invalid value: 9: spec.plain[0].v in body should be less than or equal to 5',
  ]);
});

test('the length of a string is counted in characters, not in code units', () => {
  const { errors } = rig({ type: 'string', maxLength: 2 });
  expect(errors('🙂🙂')).toEqual([]);
  expect(errors('abc')).toEqual(['spec: Too long: may not be more than 2 bytes']);
});

test('a fraction is cut off before it is compared with whole choices', () => {
  const { errors } = rig({ type: 'number', enum: [3, 1] });
  expect(errors(1.5)).toEqual([]);
  expect(errors(2.5)).toEqual(['spec: Unsupported value: 2.5: supported values: "3", "1"']);
});

test('a list that was invalid before may stay as it is', () => {
  const { errors } = rig({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } });
  expect(errors(['a', 'a'])).toEqual(['spec[1]: Duplicate value: "a"']);
  expect(errors(['a', 'a', 'b'], ['a', 'a'])).toEqual([]);
});

test('an update of the status looks at the status only', () => {
  const schema = schemaFrom({
    type: 'object',
    required: ['spec'],
    properties: { status: { type: 'object', required: ['y'], properties: { x: { type: 'integer' } } } },
  });
  const errors = validateStatusBySchema({ status: { x: 'a' } }, schema).map(
    ({ field, message }) => `${field}: ${message}`,
  );
  expect(errors).toEqual([
    'status.x: Invalid value: "string": x in body must be of type integer: "string"',
    'status.y: Required value',
  ]);
  expect(validateStatusBySchema({}, schema)).toEqual([]);
});
