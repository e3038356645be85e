import { expect, test } from 'vitest';
import { builtinSchema } from '../../../src/api/schema/builtin-schema.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import type { JsonObject } from '../../../src/core/json.ts';

const REFS: Record<string, JsonObject> = {
  Part: { type: 'object', nullable: true, properties: { whole: { $ref: '#/components/schemas/Part' } } },
};
const refs = (name: string): JsonObject | undefined => REFS[name];

test('a reference resolves to its target, overridden by the keywords beside it', () => {
  const raw = {
    allOf: [{ $ref: '#/components/schemas/Part' }],
    default: {},
    nullable: false,
    'x-kubernetes-patch-strategy': 'retainKeys',
  };
  const schema = schemaFrom(raw, refs);
  expect(schema).toMatchObject({ type: 'object', nullable: false, default: {}, patchStrategy: 'retainKeys' });
  expect(schema.propertyNames).toEqual(['whole']);
  expect(schema.raw).not.toHaveProperty('allOf');
});

test('types that refer to each other can be followed without a limit', () => {
  let schema = schemaFrom({ $ref: '#/components/schemas/Part' }, refs);
  for (let depth = 0; depth < 50; depth += 1) schema = schema.property('whole') ?? schema;
  expect(schema.type).toBe('object');
});

test('asking twice gives the same node', () => {
  const root = schemaFrom({ type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } });
  expect(root.property('a')).toBe(root.property('a'));
  expect(root.property('a')?.items).toBe(root.property('a')?.items);
});

test('names of Object.prototype are not properties', () => {
  const schema = schemaFrom({ type: 'object', properties: { a: {} } });
  expect(schema.property('constructor')).toBeUndefined();
  expect(schema.property('__proto__')).toBeUndefined();
});

test('an unresolved reference is a node without a type', () => {
  const schema = schemaFrom({ $ref: '#/components/schemas/Nobody' }, refs);
  expect(schema.type).toBeUndefined();
  expect(schema.propertyNames).toEqual([]);
});

test('several schemas under allOf stay there: they are rules about values', () => {
  const raw = { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^a' }] };
  expect(schemaFrom(raw).raw).toBe(raw);
});

test('built-in kinds have their merge keys, list types and free-form fields', () => {
  const spec = builtinSchema('apps', 'v1', 'Deployment')?.property('spec');
  const container = spec?.property('template')?.property('spec')?.property('containers');
  expect(container).toMatchObject({ type: 'array', patchMergeKey: 'name', patchStrategy: 'merge', listType: 'map' });
  expect(container?.items?.property('ports')?.listMapKeys).toEqual(['containerPort', 'protocol']);
  expect(container?.items?.property('ports')?.items?.property('protocol')?.default).toBe('TCP');
  expect(spec?.property('strategy')?.patchStrategy).toBe('retainKeys');
  const surge = spec?.property('strategy')?.property('rollingUpdate')?.property('maxSurge');
  expect(surge?.intOrString).toBe(true);
  expect(builtinSchema('apps', 'v1', 'ControllerRevision')?.property('data')?.preserveUnknownFields).toBe(true);
  const labels = builtinSchema('', 'v1', 'Pod')?.property('metadata')?.property('labels');
  expect(labels?.values?.type).toBe('string');
});

test('options are kinds of every group; an unknown kind has no schema', () => {
  expect(builtinSchema('apps', 'v1', 'DeleteOptions')?.propertyNames).toContain('propagationPolicy');
  expect(builtinSchema('apps', 'v1', 'Pod')).toBeUndefined();
  expect(builtinSchema('apps', 'v1', 'NoSuchOptions')).toBeUndefined();
});
