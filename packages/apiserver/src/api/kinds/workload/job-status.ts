import { duplicateField, fieldError, type FieldError, invalidField, requiredField } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import {
  type Fields,
  fieldsAt,
  isAbsent,
  itemsAt,
  numberAt,
  sameFields,
  shown,
  specOf,
  textAt,
  textsAt,
} from '../common/fields.ts';
import { countErrors } from '../common/value-checks.ts';

/** What a job's controller may say of the job. What was wrong before may stay, as long as nobody touches it. */
export function jobStatusErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const known = new Set(stateErrors(old).map(({ field, message }) => `${field}: ${message}`));
  const isNew = ({ field, message }: FieldError): boolean => !known.has(`${field}: ${message}`);
  return [...stateErrors(next).filter(isNew), ...changeErrors(next, old)];
}

const statusOf = (job: ApiObject): Fields => fieldsAt(job, 'status');

const hasCondition = (job: ApiObject, type: string): boolean =>
  itemsAt(statusOf(job), 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
  );

/** An error about all conditions shows none of them. */
const conditionsError = (detail: string): FieldError =>
  fieldError('FieldValueInvalid', 'status.conditions', undefined, detail);

function stateErrors(job: ApiObject): FieldError[] {
  const status = statusOf(job);
  const count = (name: string): number => numberAt(status, name) ?? 0;
  const errors = countErrors(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], 'status');
  errors.push(...uncountedErrors(fieldsAt(status, 'uncountedTerminatedPods')));
  const isComplete = hasCondition(job, 'Complete');
  const isFailed = hasCondition(job, 'Failed');
  if (isComplete && isFailed) errors.push(conditionsError('cannot set Complete=True and Failed=true conditions'));
  errors.push(...timeErrors(job, isComplete));
  if (isFailed && !hasCondition(job, 'FailureTarget'))
    errors.push(conditionsError('cannot set Failed=True condition without the FailureTarget=true condition'));
  if (isComplete && !hasCondition(job, 'SuccessCriteriaMet'))
    errors.push(conditionsError('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  if (hasCondition(job, 'FailureTarget') && hasCondition(job, 'SuccessCriteriaMet'))
    errors.push(conditionsError('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (isComplete || isFailed) {
    if (count('active') > 0)
      errors.push(invalidField('status.active', count('active'), 'active>0 is invalid for finished job'));
    if (isAbsent(status['startTime']))
      errors.push(requiredField('status.startTime', 'startTime is required for finished job'));
  }
  if (count('ready') > count('active') && count('active') >= 0)
    errors.push(invalidField('status.ready', count('ready'), 'cannot set more ready pods than active'));
  return [...errors, ...indexErrors(job)];
}

function uncountedErrors(uncounted: Fields): FieldError[] {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((name) =>
    textsAt(uncounted, name).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${name}[${index}]`;
      if (uid === '') return [invalidField(field, '', 'must not be empty')];
      if (seen.has(uid)) return [duplicateField(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function timeErrors(job: ApiObject, isComplete: boolean): FieldError[] {
  const [start, completion] = [textAt(statusOf(job), 'startTime'), textAt(statusOf(job), 'completionTime')];
  const field = 'status.completionTime';
  if (completion === '')
    return isComplete ? [requiredField(field, 'completionTime is required for Complete jobs')] : [];
  if (!isComplete)
    return [invalidField(field, completion, 'cannot set completionTime when there is no Complete=True condition')];
  // Both are in UTC with whole seconds by now, so that texts compare as times do.
  return start !== '' && completion < start
    ? [invalidField(field, completion, 'must be equal to or after `startTime`')]
    : [];
}

function indexErrors(job: ApiObject): FieldError[] {
  const [spec, status] = [specOf(job), statusOf(job)];
  const errors: FieldError[] = [];
  const completed = textAt(status, 'completedIndexes');
  if (completed !== '') {
    const detail =
      textAt(spec, 'completionMode') === 'Indexed'
        ? indexFault(completed, numberAt(spec, 'completions') ?? 0)
        : 'cannot set non-empty completedIndexes when non-indexed completion mode';
    if (detail !== undefined) errors.push(invalidField('status.completedIndexes', completed, detail));
  }
  const failed = status['failedIndexes'];
  if (failed !== undefined && failed !== null && isAbsent(spec['backoffLimitPerIndex'])) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidField('status.failedIndexes', shown(failed), detail));
  }
  return errors;
}

/** `1,3-5`: numbers below the number of completions. */
function indexFault(text: string, completions: number): string | undefined {
  for (const index of text.split(/[,-]/)) {
    if (!/^\d+$/.test(index))
      return `error parsing completedIndexes: cannot convert string to integer for index: ${JSON.stringify(index)}`;
    if (Number(index) >= completions)
      return `error parsing completedIndexes: too large index: ${JSON.stringify(index)}`;
  }
  return undefined;
}

/** What is over cannot be undone. */
function changeErrors(next: ApiObject, old: ApiObject): FieldError[] {
  const [status, before] = [statusOf(next), statusOf(old)];
  const errors: FieldError[] = [];
  const isIndexed = textAt(specOf(old), 'completionMode') === 'Indexed';
  for (const name of isIndexed ? ['failed'] : ['failed', 'succeeded']) {
    const value = numberAt(status, name) ?? 0;
    if (value < (numberAt(before, name) ?? 0))
      errors.push(invalidField(`status.${name}`, value, `cannot decrease the ${name} counter`));
  }
  for (const type of ['Failed', 'Complete', 'FailureTarget', 'SuccessCriteriaMet']) {
    const kind = type === 'Failed' || type === 'Complete' ? 'terminal ' : '';
    if (hasCondition(old, type) && !hasCondition(next, type))
      errors.push(conditionsError(`cannot disable the ${kind}${type}=True condition`));
  }
  if (!isAbsent(before['startTime']) && !sameFields(status['startTime'], before['startTime'])) {
    const isFrozen = specOf(old)['suspend'] !== true;
    const detail = 'field is immutable for unsuspended job once set';
    if (isFrozen) errors.push(invalidField('status.startTime', shown(status['startTime']), detail));
  }
  if (!isAbsent(before['completionTime']) && !sameFields(status['completionTime'], before['completionTime']))
    errors.push(invalidField('status.completionTime', shown(status['completionTime']), 'field is immutable'));
  return errors;
}
