import { duplicateField, fieldError, invalidField, requiredField, unsupportedField } from '../errors/field.ts';
import type { FieldError } from '../types.ts';
import { type Fields, fieldsAt, itemsAt, numberAt, textAt } from './fields.ts';
import { compareQuantities } from './quantity.ts';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export const PORT_RANGE = 'must be between 1 and 65535, inclusive';

export const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65535;

/** A DNS-1123 label in a field. */
export function labelErrors(field: string, value: string): FieldError[] {
  if (value === '') return [requiredField(field)];
  const errors: FieldError[] = [];
  if (value.length > 63) errors.push(invalidField(field, value, 'must be no more than 63 bytes'));
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(value)) errors.push(invalidField(field, value, LABEL));
  return errors;
}

/** The mistakes people make in pods. What else a node would refuse is not looked for. */
export function podSpecErrors(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const volumes = new Set<string>();
  for (const [index, volume] of itemsAt(spec, 'volumes').entries()) {
    const name = textAt(volume, 'name');
    const field = `${path}.volumes[${index}].name`;
    errors.push(...labelErrors(field, name));
    if (volumes.has(name)) errors.push(duplicateField(field, name));
    volumes.add(name);
  }
  const names = new Set<string>();
  const containers = itemsAt(spec, 'containers');
  if (containers.length === 0) errors.push(requiredField(`${path}.containers`));
  for (const [list, items] of [
    ['containers', containers],
    ['initContainers', itemsAt(spec, 'initContainers')],
  ] as const)
    for (const [index, container] of items.entries())
      errors.push(...containerErrors(container, `${path}.${list}[${index}]`, names, volumes));
  errors.push(...choice(spec, 'restartPolicy', path, ['Always', 'OnFailure', 'Never']));
  errors.push(...choice(spec, 'dnsPolicy', path, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']));
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1))
    errors.push(invalidField(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'));
  return errors;
}

/** In a template it is not an error, only in what comes of it. */
export function paddedImageErrors(spec: Fields, path: string): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    itemsAt(spec, list).flatMap((container, index) => {
      const image = textAt(container, 'image');
      if (image === image.trim()) return [];
      return [invalidField(`${path}.${list}[${index}].image`, image, 'must not have leading or trailing whitespace')];
    }),
  );
}

function containerErrors(
  container: Fields,
  path: string,
  names: Set<string>,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const name = textAt(container, 'name');
  const errors = labelErrors(`${path}.name`, name);
  if (name !== '' && names.has(name)) errors.push(duplicateField(`${path}.name`, name));
  names.add(name);
  const image = textAt(container, 'image');
  if (image === '') errors.push(requiredField(`${path}.image`));
  for (const [index, port] of itemsAt(container, 'ports').entries()) {
    const field = `${path}.ports[${index}]`;
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(requiredField(`${field}.containerPort`));
    else if (!isPort(number)) errors.push(invalidField(`${field}.containerPort`, number, PORT_RANGE));
    errors.push(...choice(port, 'protocol', field, ['SCTP', 'TCP', 'UDP']));
  }
  for (const [index, variable] of itemsAt(container, 'env').entries())
    if (textAt(variable, 'name') === '') errors.push(requiredField(`${path}.env[${index}].name`));
  for (const [index, mount] of itemsAt(container, 'volumeMounts').entries()) {
    const field = `${path}.volumeMounts[${index}]`;
    const volume = textAt(mount, 'name');
    if (volume === '') errors.push(requiredField(`${field}.name`));
    else if (!volumes.has(volume)) errors.push(fieldError('FieldValueNotFound', `${field}.name`, volume, ''));
    if (textAt(mount, 'mountPath') === '') errors.push(requiredField(`${field}.mountPath`));
  }
  errors.push(...choice(container, 'imagePullPolicy', path, ['Always', 'IfNotPresent', 'Never']));
  errors.push(...resourceErrors(fieldsAt(container, 'resources'), `${path}.resources`));
  return errors;
}

function resourceErrors(resources: Fields, path: string): FieldError[] {
  const limits = fieldsAt(resources, 'limits');
  const requests = fieldsAt(resources, 'requests');
  return Object.keys(requests).flatMap((name) => {
    const [request, limit] = [textAt(requests, name), textAt(limits, name)];
    if ((compareQuantities(request, limit) ?? 0) <= 0) return [];
    return [invalidField(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`)];
  });
}

/** One of a few words; absent is fine, since defaults came before. */
export function choice(parent: Fields, name: string, path: string, choices: readonly string[]): FieldError[] {
  const value = textAt(parent, name);
  return value === '' || choices.includes(value) ? [] : [unsupportedField(`${path}.${name}`, value, choices)];
}
