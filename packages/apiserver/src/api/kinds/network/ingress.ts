import { type FieldError, invalidFieldError, requiredFieldError } from '../../../core/field-error.ts';
import { ipAddressBytes } from '../../../core/ip-address.ts';
import { labelSyntaxComplaints, subdomainSyntaxComplaints } from '../../meta/name-syntax.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import {
  type Fields,
  fieldsAt,
  isFieldAbsent,
  isFieldEmpty,
  itemsField,
  numberField,
  specFields,
  textField,
  textsField,
} from '../common/fields.ts';
import type { KindRules } from '../common/kind-rule.ts';
import {
  choiceValueErrors,
  valueErrors,
  isPortValue,
  PORT_RANGE,
  portNameValueErrors,
  requiredValueErrors,
  subdomainValueErrors,
} from '../common/value-errors.ts';

const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_END = ['/..', '/.'];
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NO_WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

export const ingressRules: KindRules = {
  warnings: (ingress, old) =>
    old === undefined && ingress.metadata?.annotations?.['kubernetes.io/ingress.class'] !== undefined
      ? [`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  validate(ingress) {
    const spec = specFields(ingress);
    const errors: FieldError[] = [];
    if (isFieldEmpty(spec['rules']) && isFieldAbsent(spec['defaultBackend']))
      errors.push(invalidFieldError('spec', null, 'either `defaultBackend` or `rules` must be specified'));
    for (const [index, tls] of itemsField(spec, 'tls').entries()) {
      const path = `spec.tls[${index}]`;
      for (const [at, host] of textsField(tls, 'hosts').entries())
        errors.push(...ingressHostErrors(`${path}.hosts[${at}]`, host));
      errors.push(...subdomainValueErrors(tls, 'secretName', path));
    }
    for (const [index, rule] of itemsField(spec, 'rules').entries())
      errors.push(...ingressRuleErrors(rule, `spec.rules[${index}]`));
    if (!isFieldAbsent(spec['defaultBackend']))
      errors.push(...ingressBackendErrors(fieldsAt(spec, 'defaultBackend'), 'spec.defaultBackend'));
    return [...errors, ...subdomainValueErrors(spec, 'ingressClassName', 'spec')];
  },
  validateStatusUpdate: () => [],
};

function ingressRuleErrors(rule: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const host = textField(rule, 'host');
  if (host !== '') {
    if (ipAddressBytes(host) !== undefined)
      errors.push(invalidFieldError(`${path}.host`, host, 'must be a DNS name, not an IP address'));
    else errors.push(...ingressHostErrors(`${path}.host`, host));
  }
  if (isFieldAbsent(rule['http'])) return errors;
  const paths = itemsField(fieldsAt(rule, 'http'), 'paths');
  if (paths.length === 0) errors.push(requiredFieldError(`${path}.http.paths`));
  for (const [index, item] of paths.entries()) errors.push(...ingressPathErrors(item, `${path}.http.paths[${index}]`));
  return errors;
}

const ingressHostErrors = (field: string, host: string): FieldError[] => {
  if (!host.includes('*')) return valueErrors(field, host, subdomainSyntaxComplaints(host));
  return WILDCARD.test(host) ? [] : [invalidFieldError(field, host, NO_WILDCARD)];
};

function ingressPathErrors(item: Fields, path: string): FieldError[] {
  const [type, text] = [textField(item, 'pathType'), textField(item, 'path')];
  const errors: FieldError[] = [];
  const wrong = (detail: string): void => void errors.push(invalidFieldError(`${path}.path`, text, detail));
  if (type === '') return [requiredFieldError(`${path}.pathType`, 'pathType must be specified')];
  if (type === 'Exact' || type === 'Prefix') {
    if (!text.startsWith('/')) wrong('must be an absolute path');
    if (text !== '') {
      for (const part of NOT_IN_PATHS) if (text.includes(part)) wrong(`must not contain '${part}'`);
      for (const part of NOT_AT_END) if (text.endsWith(part)) wrong(`cannot end with '${part}'`);
    }
  } else if (type === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) wrong('must be an absolute path');
  } else errors.push(...choiceValueErrors(item, 'pathType', path, ['Exact', 'ImplementationSpecific', 'Prefix']));
  return [...errors, ...ingressBackendErrors(fieldsAt(item, 'backend'), `${path}.backend`)];
}

function ingressBackendErrors(backend: Fields, path: string): FieldError[] {
  const [hasService, hasResource] = [!isFieldAbsent(backend['service']), !isFieldAbsent(backend['resource'])];
  if (hasService && hasResource) return [invalidFieldError(path, '', 'cannot set both resource and service backends')];
  if (!hasService && !hasResource) return [invalidFieldError(path, '', 'resource or service backend is required')];
  if (!hasService) return [];
  const service = fieldsAt(backend, 'service');
  const errors = requiredValueErrors(service, 'name', `${path}.service`);
  const of = textField(service, 'name');
  if (of !== '') errors.push(...valueErrors(`${path}.service.name`, of, labelSyntaxComplaints(of)));
  const port = fieldsAt(service, 'port');
  const [name, number] = [textField(port, 'name'), numberField(port, 'number') ?? 0];
  if (name !== '' && number !== 0) errors.push(invalidFieldError(path, '', 'cannot set both port name & port number'));
  else if (name !== '') errors.push(...valueErrors(`${path}.service.port.name`, name, portNameValueErrors(name)));
  else if (number === 0) errors.push(requiredFieldError(path, 'port name or number is required'));
  else if (!isPortValue(number)) errors.push(invalidFieldError(`${path}.service.port.number`, number, PORT_RANGE));
  return errors;
}

export const ingressClassRules: KindRules = {
  defaults: (object) => applyDefaultTable(object, [['spec.parameters.scope', 'Cluster']]),
};
