import { type FieldError, invalidField, requiredField } from '../../../core/field-error.ts';
import { ipAddressBytes } from '../../../core/ip-address.ts';
import { subdomainComplaints } from '../../meta/syntax.ts';
import {
  type Fields,
  fieldsAt,
  isAbsent,
  isEmpty,
  itemsAt,
  numberAt,
  specOf,
  textAt,
  textsAt,
} from '../common/fields.ts';
import type { KindRules } from '../common/rules.ts';
import {
  choice,
  complain,
  isPort,
  PORT_RANGE,
  portNameComplaints,
  requiredText,
  subdomainErrors,
} from '../common/value-checks.ts';

const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_END = ['/..', '/.'];
const WILDCARD = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const NO_WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

export const ingressRules: KindRules = {
  validate(ingress) {
    const spec = specOf(ingress);
    const errors: FieldError[] = [];
    if (isEmpty(spec['rules']) && isAbsent(spec['defaultBackend']))
      errors.push(invalidField('spec', null, 'either `defaultBackend` or `rules` must be specified'));
    for (const [index, tls] of itemsAt(spec, 'tls').entries()) {
      const path = `spec.tls[${index}]`;
      for (const [at, host] of textsAt(tls, 'hosts').entries())
        errors.push(...hostErrors(`${path}.hosts[${at}]`, host));
      errors.push(...subdomainErrors(tls, 'secretName', path));
    }
    for (const [index, rule] of itemsAt(spec, 'rules').entries())
      errors.push(...ruleErrors(rule, `spec.rules[${index}]`));
    if (!isAbsent(spec['defaultBackend']))
      errors.push(...backendErrors(fieldsAt(spec, 'defaultBackend'), 'spec.defaultBackend'));
    return [...errors, ...subdomainErrors(spec, 'ingressClassName', 'spec')];
  },
  validateStatusUpdate: () => [],
};

function ruleErrors(rule: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const host = textAt(rule, 'host');
  if (host !== '') {
    if (ipAddressBytes(host) !== undefined)
      errors.push(invalidField(`${path}.host`, host, 'must be a DNS name, not an IP address'));
    else errors.push(...hostErrors(`${path}.host`, host));
  }
  if (isAbsent(rule['http'])) return errors;
  const paths = itemsAt(fieldsAt(rule, 'http'), 'paths');
  if (paths.length === 0) errors.push(requiredField(`${path}.http.paths`));
  for (const [index, item] of paths.entries()) errors.push(...pathErrors(item, `${path}.http.paths[${index}]`));
  return errors;
}

const hostErrors = (field: string, host: string): FieldError[] => {
  if (!host.includes('*')) return complain(field, host, subdomainComplaints(host));
  return WILDCARD.test(host) ? [] : [invalidField(field, host, NO_WILDCARD)];
};

function pathErrors(item: Fields, path: string): FieldError[] {
  const [type, text] = [textAt(item, 'pathType'), textAt(item, 'path')];
  const errors: FieldError[] = [];
  const wrong = (detail: string): void => void errors.push(invalidField(`${path}.path`, text, detail));
  if (type === '') return [requiredField(`${path}.pathType`, 'pathType must be specified')];
  if (type === 'Exact' || type === 'Prefix') {
    if (!text.startsWith('/')) wrong('must be an absolute path');
    if (text !== '') {
      for (const part of NOT_IN_PATHS) if (text.includes(part)) wrong(`must not contain '${part}'`);
      for (const part of NOT_AT_END) if (text.endsWith(part)) wrong(`cannot end with '${part}'`);
    }
  } else if (type === 'ImplementationSpecific') {
    if (text !== '' && !text.startsWith('/')) wrong('must be an absolute path');
  } else errors.push(...choice(item, 'pathType', path, ['Exact', 'ImplementationSpecific', 'Prefix']));
  return [...errors, ...backendErrors(fieldsAt(item, 'backend'), `${path}.backend`)];
}

function backendErrors(backend: Fields, path: string): FieldError[] {
  const [hasService, hasResource] = [!isAbsent(backend['service']), !isAbsent(backend['resource'])];
  if (hasService && hasResource) return [invalidField(path, '', 'cannot set both resource and service backends')];
  if (!hasService && !hasResource) return [invalidField(path, '', 'resource or service backend is required')];
  if (!hasService) return [];
  const service = fieldsAt(backend, 'service');
  const errors = requiredText(service, 'name', `${path}.service`);
  const port = fieldsAt(service, 'port');
  const [name, number] = [textAt(port, 'name'), numberAt(port, 'number') ?? 0];
  if (name !== '' && number !== 0) errors.push(invalidField(path, '', 'cannot set both port name & port number'));
  else if (name !== '') errors.push(...complain(`${path}.service.port.name`, name, portNameComplaints(name)));
  else if (number === 0) errors.push(requiredField(path, 'port name or number is required'));
  else if (!isPort(number)) errors.push(invalidField(`${path}.service.port.number`, number, PORT_RANGE));
  return errors;
}
