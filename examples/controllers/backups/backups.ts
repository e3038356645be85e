// #region controller
import { type Condition, controller, type Controller } from '@kube-informer/controller';
import type { Cluster, KubeObject } from 'kube-informer';
import type { Buckets } from './buckets.ts';

export interface Backup extends KubeObject {
  readonly spec: { readonly schedule: string; readonly bucket: string };
  readonly status?: { readonly lastRun?: string; readonly conditions?: readonly Condition[] };
}

export const backups = (cluster: Cluster, buckets: Buckets): Controller =>
  controller<Backup>(cluster, 'example.com/v1/backups', {
    name: 'backups',
    owns: ['batch/v1/cronjobs'], // a change of one runs its owner
    prune: true, // an owned object that a run did not apply goes

    async reconcile({ object, name, namespace, apply, status, event, signal }) {
      const { schedule, bucket } = object.spec;
      await buckets.ensure(bucket, { signal });

      const job = await apply('batch/v1/cronjobs', {
        metadata: { name: `${name}-backup`, namespace }, // owner reference and field manager are added
        spec: {
          schedule,
          jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container(bucket)] } } } },
        },
      });
      if (job.outcome === 'conflict') {
        const others = job.conflicts.map(({ field, manager }) => `${field} belongs to ${manager}`);
        status.condition('Ready', false, { reason: 'Conflict', message: others.join('; ') });
        return { requeueAfterMs: 60_000 };
      }
      if (job.outcome === 'created') event.normal('Scheduled', `runs at ${schedule}`);

      const lastRun = job.object.status?.lastSuccessfulTime;
      if (lastRun !== undefined) status.set({ lastRun });
      status.condition('Ready', lastRun !== undefined, { reason: lastRun === undefined ? 'NeverRan' : 'Ran' });
    },

    // Because there is a cleanup there is a finalizer: added before the first reconcile, removed after this succeeds.
    cleanup: ({ object, signal }) => buckets.drop(object.spec.bucket, { signal }),
  });

const container = (bucket: string) => ({ name: 'backup', image: 'example/backup:1', args: [bucket] });
// #endregion
