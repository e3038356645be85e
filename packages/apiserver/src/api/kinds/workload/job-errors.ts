import { podTemplateWarnings } from '../pod/pod-warnings.ts';
import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { applyDefaultTable, type DefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  nameField,
  shownFieldValue,
  specFields,
  textField,
  textMapField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { kindSelectorMatches } from '../common/kind-selector.ts';
import { choiceValueErrors } from '../common/value-errors.ts';
import { setPodTemplateDefaults } from '../pod/pod-defaults.ts';
import { validatePodSpec } from '../pod/pod-validation.ts';
import { isCronScheduleTimeZone, cronScheduleFault } from './cron-schedule.ts';
import { jobStatusErrors } from './job-status-errors.ts';
import {
  fixedWorkloadFieldErrors,
  negativeWorkloadFieldErrors,
  workloadTemplateLabelErrors,
} from './workload-errors.ts';

const JOB: DefaultTable = [
  ['parallelism', 1],
  ['completionMode', 'NonIndexed'],
  ['suspend', false],
  ['manualSelector', false],
  ['podFailurePolicy.rules[].onPodConditions[].status', 'True'],
];

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const NAME_LABELS = ['job-name', 'batch.kubernetes.io/job-name'];
const UID_LABELS = ['controller-uid', CONTROLLER_UID];

/** Labels of jobs that had none of their own. */
const sharedLabels = new WeakSet<object>();

export const jobRules: KindRules = {
  warnings: (job, old) => (old === undefined ? podTemplateWarnings(specFields(job)) : []),
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    defaultJobSpec(spec);
    const labels = textMapField(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels');
    const metadata = (object.metadata ??= {});
    if (!isFieldEmpty(metadata.labels) || Object.keys(labels).length === 0) return;
    metadata.labels = labels;
    sharedLabels.add(labels);
  },
  prepareCreate(object) {
    if (specFields(object)['manualSelector'] === true) return;
    // A job without labels of its own has those of its pods, including those that are added here.
    const ownLabels = object.metadata?.labels;
    const podLabels = (): Record<string, string> =>
      textMapField(fieldsAt(fieldsAt(specFields(object), 'template'), 'metadata'), 'labels');
    const isShared = ownLabels === undefined || isFieldEmpty(ownLabels) || sharedLabels.has(ownLabels);
    generateJobSelector(object);
    if (isShared) (object.metadata ??= {}).labels = podLabels();
  },
  validate: (object) => jobErrors(object),
  validateUpdate: (next, old) => [
    ...jobErrors(next),
    ...jobCompletionsErrors(specFields(next), specFields(old)),
    ...fixedWorkloadFieldErrors(next, old, ['selector']),
    ...(isJobKindSuspended(old) ? [] : fixedWorkloadFieldErrors(next, old, ['template'])),
    ...fixedWorkloadFieldErrors(next, old, [
      'completionMode',
      'podFailurePolicy',
      'backoffLimitPerIndex',
      'managedBy',
      'successPolicy',
    ]),
  ],
  validateStatusUpdate: jobStatusErrors,
};

const isJobKindSuspended = (job: ApiObject): boolean => specFields(job)['suspend'] === true;

function defaultJobSpec(spec: Fields): void {
  // Only if neither is set; a job with parallelism alone is a work queue without an end.
  if (isFieldAbsent(spec['completions']) && isFieldAbsent(spec['parallelism'])) spec['completions'] = 1;
  spec['backoffLimit'] ??= isFieldAbsent(spec['backoffLimitPerIndex']) ? 6 : 2 ** 31 - 1;
  applyDefaultTable(spec, JOB);
  spec['podReplacementPolicy'] ??= isFieldAbsent(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed';
  setPodTemplateDefaults(spec);
}

/** Sets a selector by the uid of the job, so that two jobs never share a pod. */
function generateJobSelector(object: ApiObject): void {
  const { name = '', uid = '' } = object.metadata ?? {};
  const spec = ensureFields(object, 'spec');
  const labels = ensureFields(ensureFields(ensureFields(spec, 'template'), 'metadata'), 'labels');
  for (const label of NAME_LABELS) labels[label] ??= name;
  for (const label of UID_LABELS) labels[label] ??= uid;
  const selector = ensureFields(ensureFields(spec, 'selector'), 'matchLabels');
  selector[CONTROLLER_UID] ??= uid;
}

/** Errors of labels and a selector that are not those of this job, as in a copy of another one. */
function generatedJobSelectorErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  if (spec['manualSelector'] === true || isFieldAbsent(spec['selector'])) return [];
  const { name = '', uid = '' } = object.metadata ?? {};
  const labels = textMapField(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels');
  const expected = Object.fromEntries([
    ...UID_LABELS.map((label) => [label, uid] as const),
    ...NAME_LABELS.map((label) => [label, name] as const),
  ]);
  // Labels without a prefix come first; those with one are missing in jobs of old servers.
  const order = Object.keys(expected).toSorted((a, b) => Number(a.includes('/')) - Number(b.includes('/')));
  const errors = order.flatMap((label): FieldError[] => {
    const [field, why] = [`spec.template.metadata.labels[${label}]`, `must be '${expected[label]}'`];
    if (labels[label] === undefined) return label.includes('/') ? [] : [requiredFieldError(field, why)];
    return labels[label] === expected[label] ? [] : [invalidFieldError(field, labels, why)];
  });
  if (!kindSelectorMatches(fieldsAt(spec, 'selector'), expected))
    errors.push(invalidFieldError('spec.selector', shownFieldValue(spec['selector']), '`selector` not auto-generated'));
  return errors;
}

function jobErrors(object: ApiObject): FieldError[] {
  const spec = specFields(object);
  const selector = fieldsAt(spec, 'selector');
  const errors = [
    ...generatedJobSelectorErrors(object),
    ...negativeWorkloadFieldErrors(spec, [
      'parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished',
    ]),
  ]; // prettier-ignore
  if (isFieldAbsent(spec['selector'])) errors.push(requiredFieldError('spec.selector'));
  errors.push(...jobModeErrors(spec));
  errors.push(...jobPodErrors(spec, 'spec'));
  errors.push(...workloadTemplateLabelErrors(spec, (labels) => kindSelectorMatches(selector, labels)));
  return errors;
}

/** Errors of a restart policy with which pods never finish a job. */
function jobPodErrors(jobSpec: Fields, path: string): FieldError[] {
  const pods = fieldsAt(fieldsAt(jobSpec, 'template'), 'spec');
  const errors = validatePodSpec(pods, `${path}.template.spec`);
  const policy = textField(pods, 'restartPolicy');
  if (policy === 'Always' || policy === '')
    errors.push(requiredFieldError(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  return errors;
}

/** Errors of changed completions: an indexed job may grow, but its two numbers must stay equal. */
function jobCompletionsErrors(next: Fields, old: Fields): FieldError[] {
  const [completions, before] = [next['completions'], old['completions']];
  if (completions === before) return [];
  if (textField(old, 'completionMode') !== 'Indexed' && textField(next, 'completionMode') !== 'Indexed')
    return [invalidFieldError('spec.completions', shownFieldValue(completions), 'field is immutable')];
  if (completions === next['parallelism'] && !isFieldAbsent(completions)) return [];
  return [
    invalidFieldError(
      'spec.completions',
      shownFieldValue(completions),
      'can only be modified in tandem with spec.parallelism',
    ),
  ];
}

const CRON_JOB: DefaultTable = [
  ['concurrencyPolicy', 'Allow'],
  ['suspend', false],
  ['successfulJobsHistoryLimit', 3],
  ['failedJobsHistoryLimit', 1],
];

export const cronJobRules: KindRules = {
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    applyDefaultTable(spec, CRON_JOB);
    const job = ensureFields(ensureFields(spec, 'jobTemplate'), 'spec');
    applyDefaultTable(job, [['podFailurePolicy.rules[].onPodConditions[].status', 'True']]);
    setPodTemplateDefaults(job);
  },
  validate(object) {
    const spec = specFields(object);
    const schedule = textField(spec, 'schedule');
    const errors: FieldError[] = [];
    if (schedule === '') errors.push(requiredFieldError('spec.schedule'));
    else errors.push(...jobScheduleErrors(schedule));
    errors.push(...jobTimeZoneErrors(spec));
    errors.push(...negativeWorkloadFieldErrors(spec, ['startingDeadlineSeconds']));
    errors.push(...choiceValueErrors(spec, 'concurrencyPolicy', 'spec', ['Allow', 'Forbid', 'Replace']));
    errors.push(...jobPodErrors(fieldsAt(fieldsAt(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'));
    errors.push(...negativeWorkloadFieldErrors(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']));
    return [...errors, ...cronJobNameErrors(nameField(object))];
  },
};

function jobScheduleErrors(schedule: string): FieldError[] {
  const field = 'spec.schedule';
  const fault = cronScheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalidFieldError(field, schedule, fault)];
  if (schedule.includes('TZ'))
    errors.push(invalidFieldError(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  return errors;
}

function jobTimeZoneErrors(spec: Fields): FieldError[] {
  const zone = spec['timeZone'];
  if (typeof zone !== 'string') return [];
  const wrong = (detail: string): FieldError[] => [invalidFieldError('spec.timeZone', zone, detail)];
  if (zone === '') return wrong('timeZone must be nil or non-empty string');
  if (zone.toLowerCase() === 'local')
    return wrong('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  return isCronScheduleTimeZone(zone) ? [] : wrong(`unknown time zone ${zone}`);
}

/** Maximum length of a CronJob's name: its Jobs append eleven characters. */
const MAX_CRON_NAME = 52;

const cronJobNameErrors = (name: string): FieldError[] =>
  name.length > MAX_CRON_NAME ? [invalidFieldError('metadata.name', name, 'must be no more than 52 characters')] : [];

function jobModeErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const mode = textField(spec, 'completionMode');
  if (!['NonIndexed', 'Indexed'].includes(mode))
    errors.push(unsupportedFieldError('spec.completionMode', mode, ['NonIndexed', 'Indexed']));
  const [perIndex, most] = [spec['backoffLimitPerIndex'], spec['maxFailedIndexes']];
  if (!isFieldAbsent(most) && isFieldAbsent(perIndex))
    errors.push(requiredFieldError('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  if (mode !== 'Indexed')
    for (const [name, value] of [
      ['backoffLimitPerIndex', perIndex],
      ['maxFailedIndexes', most],
    ] as const)
      if (!isFieldAbsent(value))
        errors.push(invalidFieldError(`spec.${name}`, shownFieldValue(value), 'requires indexed completion mode'));
  const policy = textField(spec, 'podReplacementPolicy');
  if (policy !== '' && !['Failed', 'TerminatingOrFailed'].includes(policy))
    errors.push(unsupportedFieldError('spec.podReplacementPolicy', policy, ['Failed', 'TerminatingOrFailed']));
  return errors;
}
