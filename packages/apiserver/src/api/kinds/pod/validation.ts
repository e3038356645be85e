import { duplicateField, fieldError, type FieldError, invalidField, requiredField } from '../../../core/field-error.ts';
import { type Fields, fieldsAt, itemsAt, numberAt, textAt } from '../common/fields.ts';
import { compareQuantities } from '../common/quantity.ts';
import {
  choice,
  complain,
  isPort,
  labelErrors,
  NOT_NEGATIVE,
  PORT_RANGE,
  portNameComplaints,
} from '../common/value-checks.ts';
import { envErrors } from './env.ts';
import { placementErrors, schedulingErrors } from './placement.ts';
import { hookErrors, probeErrors } from './probes.ts';
import { mountErrors, volumeErrors } from './volumes.ts';

/** The mistakes people make in pods. What else a node would refuse is not looked for. */
export function podSpecErrors(spec: Fields, path: string): FieldError[] {
  const errors = volumeErrors(spec, path);
  const volumes = new Set(itemsAt(spec, 'volumes').map((volume) => textAt(volume, 'name')));
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
  return [...errors, ...placementErrors(spec, path), ...schedulingErrors(spec, path)];
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
  const portNames = new Set<string>();
  for (const [index, port] of itemsAt(container, 'ports').entries()) {
    const field = `${path}.ports[${index}]`;
    const portName = textAt(port, 'name');
    if (portName !== '') errors.push(...complain(`${field}.name`, portName, portNameComplaints(portName)));
    if (portName !== '' && portNames.has(portName)) errors.push(duplicateField(`${field}.name`, portName));
    portNames.add(portName);
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(requiredField(`${field}.containerPort`));
    else if (!isPort(number)) errors.push(invalidField(`${field}.containerPort`, number, PORT_RANGE));
    const hostPort = numberAt(port, 'hostPort') ?? 0;
    if (hostPort !== 0 && !isPort(hostPort)) errors.push(invalidField(`${field}.hostPort`, hostPort, PORT_RANGE));
    errors.push(...choice(port, 'protocol', field, ['SCTP', 'TCP', 'UDP']));
  }
  errors.push(...envErrors(container, path));
  for (const [index, mount] of itemsAt(container, 'volumeMounts').entries()) {
    const field = `${path}.volumeMounts[${index}]`;
    const volume = textAt(mount, 'name');
    if (volume === '') errors.push(requiredField(`${field}.name`));
    else if (!volumes.has(volume)) errors.push(fieldError('FieldValueNotFound', `${field}.name`, volume, ''));
    if (textAt(mount, 'mountPath') === '') errors.push(requiredField(`${field}.mountPath`));
  }
  errors.push(...mountErrors(itemsAt(container, 'volumeMounts'), `${path}.volumeMounts`));
  errors.push(...probeErrors(container, path), ...hookErrors(container, path));
  errors.push(...choice(container, 'imagePullPolicy', path, ['Always', 'IfNotPresent', 'Never']));
  errors.push(...resourceErrors(fieldsAt(container, 'resources'), `${path}.resources`));
  return errors;
}

function resourceErrors(resources: Fields, path: string): FieldError[] {
  const limits = fieldsAt(resources, 'limits');
  const requests = fieldsAt(resources, 'requests');
  const errors = [...amountsErrors(limits, `${path}.limits`), ...amountsErrors(requests, `${path}.requests`)];
  for (const name of Object.keys(requests)) {
    const [request, limit] = [textAt(requests, name), textAt(limits, name)];
    if ((compareQuantities(request, limit) ?? 0) > 0)
      errors.push(invalidField(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`));
  }
  return errors;
}

/** Resources of containers; others are somebody's own and have a prefix. */
const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;
/** Resources of something else. */
const ELSEWHERE = /^(storage|pods|services|configmaps|secrets|(requests|limits)\..+)$/;

function amountsErrors(amounts: Fields, path: string): FieldError[] {
  return Object.keys(amounts).flatMap((name) => {
    const field = `${path}[${name}]`;
    const errors: FieldError[] = [];
    if (!STANDARD.test(name)) {
      if (!ELSEWHERE.test(name))
        errors.push(invalidField(field, name, 'must be a standard resource type or fully qualified'));
      errors.push(invalidField(field, name, 'must be a standard resource for containers'));
    }
    const amount = textAt(amounts, name);
    if ((compareQuantities(amount, '0') ?? 0) < 0) errors.push(invalidField(field, amount, NOT_NEGATIVE));
    return errors;
  });
}
