import type { ApiObject } from '../../../core/object.ts';
import { ageSince, humanAge, ageInstant } from './age.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import { metricsText, metricsTextV1 } from './metric-texts.ts';
import { podCells } from './pod.ts';
import {
  readField,
  readCondition,
  readFlag,
  readIsPresent,
  readConditionIsTrue,
  readItems,
  readMap,
  readNumber,
  readText,
} from './read-fields.ts';
import { containerCellTexts, labelsCellText, NONE, selectorCellText, UNSET } from './texts.ts';

const TEMPLATE = 'spec.template.spec.containers';

export const workloadCells: Readonly<Record<string, Cells>> = {
  '/pods': podCells,
  '/replicationcontrollers': (object, now) => [
    ...workloadReplicaCells(object, now),
    ...containerCellTexts(object, TEMPLATE),
    labelsCellText(readMap(object, 'spec.selector')),
  ],
  'apps/replicasets': (object, now) => [
    ...workloadReplicaCells(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'apps/deployments': (object, now) => [
    nameCell(object),
    workloadReadyCell(object),
    readNumber(object, 'status.updatedReplicas'),
    readNumber(object, 'status.availableReplicas'),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector'),
  ],
  'apps/statefulsets': (object, now) => [
    nameCell(object),
    workloadReadyCell(object),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
  ],
  'apps/daemonsets': (object, now) => [
    nameCell(object),
    readNumber(object, 'status.desiredNumberScheduled'),
    readNumber(object, 'status.currentNumberScheduled'),
    readNumber(object, 'status.numberReady'),
    readNumber(object, 'status.updatedNumberScheduled'),
    readNumber(object, 'status.numberAvailable'),
    labelsCellText(readMap(object, 'spec.template.spec.nodeSelector')),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'apps/controllerrevisions': (object, now) => [
    nameCell(object),
    workloadControllerCell(object),
    readNumber(object, 'revision'),
    ageCell(object, now),
  ],
  'batch/jobs': (object, now) => [
    nameCell(object),
    jobStatusCell(object),
    jobCompletionsCell(object),
    jobDurationCell(object, now),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'batch/cronjobs': (object, now) => [
    nameCell(object),
    readText(object, 'spec.schedule'),
    readText(object, 'spec.timeZone', NONE),
    readIsPresent(object, 'spec.suspend') ? (readFlag(object, 'spec.suspend') ? 'True' : 'False') : UNSET,
    readItems(object, 'status.active').length,
    readIsPresent(object, 'status.lastScheduleTime')
      ? ageSince(readField(object, 'status.lastScheduleTime'), now)
      : NONE,
    ageCell(object, now),
    ...containerCellTexts(object, 'spec.jobTemplate.spec.template.spec.containers'),
    selectorCellText(object, 'spec.jobTemplate.spec.selector') || NONE,
  ],
  'policy/poddisruptionbudgets': (object, now) => [
    nameCell(object),
    readText(object, 'spec.minAvailable', 'N/A'),
    readText(object, 'spec.maxUnavailable', 'N/A'),
    readNumber(object, 'status.disruptionsAllowed'),
    ageCell(object, now),
  ],
  'autoscaling/horizontalpodautoscalers': (object, now) => [
    nameCell(object),
    `${readText(object, 'spec.scaleTargetRef.kind')}/${readText(object, 'spec.scaleTargetRef.name')}`,
    object.apiVersion === 'autoscaling/v1' ? metricsTextV1(object) : metricsText(object),
    readText(object, 'spec.minReplicas', UNSET),
    readNumber(object, 'spec.maxReplicas'),
    readNumber(object, 'status.currentReplicas'),
    ageCell(object, now),
  ],
};

function workloadReplicaCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [
    nameCell(object),
    readNumber(object, 'spec.replicas'),
    readNumber(object, 'status.replicas'),
    readNumber(object, 'status.readyReplicas'),
    ageCell(object, now),
  ];
}

const workloadReadyCell = (object: ApiObject): string =>
  `${readNumber(object, 'status.readyReplicas')}/${readNumber(object, 'spec.replicas')}`;

function workloadControllerCell(object: ApiObject): string {
  const controller = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (controller === undefined) return NONE;
  const [version, group] = controller.apiVersion.split('/').reverse();
  const kind = version === undefined || group === undefined ? controller.kind : `${controller.kind}.${group}`;
  return `${kind.toLowerCase()}/${controller.name}`;
}

/** The first that holds; a job on its way out is terminating unless it has come to an end before. */
function jobStatusCell(job: ApiObject): string {
  const holds = (type: string): boolean => readConditionIsTrue(readCondition(job, type));
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (holds('Suspended')) return 'Suspended';
  if (holds('FailureTarget')) return 'FailureTarget';
  return holds('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletionsCell(job: ApiObject): string {
  const succeeded = readNumber(job, 'status.succeeded');
  if (readIsPresent(job, 'spec.completions')) return `${succeeded}/${readNumber(job, 'spec.completions')}`;
  const parallelism = readNumber(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDurationCell(job: ApiObject, now: number): string {
  const start = ageInstant(readField(job, 'status.startTime'));
  return start === undefined ? '' : humanAge((ageInstant(readField(job, 'status.completionTime')) ?? now) - start);
}
