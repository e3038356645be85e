import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCellSince, humanAgeCell, ageCellInstant } from './age-cell.ts';
import { ageCell, type Cells, nameCell } from './cells.ts';
import { metricsCellText, metricsCellTextV1 } from './metric-texts.ts';
import { podCells } from './pod-cells.ts';
import {
  readField,
  readFieldCondition,
  readFieldFlag,
  readFieldIsPresent,
  readFieldConditionIsTrue,
  readFieldItems,
  readFieldMap,
  readFieldNumber,
  readFieldText,
} from './read-fields.ts';
import { containerCellTexts, labelsCellText, NONE, selectorCellText, UNSET } from './cell-texts.ts';

const TEMPLATE = 'spec.template.spec.containers';

export const workloadCells: Readonly<Record<string, Cells>> = {
  '/pods': podCells,
  '/replicationcontrollers': (object, now) => [
    ...workloadReplicaCells(object, now),
    ...containerCellTexts(object, TEMPLATE),
    labelsCellText(readFieldMap(object, 'spec.selector')),
  ],
  'apps/replicasets': (object, now) => [
    ...workloadReplicaCells(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'apps/deployments': (object, now) => [
    nameCell(object),
    workloadReadyCell(object),
    readFieldNumber(object, 'status.updatedReplicas'),
    readFieldNumber(object, 'status.availableReplicas'),
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
    readFieldNumber(object, 'status.desiredNumberScheduled'),
    readFieldNumber(object, 'status.currentNumberScheduled'),
    readFieldNumber(object, 'status.numberReady'),
    readFieldNumber(object, 'status.updatedNumberScheduled'),
    readFieldNumber(object, 'status.numberAvailable'),
    labelsCellText(readFieldMap(object, 'spec.template.spec.nodeSelector')),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'apps/controllerrevisions': (object, now) => [
    nameCell(object),
    workloadControllerCell(object),
    readFieldNumber(object, 'revision'),
    ageCell(object, now),
  ],
  'batch/jobs': (object, now) => [
    nameCell(object),
    jobWorkloadCell(object),
    jobCompletionsWorkloadCell(object),
    jobDurationWorkloadCell(object, now),
    ageCell(object, now),
    ...containerCellTexts(object, TEMPLATE),
    selectorCellText(object, 'spec.selector') || NONE,
  ],
  'batch/cronjobs': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.schedule'),
    readFieldText(object, 'spec.timeZone', NONE),
    readFieldIsPresent(object, 'spec.suspend') ? (readFieldFlag(object, 'spec.suspend') ? 'True' : 'False') : UNSET,
    readFieldItems(object, 'status.active').length,
    readFieldIsPresent(object, 'status.lastScheduleTime')
      ? ageCellSince(readField(object, 'status.lastScheduleTime'), now)
      : NONE,
    ageCell(object, now),
    ...containerCellTexts(object, 'spec.jobTemplate.spec.template.spec.containers'),
    selectorCellText(object, 'spec.jobTemplate.spec.selector') || NONE,
  ],
  'policy/poddisruptionbudgets': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.minAvailable', 'N/A'),
    readFieldText(object, 'spec.maxUnavailable', 'N/A'),
    readFieldNumber(object, 'status.disruptionsAllowed'),
    ageCell(object, now),
  ],
  'autoscaling/horizontalpodautoscalers': (object, now) => [
    nameCell(object),
    `${readFieldText(object, 'spec.scaleTargetRef.kind')}/${readFieldText(object, 'spec.scaleTargetRef.name')}`,
    object.apiVersion === 'autoscaling/v1' ? metricsCellTextV1(object) : metricsCellText(object),
    readFieldText(object, 'spec.minReplicas', UNSET),
    readFieldNumber(object, 'spec.maxReplicas'),
    readFieldNumber(object, 'status.currentReplicas'),
    ageCell(object, now),
  ],
};

function workloadReplicaCells(object: ApiObject, now: number): ReturnType<Cells> {
  return [
    nameCell(object),
    readFieldNumber(object, 'spec.replicas'),
    readFieldNumber(object, 'status.replicas'),
    readFieldNumber(object, 'status.readyReplicas'),
    ageCell(object, now),
  ];
}

const workloadReadyCell = (object: ApiObject): string =>
  `${readFieldNumber(object, 'status.readyReplicas')}/${readFieldNumber(object, 'spec.replicas')}`;

function workloadControllerCell(object: ApiObject): string {
  const controller = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (controller === undefined) return NONE;
  const [version, group] = controller.apiVersion.split('/').reverse();
  const kind = version === undefined || group === undefined ? controller.kind : `${controller.kind}.${group}`;
  return `${kind.toLowerCase()}/${controller.name}`;
}

/**
 * The status of a job: the first that applies. A job that is being deleted is terminating, unless it has
 * finished before.
 */
function jobWorkloadCell(job: ApiObject): string {
  const holds = (type: string): boolean => readFieldConditionIsTrue(readFieldCondition(job, type));
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (holds('Suspended')) return 'Suspended';
  if (holds('FailureTarget')) return 'FailureTarget';
  return holds('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletionsWorkloadCell(job: ApiObject): string {
  const succeeded = readFieldNumber(job, 'status.succeeded');
  if (readFieldIsPresent(job, 'spec.completions')) return `${succeeded}/${readFieldNumber(job, 'spec.completions')}`;
  const parallelism = readFieldNumber(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDurationWorkloadCell(job: ApiObject, now: number): string {
  const start = ageCellInstant(readField(job, 'status.startTime'));
  return start === undefined
    ? ''
    : humanAgeCell((ageCellInstant(readField(job, 'status.completionTime')) ?? now) - start);
}
