import type { Job, JobCondition, JobStatus } from '@kube-informer/kubernetes/batch/v1';
import type { Pod } from '@kube-informer/kubernetes/v1';
import { serverTimestamp } from '../../core/server-timestamp.ts';
import { findStatusCondition, isStatusConditionTrue, withStatusCondition } from '../common/status-conditions.ts';
import { controllerEvents } from '../common/controller-events.ts';
import { claimForControllerOwner } from '../common/controller-owner.ts';
import { isControlledPodActive, isControlledPodReady } from '../common/controlled-pod.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { parseControllerTime } from '../common/controller-time.ts';
import { typedResource } from '../common/typed-resource.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { COMPLETION_INDEX, completedJobIndexes, indexedJobPodParts, jobIndexText } from './job-indexes.ts';
import { podOfTemplate } from './pod-template.ts';

/** Finalizer that keeps a finished pod until it is counted. */
const TRACKING = 'batch.kubernetes.io/job-tracking';

/** First and longest delay before a pod that failed is replaced. */
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;

/**
 * Runs the pods of Jobs until enough of them have succeeded, or too many have failed.
 *
 * A finished pod is counted in the status and loses its finalizer in the same turn, so each counts once.
 */
export function startJobs(host: ControllerHost): Stop {
  const { env } = host;
  const jobs = typedResource<Job>(host, 'batch', 'jobs');
  const pods = typedResource<Pod>(host, '', 'pods');
  const record = controllerEvents(host, 'job-controller');

  /** Counts the pods that have ended since the last sync. */
  const count = (job: Job, own: readonly Pod[]): JobStatus => {
    let { succeeded = 0, failed = 0 } = job.status ?? {};
    const indexes = completedJobIndexes(job.status?.completedIndexes);
    for (const pod of own) {
      const { metadata, status } = pod;
      const isGone = metadata?.deletionTimestamp !== undefined;
      const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
      if (metadata?.finalizers?.includes(TRACKING) !== true || !(hasEnded || isGone)) continue;
      if (status?.phase === 'Succeeded') {
        const index = Number(metadata.annotations?.[COMPLETION_INDEX] ?? -1);
        if (index < 0 || !indexes.has(index)) succeeded += 1;
        if (index >= 0) indexes.add(index);
      } else if (hasEnded) failed += 1;
      pods.update({ ...pod, metadata: { ...metadata, finalizers: metadata.finalizers.filter((one) => one !== TRACKING) } });
    }
    const isIndexed = job.spec?.completionMode === 'Indexed';
    return { ...job.status, succeeded, failed, ...(isIndexed ? { completedIndexes: jobIndexText(indexes) } : {}) };
  }; // prettier-ignore

  const createPods = (job: Job, active: readonly Pod[], status: JobStatus): void => {
    const { parallelism = 1, completions, completionMode, template } = job.spec ?? {};
    const left = completions === undefined ? (status.succeeded === 0 ? Infinity : 0) : completions - (status.succeeded ?? 0);
    const missing = Math.min(parallelism, left === 0 && completions === undefined ? active.length : left) - active.length;
    const taken = new Set(active.map(({ metadata }) => Number(metadata?.annotations?.[COMPLETION_INDEX] ?? -1)));
    const done = completedJobIndexes(status.completedIndexes);
    let index = 0;
    for (let i = 0; i < missing; i += 1) {
      while (taken.has(index) || done.has(index)) index += 1;
      taken.add(index);
      const name = job.metadata?.name ?? '';
      const parts =
        completionMode === 'Indexed' ? indexedJobPodParts(name, index, template?.spec) : { generateName: `${name}-` };
      const pod = pods.create(podOfTemplate(job, template, { ...parts, finalizers: [TRACKING] }));
      record(job, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata?.name}`);
    }
    for (const pod of active.slice(0, Math.max(0, -missing)))
      if (pods.remove(pod)) record(job, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata?.name}`);
  }; // prettier-ignore

  const sync = (namespace: string, name: string): number | undefined => {
    const job = jobs.get(namespace, name);
    if (job === undefined) return undefined;
    const ownPods = (): readonly Pod[] => claimForControllerOwner(pods, { owner: job, selector: job.spec?.selector });
    if (isJobFinished(job) || job.metadata?.deletionTimestamp !== undefined) {
      count(job, ownPods());
      return job.metadata?.deletionTimestamp === undefined ? removeFinishedJob(job) : undefined;
    }
    if (job.spec?.managedBy !== undefined && job.spec.managedBy !== 'kubernetes.io/job-controller') return undefined;
    const now = env.wallNow();
    const status = count(job, ownPods());
    const active = ownPods().filter(isControlledPodActive);
    const verdict = jobVerdict(job, status, now);
    const isSuspended = job.spec?.suspend === true;
    const startTime = isSuspended ? undefined : (job.status?.startTime ?? serverTimestamp(now));
    let backoff: number | undefined;
    if (verdict !== undefined || isSuspended) for (const pod of active) pods.remove(pod);
    else {
      backoff = jobControllerBackoff(status, ownPods(), now);
      if (backoff === undefined) createPods(job, active, status);
    }
    const left = ownPods().filter(isControlledPodActive);
    const conditions = nextJobConditions(job, verdict, serverTimestamp(now));
    const latest = jobs.get(namespace, name);
    if (latest === undefined) return undefined;
    jobs.updateStatus(latest, {
      ...status,
      conditions,
      ...(startTime === undefined ? { startTime: undefined } : { startTime }),
      active: left.length,
      ready: left.filter(isControlledPodReady).length,
      terminating: ownPods().filter((pod) => pod.metadata?.deletionTimestamp !== undefined && !hasJobPodEnded(pod))
        .length,
      uncountedTerminatedPods: {},
      ...(verdict?.type === 'Complete' ? { completionTime: serverTimestamp(now) } : {}),
    });
    if (verdict !== undefined) {
      record(job, verdict.type === 'Complete' ? 'Normal' : 'Warning', verdict.event, verdict.type === 'Complete' ? 'Job completed' : verdict.message); // prettier-ignore
      return removeFinishedJob(job);
    }
    const deadline = job.spec?.activeDeadlineSeconds;
    const expiresIn = deadline === undefined || startTime === undefined ? undefined : (parseControllerTime(startTime) ?? now) + deadline * 1_000 - now; // prettier-ignore
    const waits = [backoff, expiresIn].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  };

  /** Deletes a finished job after its time to live. */
  const removeFinishedJob = ({ metadata, spec }: Job): number | undefined => {
    const job = jobs.get(metadata?.namespace ?? '', metadata?.name ?? '');
    if (job === undefined || spec?.ttlSecondsAfterFinished === undefined) return undefined;
    const end = job.status?.conditions?.find(
      ({ type }) => type === 'Complete' || type === 'Failed',
    )?.lastTransitionTime;
    const wait = (parseControllerTime(end) ?? 0) + spec.ttlSecondsAfterFinished * 1_000 - env.wallNow();
    if (wait > 0) return wait;
    jobs.remove(job, { propagationPolicy: 'Foreground' });
    return undefined;
  };
  return reconcileKeyNow(host, { name: 'jobs', group: 'batch', resource: 'jobs', owns: [['', 'pods']], sync });
}

