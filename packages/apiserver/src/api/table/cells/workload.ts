import type { ApiObject } from '../../../core/object.ts';
import { ageSince, humanAge, instant } from './age.ts';
import { age, type Cells, name } from './cells.ts';
import { metricsText, metricsTextV1 } from './metric-texts.ts';
import { podCells } from './pod.ts';
import { at, conditionOf, flagAt, isPresent, isTrue, itemsAt, mapAt, numberAt, textAt } from './read.ts';
import { containerTexts, labelsText, NONE, selectorText, UNSET } from './texts.ts';

const TEMPLATE = 'spec.template.spec.containers';

export const workloadCells: Readonly<Record<string, Cells>> = {
  '/pods': podCells,
  '/replicationcontrollers': (object, now) => [
    ...replicaCells(object, now),
    ...containerTexts(object, TEMPLATE),
    labelsText(mapAt(object, 'spec.selector')),
  ],
  'apps/replicasets': (object, now) => [
    ...replicaCells(object, now),
    ...containerTexts(object, TEMPLATE),
    selectorText(object, 'spec.selector') || NONE,
  ],
  'apps/deployments': (object, now) => [
    name(object),
    readyText(object),
    numberAt(object, 'status.updatedReplicas'),
    numberAt(object, 'status.availableReplicas'),
    age(object, now),
    ...containerTexts(object, TEMPLATE),
    selectorText(object, 'spec.selector'),
  ],
  'apps/statefulsets': (object, now) => [
    name(object),
    readyText(object),
    age(object, now),
    ...containerTexts(object, TEMPLATE),
  ],
  'apps/daemonsets': (object, now) => [
    name(object),
    numberAt(object, 'status.desiredNumberScheduled'),
    numberAt(object, 'status.currentNumberScheduled'),
    numberAt(object, 'status.numberReady'),
    numberAt(object, 'status.updatedNumberScheduled'),
    numberAt(object, 'status.numberAvailable'),
    labelsText(mapAt(object, 'spec.template.spec.nodeSelector')),
    age(object, now),
    ...containerTexts(object, TEMPLATE),
    selectorText(object, 'spec.selector') || NONE,
  ],
  'apps/controllerrevisions': (object, now) => [
    name(object),
    controllerText(object),
    numberAt(object, 'revision'),
    age(object, now),
  ],
  'batch/jobs': (object, now) => [
    name(object),
    jobStatus(object),
    completionsText(object),
    jobDuration(object, now),
    age(object, now),
    ...containerTexts(object, TEMPLATE),
    selectorText(object, 'spec.selector') || NONE,
  ],
  'batch/cronjobs': (object, now) => [
    name(object),
    textAt(object, 'spec.schedule'),
    textAt(object, 'spec.timeZone', NONE),
    isPresent(object, 'spec.suspend') ? (flagAt(object, 'spec.suspend') ? 'True' : 'False') : UNSET,
    itemsAt(object, 'status.active').length,
    isPresent(object, 'status.lastScheduleTime') ? ageSince(at(object, 'status.lastScheduleTime'), now) : NONE,
    age(object, now),
    ...containerTexts(object, 'spec.jobTemplate.spec.template.spec.containers'),
    selectorText(object, 'spec.jobTemplate.spec.selector') || NONE,
  ],
  'policy/poddisruptionbudgets': (object, now) => [
    name(object),
    textAt(object, 'spec.minAvailable', 'N/A'),
    textAt(object, 'spec.maxUnavailable', 'N/A'),
    numberAt(object, 'status.disruptionsAllowed'),
    age(object, now),
  ],
  'autoscaling/horizontalpodautoscalers': (object, now) => [
    name(object),
    `${textAt(object, 'spec.scaleTargetRef.kind')}/${textAt(object, 'spec.scaleTargetRef.name')}`,
    object.apiVersion === 'autoscaling/v1' ? metricsTextV1(object) : metricsText(object),
    textAt(object, 'spec.minReplicas', UNSET),
    numberAt(object, 'spec.maxReplicas'),
    numberAt(object, 'status.currentReplicas'),
    age(object, now),
  ],
};

function replicaCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [
    name(object),
    numberAt(object, 'spec.replicas'),
    numberAt(object, 'status.replicas'),
    numberAt(object, 'status.readyReplicas'),
    age(object, now),
  ];
}

const readyText = (object: ApiObject): string =>
  `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;

function controllerText(object: ApiObject): string {
  const controller = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (controller === undefined) return NONE;
  const [version, group] = controller.apiVersion.split('/').reverse();
  const kind = version === undefined || group === undefined ? controller.kind : `${controller.kind}.${group}`;
  return `${kind.toLowerCase()}/${controller.name}`;
}

/** The first that holds; a job on its way out is terminating unless it has come to an end before. */
function jobStatus(job: ApiObject): string {
  const holds = (type: string): boolean => isTrue(conditionOf(job, type));
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (holds('Suspended')) return 'Suspended';
  if (holds('FailureTarget')) return 'FailureTarget';
  return holds('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completionsText(job: ApiObject): string {
  const succeeded = numberAt(job, 'status.succeeded');
  if (isPresent(job, 'spec.completions')) return `${succeeded}/${numberAt(job, 'spec.completions')}`;
  const parallelism = numberAt(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: ApiObject, now: number): string {
  const start = instant(at(job, 'status.startTime'));
  return start === undefined ? '' : humanAge((instant(at(job, 'status.completionTime')) ?? now) - start);
}
