import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { type Fields, fieldsAt, isFieldAbsent, itemsField, textField } from '../common/fields.ts';
import { dataKeyValueErrors, requiredValueErrors } from '../common/value-errors.ts';

/** Rules of the environment of a container. */

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const FIELD =
  /^(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?)|metadata\.(labels|annotations)\['[^']+'\])$/;
const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((list) => RESOURCES.map((name) => `${list}.${name}`));
const BAD_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";

const podEnvNameErrors = (field: string, name: string): FieldError[] =>
  /^[\x20-\x3c\x3e-\x7e]+$/.test(name) ? [] : [invalidFieldError(field, name, BAD_NAME)];

export function podEnvErrors(container: Fields, path: string): FieldError[] {
  const variables = itemsField(container, 'env').flatMap((variable, index) => {
    const field = `${path}.env[${index}]`;
    const name = textField(variable, 'name');
    const errors = name === '' ? [requiredFieldError(`${field}.name`)] : podEnvNameErrors(`${field}.name`, name);
    return isFieldAbsent(variable['valueFrom'])
      ? errors
      : [...errors, ...podEnvSourceErrors(variable, `${field}.valueFrom`)];
  });
  const groups = itemsField(container, 'envFrom').flatMap((group, index) =>
    podEnvFromErrors(group, `${path}.envFrom`, `${path}.envFrom[${index}]`),
  );
  return [...variables, ...groups];
}

function podEnvSourceErrors(variable: Fields, path: string): FieldError[] {
  const source = fieldsAt(variable, 'valueFrom');
  const given = SOURCES.filter((name) => !isFieldAbsent(source[name]));
  const errors = given.flatMap((name) => podEnvReferenceErrors(name, fieldsAt(source, name), `${path}.${name}`));
  if (given.length === 0)
    errors.push(
      invalidFieldError(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (textField(variable, 'value') !== '')
    errors.push(invalidFieldError(path, '', 'may not be specified when `value` is not empty'));
  else if (given.length > 1)
    errors.push(invalidFieldError(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

function podEnvReferenceErrors(kind: string, reference: Fields, path: string): FieldError[] {
  if (kind === 'fieldRef') {
    const field = textField(reference, 'fieldPath');
    if (field === '') return [requiredFieldError(`${path}.fieldPath`)];
    const detail = `error converting fieldPath: field label not supported: ${field}`;
    return FIELD.test(field) ? [] : [invalidFieldError(`${path}.fieldPath`, field, detail)];
  }
  if (kind === 'resourceFieldRef') {
    const resource = textField(reference, 'resource');
    if (resource === '') return [requiredFieldError(`${path}.resource`)];
    const isKnown = RESOURCE_FIELDS.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
    return isKnown ? [] : [unsupportedFieldError(`${path}.resource`, resource, RESOURCE_FIELDS)];
  }
  if (kind === 'fileKeyRef') return [];
  const key = textField(reference, 'key');
  const errors = requiredValueErrors(reference, 'name', path);
  return [...errors, ...(key === '' ? [requiredFieldError(`${path}.key`)] : dataKeyValueErrors(`${path}.key`, key))];
}

function podEnvFromErrors(group: Fields, list: string, path: string): FieldError[] {
  const prefix = textField(group, 'prefix');
  const errors = prefix === '' ? [] : podEnvNameErrors(`${path}.prefix`, prefix);
  const given = ['configMapRef', 'secretRef'].filter((name) => !isFieldAbsent(group[name]));
  for (const name of given) errors.push(...requiredValueErrors(fieldsAt(group, name), 'name', `${path}.${name}`));
  if (given.length === 0)
    errors.push(invalidFieldError(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (given.length > 1)
    errors.push(invalidFieldError(list, '', 'may not have more than one field specified at a time'));
  return errors;
}
