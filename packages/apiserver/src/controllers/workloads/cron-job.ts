import type { CronJob, Job } from '@kube-informer/kubernetes/batch/v1';
import { defined } from 'kube-informer/core';
import { StatusError } from '../../core/status-error.ts';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { isStatusConditionTrue } from '../common/status-conditions.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { controllerOwnerFields, isOwnedByController } from '../common/controller-owner.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { parseControllerTime } from '../common/controller-time.ts';
import { typedResource } from '../common/typed-resource.ts';
import { cronTimes } from './cron-times.ts';
import { isJobFinished } from './job-controller.ts';

/** Starts a Job at each time of a CronJob's schedule, and deletes old ones. */
export function startCronJobs(host: ControllerHost): Stop {
  const { env } = host;
  const cronJobs = typedResource<CronJob>(host, 'batch', 'cronjobs');
  const jobs = typedResource<Job>(host, 'batch', 'jobs');
  const record = controllerEvents(host, 'cronjob-controller');

  const start = (cronJob: CronJob, at: number): Job | undefined => {
    const { metadata, spec } = cronJob;
    const template = spec?.jobTemplate;
    const name = `${metadata?.name}-${Math.floor(at / 60_000)}${/@every/.test(spec?.schedule ?? '') ? `-${(at / 1_000) % 60}` : ''}`; // prettier-ignore
    const scheduled = { 'batch.kubernetes.io/cronjob-scheduled-timestamp': serverTimestamp(at) };
    try {
      const job = jobs.create({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name,
          namespace: metadata?.namespace ?? '',
          labels: { ...template?.metadata?.labels },
          annotations: { ...template?.metadata?.annotations, ...scheduled },
          ownerReferences: [controllerOwnerFields(cronJob)],
        },
        ...defined({ spec: template?.spec }),
      });
      record(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
      return job;
    } catch (error) {
      // It was started before, by a controller that stopped before it wrote its status.
      if (error instanceof StatusError && error.status.code === 409) return undefined;
      throw error;
    }
  };

  const sync = (namespace: string, name: string): number | undefined => {
    const cronJob = cronJobs.get(namespace, name);
    if (cronJob === undefined || cronJob.metadata?.deletionTimestamp !== undefined) return undefined;
    const { metadata, spec, status } = cronJob;
    const now = env.wallNow();
    const own = jobs.list(namespace).filter((job) => isOwnedByController(job, cronJob));
    for (const job of own.filter((one) => isJobFinished(one) && isListedByCronJob(cronJob, one)))
      record(cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata?.name}, condition: ${isStatusConditionTrue(job.status?.conditions, 'Complete') ? 'Complete' : 'Failed'}`); // prettier-ignore
    forgetJobs(cronJob, own);
    let running = own.filter((job) => !isJobFinished(job));
    const { next } = cronTimes(spec?.schedule ?? '', spec?.timeZone);
    let lastScheduleTime = parseControllerTime(status?.lastScheduleTime);
    const due = spec?.suspend === true ? undefined : lastDueCronJob(next, Math.max(lastScheduleTime ?? 0, parseControllerTime(metadata?.creationTimestamp) ?? now), now); // prettier-ignore
    const isLate = due !== undefined && now - due > (spec?.startingDeadlineSeconds ?? Infinity) * 1_000;
    if (due !== undefined && isLate) record(cronJob, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${serverTimestamp(due)}`); // prettier-ignore
    if (due !== undefined && !isLate && !(spec?.concurrencyPolicy === 'Forbid' && running.length > 0)) {
      if (spec?.concurrencyPolicy === 'Replace') for (const job of running.splice(0)) jobs.remove(job, { propagationPolicy: 'Background' }); // prettier-ignore
      const job = start(cronJob, due);
      if (job !== undefined) running = [...running, job];
      lastScheduleTime = due;
    }
    const ends = own.filter((job) => isStatusConditionTrue(job.status?.conditions, 'Complete')).map(({ status: of }) => of?.completionTime ?? ''); // prettier-ignore
    const lastSuccessfulTime = [status?.lastSuccessfulTime ?? '', ...ends].toSorted().at(-1);
    const latest = cronJobs.get(namespace, name);
    if (latest !== undefined)
      cronJobs.updateStatus(latest, {
        active: running.map(cronJobReference),
        ...(lastScheduleTime === undefined ? {} : { lastScheduleTime: serverTimestamp(lastScheduleTime) }),
        ...(lastSuccessfulTime === '' ? {} : { lastSuccessfulTime }),
      });
    const after = spec?.suspend === true ? undefined : next(now);
    return after === undefined ? undefined : after - now;
  };

  /** Deletes finished jobs above the limits, oldest first. */
  const forgetJobs = ({ spec }: CronJob, own: readonly Job[]): void => {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec ?? {};
    for (const [type, limit] of [['Complete', successfulJobsHistoryLimit], ['Failed', failedJobsHistoryLimit]] as const) {
      const ended = own.filter(({ status }) => isStatusConditionTrue(status?.conditions, type));
      const byStart = ended.toSorted((a, b) => ((a.status?.startTime ?? '') < (b.status?.startTime ?? '') ? -1 : 1));
      for (const job of byStart.slice(0, Math.max(0, ended.length - limit))) jobs.remove(job, { propagationPolicy: 'Background' });
    }
  }; // prettier-ignore
  return reconcileKeyNow(host, {
    name: 'cron jobs',
    group: 'batch',
    resource: 'cronjobs',
    owns: [['batch', 'jobs']],
    sync,
  });
}

const isListedByCronJob = ({ status }: CronJob, { metadata }: Job): boolean =>
  status?.active?.some(({ uid }) => uid === metadata?.uid) === true;

const cronJobReference = ({ apiVersion, kind, metadata = {} }: Job): object => {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
};

/** The last time that is due; earlier missed ones are skipped. */
function lastDueCronJob(next: (afterMs: number) => number | undefined, since: number, now: number): number | undefined {
  let due: number | undefined;
  for (let at = next(since), count = 0; at !== undefined && at <= now && count < MAX_MISSED; at = next(at), count += 1) due = at;
  return due;
} // prettier-ignore

/** Maximum number of missed times that are examined, after a long pause of a frequent schedule. */
const MAX_MISSED = 1_000;
