import { describe, expect, test } from 'vitest';
import { managedFieldsAfterUpdate } from '../../../src/api/apply/managed-fields.ts';
import { managerName } from '../../../src/api/apply/manager-name.ts';
import { objectOwnersFromScale, scaleOwnersFromObject } from '../../../src/api/apply/scale-owners.ts';
import type { ManagedFields } from '../../../src/core/kube-object.ts';
import { builtin, Life, widgets } from '../../rig/apply.ts';

const maps = (): Life => new Life(builtin('/configmaps'));

const text = { type: 'string' };

describe('updates', () => {
  test('the creator of an object owns its fields, and the map that a field is in', () => {
    const life = maps();
    life.update('m1', { data: { a: '1' }, metadata: { labels: { x: '1' }, uid: 'u' } });
    expect(life.owners).toEqual({
      'm1 Update': { 'f:data': { '.': {}, 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } } },
    });
  });

  test('fields that change go to the writer, removed ones lose their owner, the rest stays', () => {
    const life = maps();
    life.update('m1', { data: { a: '1', b: '1', c: '1' } });
    life.update('m2', { data: { a: '1', b: '2' } });
    expect(life.owners).toEqual({
      'm1 Update': { 'f:data': { '.': {}, 'f:a': {} } },
      'm2 Update': { 'f:data': { 'f:b': {} } },
    });
    expect(life.times).toEqual({ m1: '2026-01-01T00:00:01Z', m2: '2026-01-01T00:00:02Z' });
  });

  test('an update takes fields from appliers too', () => {
    const life = maps();
    life.apply('m1', { data: { a: '1', b: '1' } });
    life.update('m1', { data: { a: '2', b: '1' } });
    expect(life.owners).toEqual({ 'm1 Apply': { 'f:data': { 'f:b': {} } }, 'm1 Update': { 'f:data': { 'f:a': {} } } });
  });

  test('an update that changes nothing changes no time', () => {
    const life = maps();
    life.update('m1', { data: { a: '1' } });
    const { metadata } = structuredClone(life.object ?? {});
    life.update('m1', { metadata: metadata ?? {} });
    expect(life.object?.metadata).toEqual(metadata);
  });

  test('a new value of an own field is a new time', () => {
    const life = maps();
    life.update('m1', { data: { a: '1' } });
    life.update('m1', { data: { a: '2' } });
    expect(life.times).toEqual({ m1: '2026-01-01T00:00:02Z' });
  });

  test('structs that Go adds to a request are owned as on a real server', () => {
    const life = new Life(builtin('/pods'));
    life.update('m1', { spec: { containers: [{ name: 'c', image: 'i' }] } });
    expect(life.owners).toEqual({
      'm1 Update': {
        'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } } },
      },
    });
  });

  test('fields that Go omits have no owner', () => {
    const life = new Life(builtin('apps/deployments'));
    life.update('m1', { metadata: { labels: {} }, spec: { paused: false, minReadySeconds: 0, replicas: 0 } });
    expect(life.owners).toEqual({ 'm1 Update': { 'f:spec': { 'f:replicas': {} } } });
  });

  test('status belongs to the manager that writes it through status', () => {
    const life = new Life(widgets({ type: 'object', properties: { a: text } }));
    life.update('m1', { spec: { a: '1' }, status: { phase: 'up' } });
    life.update(
      'm1',
      { metadata: { ...life.object?.metadata, labels: { x: '1' } }, spec: { a: '2' }, status: { phase: 'down' } },
      { subresource: 'status' },
    );
    expect(life.owners).toEqual({
      'm1 Update': { 'f:spec': { '.': {}, 'f:a': {} } },
      'm1 Update status': { 'f:status': { 'f:phase': {} } },
    });
  });

  test('the eleventh manager that updates merges the two oldest entries', () => {
    const life = maps();
    const data: Record<string, string> = {};
    for (let index = 0; index < 12; index += 1) {
      data[`k${index}`] = '1';
      life.update(`m${index}`, { data: { ...data } });
    }
    expect(Object.keys(life.owners)).toEqual(
      ['ancient-changes', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9', 'm10', 'm11'].map((name) => `${name} Update`),
    );
    expect(life.owners['ancient-changes Update']).toEqual({
      'f:data': { '.': {}, 'f:k0': {}, 'f:k1': {}, 'f:k2': {} },
    });
    expect(life.times['ancient-changes']).toBe('2026-01-01T00:00:03Z');
  });

  test('duplicate items end the tracking of fields', () => {
    const resource = builtin('/pods');
    const request = { manager: 'm1', apiVersion: 'v1', schema: resource.schema, resource, now: '' };
    const after = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: ['x'] } };
    expect(managedFieldsAfterUpdate({ ...request, before: undefined, after })).toEqual([]);
  });
});

