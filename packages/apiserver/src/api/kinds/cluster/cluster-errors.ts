import {
  duplicateFieldError,
  fieldError,
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { labelKeySyntaxComplaints, labelValueSyntaxComplaints } from '../../meta/name-syntax.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  itemsField,
  numberField,
  sameFields,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import { dnsLabelValueErrors, addressRangeValueErrors } from '../common/value-errors.ts';

/** Rules of nodes, limits, leases, and the kinds that configure the server itself. */

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeRules: KindRules = {
  defaults(node) {
    const status = ensureFields(node, 'status');
    if (isFieldAbsent(status['allocatable']) && !isFieldAbsent(status['capacity']))
      status['allocatable'] = { ...fieldsAt(status, 'capacity') };
    const spec = ensureFields(node, 'spec');
    const cidr = textField(spec, 'podCIDR');
    if (cidr !== '' && isFieldAbsent(spec['podCIDRs'])) spec['podCIDRs'] = [cidr];
  },
  prepareCreate(node) {
    // Nothing is scheduled on a node before a controller has found it ready.
    const spec = ensureFields(node, 'spec');
    const taints = itemsField(spec, 'taints');
    if (!taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect))
      spec['taints'] = [...taints, { ...NOT_READY }];
  },
  validate: (node) => clusterNodeErrors(node),
  validateUpdate: (next, old) => [
    ...clusterNodeErrors(next),
    ...clusterNodeUpdateErrors(specFields(next), specFields(old)),
  ],
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function clusterNodeErrors(node: ApiObject): FieldError[] {
  const spec = specFields(node);
  const seen = new Set<string>();
  const errors = itemsField(spec, 'taints').flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = ['key', 'value', 'effect'].map((name) => textField(taint, name)) as [
      string,
      string,
      string,
    ];
    const invalid = [
      ...labelKeySyntaxComplaints(key).map((complaint) => invalidFieldError(`${field}.key`, key, complaint)),
      ...labelValueSyntaxComplaints(value).map((complaint) => invalidFieldError(`${field}.value`, value, complaint)),
    ];
    if (effect === '') return [...invalid, requiredFieldError(`${field}.effect`)];
    if (!EFFECTS.includes(effect)) return [...invalid, unsupportedFieldError(`${field}.effect`, effect, EFFECTS)];
    const struct = { Key: key, Value: value, Effect: effect, TimeAdded: (taint['timeAdded'] ?? null) as null };
    const isRepeated = seen.has(`${key}:${effect}`);
    seen.add(`${key}:${effect}`);
    return isRepeated
      ? [...invalid, fieldError('FieldValueDuplicate', field, struct, 'taints must be unique by key and effect pair')]
      : invalid;
  });
  return [
    ...errors,
    ...textsField(spec, 'podCIDRs').flatMap((range, index) =>
      addressRangeValueErrors(`spec.podCIDRs[${index}]`, range),
    ),
  ];
}

/** Errors of fields of a node that are set only once: routes and cloud providers rely on them. */
function clusterNodeUpdateErrors(next: Fields, old: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (name: string, called = name): void =>
    void errors.push(
      forbiddenFieldError(`spec.${name}`, `node updates may not change ${called} except from "" to valid`),
    );
  if (!isFieldEmpty(old['podCIDRs']) && !sameFields(next['podCIDRs'], old['podCIDRs'])) refuse('podCIDRs', 'podCIDR');
  if (!isFieldAbsent(old['providerID']) && next['providerID'] !== old['providerID']) refuse('providerID');
  return errors;
}

export const runtimeClassRules: KindRules = {
  validate(object) {
    return dnsLabelValueErrors('handler', textField(object, 'handler'));
  },
  validateUpdate: (next, old) =>
    next['handler'] === old['handler']
      ? []
      : [invalidFieldError('handler', textField(next, 'handler'), 'field is immutable')],
};

export const limitRangeRules: KindRules = {
  defaults(object) {
    for (const limit of itemsField(specFields(object), 'limits')) {
      if (textField(limit, 'type') !== 'Container') continue;
      const [most, least] = [fieldsAt(limit, 'max'), fieldsAt(limit, 'min')];
      limit['default'] = { ...most, ...fieldsAt(limit, 'default') };
      limit['defaultRequest'] = { ...least, ...fieldsAt(limit, 'default'), ...fieldsAt(limit, 'defaultRequest') };
    }
  },
  validate(object) {
    const seen = new Set<string>();
    return itemsField(specFields(object), 'limits').flatMap((limit, index) => {
      const type = textField(limit, 'type');
      const isRepeated = seen.has(type);
      seen.add(type);
      return isRepeated ? [duplicateFieldError(`spec.limits[${index}].type`, type)] : [];
    });
  },
};

export const leaseRules: KindRules = {
  validate: (lease) => clusterLeaseErrors(specFields(lease)),
  validateUpdate: (next) => clusterLeaseErrors(specFields(next)),
};

function clusterLeaseErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const [duration, transitions] = [numberField(spec, 'leaseDurationSeconds'), numberField(spec, 'leaseTransitions')];
  if (duration !== undefined && duration <= 0)
    errors.push(invalidFieldError('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0)
    errors.push(invalidFieldError('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  return errors;
}

export const flowSchemaRules: KindRules = {
  defaults: (object) => applyDefaultTable(object, [['spec.matchingPrecedence', 1000]], { overZero: true }),
};

const clusterDeviceErrors = (path: string): KindRules => ({
  defaults(object) {
    const devices = `${path}.devices.requests[]`;
    for (const request of ['exactly', 'firstAvailable[]'])
      applyDefaultTable(object, [[`${devices}.${request}.allocationMode`, 'ExactCount']]);
    for (const request of itemsField(fieldsAt(clusterErrorsAtPath(object, path), 'devices'), 'requests'))
      for (const one of [fieldsAt(request, 'exactly'), ...itemsField(request, 'firstAvailable')])
        if (textField(one, 'allocationMode') === 'ExactCount') one['count'] ||= 1;
  },
  validateUpdate: (next, old) =>
    sameFields(next['spec'], old['spec']) ? [] : [invalidFieldError('spec', null, 'field is immutable')],
});

const clusterErrorsAtPath = (object: Fields, path: string): Fields =>
  path.split('.').reduce((parent, name) => fieldsAt(parent, name), object);

export const resourceClaimRules: KindRules = clusterDeviceErrors('spec');
export const resourceClaimTemplateRules: KindRules = clusterDeviceErrors('spec.spec');

export const resourceSliceRules: KindRules = {
  prepareCreate(object, { now }) {
    applyDefaultTable(object, [['spec.devices[].taints[].timeAdded', now]]);
  },
};

export const apiServiceRules: KindRules = {
  defaults: (object) => applyDefaultTable(object, [['spec.service.port', 443]]),
  prepareCreate(object, { now }) {
    if (!isFieldAbsent(specFields(object)['service'])) return;
    const local = { type: 'Available', status: 'True', lastTransitionTime: now, reason: 'Local' };
    object['status'] = { conditions: [{ ...local, message: 'Local APIServices are always available' }] };
  },
};
