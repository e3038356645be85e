import { type Lab, startLab } from '@kube-informer/controller/testing';
import type { Job } from '@kube-informer/kubernetes';
import type { KubeObject } from 'kube-informer';
import { fakeEnv, seededRandom } from 'kube-informer/testing';
import { expect, onTestFinished, test } from 'vitest';
import { demoBackups } from '../../src/demo/demo-backups.ts';
import { seedDemoDefinition, GROUP } from '../../src/demo/seed-demo.ts';

const BACKUPS = `${GROUP}/v1/backups`;
const KEY = 'db/orders';

interface Backup extends KubeObject {
  readonly status?: { readonly phase?: string; readonly runs?: number; readonly conditions?: readonly object[] };
}

const backup = (spec: object): KubeObject => ({
  apiVersion: `${GROUP}/v1`, kind: 'Backup', metadata: { namespace: 'db', name: 'orders' }, spec,
} as KubeObject); // prettier-ignore

async function rig() {
  // Random numbers that differ: uids are made of them, and the garbage collector goes by uids.
  const env = fakeEnv({ random: seededRandom(1) });
  const definitions = [seedDemoDefinition()];
  const lab = await startLab({ definitions, env, server: { controllers: ['garbageCollector'] } });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const store = { dumps: new Map<string, number>() };
  const replica = async (identity: string) =>
    lab.run([demoBackups(await lab.connect(), store)], { election: { lease: 'ops/backups', identity } });
  return { lab, store, replica };
}

const jobs = (lab: Lab): readonly string[] => lab.list('batch/v1/jobs').map(({ metadata }) => metadata?.name ?? '');
const status = (lab: Lab): Backup['status'] => lab.get<Backup>(BACKUPS, KEY)?.status;

/** Ends a job, as the cluster does. */
async function end(lab: Lab, name: string, type: 'Complete' | 'Failed' = 'Complete'): Promise<void> {
  const job = lab.get('batch/v1/jobs', `db/${name}`) as Job;
  const time = job.metadata?.creationTimestamp ?? '';
  const types = type === 'Complete' ? ['SuccessCriteriaMet', type] : ['FailureTarget', type];
  const conditions = types.map((one) => ({ type: one, status: 'True', lastTransitionTime: time }));
  const done = type === 'Complete' ? { succeeded: 1, completionTime: time } : { failed: 1 };
  lab.server.local.update(
    'batch',
    'jobs',
    { ...job, status: { startTime: time, conditions, ...done } } as never,
    'status',
  );
  await lab.advance(1_000);
}

test('a backup runs a job, has its end in the status and in events, and runs again when it is due', async () => {
  const { lab, store, replica } = await rig();
  const operator = await replica('one');
  await lab.user.apply(backup({ database: 'orders', schedule: '@every 30s' }));
  await lab.advance(5_000);
  expect(jobs(lab)).toEqual(['orders-1']);
  expect(lab.get('batch/v1/jobs', 'db/orders-1')?.metadata?.ownerReferences).toMatchObject([{ kind: 'Backup', controller: true }]);
  expect(status(lab)).toMatchObject({ phase: 'Running', runs: 1, conditions: [{ type: 'Ready', status: 'False', reason: 'Running' }] });
  await end(lab, 'orders-1');
  expect(status(lab)).toMatchObject({ phase: 'Succeeded', runs: 1, conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded' }] });
  expect(store.dumps.get(KEY)).toBe(1);
  expect(operator.why('backups', KEY).kind).toBe('waiting');
  await lab.advance(30_000);
  expect(jobs(lab)).toEqual(['orders-1', 'orders-2']);
  await end(lab, 'orders-2', 'Failed');
  expect(status(lab)).toMatchObject({ phase: 'Failed', runs: 2, conditions: [{ status: 'False', reason: 'Failed' }] });
  await lab.advance(30_000);
  await end(lab, 'orders-3');
  // Two finished jobs are kept.
  expect(jobs(lab)).toEqual(['orders-2', 'orders-3']);
  const reasons = lab.list('events.k8s.io/v1/events').map(({ reason }) => reason ?? '');
  expect(new Set(reasons)).toEqual(new Set(['Started', 'Completed', 'Failed']));
}); // prettier-ignore

test('a deleted backup goes when its dumps are dropped, and its jobs go with it', async () => {
  const { lab, store, replica } = await rig();
  await replica('one');
  await lab.user.apply(backup({ database: 'orders' }));
  await lab.advance(5_000);
  await end(lab, 'orders-1');
  // Without a schedule there is one run.
  await lab.advance(120_000);
  expect(jobs(lab)).toEqual(['orders-1']);
  expect(lab.get<Backup>(BACKUPS, KEY)?.metadata?.finalizers).toEqual([`${GROUP}/backups`]);
  await lab.user.delete(BACKUPS, KEY);
  await lab.advance(5_000);
  expect(lab.get<Backup>(BACKUPS, KEY)).toBeUndefined();
  expect(store.dumps.size).toBe(0);
  const left = async (): Promise<readonly string[]> => {
    await lab.advance(1_000);
    return jobs(lab);
  };
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
});

test('CTR-44: the other replica ends what the first one began', async () => {
  const { lab, replica } = await rig();
  const first = await replica('first');
  await lab.user.apply(backup({ database: 'orders', schedule: '@every 600s' }));
  await lab.advance(5_000);
  const second = await replica('second');
  await lab.advance(5_000);
  expect([first.state.kind, second.state.kind]).toEqual(['leading', 'standby']);
  expect(jobs(lab)).toEqual(['orders-1']);
  const stopped = first.stop();
  await lab.advance(10_000);
  await stopped;
  expect(second.state.kind).toBe('leading');
  await end(lab, 'orders-1');
  expect(status(lab)).toMatchObject({ phase: 'Succeeded', runs: 1 });
  // Nothing was begun twice.
  expect(jobs(lab)).toEqual(['orders-1']);
});

test('a job that was begun by a lost run, and is over, is found', async () => {
  const { lab, replica } = await rig();
  const owner = await lab.user.apply(backup({ database: 'orders' }));
  const { apiVersion, kind, metadata } = owner;
  const ownerReferences = [
    { apiVersion, kind, name: 'orders', uid: metadata?.uid, controller: true, blockOwnerDeletion: true },
  ];
  const container = { name: 'backup', image: 'ops/backup:1.0.0', args: ['orders'] };
  lab.server.local.create('batch', 'jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'db', name: 'orders-1', ownerReferences } as object,
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  });
  await end(lab, 'orders-1');
  await replica('one');
  await lab.advance(10_000);
  expect(jobs(lab)).toEqual(['orders-1']);
  expect(status(lab)).toMatchObject({ phase: 'Succeeded', runs: 1 });
});
