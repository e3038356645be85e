import type { CronJob } from '@kube-informer/kubernetes';
import type { Cluster, KubeObject } from 'kube-informer';
import { expectTypeOf, test } from 'vitest';
import { controller, type Live, rbacManifests, run, watch } from '../src/index.ts';

interface Backup extends KubeObject {
  readonly spec: { readonly schedule: string };
  readonly status?: { readonly lastRun?: string };
}
declare const cluster: Cluster;

test('CTR-02: objects and children are typed by their names', () => {
  controller(cluster, 'v1/namespaces', {
    name: 'x',
    reconcile: ({ object }) => {
      expectTypeOf(object.metadata.name).toEqualTypeOf<string>();
      expectTypeOf(object.spec?.finalizers).toEqualTypeOf<readonly string[] | undefined>();
    },
  });
  controller<Backup>(cluster, 'example.com/v1/backups', {
    name: 'x',
    watches: [watch('v1/services', { keys: ({ spec }) => spec?.clusterIP })],
    async reconcile({ object, apply, status, get }) {
      expectTypeOf(object).toEqualTypeOf<Live<Backup>>();
      const job = await apply('batch/v1/cronjobs', {
        metadata: { name: 'a' },
        spec: { schedule: object.spec.schedule },
      });
      if (job.outcome !== 'conflict')
        expectTypeOf(job.object.status?.lastSuccessfulTime).toEqualTypeOf<string | undefined>();
      expectTypeOf(get('batch/v1/cronjobs', 'web/a')).toEqualTypeOf<Live<CronJob> | undefined>();
      status.set({ lastRun: 'now' });
      // @ts-expect-error a field that the status does not have
      status.set({ lastrun: 'now' });
      // @ts-expect-error a schedule is a text
      await apply('batch/v1/cronjobs', { spec: { schedule: 5 } });
      // @ts-expect-error a built-in name with a typo
      await apply('batch/v1/cronjob', {});
      await apply(
        'batch/v1/cronjobs',
        // @ts-expect-error the mistake is in the object, and not in its name
        { spec: { schedule: 5 } },
      );
      // @ts-expect-error a custom child needs its type
      await apply('example.com/v1/buckets', {});
    },
  });
  controller(cluster, 'v1/pods', {
    name: 'x',
    indexers: { node: ({ metadata, spec }) => [metadata.name, spec?.nodeName ?? ''] },
    watches: [watch('v1/secrets', { keys: ({ metadata }) => metadata.name })],
    on: (old, object) => old.metadata.uid !== object.metadata.uid,
    deleted: ({ last }) => last.metadata.creationTimestamp,
    reconcile() {},
  });
  // @ts-expect-error an option with a typo
  controller(cluster, 'v1/pods', { name: 'x', reconcil() {} });
  // @ts-expect-error a built-in name with a typo
  controller(cluster, 'v1/pod', { name: 'x', reconcile() {} });
  // @ts-expect-error a result with a typo
  controller(cluster, 'v1/pods', { name: 'x', reconcile: () => ({ requeueAfter: 5 }) });
  // @ts-expect-error an option of watch with a typo
  watch('v1/pods', { indexes: 'a' });
  // @ts-expect-error an option of run with a typo
  run([], { leaderElection: 'a/b' });
  // @ts-expect-error an option of rbacManifests with a typo
  rbacManifests([], { name: 'a', namespace: 'b', lease: 'c/d' });
});

test('CTR-02: a run may return a result on some paths only, as in an async function with an early return', () => {
  controller<Backup>(cluster, 'example.com/v1/backups', {
    name: 'x',
    async reconcile({ object, apply }) {
      const job = await apply<Backup>('example.com/v1/backups', { spec: { schedule: object.spec.schedule } });
      if (job.outcome === 'conflict') return { requeueAfterMs: 60_000 };
      expectTypeOf(job.object).toEqualTypeOf<Live<Backup>>();
    },
  });
});
