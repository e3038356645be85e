import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinSchema } from '../../../src/api/schema/builtin-schema.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import type { Schema } from '../../../src/api/schema/schema.ts';
import {
  dropUnknownFields,
  duplicateAndUnknownFields,
  strictUnknownFieldFaults,
  unknownFields,
} from '../../../src/api/schema/unknown-fields.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';

const podSchema = builtinSchema('', 'v1', 'Pod') as Schema;
const configMapSchema = builtinSchema('', 'v1', 'ConfigMap') as Schema;
const parse = (text: string): ApiObject => JSON.parse(text) as ApiObject;

const POD =
  '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"},"spec":{"foo":1,"containers":[{"name":"a","image":"i",' +
  '"bar":[1],"env":[{"name":"A","name":"B","value":"x","zip":1}],"resources":{"limits":{"cpu":"1","cpu":"2"},"q":1}}],' +
  '"volumes":[{"name":"v","emptyDir":{"x":1}}],"affinity":null}}';

test('a built-in reports unknown and duplicate fields as they come in the text', () => {
  // The exact message of a real server with fieldValidation=Strict.
  expect(strictUnknownFieldFaults(parse(POD), podSchema, POD)).toEqual([
    'unknown field "spec.foo"',
    'unknown field "spec.containers[0].bar"',
    'duplicate field "spec.containers[0].env[0].name"',
    'unknown field "spec.containers[0].env[0].zip"',
    'duplicate field "spec.containers[0].resources.limits.cpu"',
    'unknown field "spec.containers[0].resources.q"',
    'unknown field "spec.volumes[0].emptyDir.x"',
  ]);
});

test('names are compared as they are written', () => {
  const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"Name":"y","name":"x"},"Data":{"a":"1"}}';
  expect(strictUnknownFieldFaults(parse(text), configMapSchema, text)).toEqual([
    'unknown field "metadata.Name"',
    'unknown field "Data"',
  ]);
});

test('the content of an unknown field is not checked', () => {
  const text = '{"zeta":{"a":1,"a":2},"zeta":3,"data":{"a":"1","a":"2"},"data":{}}';
  expect(strictUnknownFieldFaults(parse(text), configMapSchema, text)).toEqual([
    'unknown field "zeta"',
    'duplicate field "data.a"',
    'duplicate field "data"',
  ]);
});

test('free-form parts of a built-in may hold anything, even twice', () => {
  const schema = builtinSchema('apps', 'v1', 'ControllerRevision') as Schema;
  const text = '{"data":{"any":{"thing":1,"thing":2}},"revision":1,"bogus":1}';
  expect(strictUnknownFieldFaults(parse(text), schema, text)).toEqual(['unknown field "bogus"']);
});

test('without the text, unknown fields are found in the object', () => {
  expect(strictUnknownFieldFaults(parse(POD), podSchema)).toEqual([
    'unknown field "spec.foo"',
    'unknown field "spec.containers[0].bar"',
    'unknown field "spec.containers[0].env[0].zip"',
    'unknown field "spec.containers[0].resources.q"',
    'unknown field "spec.volumes[0].emptyDir.x"',
  ]);
  expect(unknownFields(parse(POD), podSchema)).toHaveLength(5);
});

test('dropping unknown fields keeps everything else, and the object itself if it has none', () => {
  const dropped = dropUnknownFields(parse(POD), podSchema);
  expect(dropped).toMatchObject({ spec: { containers: [{ name: 'a', env: [{ name: 'B', value: 'x' }] }] } });
  expect(unknownFields(dropped, podSchema)).toEqual([]);
  expect(dropUnknownFields(dropped, podSchema)).toBe(dropped);
});

test('a custom resource reports duplicates, then its metadata, then its fields in order, then embedded metadata', () => {
  const schema = schemaFrom({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          x: { type: 'integer' },
          any: { type: 'object', additionalProperties: true },
          l: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
          emb: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
      status: { type: 'object' },
    },
  });
  const text =
    '{"kind":"Rich","apiVersion":"example.com/v1","foo":1,"metadata":{"name":"x","zoo":2,"foo":1},"spec":{"x":1,"x":2,' +
    '"bad":1,"l":[{"k":"a","zz":1},{"k":"b"}],"any":{"q":{"w":1}},"emb":{"kind":"A","apiVersion":"v1","metadata":' +
    '{"name":"n","bogus":1},"x":1}},"status":{"y":1}}';
  expect(strictUnknownFieldFaults(parse(text), schema, text)).toEqual([
    'duplicate field "spec.x"',
    'unknown field "metadata.foo"',
    'unknown field "metadata.zoo"',
    'unknown field "foo"',
    'unknown field "spec.any.q.w"',
    'unknown field "spec.bad"',
    'unknown field "spec.l[0].zz"',
    'unknown field "status.y"',
    'unknown field "spec.emb.metadata.bogus"',
  ]);
});

test('a duplicate is named once, with its path; escapes in names are read', () => {
  expect(
    duplicateAndUnknownFields(String.raw`{"a":[{"b":1,"\u0062":2,"b":3}],"a\"c":1,"a\"c":2,"s":"{\"x\":1,\"x\":2}"}`),
  ).toEqual(['a[0].b', 'a"c']);
});

test('at most a hundred faults are reported', () => {
  const text = `{${Array.from({ length: 150 }, (_, at) => `"f${at}":1`).join(',')}}`;
  expect(strictUnknownFieldFaults(parse(text), configMapSchema, text)).toHaveLength(100);
});

test('a text nested a hundred thousand deep is scanned', () => {
  expect(duplicateAndUnknownFields(`${'['.repeat(100_000)}{"a":1,"a":2}${']'.repeat(100_000)}`)).toHaveLength(1);
});

test('no JSON text without duplicates is reported to have some', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, indented) => {
      expect(duplicateAndUnknownFields(JSON.stringify(value, null, indented ? 2 : undefined))).toEqual([]);
    }),
  );
});
