import type { KubeObject } from 'kube-informer';
import { isObjectFieldConditionTrue, objectFieldCondition } from './object-fields.ts';

/** The status of a Job, as kubectl prints it. */
export function jobObjectState(job: KubeObject): string {
  const holds = (type: string): boolean => isObjectFieldConditionTrue(objectFieldCondition(job, type));
  for (const type of ['Complete', 'Failed']) if (holds(type)) return type;
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) if (holds(type)) return type;
  return 'Running';
}
