// Tests of the operator: faults, and a clock that moves when told. They need no cluster.

// #region test
import { startLab } from '@kube-informer/controller/testing';
import { expect, test } from 'vitest';
import { type Backup, backups } from './backups.ts';
import { FakeBuckets } from './buckets.ts';

const definitions = ['examples/controllers/backups/crd.yaml'];
const backup = (schedule: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  metadata: { name: 'shop', namespace: 'web' },
  spec: { schedule, bucket: 'shop' },
});

test('one job, although the answer to its creation was lost; and no write without the lease', async () => {
  await using lab = await startLab({ definitions }); // server, cluster and clock: no waiting
  const operator = lab.run([backups(lab.cluster, new FakeBuckets())], { election: 'ops/backups' });
  const { faults } = lab.server;
  const lost = faults.add({ match: { verb: 'patch', resource: 'cronjobs' }, at: 'head', do: { cut: 'rst' }, times: 1 });

  await lab.user.apply(backup('@daily'));
  await lab.advance(1_000); // the retry comes after some milliseconds
  expect(lost.count).toBe(1);
  expect(lab.list('batch/v1/cronjobs')).toHaveLength(1);
  const outcomes = operator.runs('backups', 'web/shop').map(({ outcome }) => outcome);
  expect(outcomes.slice(0, 2)).toEqual(['error', 'success']);

  faults.failRequests({ match: { resource: 'leases' }, status: 503, times: Infinity });
  await lab.advance(15_000); // no real time passes
  expect(operator.state.kind).toBe('standby');
  await lab.user.delete('batch/v1/cronjobs', 'web/shop-backup');
  await lab.advance(60_000);
  expect(operator.writes.filter(({ held }) => !held)).toEqual([]); // what was sent without the lease
  expect(lab.list('batch/v1/cronjobs')).toEqual([]);
});
// #endregion

test('a new schedule changes the job; conditions and events say what happened', async () => {
  await using lab = await startLab({ definitions });
  lab.run([backups(lab.cluster, new FakeBuckets())]);
  const conditions = (): unknown => lab.get<Backup>('example.com/v1/backups', 'web/shop')?.status?.conditions;
  await lab.user.apply(backup('@daily'));
  await lab.settled();
  expect(conditions()).toMatchObject([{ type: 'Ready', status: 'False', reason: 'NeverRan', observedGeneration: 1 }]);
  await lab.user.apply(backup('@hourly'));
  await lab.settled();
  expect(lab.list('batch/v1/cronjobs').map(({ spec }) => spec?.schedule)).toEqual(['@hourly']);

  const jobs = lab.cluster.resource('batch/v1/cronjobs');
  const status = { lastSuccessfulTime: '2026-01-02T03:04:05Z' };
  await jobs.patch('web/shop-backup', { status }, { subresource: 'status' });
  await lab.settled();
  expect(conditions()).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Ran', observedGeneration: 2 }]);
  expect(lab.get<Backup>('example.com/v1/backups', 'web/shop')?.status?.lastRun).toBe('2026-01-02T03:04:05Z');
  expect(lab.list('events.k8s.io/v1/events').map(({ reason, note }) => [reason, note])).toEqual([
    ['Scheduled', 'runs at @daily'],
  ]);
});

test('the bucket is there before the job, and goes before the backup does', async () => {
  await using lab = await startLab({ definitions });
  const buckets = new FakeBuckets();
  lab.run([backups(lab.cluster, buckets)]);
  await lab.user.apply(backup('@daily'));
  await lab.settled();
  expect([...buckets.names]).toEqual(['shop']);
  let isLocked = true;
  buckets.drop = async (name) => {
    if (isLocked) throw new Error('the bucket is locked');
    buckets.names.delete(name);
  };
  await lab.user.delete('example.com/v1/backups', 'web/shop');
  await lab.advance(10_000);
  const [waiting] = lab.list<Backup>('example.com/v1/backups');
  expect(waiting?.metadata?.finalizers).toEqual(['example.com/backups']);
  isLocked = false;
  await lab.advance(60_000);
  expect(buckets.names.size).toBe(0);
  expect(lab.list<Backup>('example.com/v1/backups')).toEqual([]);
});

test('a job that was deleted comes back; a field that another manager owns is a conflict, and is reported', async () => {
  await using lab = await startLab({ definitions });
  lab.run([backups(lab.cluster, new FakeBuckets())]);
  await lab.user.apply({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'shop-backup', namespace: 'web' },
    spec: {
      schedule: '@yearly',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'theirs', image: 'x' }] } } },
      },
    },
  } as object);
  await lab.user.apply(backup('@daily'));
  await lab.settled();
  const [made] = lab.list<Backup>('example.com/v1/backups');
  expect(made?.status?.conditions).toMatchObject([
    { type: 'Ready', status: 'False', reason: 'Conflict', message: '.spec.schedule belongs to user' },
  ]);
  await lab.user.delete('batch/v1/cronjobs', 'web/shop-backup');
  await lab.advance(61_000);
  expect(lab.list('batch/v1/cronjobs').map(({ spec }) => spec?.schedule)).toEqual(['@daily']);
});
