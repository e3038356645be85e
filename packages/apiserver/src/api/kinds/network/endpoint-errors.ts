import {
  duplicateFieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/kube-object.ts';
import { subdomainSyntaxComplaints } from '../../meta/name-syntax.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import { type Fields, isFieldEmpty, itemsField, sameFields, textField, textsField } from '../common/fields.ts';
import { countGeneration } from '../common/generation.ts';
import type { KindRules } from '../common/kind-rule.ts';
import {
  ipAddressValueErrors,
  choiceValueErrors,
  valueErrors,
  dnsLabelValueErrors,
  portValueErrors,
  specialAddressValueErrors,
  subdomainValueErrors,
} from '../common/value-errors.ts';

export const endpointsRules: KindRules = {
  defaults: (object) => applyDefaultTable(object, [['subsets[].ports[].protocol', 'TCP']]),
  validate: (object) =>
    itemsField(object, 'subsets').flatMap((subset, index) => endpointSubsetErrors(subset, `subsets[${index}]`)),
};

function endpointSubsetErrors(subset: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isFieldEmpty(subset['addresses']) && isFieldEmpty(subset['notReadyAddresses']))
    errors.push(requiredFieldError(path, 'must specify `addresses` or `notReadyAddresses`'));
  for (const list of ['addresses', 'notReadyAddresses'])
    for (const [index, address] of itemsField(subset, list).entries()) {
      const field = `${path}.${list}[${index}]`;
      const ip = textField(address, 'ip');
      const name = textField(address, 'hostname');
      errors.push(...ipAddressValueErrors(`${field}.ip`, ip));
      if (name !== '') errors.push(...dnsLabelValueErrors(`${field}.hostname`, name));
      errors.push(...subdomainValueErrors(address, 'nodeName', field));
      if (!/(^|\.)0\d/.test(ip)) errors.push(...specialAddressValueErrors(`${field}.ip`, ip));
    }
  const ports = itemsField(subset, 'ports');
  for (const [index, port] of ports.entries()) {
    const field = `${path}.ports[${index}]`;
    const name = textField(port, 'name');
    if (name === '' && ports.length > 1) errors.push(requiredFieldError(`${field}.name`));
    if (name !== '') errors.push(...dnsLabelValueErrors(`${field}.name`, name));
    errors.push(...portValueErrors(`${field}.port`, port['port']));
    errors.push(...choiceValueErrors(port, 'protocol', field, PROTOCOLS));
  }
  return errors;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSliceRules: KindRules = {
  prepareUpdate(next, old) {
    // Proxies read labels too, so a change of them counts.
    if (!sameFields(next.metadata?.labels, old.metadata?.labels)) countGeneration(next, old);
  },
  defaults: (object) =>
    applyDefaultTable(object, [
      ['ports[].name', ''],
      ['ports[].protocol', 'TCP'],
    ]),
  validate: (object) => endpointSliceErrors(object),
  validateUpdate: (next, old) => [
    ...endpointSliceErrors(next),
    ...(next['addressType'] === old['addressType']
      ? []
      : [invalidFieldError('addressType', textField(next, 'addressType'), 'field is immutable')]),
  ],
};

function endpointSliceErrors(object: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const type = textField(object, 'addressType');
  if (type === '') errors.push(requiredFieldError('addressType'));
  else if (!ADDRESS_TYPES.includes(type)) errors.push(unsupportedFieldError('addressType', type, ADDRESS_TYPES));
  for (const [index, endpoint] of itemsField(object, 'endpoints').entries())
    errors.push(...endpointErrors(endpoint, type, `endpoints[${index}]`));
  const names = new Set<string>();
  for (const [index, port] of itemsField(object, 'ports').entries()) {
    const name = textField(port, 'name');
    if (names.has(name)) errors.push(duplicateFieldError(`ports[${index}].name`, name));
    names.add(name);
    if (name !== '') errors.push(...dnsLabelValueErrors(`ports[${index}].name`, name));
    errors.push(...choiceValueErrors(port, 'protocol', `ports[${index}]`, PROTOCOLS));
  }
  return errors;
}

function endpointErrors(endpoint: Fields, type: string, path: string): FieldError[] {
  const addresses = textsField(endpoint, 'addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(requiredFieldError(`${path}.addresses`, 'must contain at least 1 address'));
  for (const [index, address] of addresses.entries())
    errors.push(...endpointSliceAddressErrors(address, type, path, `${path}.addresses[${index}]`));
  errors.push(...subdomainValueErrors(endpoint, 'nodeName', path));
  const name = textField(endpoint, 'hostname');
  return name === '' ? errors : [...errors, ...dnsLabelValueErrors(`${path}.hostname`, name)];
}

function endpointSliceAddressErrors(address: string, type: string, path: string, field: string): FieldError[] {
  if (type === 'FQDN') return valueErrors(field, address, subdomainSyntaxComplaints(address));
  if (!ADDRESS_TYPES.includes(type)) return [];
  const errors = ipAddressValueErrors(field, address);
  if (errors.length > 0) return errors;
  if ((type === 'IPv6') !== address.includes(':'))
    return [invalidFieldError(`${path}.addresses`, address, `must be an ${type} address`)];
  return specialAddressValueErrors(field, address);
}
