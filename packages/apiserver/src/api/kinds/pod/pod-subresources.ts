import {
  duplicateFieldError,
  fieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldEmpty,
  itemsField,
  sameFields,
  specFields,
  textField,
} from '../common/fields.ts';
import type { SubresourceRules } from '../common/kind-rule.ts';
import { dnsLabelValueErrors } from '../common/value-errors.ts';
import { podQosClass } from './pod-qos.ts';
import { validatePodSpec } from './pod-validation.ts';

/** Subresources of a pod: `ephemeralcontainers` and `resize`. */

const CONTAINERS = ['containers', 'initContainers'] as const;

/** `pods/ephemeralcontainers`: containers for debugging, which can be added but not changed. */
export const ephemeralContainerRules: SubresourceRules = {
  prepareUpdate(next, old) {
    const { ephemeralContainers } = specFields(next);
    const spec: Fields = structuredClone(specFields(old));
    delete spec['ephemeralContainers'];
    if (!isFieldEmpty(ephemeralContainers)) spec['ephemeralContainers'] = ephemeralContainers;
    next['spec'] = spec;
  },
  validateUpdate(next, old) {
    const containers = itemsField(specFields(next), 'ephemeralContainers');
    const others = CONTAINERS.flatMap((list) => itemsField(specFields(next), list)).map((one) =>
      textField(one, 'name'),
    );
    const names = new Set(others);
    return [
      ...containers.flatMap((container, index) =>
        podEphemeralSubresourceErrors(container, `spec.ephemeralContainers[${index}]`, { names, targets: others }),
      ),
      ...podEphemeralSubresourceChangeErrors(containers, itemsField(specFields(old), 'ephemeralContainers')),
    ];
  },
};

/** Fields that an ephemeral container may not have, in the order of the server's checks. */
const NOT_FOR_GUESTS = [
  'ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'resources', 'lifecycle', 'resizePolicy',
] as const; // prettier-ignore

function podEphemeralSubresourceErrors(
  container: Fields,
  path: string,
  { names, targets }: { readonly names: Set<string>; readonly targets: readonly string[] },
): FieldError[] {
  const name = textField(container, 'name');
  const errors = dnsLabelValueErrors(`${path}.name`, name);
  if (name !== '' && names.has(name)) errors.push(duplicateFieldError(`${path}.name`, name));
  names.add(name);
  if (textField(container, 'image') === '') errors.push(requiredFieldError(`${path}.image`));
  const target = textField(container, 'targetContainerName');
  if (target !== '' && !targets.includes(target))
    errors.push(fieldError('FieldValueNotFound', `${path}.targetContainerName`, target, ''));
  for (const field of NOT_FOR_GUESTS) {
    const value = container[field];
    // An empty lifecycle is set explicitly; empty resources are the default.
    if (field === 'lifecycle' || field.endsWith('Probe') ? value === undefined : isFieldEmpty(value)) continue;
    errors.push(forbiddenFieldError(`${path}.${field}`, 'cannot be set for an Ephemeral Container'));
  }
  return errors;
}

function podEphemeralSubresourceChangeErrors(containers: readonly Fields[], before: readonly Fields[]): FieldError[] {
  return before.flatMap((one) => {
    const name = textField(one, 'name');
    const now = containers.find((container) => textField(container, 'name') === name);
    if (now !== undefined && sameFields(now, one)) return [];
    const what = now === undefined ? 'removed' : 'changed';
    return [
      forbiddenFieldError(
        'spec.ephemeralContainers',
        `existing ephemeral containers ${JSON.stringify(name)} may not be ${what}\n`,
      ),
    ];
  });
}

/** Fields that `pods/resize` can change. */
const RESIZABLE = ['resources', 'resizePolicy'] as const;
const RESOURCES = ['cpu', 'memory'];

export const resizeRules: SubresourceRules = {
  prepareUpdate(next, old) {
    const spec: Fields = structuredClone(specFields(old));
    for (const list of CONTAINERS)
      for (const [index, container] of itemsField(spec, list).entries()) {
        const wanted = itemsField(specFields(next), list)[index];
        if (wanted === undefined || textField(wanted, 'name') !== textField(container, 'name')) continue;
        for (const field of RESIZABLE)
          if (wanted[field] === undefined) delete container[field];
          else container[field] = wanted[field];
      }
    next['spec'] = spec;
    ensureFields(next, 'status');
  },
  validateUpdate(next, old) {
    const [spec, before] = [specFields(next), specFields(old)];
    const errors = validatePodSpec(spec, 'spec');
    if (errors.length > 0) return errors;
    const kept = podResizeSubresourceQos(old);
    if (podQosClass(spec) !== kept)
      errors.push(invalidFieldError('spec', kept, 'Pod QOS Class may not change as a result of resizing'));
    for (const list of CONTAINERS)
      for (const [index, container] of itemsField(spec, list).entries())
        errors.push(
          ...podResizeSubresourceRemovalErrors(
            container,
            itemsField(before, list)[index] ?? {},
            `spec.${list}[${index}].resources`,
          ),
        );
    if (!sameFields(podResizeSubresourceFixedSpec(spec), podResizeSubresourceFixedSpec(before)))
      errors.push(forbiddenFieldError('spec', 'only cpu and memory resources are mutable'));
    return errors;
  },
};

const podResizeSubresourceQos = (pod: ApiObject): string =>
  textField(fieldsAt(pod, 'status'), 'qosClass') || podQosClass(specFields(pod));

function podResizeSubresourceRemovalErrors(container: Fields, before: Fields, path: string): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const now = fieldsAt(fieldsAt(container, 'resources'), field);
    const was = fieldsAt(fieldsAt(before, 'resources'), field);
    const isGone = RESOURCES.some((name) => was[name] !== undefined && now[name] === undefined);
    return isGone ? [forbiddenFieldError(`${path}.${field}`, `resource ${field} cannot be removed`)] : [];
  });
}

/** A spec without the fields that a resize changes. */
function podResizeSubresourceFixedSpec(spec: Fields): Fields {
  const rest: Fields = { ...spec };
  for (const list of CONTAINERS)
    rest[list] = itemsField(spec, list).map((container) => {
      const resources = fieldsAt(container, 'resources');
      const others = (field: string): [string, unknown][] =>
        Object.entries(fieldsAt(resources, field)).filter(([name]) => !RESOURCES.includes(name));
      return {
        ...container,
        resources: {
          ...resources,
          limits: Object.fromEntries(others('limits')),
          requests: Object.fromEntries(others('requests')),
        },
      };
    });
  return rest;
}
