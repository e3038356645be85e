import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { builtinResources } from '../../src/api/kinds/builtin-resources.ts';
import { builtinSchemaName } from '../../src/api/schema/builtin-schema.ts';
import { builtinTableColumns } from '../../src/api/table/builtin-columns.ts';
import { dataOfProtobuf, rawSchemas } from '../../src/core/data.ts';

const FOLDER = new URL('../../data/', import.meta.url);

test('the facts of all built-in kinds take less than half a megabyte', () => {
  const bytes = readdirSync(FOLDER).map((name) => statSync(new URL(name, FOLDER)).size);
  expect(bytes.reduce((a, b) => a + b)).toBeLessThan(500_000);
});

test('facts have no descriptions', () => {
  const text = readFileSync(new URL('schemas.json', FOLDER), 'utf8');
  expect(text).not.toMatch(/"description":"/);
});

test('every resource that can be written has a schema, a list kind and a protobuf message', () => {
  for (const { group, version, kind, listKind, verbs, schema } of builtinResources()) {
    expect(schema, kind).toBeDefined();
    const message = builtinSchemaName(group, version, kind) as string;
    expect(dataOfProtobuf(), message).toHaveProperty([message]);
    if (verbs.includes('list')) expect(builtinSchemaName(group, version, listKind), listKind).toBeDefined();
  }
});

test('resources that can be listed have the columns a real server shows', () => {
  for (const { group, version, resource, verbs } of builtinResources()) {
    const columns = builtinTableColumns(group, version, resource);
    expect(columns === undefined, resource).toBe(!verbs.includes('list'));
  }
  expect(builtinTableColumns('', 'v1', 'pods')?.map(({ name, priority }) => `${name}:${priority}`)).toEqual([
    'Name:0',
    'Ready:0',
    'Status:0',
    'Restarts:0',
    'Age:0',
    'IP:1',
    'Node:1',
    'Nominated Node:1',
    'Readiness Gates:1',
  ]);
  expect(builtinTableColumns('', 'v1', 'pods')?.[0]).toEqual({
    name: 'Name',
    type: 'string',
    format: 'name',
    description: '',
    priority: 0,
  });
});

test('every schema that a schema refers to exists', () => {
  const names = new Set(Object.keys(rawSchemas()));
  const refs = [...JSON.stringify(rawSchemas()).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  expect(refs.length).toBeGreaterThan(500);
  for (const name of refs) expect(names).toContain(name);
});

test('only what a default server serves is served, without alpha and beta versions', () => {
  const versions = new Set(builtinResources().map(({ group, version }) => `${group}/${version}`));
  expect(versions.size).toBe(22);
  expect([...versions].filter((name) => /alpha|beta/.test(name))).toEqual([]);
  expect(builtinResources()[0]).toMatchObject({ group: '', version: 'v1', resource: 'bindings', custom: false });
});

test('a copy of a resource keeps its schema', () => {
  const pods = builtinResources().find(({ resource }) => resource === 'pods');
  expect({ ...pods }.schema).toBe(pods?.schema);
});
