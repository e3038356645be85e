import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';
import type { Answer, Body, Query } from '../rig/target.ts';

/** Applies the ConfigMap `a` of a namespace as any field manager. */
async function rig(fixture: () => Fixture) {
  const f = fixture();
  const { configMaps } = await f.space();
  const path = `${configMaps}/a`;
  const apply = (fieldManager: string, data: object, query: Query = {}): Promise<Answer> =>
    f.patch(
      'apply',
      path,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data },
      { fieldManager, ...query },
    );
  return { f, configMaps, path, apply };
}

const owners = (object: Body): (readonly [string, string, unknown])[] =>
  (object.metadata.managedFields ?? []).map(
    ({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1] as const,
  );

/** Cases 58 to 61: server-side apply. */
export function applyCases(fixture: () => Fixture): void {
  test('case 58: an apply needs a manager, creates, and then changes nothing', async () => {
    const { f, path, apply } = await rig(fixture);
    const anonymous = await f.patch('apply', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    expectFailure(anonymous, 422, 'Invalid', {
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      causes: [{ reason: 'FieldValueRequired', field: 'fieldManager' }],
    });
    const created = ok(await apply('m1', { a: '1' }), 201);
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } });
    expect(ok(await apply('m1', { a: '1' }))).toEqual(created);
  });

  test('case 59: a field of another manager is changed only with force', async () => {
    const { path, apply, f } = await rig(fixture);
    await apply('m1', { a: '1' });
    expectFailure(await apply('m2', { a: '2' }), 409, 'Conflict', {
      message: 'Apply failed with 1 conflict: conflict with "m1": .data.a',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.data.a' }],
      },
    });
    expect((await f.get(path)).data).toEqual({ a: '1' });
    const forced = ok(await apply('m2', { a: '2' }, { force: true }));
    expect(forced.data).toEqual({ a: '2' });
    expect(owners(forced)).toEqual([['m2', 'Apply', { 'f:data': { 'f:a': {} } }]]);
  });

  test('case 59b: two conflicts with a manager that wrote without apply', async () => {
    const { f, configMaps, apply } = await rig(fixture);
    await f.create(configMaps, configMap('a', { a: '1', b: '1', c: '1' }), { fieldManager: 'editor' });
    const body = expectFailure(await apply('m1', { a: '2', b: '1', c: '2' }), 409, 'Conflict', {
      message:
        /^Apply failed with 2 conflicts: conflicts with "editor" using v1( at [^:]+:\d\d:\d\dZ)?:\n- \.data\.a\n- \.data\.c$/,
      causes: [
        { reason: 'FieldManagerConflict', field: '.data.a' },
        { reason: 'FieldManagerConflict', field: '.data.c' },
      ],
    });
    for (const { message } of body.details.causes) expect(message).toMatch(/^conflict with "editor" using v1/);
  });

  test('case 60: a field that its manager no longer applies is removed, unless another manager owns it', async () => {
    const { path, apply, f } = await rig(fixture);
    await apply('m1', { a: '1', b: '1' });
    expect(ok(await apply('m1', { a: '1' })).data).toEqual({ a: '1' });
    expect(ok(await apply('m2', { b: '2' })).data).toEqual({ a: '1', b: '2' });
    expect(ok(await apply('m2', { a: '1', b: '2' })).data).toEqual({ a: '1', b: '2' });
    // Both own `a` now, so it stays when its first owner gives it up.
    expect(ok(await apply('m1', {})).data).toEqual({ a: '1', b: '2' });
    await f.put(path, configMap('a', { a: '3', b: '2' }), { fieldManager: 'editor' });
    const agreed = ok(await apply('m1', { a: '3' }));
    expect(agreed.data).toEqual({ a: '3', b: '2' });
    expect(owners(agreed)).toContainEqual(['m1', 'Apply', { 'f:data': { 'f:a': {} } }]);
    expect(owners(agreed).filter(([manager]) => manager === 'editor')).toHaveLength(1);
    expectFailure(await apply('m1', { a: '4' }), 409, 'Conflict');
  });

  test('case 61: an apply may be YAML or JSON, and its manager is recorded with operation Apply', async () => {
    const { f, configMaps } = await rig(fixture);
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1" # a string\n';
    const fromYaml = ok(await f.patch('apply', `${configMaps}/yaml`, yaml, { fieldManager: 'm1' }), 201);
    const json = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'j' }, data: { a: '1' } };
    const fromJson = ok(await f.patch('apply', `${configMaps}/j`, json, { fieldManager: 'm1' }), 201);
    for (const object of [fromYaml, fromJson]) {
      expect(object.data).toEqual({ a: '1' });
      expect(object.metadata.managedFields).toEqual([
        {
          manager: 'm1',
          operation: 'Apply',
          apiVersion: 'v1',
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:a': {} } },
        },
      ]);
    }
    const broken = await f.patch('apply', `${configMaps}/b`, 'a: [', { fieldManager: 'm1' });
    expectFailure(broken, 400, 'BadRequest', { message: /^error decoding YAML: / });
    const untyped = await f.patch('apply', `${configMaps}/b`, { data: {} }, { fieldManager: 'm1' });
    expectFailure(untyped, 400, 'BadRequest', { message: /^invalid object type: / });
  });
}
