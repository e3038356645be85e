import { expect, test } from 'vitest';
import { builtinResources } from '../../../src/api/kinds/builtin-resources.ts';
import { openApiV2 } from '../../../src/api/openapi/v2.ts';
import { type KeptDocuments, openApiV3 } from '../../../src/api/openapi/v3.ts';
import { protobufWireFields } from '../../../src/api/protobuf/wire.ts';
import type { Resource } from '../../../src/api/schema/resource.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import type { Json, JsonObject } from '../../../src/core/json.ts';

function widgets(spec: JsonObject): Resource {
  return {
    group: 'stable.example.com',
    version: 'v1',
    resource: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    namespaced: true,
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    shortNames: [],
    categories: [],
    subresources: [],
    custom: true,
    schema: schemaFrom({ type: 'object', properties: { spec } }),
  };
}

const DEPLOYMENT = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
const WIDGET = '/apis/stable.example.com/v1/namespaces/{namespace}/widgets/{name}';

/** Follows keys into a document. */
function at(node: Json | undefined, ...keys: string[]): Json | undefined {
  return keys.reduce<Json | undefined>((inner, key) => (inner as JsonObject | undefined)?.[key], node);
}

function rig(...custom: Resource[]) {
  const resources = [...builtinResources(), ...custom];
  const v3 = openApiV3(resources);
  return { v3, v2: openApiV2(resources, v3) };
}

test('the index has a document for every group-version, each with a hash that names its content', () => {
  const { v3 } = rig(widgets({ type: 'object' }));
  const paths = v3.index['paths'] as Record<string, { serverRelativeURL: string }>;
  expect(Object.keys(paths)).toHaveLength(23);
  expect(paths['apis/apps/v1']?.serverRelativeURL).toBe(`/openapi/v3/apis/apps/v1?hash=${v3.hash('apis/apps/v1')}`);
  expect(v3.hash('apis/apps/v1')).toMatch(/^[0-9A-F]{128}$/);
  expect(v3.document('apis/no.such/v1')).toBeUndefined();
});

test('a schema change of a custom resource changes the hash of its group-version only', () => {
  const [before, after] = [rig(widgets({ type: 'object' })).v3, rig(widgets({ type: 'string' })).v3];
  expect(after.hash('apis/stable.example.com/v1')).not.toBe(before.hash('apis/stable.example.com/v1'));
  expect(after.hash('api/v1')).toBe(before.hash('api/v1'));
});

test('a PATCH operation has what kubectl reads: parameters, kind and patch types', () => {
  const { v3 } = rig(widgets({ type: 'object' }));
  const patch = at(v3.document('apis/apps/v1'), 'paths', DEPLOYMENT, 'patch') as JsonObject;
  expect((patch['parameters'] as JsonObject[]).map(({ name }) => name)).toEqual([
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
  ]);
  expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
  const types = (from: JsonObject): string[] => Object.keys(at(from, 'requestBody', 'content') as JsonObject);
  expect(types(patch)).toContain('application/strategic-merge-patch+json');
  const custom = at(v3.document('apis/stable.example.com/v1'), 'paths', WIDGET, 'patch') as JsonObject;
  expect(types(custom)).toEqual([
    'application/apply-patch+yaml',
    'application/json-patch+json',
    'application/merge-patch+json',
  ]);
});

test('a document contains every schema it refers to', () => {
  const { v3 } = rig(widgets({ type: 'object' }));
  for (const path of Object.keys(v3.index['paths'] as JsonObject)) {
    const text = String(v3.body(path));
    const schemas = at(JSON.parse(text) as Json, 'components', 'schemas') as JsonObject;
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(schemas).toHaveProperty([name as string]);
  }
});

test('a custom resource is published with kind, apiVersion and metadata, also in embedded objects', () => {
  const { v3 } = rig(widgets({ type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] }));
  const schemas = at(v3.document('apis/stable.example.com/v1'), 'components', 'schemas') as JsonObject;
  const widget = schemas['com.example.stable.v1.Widget'];
  expect(Object.keys(at(widget, 'properties') as JsonObject)).toEqual(['spec', 'apiVersion', 'kind', 'metadata']);
  expect(at(widget, 'x-kubernetes-group-version-kind')).toEqual([
    { group: 'stable.example.com', kind: 'Widget', version: 'v1' },
  ]);
  expect(Object.keys(at(widget, 'properties', 'spec', 'properties') as JsonObject)).toContain('metadata');
  expect(schemas).toHaveProperty(['com.example.stable.v1.WidgetList']);
});

