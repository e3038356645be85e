import { type FieldError, invalidFieldError, requiredFieldError } from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { type Fields, fieldsAt, isFieldAbsent, sameFields, shownFieldValue, textField } from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';

/** Events have two versions, `v1` and `events.k8s.io/v1`, in one store. The stored form is `v1`. */

/** Field names in [`v1`, `events.k8s.io/v1`]. */
const RENAMED: readonly (readonly [old: string, now: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const OLD_TO_NEW: ReadonlyMap<string, string> = new Map(RENAMED);
const NEW_TO_OLD: ReadonlyMap<string, string> = new Map(RENAMED.map(([old, now]) => [now, old]));

export const eventErrorsToOldVersion = (event: ApiObject): ApiObject => renameEventFields(event, NEW_TO_OLD, 'v1');

export const eventErrorsToNewVersion = (event: ApiObject): ApiObject =>
  renameEventFields(event, OLD_TO_NEW, 'events.k8s.io/v1');

function renameEventFields(event: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const fields = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...(Object.fromEntries(fields) as ApiObject), apiVersion };
}

export const eventRules: KindRules = {
  validate: (event) => eventErrorsOfBothVersions(event, 'reportingComponent'),
  validateUpdate: (next) => eventErrorsOfBothVersions(next, 'reportingComponent'),
};

const FIXED = [
  'involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type', 'eventTime', 'action', 'related', 'reportingComponent', 'reportingInstance',
]; // prettier-ignore

export const newEventRules: KindRules = {
  validate(object) {
    const event = eventErrorsToOldVersion(object);
    const errors = eventErrorsOfBothVersions(event, 'reportingController');
    if (isFieldAbsent(event['eventTime'])) errors.push(requiredFieldError('eventTime'));
    const type = textField(event, 'type');
    if (type !== 'Normal' && type !== 'Warning')
      errors.push(invalidFieldError('type', '', `has invalid value: ${type}`));
    for (const name of ['firstTimestamp', 'lastTimestamp', 'count'])
      if (!isFieldAbsent(event[name]) && event[name] !== 0)
        errors.push(invalidFieldError(name, '', 'needs to be unset'));
    const source = fieldsAt(event, 'source');
    if (textField(source, 'component') !== '' || textField(source, 'host') !== '')
      errors.push(invalidFieldError('source', '', 'needs to be unset'));
    return errors;
  },

  validateUpdate(nextObject, oldObject) {
    const [next, old] = [eventErrorsToOldVersion(nextObject), eventErrorsToOldVersion(oldObject)];
    const changed = FIXED.filter((name) => !sameFields(next[name], old[name]));
    return [
      ...eventErrorsOfBothVersions(next, 'reportingController'),
      ...changed.map((name) => invalidFieldError(name, shownFieldValue(next[name]), 'field is immutable')),
    ];
  },
};

/** `event` in its old form; the field of the reporter is named as the client knows it. */
function eventErrorsOfBothVersions(event: ApiObject, reporterField: string): FieldError[] {
  const about = textField(fieldsAt(event, 'involvedObject'), 'namespace');
  const namespace = event.metadata?.namespace ?? '';
  const errors: FieldError[] = [];
  const strangers = invalidFieldError('involvedObject.namespace', about, 'does not match event.namespace');
  if (isFieldAbsent(event['eventTime'])) {
    const matches = about === '' ? namespace === '' || namespace === 'default' : about === namespace;
    return matches ? [] : [strangers];
  }
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') errors.push(strangers);
  const reporter = textField(event, 'reportingComponent');
  if (reporter === '') errors.push(requiredFieldError(reporterField), ...emptyEventNameErrors(reporterField));
  errors.push(
    ...eventTextLengthErrors(event, 'reportingInstance', 128),
    ...eventTextLengthErrors(event, 'action', 128),
  );
  errors.push(...eventTextLengthErrors(event, 'reason', 128));
  if (Buffer.byteLength(textField(event, 'message')) > 1024)
    errors.push(invalidFieldError('message', '', 'can have at most 1024 characters'));
  return errors;
}

const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const emptyEventNameErrors = (field: string): FieldError[] => [
  invalidFieldError(field, '', 'name part must be non-empty'),
  invalidFieldError(field, '', NAME_PART),
];

function eventTextLengthErrors(event: Fields, name: string, most: number): FieldError[] {
  const text = textField(event, name);
  if (text === '') return [requiredFieldError(name)];
  // A real server writes "characters" and counts bytes.
  return Buffer.byteLength(text) > most ? [invalidFieldError(name, '', `can have at most ${most} characters`)] : [];
}