describe('managedFields that a client sends', () => {
  const entry: ManagedFields = {
    manager: 'other',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2020-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { 'f:a': {} } },
  };
  const owned = (): Life => {
    const life = maps();
    life.update('m1', { data: { a: '1' } });
    return life;
  };

  test('replace the existing entries', () => {
    const life = owned();
    life.update('m1', { metadata: { managedFields: [entry] } });
    expect(life.object?.metadata?.managedFields).toEqual([entry]);
  });

  test.each([[[]], [[{}]]])('%j removes all owners until the next apply', (managedFields) => {
    const life = owned();
    life.update('m1', { metadata: { managedFields } });
    expect(life.object?.metadata).not.toHaveProperty('managedFields');
    life.update('m1', { data: { a: '2' } });
    expect(life.owners).toEqual({});
    life.apply('m2', { data: { b: '1' } });
    expect(Object.keys(life.owners)).toEqual(['m2 Apply', 'before-first-apply Update']);
  });

  test('an empty list changes nothing on a custom resource', () => {
    const life = new Life(widgets({ type: 'object', properties: { a: text } }));
    life.update('m1', { spec: { a: '1' } });
    life.update('m1', { metadata: { managedFields: [] } });
    expect(Object.keys(life.owners)).toEqual(['m1 Update']);
  });

  test.each([
    { ...entry, operation: 'Other' },
    { ...entry, apiVersion: '' },
    { ...entry, fieldsType: 'FieldsV2' },
    { ...entry, fieldsType: undefined },
    { ...entry, fieldsV1: { nonsense: {} } },
  ])('%j is ignored', (odd) => {
    const life = owned();
    life.update('m1', { metadata: { managedFields: [odd] } });
    expect(Object.keys(life.owners)).toEqual(['m1 Update']);
  });

  test('are ignored through a subresource', () => {
    const life = owned();
    life.update('m1', { metadata: { managedFields: [entry] } }, { subresource: 'status' });
    expect(Object.keys(life.owners)).toEqual(['m1 Update']);
  });
});

describe('scale', () => {
  const replicas = { 'f:spec': { 'f:replicas': {} } };
  const entry = (manager: string, operation: 'Apply' | 'Update', more: object = {}): ManagedFields => ({
    manager,
    operation,
    apiVersion: 'apps/v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: replicas,
    ...more,
  });
  const scaled = (...managedFields: ManagedFields[]) => ({
    managedFields,
    apiVersion: 'apps/v1',
    replicasPath: (version: string) => (version === 'apps/v1' ? ['spec', 'replicas'] : undefined),
  });

  test('the owners of the replicas own the Scale', () => {
    const object = scaled(entry('m1', 'Apply'), entry('m2', 'Update', { fieldsV1: { 'f:spec': { 'f:paused': {} } } }));
    expect(scaleOwnersFromObject(object)).toEqual([entry('m1', 'Apply', { apiVersion: 'autoscaling/v1' })]);
  });

  test('a manager that scales takes the replicas from their owner', () => {
    const object = scaled(entry('m1', 'Apply', { fieldsV1: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } } }));
    const after = [entry('m2', 'Update', { apiVersion: 'autoscaling/v1', subresource: 'scale' })];
    const { time: _, ...timeless } = entry('m2', 'Update', { subresource: 'scale' });
    expect(objectOwnersFromScale(object, after)).toEqual([
      entry('m1', 'Apply', { fieldsV1: { 'f:spec': { 'f:paused': {} } } }),
      timeless,
    ]);
  });

  test('an applier that still owns the Scale keeps its entry', () => {
    const object = scaled(entry('m1', 'Apply'));
    expect(objectOwnersFromScale(object, scaleOwnersFromObject(object))).toEqual(object.managedFields);
  });
});

test('a manager is named by the request, else by its program', () => {
  expect(managerName('me', 'kubectl/1.36')).toBe('me');
  expect(managerName('', 'kubectl/1.36 (linux)')).toBe('kubectl');
  expect(managerName(undefined, `a\u0000b\tc d${'x'.repeat(200)}/1`)).toBe(`abc d${'x'.repeat(123)}`);
  expect(managerName(undefined, undefined)).toBe('');
  const life = maps();
  life.update('', { data: { a: '1' } });
  expect(Object.keys(life.owners)).toEqual(['unknown Update']);
});
