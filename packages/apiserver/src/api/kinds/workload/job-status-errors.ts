import {
  duplicateFieldError,
  fieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  itemsField,
  numberField,
  sameFields,
  shownFieldValue,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import { negativeValueErrors } from '../common/value-errors.ts';

/** Errors of a job's status. Values that were already wrong may stay as they are. */
export function jobStatusErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const known = new Set(jobStatusStateErrors(old).map(({ field, message }) => `${field}: ${message}`));
  const isNew = ({ field, message }: FieldError): boolean => !known.has(`${field}: ${message}`);
  return [...jobStatusStateErrors(next).filter(isNew), ...jobStatusChangeErrors(next, old)];
}

const jobStatusOf = (job: ApiObject): Fields => fieldsAt(job, 'status');

const jobStatusHasCondition = (job: ApiObject, type: string): boolean =>
  itemsField(jobStatusOf(job), 'conditions').some(
    (condition) => textField(condition, 'type') === type && textField(condition, 'status') === 'True',
  );

/** An error about all conditions, which shows none of them. */
const jobStatusConditionsError = (detail: string): FieldError =>
  fieldError('FieldValueInvalid', 'status.conditions', undefined, detail);

function jobStatusStateErrors(job: ApiObject): FieldError[] {
  const status = jobStatusOf(job);
  const count = (name: string): number => numberField(status, name) ?? 0;
  const errors = negativeValueErrors(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], 'status');
  errors.push(...jobStatusUncountedErrors(fieldsAt(status, 'uncountedTerminatedPods')));
  const isComplete = jobStatusHasCondition(job, 'Complete');
  const isFailed = jobStatusHasCondition(job, 'Failed');
  if (isComplete && isFailed)
    errors.push(jobStatusConditionsError('cannot set Complete=True and Failed=true conditions'));
  errors.push(...jobStatusTimeErrors(job, isComplete));
  if (isFailed && !jobStatusHasCondition(job, 'FailureTarget'))
    errors.push(jobStatusConditionsError('cannot set Failed=True condition without the FailureTarget=true condition'));
  if (isComplete && !jobStatusHasCondition(job, 'SuccessCriteriaMet'))
    errors.push(
      jobStatusConditionsError('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'),
    );
  if (jobStatusHasCondition(job, 'FailureTarget') && jobStatusHasCondition(job, 'SuccessCriteriaMet'))
    errors.push(jobStatusConditionsError('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (isComplete || isFailed) {
    if (count('active') > 0)
      errors.push(invalidFieldError('status.active', count('active'), 'active>0 is invalid for finished job'));
    if (isFieldAbsent(status['startTime']))
      errors.push(requiredFieldError('status.startTime', 'startTime is required for finished job'));
  }
  if (count('ready') > count('active') && count('active') >= 0)
    errors.push(invalidFieldError('status.ready', count('ready'), 'cannot set more ready pods than active'));
  return [...errors, ...jobStatusIndexErrors(job)];
}

function jobStatusUncountedErrors(uncounted: Fields): FieldError[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((name) =>
    textsField(uncounted, name).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === '') return [invalidFieldError(field, '', 'must not be empty')];
      if (seen.has(uid)) return [duplicateFieldError(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function jobStatusTimeErrors(job: ApiObject, isComplete: boolean): FieldError[] {
  const [start, completion] = [textField(jobStatusOf(job), 'startTime'), textField(jobStatusOf(job), 'completionTime')];
  const field = 'status.completionTime';
  if (completion === '')
    return isComplete ? [requiredFieldError(field, 'completionTime is required for Complete jobs')] : [];
  if (!isComplete)
    return [invalidFieldError(field, completion, 'cannot set completionTime when there is no Complete=True condition')];
  // Both are in UTC with whole seconds by now, so that texts compare as times do.
  return start !== '' && completion < start
    ? [invalidFieldError(field, completion, 'must be equal to or after `startTime`')]
    : [];
}

function jobStatusIndexErrors(job: ApiObject): FieldError[] {
  const [spec, status] = [specFields(job), jobStatusOf(job)];
  const errors: FieldError[] = [];
  const completed = textField(status, 'completedIndexes');
  if (completed !== '') {
    const detail =
      textField(spec, 'completionMode') === 'Indexed'
        ? jobStatusIndexError(completed, numberField(spec, 'completions') ?? 0)
        : 'cannot set non-empty completedIndexes when non-indexed completion mode';
    if (detail !== undefined) errors.push(invalidFieldError('status.completedIndexes', completed, detail));
  }
  const failed = status['failedIndexes'];
  if (failed !== undefined && failed !== null && isFieldAbsent(spec['backoffLimitPerIndex'])) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidFieldError('status.failedIndexes', shownFieldValue(failed), detail));
  }
  return errors;
}

/** Checks a list of indexes such as `1,3-5`: numbers below the number of completions. */
function jobStatusIndexError(text: string, completions: number): string | undefined {
  for (const index of text.split(/[,-]/)) {
    if (!/^\d+$/.test(index))
      return `error parsing completedIndexes: cannot convert string to integer for index: ${JSON.stringify(index)}`;
    if (Number(index) >= completions)
      return `error parsing completedIndexes: too large index: ${JSON.stringify(index)}`;
  }
  return undefined;
}

/** Errors of changes to a finished job, which stays finished. */
function jobStatusChangeErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [jobStatusOf(next), jobStatusOf(old)];
  const errors: FieldError[] = [];
  const isIndexed = textField(specFields(old), 'completionMode') === 'Indexed';
  for (const name of isIndexed ? ['failed'] : ['failed', 'succeeded']) {
    const value = numberField(status, name) ?? 0;
    if (value < (numberField(before, name) ?? 0))
      errors.push(invalidFieldError(`status.${name}`, value, `cannot decrease the ${name} counter`));
  }
  for (const type of ['Failed', 'Complete', 'FailureTarget', 'SuccessCriteriaMet']) {
    const kind = type === 'Failed' || type === 'Complete' ? 'terminal ' : '';
    if (jobStatusHasCondition(old, type) && !jobStatusHasCondition(next, type))
      errors.push(jobStatusConditionsError(`cannot disable the ${kind}${type}=True condition`));
  }
  if (!isFieldAbsent(before['startTime']) && !sameFields(status['startTime'], before['startTime'])) {
    const isFrozen = specFields(old)['suspend'] !== true;
    const detail = 'field is immutable for unsuspended job once set';
    if (isFrozen) errors.push(invalidFieldError('status.startTime', shownFieldValue(status['startTime']), detail));
  }
  if (!isFieldAbsent(before['completionTime']) && !sameFields(status['completionTime'], before['completionTime']))
    errors.push(
      invalidFieldError('status.completionTime', shownFieldValue(status['completionTime']), 'field is immutable'),
    );
  return errors;
}