const hasJobPodEnded = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const isJobFinished = ({ status }: Job): boolean =>
  isStatusConditionTrue(status?.conditions, 'Complete') || isStatusConditionTrue(status?.conditions, 'Failed');

interface Verdict {
  readonly type: 'Complete' | 'Failed';
  /** The condition that comes before the end. */
  readonly target: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
  /** Reason of the event. */
  readonly event: string;
}

/** The way a job has ended, if it has. */
function jobVerdict({ spec, status: before }: Job, status: JobStatus, nowMs: number): Verdict | undefined {
  const { succeeded = 0, failed = 0 } = status;
  const fail = (reason: string, message: string): Verdict => ({ type: 'Failed', target: 'FailureTarget', reason, message, event: reason }); // prettier-ignore
  if (failed > (spec?.backoffLimit ?? 6)) return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const since = parseControllerTime(before?.startTime);
  if (since !== undefined && spec?.activeDeadlineSeconds !== undefined && spec.suspend !== true)
    if (nowMs >= since + spec.activeDeadlineSeconds * 1_000)
      return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  const isDone = spec?.completions === undefined ? succeeded > 0 && (before?.active ?? 0) <= 1 : succeeded >= spec.completions;
  if (!isDone) return undefined;
  const message = 'Reached expected number of succeeded pods';
  return { type: 'Complete', target: 'SuccessCriteriaMet', reason: 'CompletionsReached', message, event: 'Completed' };
} // prettier-ignore

function nextJobConditions({ spec, status }: Job, verdict: Verdict | undefined, now: string): JobCondition[] {
  const base = { status: 'True', lastProbeTime: now, lastTransitionTime: now };
  const { conditions = [] } = status ?? {};
  if (verdict !== undefined) {
    const { target, type, reason, message } = verdict;
    const targeted = withStatusCondition<JobCondition>(conditions, { ...base, type: target, reason, message });
    return withStatusCondition<JobCondition>(targeted, { ...base, type, reason, message });
  }
  const isSuspended = spec?.suspend === true;
  if (isSuspended === isStatusConditionTrue(conditions, 'Suspended')) return [...conditions];
  if (!isSuspended && findStatusCondition(conditions, 'Suspended') === undefined) return [...conditions];
  const [state, reason, message] = isSuspended ? ['True', 'JobSuspended', 'Job suspended'] : ['False', 'JobResumed', 'Job resumed'];
  return withStatusCondition<JobCondition>(conditions, { ...base, type: 'Suspended', status: state, reason, message } as JobCondition);
} // prettier-ignore

/** Time until the next pod may be created after failures: each failure doubles it. */
function jobControllerBackoff({ failed = 0 }: JobStatus, own: readonly Pod[], nowMs: number): number | undefined {
  if (failed === 0) return undefined;
  const ends = own.filter(({ status }) => status?.phase === 'Failed').map(jobPodFinishedAt);
  const last = Math.max(0, ...ends);
  const wait = last + Math.min(FIRST_BACKOFF_MS * 2 ** (failed - 1), MAX_BACKOFF_MS) - nowMs;
  return last === 0 || wait <= 0 ? undefined : wait;
}

const jobPodFinishedAt = ({ status }: Pod): number =>
  Math.max(
    0,
    ...(status?.containerStatuses ?? []).map(({ state }) => parseControllerTime(state?.terminated?.finishedAt) ?? 0),
  );
