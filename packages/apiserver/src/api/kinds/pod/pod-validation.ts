import {
  duplicateFieldError,
  fieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import { type Fields, fieldsAt, itemsField, numberField, textField } from '../common/fields.ts';
import { compareQuantities } from '../common/quantity.ts';
import {
  choiceValueErrors,
  valueErrors,
  isPortValue,
  dnsLabelValueErrors,
  NOT_NEGATIVE,
  PORT_RANGE,
  portNameValueErrors,
} from '../common/value-errors.ts';
import { podEnvErrors } from './pod-env.ts';
import { podPlacementErrors, podPlacementSchedulingErrors } from './pod-placement.ts';
import { podProbeErrorsOfLifecycleHook, podProbeErrors } from './pod-probe-errors.ts';
import { podVolumeMountErrors, podVolumeErrors } from './pod-volumes.ts';

/** Errors of common mistakes in pods. Other errors that a node would report are not checked. */
export function validatePodSpec(spec: Fields, path: string): FieldError[] {
  const errors = podVolumeErrors(spec, path);
  const volumes = new Set(itemsField(spec, 'volumes').map((volume) => textField(volume, 'name')));
  const names = new Set<string>();
  const containers = itemsField(spec, 'containers');
  if (containers.length === 0) errors.push(requiredFieldError(`${path}.containers`));
  for (const [list, items] of [
    ['containers', containers],
    ['initContainers', itemsField(spec, 'initContainers')],
  ] as const)
    for (const [index, container] of items.entries())
      errors.push(...validatePodContainer(container, `${path}.${list}[${index}]`, names, volumes));
  errors.push(...choiceValueErrors(spec, 'restartPolicy', path, ['Always', 'OnFailure', 'Never']));
  errors.push(
    ...choiceValueErrors(spec, 'dnsPolicy', path, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']),
  );
  const deadline = numberField(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1))
    errors.push(
      invalidFieldError(`${path}.activeDeadlineSeconds`, deadline, 'must be between 1 and 2147483647, inclusive'),
    );
  return [...errors, ...podPlacementErrors(spec, path), ...podPlacementSchedulingErrors(spec, path)];
}

/** Errors of image names with spaces around them: allowed in a template, not in a pod. */
export function validatePodImages(spec: Fields, path: string): FieldError[] {
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    itemsField(spec, list).flatMap((container, index) => {
      const image = textField(container, 'image');
      if (image === image.trim()) return [];
      return [
        invalidFieldError(`${path}.${list}[${index}].image`, image, 'must not have leading or trailing whitespace'),
      ];
    }),
  );
}

function validatePodContainer(
  container: Fields,
  path: string,
  names: Set<string>,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const name = textField(container, 'name');
  const errors = dnsLabelValueErrors(`${path}.name`, name);
  const image = textField(container, 'image');
  if (image === '') errors.push(requiredFieldError(`${path}.image`));
  const portNames = new Set<string>();
  for (const [index, port] of itemsField(container, 'ports').entries()) {
    const field = `${path}.ports[${index}]`;
    const portName = textField(port, 'name');
    if (portName !== '') errors.push(...valueErrors(`${field}.name`, portName, portNameValueErrors(portName)));
    if (portName !== '' && portNames.has(portName)) errors.push(duplicateFieldError(`${field}.name`, portName));
    portNames.add(portName);
    const number = numberField(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(requiredFieldError(`${field}.containerPort`));
    else if (!isPortValue(number)) errors.push(invalidFieldError(`${field}.containerPort`, number, PORT_RANGE));
    const hostPort = numberField(port, 'hostPort') ?? 0;
    if (hostPort !== 0 && !isPortValue(hostPort))
      errors.push(invalidFieldError(`${field}.hostPort`, hostPort, PORT_RANGE));
    errors.push(...choiceValueErrors(port, 'protocol', field, ['SCTP', 'TCP', 'UDP']));
  }
  errors.push(...podEnvErrors(container, path));
  for (const [index, mount] of itemsField(container, 'volumeMounts').entries()) {
    const field = `${path}.volumeMounts[${index}]`;
    const volume = textField(mount, 'name');
    if (volume === '') errors.push(requiredFieldError(`${field}.name`));
    else if (!volumes.has(volume)) errors.push(fieldError('FieldValueNotFound', `${field}.name`, volume, ''));
    if (textField(mount, 'mountPath') === '') errors.push(requiredFieldError(`${field}.mountPath`));
  }
  errors.push(...podVolumeMountErrors(itemsField(container, 'volumeMounts'), `${path}.volumeMounts`));
  errors.push(...choiceValueErrors(container, 'imagePullPolicy', path, ['Always', 'IfNotPresent', 'Never']));
  errors.push(...validatePodResources(fieldsAt(container, 'resources'), `${path}.resources`));
  if (name !== '' && names.has(name)) errors.push(duplicateFieldError(`${path}.name`, name));
  names.add(name);
  errors.push(...podProbeErrorsOfLifecycleHook(container, path), ...podProbeErrors(container, path));
  return errors;
}

function validatePodResources(resources: Fields, path: string): FieldError[] {
  const limits = fieldsAt(resources, 'limits');
  const requests = fieldsAt(resources, 'requests');
  const errors = [
    ...validatePodResourceAmounts(limits, `${path}.limits`),
    ...validatePodResourceAmounts(requests, `${path}.requests`),
  ];
  for (const name of Object.keys(requests)) {
    const [request, limit] = [textField(requests, name), textField(limits, name)];
    if ((compareQuantities(request, limit) ?? 0) > 0)
      errors.push(
        invalidFieldError(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`),
      );
  }
  return errors;
}

/** Standard container resources; others need a prefix. */
const STANDARD = /^(cpu|memory|ephemeral-storage|hugepages-.+)$|\//;
/** Standard resources of other objects. */
const ELSEWHERE = /^(storage|pods|services|configmaps|secrets|(requests|limits)\..+)$/;

function validatePodResourceAmounts(amounts: Fields, path: string): FieldError[] {
  return Object.keys(amounts).flatMap((name) => {
    const field = `${path}[${name}]`;
    const errors: FieldError[] = [];
    if (!STANDARD.test(name)) {
      if (!ELSEWHERE.test(name))
        errors.push(invalidFieldError(field, name, 'must be a standard resource type or fully qualified'));
      errors.push(invalidFieldError(field, name, 'must be a standard resource for containers'));
    }
    const amount = textField(amounts, name);
    if ((compareQuantities(amount, '0') ?? 0) < 0) errors.push(invalidFieldError(field, amount, NOT_NEGATIVE));
    return errors;
  });
}
