import type { ApiObject } from '@kube-informer/apiserver';
import { type StatusWrite, writeStatus } from './objects.ts';
import { expect, test } from 'vitest';
import { type Backup, backup, rig } from './rig.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const options = { fieldManager: 'backups', wallNow: AT };
const ready = { type: 'Ready', status: true, reason: 'Ran' } as const;

const objectOf = (write: StatusWrite<Backup>): Backup => {
  if (write.outcome !== 'written') throw new Error(write.outcome);
  return write.object;
};

test('CTR-38, B06: the status is applied once, and not again while it does not differ', async () => {
  const { server, backups, sent } = await rig();
  const created = server.local.create('example.com', 'backups', backup('a') as ApiObject) as Backup;
  sent();
  const changes = { set: { lastRun: 'now' }, conditions: [ready, { ...ready, type: 'Stored' }] };
  const written = objectOf(await writeStatus(backups, created, changes, options));
  expect(sent()).toEqual(['patch']);
  expect(written.status).toMatchObject({
    lastRun: 'now',
    conditions: [{ type: 'Ready', observedGeneration: 1 }, { type: 'Stored' }],
  });
  expect(await writeStatus(backups, written, changes, { ...options, wallNow: AT + 60_000 })).toEqual({ outcome: 'unchanged' }); // prettier-ignore
  expect(await writeStatus(backups, written, { set: {}, conditions: [] }, options)).toEqual({ outcome: 'unchanged' });
  expect(sent()).toEqual([]);
});

test('CTR-38: a status that another manager has set to the same is not written', async () => {
  const { server, backups, sent } = await rig();
  const created = server.local.create('example.com', 'backups', backup('a') as ApiObject) as Backup;
  const changes = { set: { lastRun: 'now' }, conditions: [ready] };
  const written = objectOf(await writeStatus(backups, created, changes, { ...options, fieldManager: 'another' }));
  sent();
  expect(await writeStatus(backups, written, changes, options)).toEqual({ outcome: 'unchanged' });
  expect(sent()).toEqual([]);
});

test('CTR-38, B06: what an earlier run set stays, also after a run that failed early; others keep their conditions', async () => {
  const { server, backups } = await rig();
  const created = server.local.create('example.com', 'backups', backup('a') as ApiObject) as Backup;
  const first = objectOf(
    await writeStatus(backups, created, { set: { lastRun: 'now' }, conditions: [ready] }, options),
  );
  const foreign = { set: { note: 'by another' }, conditions: [{ type: 'Audited', status: true, reason: 'Ok' }] };
  const both = objectOf(await writeStatus(backups, first, foreign, { ...options, fieldManager: 'auditor' }));
  const failed = { set: {}, conditions: [{ ...ready, status: false, reason: 'Failed' }] };
  // From a cache that has not seen the auditor.
  const last = objectOf(await writeStatus(backups, first, failed, options));
  expect(both.status?.conditions).toHaveLength(2);
  expect(last.status).toMatchObject({ lastRun: 'now', note: 'by another' });
  expect(last.status?.conditions?.map(({ type, status }) => `${type} ${status}`).toSorted()).toEqual(['Audited True', 'Ready False']); // prettier-ignore
});

test('CTR-38: if only messages differ, a status is written every 10 s at most', async () => {
  const { server, backups, sent } = await rig();
  const created = server.local.create('example.com', 'backups', backup('a') as ApiObject) as Backup;
  const say = (message: string) => ({ set: {}, conditions: [{ ...ready, message }] });
  const first = objectOf(await writeStatus(backups, created, say('1 of 9'), options));
  sent();
  const soon = { ...options, wallNow: AT + 4_000, sinceWrittenMs: 4_000 };
  expect(await writeStatus(backups, first, say('2 of 9'), soon)).toEqual({ outcome: 'put-off', afterMs: 6_000 });
  expect(sent()).toEqual([]);
  expect((await writeStatus(backups, first, { set: { lastRun: 'x' }, conditions: [] }, soon)).outcome).toBe('written');
  const due = { ...options, wallNow: AT + 10_000, sinceWrittenMs: 10_000 };
  expect((await writeStatus(backups, first, say('3 of 9'), due)).outcome).toBe('written');
});

test('CTR-38: a status is not written to a successor of the same name', async () => {
  const { server, backups } = await rig();
  const created = server.local.create('example.com', 'backups', backup('a') as ApiObject) as Backup;
  server.local.remove('example.com', 'backups', 'default', 'a');
  server.local.create('example.com', 'backups', backup('a') as ApiObject);
  await expect(writeStatus(backups, created, { set: { lastRun: 'x' }, conditions: [] }, options)).rejects.toMatchObject(
    {
      status: { details: { causes: expect.arrayContaining([expect.objectContaining({ field: 'metadata.uid' })]) } },
    },
  );
});
