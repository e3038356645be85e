import {
  duplicateField,
  fieldError,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { ensureFields, type Fields, fieldsAt, isEmpty, itemsAt, sameFields, specOf, textAt } from '../common/fields.ts';
import type { SubresourceRules } from '../common/rules.ts';
import { labelErrors } from '../common/value-checks.ts';
import { qosClass } from './qos.ts';
import { podSpecErrors } from './validation.ts';

/** Subresources of a pod: `ephemeralcontainers` and `resize`. */

const CONTAINERS = ['containers', 'initContainers'] as const;

/** `pods/ephemeralcontainers`: containers for a look around, which come and never change. */
export const ephemeralContainerRules: SubresourceRules = {
  prepareUpdate(next, old) {
    const { ephemeralContainers } = specOf(next);
    const spec: Fields = structuredClone(specOf(old));
    delete spec['ephemeralContainers'];
    if (!isEmpty(ephemeralContainers)) spec['ephemeralContainers'] = ephemeralContainers;
    next['spec'] = spec;
  },
  validateUpdate(next, old) {
    const containers = itemsAt(specOf(next), 'ephemeralContainers');
    const others = CONTAINERS.flatMap((list) => itemsAt(specOf(next), list)).map((one) => textAt(one, 'name'));
    const names = new Set(others);
    return [
      ...containers.flatMap((container, index) =>
        ephemeralErrors(container, `spec.ephemeralContainers[${index}]`, { names, targets: others }),
      ),
      ...changedErrors(containers, itemsAt(specOf(old), 'ephemeralContainers')),
    ];
  },
};

/** What a container that is only a guest may not have, in the order in which the server looks. */
const NOT_FOR_GUESTS = [
  'ports', 'livenessProbe', 'readinessProbe', 'startupProbe', 'resources', 'lifecycle', 'resizePolicy',
] as const; // prettier-ignore

function ephemeralErrors(
  container: Fields,
  path: string,
  { names, targets }: { readonly names: Set<string>; readonly targets: readonly string[] },
): FieldError[] {
  const name = textAt(container, 'name');
  const errors = labelErrors(`${path}.name`, name);
  if (name !== '' && names.has(name)) errors.push(duplicateField(`${path}.name`, name));
  names.add(name);
  if (textAt(container, 'image') === '') errors.push(requiredField(`${path}.image`));
  const target = textAt(container, 'targetContainerName');
  if (target !== '' && !targets.includes(target))
    errors.push(fieldError('FieldValueNotFound', `${path}.targetContainerName`, target, ''));
  for (const field of NOT_FOR_GUESTS) {
    const value = container[field];
    // An empty lifecycle is one that somebody set; empty resources are what everybody has.
    if (field === 'lifecycle' || field.endsWith('Probe') ? value === undefined : isEmpty(value)) continue;
    errors.push(forbiddenField(`${path}.${field}`, 'cannot be set for an Ephemeral Container'));
  }
  return errors;
}

function changedErrors(containers: readonly Fields[], before: readonly Fields[]): FieldError[] {
  return before.flatMap((one) => {
    const name = textAt(one, 'name');
    const now = containers.find((container) => textAt(container, 'name') === name);
    if (now !== undefined && sameFields(now, one)) return [];
    const what = now === undefined ? 'removed' : 'changed';
    return [
      forbiddenField(
        'spec.ephemeralContainers',
        `existing ephemeral containers ${JSON.stringify(name)} may not be ${what}\n`,
      ),
    ];
  });
}

/** Through `pods/resize`: what containers ask for and may have. */
const RESIZABLE = ['resources', 'resizePolicy'] as const;
const RESOURCES = ['cpu', 'memory'];

export const resizeRules: SubresourceRules = {
  prepareUpdate(next, old) {
    const spec: Fields = structuredClone(specOf(old));
    for (const list of CONTAINERS)
      for (const [index, container] of itemsAt(spec, list).entries()) {
        const wanted = itemsAt(specOf(next), list)[index];
        if (wanted === undefined || textAt(wanted, 'name') !== textAt(container, 'name')) continue;
        for (const field of RESIZABLE)
          if (wanted[field] === undefined) delete container[field];
          else container[field] = wanted[field];
      }
    next['spec'] = spec;
    ensureFields(next, 'status');
  },
  validateUpdate(next, old) {
    const [spec, before] = [specOf(next), specOf(old)];
    const errors = podSpecErrors(spec, 'spec');
    if (errors.length > 0) return errors;
    const kept = qosOf(old);
    if (qosClass(spec) !== kept)
      errors.push(invalidField('spec', kept, 'Pod QOS Class may not change as a result of resizing'));
    for (const list of CONTAINERS)
      for (const [index, container] of itemsAt(spec, list).entries())
        errors.push(
          ...removedErrors(container, itemsAt(before, list)[index] ?? {}, `spec.${list}[${index}].resources`),
        );
    if (!sameFields(withoutResizable(spec), withoutResizable(before)))
      errors.push(forbiddenField('spec', 'only cpu and memory resources are mutable'));
    return errors;
  },
};

const qosOf = (pod: ApiObject): string => textAt(fieldsAt(pod, 'status'), 'qosClass') || qosClass(specOf(pod));

function removedErrors(container: Fields, before: Fields, path: string): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((field) => {
    const now = fieldsAt(fieldsAt(container, 'resources'), field);
    const was = fieldsAt(fieldsAt(before, 'resources'), field);
    const isGone = RESOURCES.some((name) => was[name] !== undefined && now[name] === undefined);
    return isGone ? [forbiddenField(`${path}.${field}`, `resource ${field} cannot be removed`)] : [];
  });
}

/** A spec without what a resize is for. */
function withoutResizable(spec: Fields): Fields {
  const rest: Fields = { ...spec };
  for (const list of CONTAINERS)
    rest[list] = itemsAt(spec, list).map((container) => {
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
