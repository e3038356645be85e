import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../../core/field-error.ts';
import { applyTable } from '../common/default-table.ts';
import {
  ensureFields,
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
import { addressRange, isStrictlyInside, portErrors, rangeErrors } from '../common/value-checks.ts';

const TYPES = ['Ingress', 'Egress'];
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

export const networkPolicyRules: KindRules = {
  defaults(policy) {
    const spec = ensureFields(policy, 'spec');
    applyTable(spec, [
      ['ingress[].ports[].protocol', 'TCP'],
      ['egress[].ports[].protocol', 'TCP'],
    ]);
    if (isEmpty(spec['policyTypes']))
      spec['policyTypes'] = isEmpty(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  validate(policy) {
    const spec = specOf(policy);
    const errors: FieldError[] = [];
    for (const [list, peers] of [['ingress', 'from'], ['egress', 'to']] as const)
      for (const [index, rule] of itemsAt(spec, list).entries())
        errors.push(...ruleErrors(rule, peers, `spec.${list}[${index}]`));
    const types = textsAt(spec, 'policyTypes');
    if (types.length > TYPES.length)
      return [...errors, invalidField('spec.policyTypes', types, 'may not specify more than two policyTypes')];
    for (const [index, type] of types.entries())
      if (!TYPES.includes(type)) errors.push(unsupportedField(`spec.policyTypes[${index}]`, type, TYPES));
    return errors;
  },
}; // prettier-ignore

function ruleErrors(rule: Fields, peers: string, path: string): FieldError[] {
  return [
    ...itemsAt(rule, 'ports').flatMap((port, index) => policyPortErrors(port, `${path}.ports[${index}]`)),
    ...itemsAt(rule, peers).flatMap((peer, index) => peerErrors(peer, `${path}.${peers}[${index}]`)),
  ];
}

function policyPortErrors(entry: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const protocol = textAt(entry, 'protocol');
  if (protocol !== '' && !PROTOCOLS.includes(protocol))
    errors.push(unsupportedField(`${path}.protocol`, protocol, PROTOCOLS));
  const { port } = entry;
  const end = numberAt(entry, 'endPort');
  const wrongEnd = (value: number, detail: string): void =>
    void errors.push(invalidField(`${path}.endPort`, value, detail));
  if (isAbsent(port)) {
    if (end !== undefined) wrongEnd(end, 'may not be specified when `port` is not specified');
    return errors;
  }
  errors.push(...portErrors(`${path}.port`, port));
  if (end === undefined) return errors;
  if (typeof port === 'string') wrongEnd(end, 'may not be specified when `port` is non-numeric');
  // The value in the message is the port: that is how it is on the wire.
  else if (end < Number(port)) wrongEnd(Number(port), 'must be greater than or equal to `port`');
  return errors;
}

function peerErrors(peer: Fields, path: string): FieldError[] {
  const hasSelector = !isAbsent(peer['podSelector']) || !isAbsent(peer['namespaceSelector']);
  if (isAbsent(peer['ipBlock'])) return hasSelector ? [] : [requiredField(path, 'must specify a peer')];
  if (hasSelector) return [forbiddenField(path, 'may not specify both ipBlock and another peer')];
  const block = fieldsAt(peer, 'ipBlock');
  const field = `${path}.ipBlock`;
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [requiredField(`${field}.cidr`)];
  const errors = rangeErrors(`${field}.cidr`, cidr);
  const outer = addressRange(cidr);
  for (const [index, text] of textsAt(block, 'except').entries()) {
    const place = `${field}.except[${index}]`;
    const inner = addressRange(text);
    errors.push(...rangeErrors(place, text));
    if (inner !== undefined && outer !== undefined && !isStrictlyInside(inner, outer))
      errors.push(invalidField(place, text, 'must be a strict subset of `cidr`'));
  }
  return errors;
}
