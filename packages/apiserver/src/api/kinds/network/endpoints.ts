import {
  duplicateField,
  type FieldError,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../core/field-error.ts';
import type { ApiObject } from '../../../core/object.ts';
import { subdomainSyntaxComplaints } from '../../meta/syntax.ts';
import { applyTable } from '../common/default-table.ts';
import { type Fields, isEmpty, itemsAt, sameFields, textAt, textsAt } from '../common/fields.ts';
import { countGeneration } from '../common/generation.ts';
import type { KindRules } from '../common/rules.ts';
import {
  addressErrors,
  choice,
  complain,
  labelErrors,
  portErrors,
  specialAddressErrors,
  subdomainErrors,
} from '../common/value-checks.ts';

export const endpointsRules: KindRules = {
  defaults: (object) => applyTable(object, [['subsets[].ports[].protocol', 'TCP']]),
  validate: (object) =>
    itemsAt(object, 'subsets').flatMap((subset, index) => subsetErrors(subset, `subsets[${index}]`)),
};

function subsetErrors(subset: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (isEmpty(subset['addresses']) && isEmpty(subset['notReadyAddresses']))
    errors.push(requiredField(path, 'must specify `addresses` or `notReadyAddresses`'));
  for (const list of ['addresses', 'notReadyAddresses'])
    for (const [index, address] of itemsAt(subset, list).entries()) {
      const field = `${path}.${list}[${index}]`;
      const ip = textAt(address, 'ip');
      const name = textAt(address, 'hostname');
      errors.push(...addressErrors(`${field}.ip`, ip));
      if (name !== '') errors.push(...labelErrors(`${field}.hostname`, name));
      errors.push(...subdomainErrors(address, 'nodeName', field));
      if (!/(^|\.)0\d/.test(ip)) errors.push(...specialAddressErrors(`${field}.ip`, ip));
    }
  const ports = itemsAt(subset, 'ports');
  for (const [index, port] of ports.entries()) {
    const field = `${path}.ports[${index}]`;
    const name = textAt(port, 'name');
    if (name === '' && ports.length > 1) errors.push(requiredField(`${field}.name`));
    if (name !== '') errors.push(...labelErrors(`${field}.name`, name));
    errors.push(...portErrors(`${field}.port`, port['port']));
    errors.push(...choice(port, 'protocol', field, PROTOCOLS));
  }
  return errors;
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSliceRules: KindRules = {
  prepareUpdate(next, old) {
    // Proxies read labels too.
    if (!sameFields(next.metadata?.labels, old.metadata?.labels)) countGeneration(next, old);
  },
  defaults: (object) =>
    applyTable(object, [
      ['ports[].name', ''],
      ['ports[].protocol', 'TCP'],
    ]),
  validate: (object) => sliceErrors(object),
  validateUpdate: (next, old) => [
    ...sliceErrors(next),
    ...(next['addressType'] === old['addressType']
      ? []
      : [invalidField('addressType', textAt(next, 'addressType'), 'field is immutable')]),
  ],
};

function sliceErrors(object: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(object, 'addressType');
  if (type === '') errors.push(requiredField('addressType'));
  else if (!ADDRESS_TYPES.includes(type)) errors.push(unsupportedField('addressType', type, ADDRESS_TYPES));
  for (const [index, endpoint] of itemsAt(object, 'endpoints').entries())
    errors.push(...endpointErrors(endpoint, type, `endpoints[${index}]`));
  const names = new Set<string>();
  for (const [index, port] of itemsAt(object, 'ports').entries()) {
    const name = textAt(port, 'name');
    if (names.has(name)) errors.push(duplicateField(`ports[${index}].name`, name));
    names.add(name);
    if (name !== '') errors.push(...labelErrors(`ports[${index}].name`, name));
    errors.push(...choice(port, 'protocol', `ports[${index}]`, PROTOCOLS));
  }
  return errors;
}

function endpointErrors(endpoint: Fields, type: string, path: string): FieldError[] {
  const addresses = textsAt(endpoint, 'addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(requiredField(`${path}.addresses`, 'must contain at least 1 address'));
  for (const [index, address] of addresses.entries())
    errors.push(...sliceAddressErrors(address, type, path, `${path}.addresses[${index}]`));
  errors.push(...subdomainErrors(endpoint, 'nodeName', path));
  const name = textAt(endpoint, 'hostname');
  return name === '' ? errors : [...errors, ...labelErrors(`${path}.hostname`, name)];
}

function sliceAddressErrors(address: string, type: string, path: string, field: string): FieldError[] {
  if (type === 'FQDN') return complain(field, address, subdomainSyntaxComplaints(address));
  if (!ADDRESS_TYPES.includes(type)) return [];
  const errors = addressErrors(field, address);
  if (errors.length > 0) return errors;
  if ((type === 'IPv6') !== address.includes(':'))
    return [invalidField(`${path}.addresses`, address, `must be an ${type} address`)];
  return specialAddressErrors(field, address);
}

export const ingressClassRules: KindRules = {
  defaults: (object) => applyTable(object, [['spec.parameters.scope', 'Cluster']]),
};
