import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { applyTable, type DefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isAbsent,
  isEmpty,
  nameOf,
  sameFields,
  shown,
  specOf,
  textAt,
  textMapAt,
} from '../common/fields.ts';
import type { KindRules } from '../common/rules.ts';
import { selectorMatches } from '../common/selector.ts';
import { choice } from '../common/value-checks.ts';
import { defaultPodTemplate } from '../pod/defaults.ts';
import { podSpecErrors } from '../pod/validation.ts';
import { isTimeZone, scheduleFault } from './cron-schedule.ts';
import { jobStatusErrors } from './job-status.ts';
import { fixed, notNegative, templateLabelErrors } from './workload.ts';

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

export const jobRules: KindRules = {
  defaults(object) {
    const spec = ensureFields(object, 'spec');
    defaultJobSpec(spec);
    const labels = textMapAt(fieldsAt(fieldsAt(spec, 'template'), 'metadata'), 'labels');
    const metadata = (object.metadata ??= {});
    if (isEmpty(metadata.labels) && Object.keys(labels).length > 0) metadata.labels = labels;
  },
  prepareCreate(object) {
    if (specOf(object)['manualSelector'] === true) return;
    // A job without labels of its own has those of its pods, also the ones that are added here.
    const ownLabels = object.metadata?.labels;
    const podLabels = (): Record<string, string> =>
      textMapAt(fieldsAt(fieldsAt(specOf(object), 'template'), 'metadata'), 'labels');
    const isShared = isEmpty(ownLabels) || sameFields(ownLabels, podLabels());
    generateSelector(object);
    if (isShared) (object.metadata ??= {}).labels = podLabels();
  },
  validate: (object) => jobErrors(object),
  validateUpdate: (next, old) => [
    ...jobErrors(next),
    ...completionsErrors(specOf(next), specOf(old)),
    ...fixed(next, old, ['selector']),
    ...(isSuspended(old) ? [] : fixed(next, old, ['template'])),
    ...fixed(next, old, ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy']),
  ],
  validateStatusUpdate: jobStatusErrors,
};

const isSuspended = (job: ApiObject): boolean => specOf(job)['suspend'] === true;

function defaultJobSpec(spec: Fields): void {
  // Only where neither is given; a job with parallelism alone is a queue of work without an end.
  if (isAbsent(spec['completions']) && isAbsent(spec['parallelism'])) spec['completions'] = 1;
  spec['backoffLimit'] ??= isAbsent(spec['backoffLimitPerIndex']) ? 6 : 2 ** 31 - 1;
  applyTable(spec, JOB);
  spec['podReplacementPolicy'] ??= isAbsent(spec['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed';
  defaultPodTemplate(spec);
}

/** A job's pods are known by the uid of the job, so that two jobs never share one. */
function generateSelector(object: ApiObject): void {
  const { name = '', uid = '' } = object.metadata ?? {};
  const spec = ensureFields(object, 'spec');
  const labels = ensureFields(ensureFields(ensureFields(spec, 'template'), 'metadata'), 'labels');
  for (const label of NAME_LABELS) labels[label] ??= name;
  for (const label of UID_LABELS) labels[label] ??= uid;
  const selector = ensureFields(ensureFields(spec, 'selector'), 'matchLabels');
  selector[CONTROLLER_UID] ??= uid;
}

function jobErrors(object: ApiObject): FieldError[] {
  const spec = specOf(object);
  const selector = fieldsAt(spec, 'selector');
  const errors = notNegative(spec, [
    'parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished',
  ]); // prettier-ignore
  if (isAbsent(spec['selector'])) errors.push(requiredField('spec.selector'));
  const uid = object.metadata?.uid ?? '';
  if (spec['manualSelector'] !== true && !sameFields(selector, { matchLabels: { [CONTROLLER_UID]: uid } }))
    errors.push(invalidField('spec.selector', shown(spec['selector']), '`selector` not auto-generated'));
  errors.push(...modeErrors(spec));
  errors.push(...jobPodErrors(spec, 'spec'));
  errors.push(...templateLabelErrors(spec, (labels) => selectorMatches(selector, labels)));
  return errors;
}

/** Pods that always start again never finish a job. */
function jobPodErrors(jobSpec: Fields, path: string): FieldError[] {
  const pods = fieldsAt(fieldsAt(jobSpec, 'template'), 'spec');
  const errors = podSpecErrors(pods, `${path}.template.spec`);
  const policy = textAt(pods, 'restartPolicy');
  if (policy === 'Always' || policy === '')
    errors.push(requiredField(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  return errors;
}

/** An indexed job may grow, but its two numbers stay together. */
function completionsErrors(next: Fields, old: Fields): FieldError[] {
  const [completions, before] = [next['completions'], old['completions']];
  if (completions === before) return [];
  if (textAt(old, 'completionMode') !== 'Indexed' && textAt(next, 'completionMode') !== 'Indexed')
    return [invalidField('spec.completions', shown(completions), 'field is immutable')];
  if (completions === next['parallelism'] && !isAbsent(completions)) return [];
  return [invalidField('spec.completions', shown(completions), 'can only be modified in tandem with spec.parallelism')];
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
    applyTable(spec, CRON_JOB);
    const job = ensureFields(ensureFields(spec, 'jobTemplate'), 'spec');
    applyTable(job, [['podFailurePolicy.rules[].onPodConditions[].status', 'True']]);
    defaultPodTemplate(job);
  },
  validate(object) {
    const spec = specOf(object);
    const schedule = textAt(spec, 'schedule');
    const errors: FieldError[] = [];
    if (schedule === '') errors.push(requiredField('spec.schedule'));
    else errors.push(...scheduleErrors(schedule));
    errors.push(...timeZoneErrors(spec));
    errors.push(...notNegative(spec, ['startingDeadlineSeconds']));
    errors.push(...choice(spec, 'concurrencyPolicy', 'spec', ['Allow', 'Forbid', 'Replace']));
    errors.push(...jobPodErrors(fieldsAt(fieldsAt(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'));
    errors.push(...notNegative(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']));
    return [...errors, ...cronNameErrors(nameOf(object))];
  },
};

function scheduleErrors(schedule: string): FieldError[] {
  const field = 'spec.schedule';
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalidField(field, schedule, fault)];
  if (schedule.includes('TZ'))
    errors.push(invalidField(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  return errors;
}

function timeZoneErrors(spec: Fields): FieldError[] {
  const zone = spec['timeZone'];
  if (typeof zone !== 'string') return [];
  const wrong = (detail: string): FieldError[] => [invalidField('spec.timeZone', zone, detail)];
  if (zone === '') return wrong('timeZone must be nil or non-empty string');
  if (zone.toLowerCase() === 'local')
    return wrong('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  return isTimeZone(zone) ? [] : wrong(`unknown time zone ${zone}`);
}

/** Jobs get their names from it, with eleven more characters. */
const LONGEST_CRON_NAME = 52;

const cronNameErrors = (name: string): FieldError[] =>
  name.length > LONGEST_CRON_NAME ? [invalidField('metadata.name', name, 'must be no more than 52 characters')] : [];

function modeErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const mode = textAt(spec, 'completionMode');
  if (!['NonIndexed', 'Indexed'].includes(mode))
    errors.push(unsupportedField('spec.completionMode', mode, ['NonIndexed', 'Indexed']));
  const [perIndex, most] = [spec['backoffLimitPerIndex'], spec['maxFailedIndexes']];
  if (!isAbsent(most) && isAbsent(perIndex))
    errors.push(requiredField('spec.backoffLimitPerIndex', 'when maxFailedIndexes is specified'));
  if (mode !== 'Indexed')
    for (const [name, value] of [
      ['backoffLimitPerIndex', perIndex],
      ['maxFailedIndexes', most],
    ] as const)
      if (!isAbsent(value)) errors.push(invalidField(`spec.${name}`, shown(value), 'requires indexed completion mode'));
  const policy = textAt(spec, 'podReplacementPolicy');
  if (policy !== '' && !['Failed', 'TerminatingOrFailed'].includes(policy))
    errors.push(unsupportedField('spec.podReplacementPolicy', policy, ['Failed', 'TerminatingOrFailed']));
  return errors;
}
