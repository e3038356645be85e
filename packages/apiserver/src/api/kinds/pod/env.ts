import { type FieldError, invalidField, requiredField, unsupportedField } from '../../../core/field-error.ts';
import { type Fields, fieldsAt, isAbsent, itemsAt, textAt } from '../common/fields.ts';
import { configKeyErrors, requiredText } from '../common/value-checks.ts';

/** The environment of a container. */

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const FIELD =
  /^(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?)|metadata\.(labels|annotations)\['[^']+'\])$/;
const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = ['limits', 'requests'].flatMap((list) => RESOURCES.map((name) => `${list}.${name}`));
const BAD_NAME = "a valid environment variable name must consist only of printable ASCII characters other than '='";

const nameErrors = (field: string, name: string): FieldError[] =>
  /^[\x20-\x3c\x3e-\x7e]+$/.test(name) ? [] : [invalidField(field, name, BAD_NAME)];

export function envErrors(container: Fields, path: string): FieldError[] {
  const variables = itemsAt(container, 'env').flatMap((variable, index) => {
    const field = `${path}.env[${index}]`;
    const name = textAt(variable, 'name');
    const errors = name === '' ? [requiredField(`${field}.name`)] : nameErrors(`${field}.name`, name);
    return isAbsent(variable['valueFrom']) ? errors : [...errors, ...sourceErrors(variable, `${field}.valueFrom`)];
  });
  const groups = itemsAt(container, 'envFrom').flatMap((group, index) =>
    groupErrors(group, `${path}.envFrom`, `${path}.envFrom[${index}]`),
  );
  return [...variables, ...groups];
}

function sourceErrors(variable: Fields, path: string): FieldError[] {
  const source = fieldsAt(variable, 'valueFrom');
  const given = SOURCES.filter((name) => !isAbsent(source[name]));
  const errors = given.flatMap((name) => referenceErrors(name, fieldsAt(source, name), `${path}.${name}`));
  if (given.length === 0)
    errors.push(
      invalidField(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (textAt(variable, 'value') !== '')
    errors.push(invalidField(path, '', 'may not be specified when `value` is not empty'));
  else if (given.length > 1)
    errors.push(invalidField(path, '', 'may not have more than one field specified at a time'));
  return errors;
}

function referenceErrors(kind: string, reference: Fields, path: string): FieldError[] {
  if (kind === 'fieldRef') {
    const field = textAt(reference, 'fieldPath');
    if (field === '') return [requiredField(`${path}.fieldPath`)];
    const detail = `error converting fieldPath: field label not supported: ${field}`;
    return FIELD.test(field) ? [] : [invalidField(`${path}.fieldPath`, field, detail)];
  }
  if (kind === 'resourceFieldRef') {
    const resource = textAt(reference, 'resource');
    if (resource === '') return [requiredField(`${path}.resource`)];
    const isKnown = RESOURCE_FIELDS.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
    return isKnown ? [] : [unsupportedField(`${path}.resource`, resource, RESOURCE_FIELDS)];
  }
  if (kind === 'fileKeyRef') return [];
  const key = textAt(reference, 'key');
  const errors = requiredText(reference, 'name', path);
  return [...errors, ...(key === '' ? [requiredField(`${path}.key`)] : configKeyErrors(`${path}.key`, key))];
}

function groupErrors(group: Fields, list: string, path: string): FieldError[] {
  const prefix = textAt(group, 'prefix');
  const errors = prefix === '' ? [] : nameErrors(`${path}.prefix`, prefix);
  const given = ['configMapRef', 'secretRef'].filter((name) => !isAbsent(group[name]));
  for (const name of given) errors.push(...requiredText(fieldsAt(group, name), 'name', `${path}.${name}`));
  if (given.length === 0) errors.push(invalidField(list, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (given.length > 1) errors.push(invalidField(list, '', 'may not have more than one field specified at a time'));
  return errors;
}
