import type { ApiObject } from '@kube-informer/apiserver';
import { addFinalizer, finalizerWaitMs, finalizerStep, removeFinalizers } from './objects.ts';
import { statusFailure } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { raceFinalizers } from './races.ts';
import { type Backup, backup, rig } from './rig.ts';

const OURS = 'example.com/backups';

test('CTR-36: what is due depends on the finalizer and on the deletion', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  expect(finalizerStep(backup('a'), OURS)).toBe('add');
  expect(finalizerStep(backup('a', { finalizers: [OURS] }), OURS)).toBe('reconcile');
  expect(finalizerStep(backup('a', { finalizers: ['x/y', OURS], deletionTimestamp }), OURS)).toBe('cleanup');
  expect(finalizerStep(backup('a', { finalizers: ['x/y'], deletionTimestamp }), OURS)).toBe('none');
  expect(finalizerWaitMs(backup('a'), 0)).toBeUndefined();
  expect(finalizerWaitMs(backup('a', { deletionTimestamp }), Date.parse('2026-01-01T00:05:00Z'))).toBe(300_000);
});

test('CTR-36: a finalizer is added with one request, and the answer is the object to continue with', async () => {
  const { server, backups, sent } = await rig();
  for (const finalizers of [undefined, ['x.io/y']]) {
    const name = `a${finalizers?.length ?? 0}`;
    const created = server.local.create('example.com', 'backups', backup(name, { finalizers }) as ApiObject) as Backup;
    sent();
    const added = await addFinalizer(backups, created, OURS);
    expect(added).toMatchObject({
      outcome: 'done',
      object: { metadata: { finalizers: [...(finalizers ?? []), OURS] } },
    });
    expect(sent()).toEqual(['patch']);
    if (added.outcome !== 'done') throw new Error('unreachable');
    expect(await addFinalizer(backups, added.object, OURS)).toEqual(added);
    expect(sent()).toEqual([]);
  }
  await expect(async () => addFinalizer(backups, backup('a', { uid: 'x' }), 'nodomain')).rejects.toThrow(
    'expected a domain and a name, such as example.com/cleanup, got "nodomain"',
  );
});

test('CTR-36, B03: retired finalizers go together, whatever stands between them', async () => {
  const { server, backups, sent } = await rig();
  const finalizers = ['old.io/one', 'x.io/y', 'old.io/two', OURS];
  const created = server.local.create('example.com', 'backups', backup('a', { finalizers }) as ApiObject) as Backup;
  sent();
  const removed = await removeFinalizers(backups, created, ['old.io/one', 'old.io/two']);
  expect(removed).toMatchObject({ object: { metadata: { finalizers: ['x.io/y', OURS] } } });
  expect(sent()).toEqual(['patch']);
});

test('CTR-36: an object that the server refuses for another reason is an error, not a race', async () => {
  const invalid = statusFailure(422, 'Invalid', 'Backup "a" is invalid', {
    details: { causes: [{ field: 'spec.schedule', reason: 'FieldValueRequired', message: 'Required value' }] },
  });
  const client = { get: unused, apply: unused, delete: unused, patch: () => Promise.reject(invalid) };
  await expect(addFinalizer(client, backup('a', { uid: 'u' }), OURS)).rejects.toBe(invalid);
});

test('CTR-36: a successor with the same name and the same list keeps its finalizer', async () => {
  const { server, backups } = await rig();
  const create = () =>
    server.local.create('example.com', 'backups', backup('a', { finalizers: [OURS] }) as ApiObject) as Backup;
  const first = create();
  await removeFinalizers(backups, first, [OURS]);
  server.local.remove('example.com', 'backups', 'default', 'a');
  create();
  expect(await removeFinalizers(backups, first, [OURS])).toEqual({ outcome: 'gone' });
  expect(server.local.get('example.com', 'backups', 'default', 'a')?.metadata?.finalizers).toEqual([OURS]);
});

const unused = (): Promise<never> => Promise.reject(new Error('not expected'));

test('CTR-36, B01: in 100 races with other writers nothing is lost, doubled, or taken from a successor', () =>
  raceFinalizers(100));
