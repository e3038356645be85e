import { type Condition, controller, type Controller } from '@kube-informer/controller';
import type { Job } from '@kube-informer/kubernetes';
import type { Cluster, KubeObject } from 'kube-informer';
import { isFieldConditionTrue, objectAgeInstant, objectFieldCondition } from '@kube-informer/inspector/internal';
import { GROUP } from './seed-demo.ts';
import { worldTimestamp } from './demo-world.ts';

const BACKUPS = `${GROUP}/v1/backups`;
const JOBS = 'batch/v1/jobs';
/** Number of finished jobs that are kept for each backup. */
const KEPT_JOBS = 2;

interface Backup extends KubeObject {
  readonly spec: {
    /** The deployment that is backed up. */
    readonly database: string;
    /** Schedule, such as `@every 30s`. Without one there is a single run. */
    readonly schedule?: string;
  };
  readonly status?: {
    readonly phase?: 'Running' | 'Succeeded' | 'Failed';
    readonly runs?: number;
    readonly lastRun?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** The system outside of the cluster that dumps are stored in. */
export interface DumpStore {
  readonly dumps: Map<string, number>;
}

/**
 * The controller of the demo's custom resource: starts a job when a backup is due, waits for its end, and
 * drops the dumps when the backup is deleted. Another replica can continue at any time, because all its state
 * is in the cluster.
 */
export const demoBackups = (cluster: Cluster, { dumps }: DumpStore): Controller =>
  controller<Backup>(cluster, BACKUPS, {
    name: 'backups',
    owns: [JOBS],

    async reconcile({ object, key, name, namespace, owned, apply, delete: remove, status, event }) {
      const { phase, runs = 0, lastRun } = object.status ?? {};
      const { database, schedule } = object.spec;
      const jobs = owned(JOBS);
      const last = jobs.find(({ metadata }) => metadata?.name === backupJobName(name, runs));

      if (phase === 'Running') {
        const end = last === undefined ? 'Failed' : backupJobEnd(last);
        if (end === undefined) return undefined; // the end of the job causes the next run
        status.set({ phase: end });
        status.condition('Ready', end === 'Succeeded', { reason: end, message: `run ${runs} of ${database}` });
        if (end === 'Succeeded') {
          dumps.set(key, (dumps.get(key) ?? 0) + 1);
          event.normal('Completed', `run ${runs} of ${database} is stored`);
        } else event.warning('Failed', `run ${runs} of ${database} failed`);
        for (const old of finishedBackup(jobs).slice(0, -KEPT_JOBS))
          await remove(JOBS, `${namespace}/${old.metadata?.name}`, { propagation: 'Background' });
      }

      const dueInMs = backupDueMs(schedule, lastRun, cluster.env.wallNow());
      if (dueInMs === undefined) return undefined;
      if (dueInMs > 0) return { requeueAfterMs: dueInMs };
      const started = await apply(JOBS, {
        metadata: { name: backupJobName(name, runs + 1), namespace },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [backupContainer(database)] } } },
      });
      if (started.outcome === 'created') event.normal('Started', `run ${runs + 1} of ${database}`);
      status.set({ phase: 'Running', runs: runs + 1, lastRun: worldTimestamp(cluster.env.wallNow()) });
      status.condition('Ready', false, { reason: 'Running', message: `run ${runs + 1} of ${database}` });
      // Started by a run that did not reach its status, and already over: no event will come.
      const isOver = started.outcome !== 'conflict' && backupJobEnd(started.object) !== undefined;
      return isOver ? { requeueAfterMs: 1 } : undefined;
    },

    cleanup: ({ key }) => void dumps.delete(key),
  });

const backupContainer = (database: string) => ({ name: 'backup', image: 'ops/backup:1.0.0', args: [database] });

const backupJobName = (backup: string, run: number): string => `${backup}-${run}`;

function backupJobEnd(job: Job): 'Succeeded' | 'Failed' | undefined {
  if (isFieldConditionTrue(objectFieldCondition(job, 'Complete'))) return 'Succeeded';
  return isFieldConditionTrue(objectFieldCondition(job, 'Failed')) ? 'Failed' : undefined;
}

/** Finished jobs, oldest first. */
const finishedBackup = (jobs: readonly Job[]): readonly Job[] =>
  jobs
    .filter((job) => backupJobEnd(job) !== undefined)
    .toSorted((a, b) => ((a.metadata?.creationTimestamp ?? '') < (b.metadata?.creationTimestamp ?? '') ? -1 : 1));

/** Time until the next run; undefined if there is none. */
function backupDueMs(schedule: string | undefined, lastRun: string | undefined, now: number): number | undefined {
  const last = objectAgeInstant(lastRun);
  if (last === undefined) return 0;
  const seconds = Number(/^@every (\d+)s$/.exec(schedule ?? '')?.[1] ?? Infinity);
  return seconds === Infinity ? undefined : last + seconds * 1_000 - now;
}
