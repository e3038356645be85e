import { describe, expect, test } from 'vitest';
import { cronTimes } from '../../../src/controllers/workloads/cron-times.ts';
import { type Anything, job, movingCluster } from '../../rig/moving-cluster.ts';

const conditions = ({ status }: Anything): readonly string[] =>
  (status.conditions ?? []).map((one: Anything) => `${one.type} ${one.reason}`);

test('a Job completes by itself, and its pods are counted once', async () => {
  const { create, advance, get, events, pods } = await movingCluster();
  create(job({ completions: 5, parallelism: 2 }));
  await advance(500);
  expect(get('batch', 'jobs', 'work').status).toMatchObject({ active: 2 });
  await advance(5_000);
  const done = get('batch', 'jobs', 'work');
  expect(done.status).toMatchObject({
    succeeded: 5,
    startTime: expect.any(String),
    completionTime: expect.any(String),
  });
  expect(done.status).not.toHaveProperty('active');
  expect(conditions(done)).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
  expect(events('work')).toContain('Completed: Job completed');
  expect(pods().every((pod) => pod.endsWith('Succeeded'))).toBe(true);
  expect(pods()).toHaveLength(5);
});

test('a Job that fails is tried again, later each time, and gives up at its limit', async () => {
  const { create, advance, get, pods } = await movingCluster({ nodes: { run: () => ({ exitCode: 3 }) } });
  create(job({ backoffLimit: 2 }));
  const at = async (ms: number): Promise<number> => {
    await advance(ms);
    return pods().length;
  };
  // 1 s of work, then 10 s and 20 s of waiting.
  expect([await at(2_000), await at(8_000), await at(3_000), await at(15_000), await at(10_000)]).toEqual([1, 1, 2, 2, 3]);
  await advance(5_000);
  const failed = get('batch', 'jobs', 'work');
  expect(failed.status).toMatchObject({ failed: 3 });
  expect(conditions(failed)).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
}); // prettier-ignore

test('OnFailure restarts the container in its pod', async () => {
  const { create, advance, get, list } = await movingCluster({
    nodes: { run: ({ restarts }) => ({ exitCode: restarts < 2 ? 1 : 0 }) },
  });
  create(job({}, { restartPolicy: 'OnFailure' }));
  await advance(30_000);
  expect(get('batch', 'jobs', 'work').status.succeeded).toBe(1);
  const [pod] = list('', 'pods');
  expect(pod.status.containerStatuses[0]).toMatchObject({ restartCount: 2, state: { terminated: { exitCode: 0, reason: 'Completed' } } }); // prettier-ignore
});

test('a Job ends at its deadline, waits while it is suspended, counts indexes, and goes after its time to live', async () => {
  const { create, advance, get, list, edit } = await movingCluster();
  create(job({ activeDeadlineSeconds: 5 }, {}, { 'kube-informer.dev/exit-after': '1m' }));
  await advance(7_000);
  expect(conditions(get('batch', 'jobs', 'work')).at(-1)).toBe('Failed DeadlineExceeded');
  expect(list('', 'pods').filter(({ status }) => status.phase === 'Running')).toEqual([]);

  const second = job({ completionMode: 'Indexed', completions: 3, parallelism: 3, suspend: true, ttlSecondsAfterFinished: 60 }) as Anything; // prettier-ignore
  create({ ...second, metadata: { ...second.metadata, name: 'indexed' } });
  await advance(3_000);
  expect(conditions(get('batch', 'jobs', 'indexed'))).toEqual(['Suspended JobSuspended']);
  edit('batch', 'jobs', 'indexed', (one) => void (one.spec.suspend = false));
  await advance(3_000);
  expect(get('batch', 'jobs', 'indexed').status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
  await advance(60_000);
  expect(get('batch', 'jobs', 'indexed')).toBeUndefined();
});

test('a CronJob starts a Job at each of its times, keeps the last ones, and does not overlap if that is forbidden', async () => {
  const { create, advance, get, list, edit } = await movingCluster();
  const { spec } = job({}, {}, { 'kube-informer.dev/exit-after': '90s' }) as Anything;
  const cronJob = { schedule: '*/1 * * * *', concurrencyPolicy: 'Forbid', successfulJobsHistoryLimit: 2, jobTemplate: { spec } };
  create({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick', namespace: 'default' }, spec: cronJob });
  await advance(61_000);
  expect(list('batch', 'jobs')).toHaveLength(1);
  expect(get('batch', 'cronjobs', 'tick').status.active).toHaveLength(1);
  await advance(60_000);
  expect(list('batch', 'jobs')).toHaveLength(1);
  await advance(9 * 60_000);
  expect(list('batch', 'jobs').filter(({ status }) => status.succeeded === 1)).toHaveLength(2);
  const { status } = get('batch', 'cronjobs', 'tick');
  expect(status).toMatchObject({ lastScheduleTime: expect.any(String), lastSuccessfulTime: expect.any(String) });
  edit('batch', 'cronjobs', 'tick', (one) => void (one.spec.suspend = true));
  await advance(120_000);
  const names = list('batch', 'jobs').map(({ metadata }) => metadata.name);
  await advance(300_000);
  expect(list('batch', 'jobs').map(({ metadata }) => metadata.name)).toEqual(names);
}); // prettier-ignore

describe('times of a schedule', () => {
  const from = Date.parse('2026-01-30T10:20:30Z');
  test.each([
    ['*/15 * * * *', undefined, ['2026-01-30T10:30', '2026-01-30T10:45', '2026-01-30T11:00']],
    ['0 9-17/4 * * mon-fri', undefined, ['2026-01-30T13:00', '2026-01-30T17:00', '2026-02-02T09:00']],
    ['0 0 31 * *', undefined, ['2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00']],
    ['30 2 13 * fri', undefined, ['2026-02-06T02:30', '2026-02-13T02:30', '2026-02-20T02:30']],
    ['@daily', 'America/New_York', ['2026-01-31T05:00', '2026-02-01T05:00', '2026-02-02T05:00']],
    ['TZ=Asia/Tokyo 0 12 * * *', undefined, ['2026-01-31T03:00', '2026-02-01T03:00', '2026-02-02T03:00']],
    ['0 0 29 FEB *', undefined, ['2028-02-29T00:00', undefined, undefined]],
    ['0 0 31 2 *', undefined, [undefined, undefined, undefined]],
  ])('%s in %s', (schedule, zone, expected) => {
    const { next } = cronTimes(schedule, zone);
    let at: number | undefined = from;
    for (const time of expected) {
      at = at === undefined ? undefined : next(at);
      if (time === undefined) break;
      expect(at === undefined ? undefined : new Date(at).toISOString().slice(0, 16)).toBe(time);
    }
    if (expected[0] === undefined) expect(at).toBeUndefined();
  });

  test('@every counts from the last time', () => {
    expect(cronTimes('@every 1m30s', undefined).next(from)).toBe(from + 90_000);
  });
});