test('a document is made anew only when a definition of its group changes', () => {
  const kept: KeptDocuments = new Map();
  const first = openApiV3([widgets({ type: 'object' })], kept).body('apis/stable.example.com/v1');
  expect(openApiV3([widgets({ type: 'object' })], kept).body('apis/stable.example.com/v1')).toBe(first);
  expect(openApiV3([widgets({ type: 'string' })], kept).body('apis/stable.example.com/v1')).not.toBe(first);
  expect(openApiV3([], kept).body('apis/stable.example.com/v1')).toBeUndefined();
});

test('documents of built-in groups are made once for all servers', () => {
  expect(rig().v3.document('api/v1')).toBe(rig(widgets({ type: 'object' })).v3.document('api/v1'));
});

test('version 2 describes the same API', () => {
  const { v2 } = rig(
    widgets({
      type: 'object',
      properties: { n: { type: 'string', nullable: true, default: 'x' }, i: { type: 'integer' } },
    }),
  );
  const document = v2.json();
  const deployment = at(document, 'definitions', 'io.k8s.api.apps.v1.DeploymentSpec', 'properties');
  expect(at(deployment, 'strategy')).toEqual({
    $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentStrategy',
    'x-kubernetes-patch-strategy': 'retainKeys',
  });
  expect(at(document, 'definitions', 'io.k8s.apimachinery.pkg.api.resource.Quantity')).toEqual({ type: 'string' });
  expect(at(document, 'definitions', 'com.example.stable.v1.Widget', 'properties', 'spec', 'properties')).toEqual({
    n: {},
    i: { type: 'integer' },
  });
  const text = JSON.stringify(document);
  expect(text).not.toContain('#/components/');
  for (const [, name] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) {
    expect(document['definitions']).toHaveProperty([name as string]);
  }
});

test('DeleteOptions belong to every group in version 2', () => {
  const kinds = at(
    rig().v2.json(),
    'definitions',
    'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    'x-kubernetes-group-version-kind',
  ) as { group: string }[];
  expect(kinds.map(({ group }) => group)).toEqual(expect.arrayContaining(['', 'apps', 'batch']));
});

test('the protobuf form has paths, operations and definitions under the numbers of gnostic', () => {
  const read = (bytes: Uint8Array, ...numbers: number[]): Uint8Array[] =>
    numbers.reduce<Uint8Array[]>(
      (messages, wanted) =>
        messages.flatMap((message) =>
          [...protobufWireFields(message)]
            .filter(({ number }) => number === wanted)
            .map(({ value }) => value as Uint8Array),
        ),
      [bytes],
    );
  const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
  const bytes = rig().v2.protobuf();
  expect(text(read(bytes, 1)[0])).toBe('2.0');
  const path = read(bytes, 8, 2).find((named) => text(read(named, 1)[0]) === DEPLOYMENT) as Uint8Array;
  const [patch] = read(path, 2, 8) as [Uint8Array];
  expect(text(read(patch, 5)[0])).toBe('patchAppsV1NamespacedDeployment');
  expect(read(patch, 8, 1, 2, 3, 4).map(text)).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  expect(read(patch, 8, 1, 2, 3, 6).map(text)).toEqual(['string', 'string', 'string', 'boolean']);
  expect(read(path, 2, 9, 1, 2, 4, 4).map(text)).toEqual(['name', 'namespace']);
  expect(read(path, 2, 9, 1, 2, 4, 5).map(text)).toEqual(['string', 'string']);
  expect(read(patch, 13, 2, 2).map(text)).toContain('{"group":"apps","version":"v1","kind":"Deployment"}\n');
  const pod = read(bytes, 9, 1).find((named) => text(read(named, 1)[0]) === 'io.k8s.api.core.v1.Pod') as Uint8Array;
  expect(read(pod, 2, 25, 1, 1).map(text)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
});
