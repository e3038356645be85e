import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { applyDefaultTable } from '../common/default-table.ts';
import {
  ensureFields,
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
  addressRangeValue,
  isRangeValueInside,
  portValueErrors,
  addressRangeValueErrors,
} from '../common/value-errors.ts';

const TYPES = ['Ingress', 'Egress'];
const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];

export const networkPolicyRules: KindRules = {
  defaults(policy) {
    const spec = ensureFields(policy, 'spec');
    applyDefaultTable(spec, [
      ['ingress[].ports[].protocol', 'TCP'],
      ['egress[].ports[].protocol', 'TCP'],
    ]);
    if (isFieldEmpty(spec['policyTypes']))
      spec['policyTypes'] = isFieldEmpty(spec['egress']) ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  validate(policy) {
    const spec = specFields(policy);
    const errors: FieldError[] = [];
    for (const [list, peers] of [['ingress', 'from'], ['egress', 'to']] as const)
      for (const [index, rule] of itemsField(spec, list).entries())
        errors.push(...networkPolicyRuleErrors(rule, peers, `spec.${list}[${index}]`));
    const types = textsField(spec, 'policyTypes');
    if (types.length > TYPES.length)
      return [...errors, invalidFieldError('spec.policyTypes', types, 'may not specify more than two policyTypes')];
    for (const [index, type] of types.entries())
      if (!TYPES.includes(type)) errors.push(unsupportedFieldError(`spec.policyTypes[${index}]`, type, TYPES));
    return errors;
  },
}; // prettier-ignore

function networkPolicyRuleErrors(rule: Fields, peers: string, path: string): FieldError[] {
  return [
    ...itemsField(rule, 'ports').flatMap((port, index) => networkPolicyPortErrors(port, `${path}.ports[${index}]`)),
    ...itemsField(rule, peers).flatMap((peer, index) => networkPolicyPeerErrors(peer, `${path}.${peers}[${index}]`)),
  ];
}

function networkPolicyPortErrors(entry: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const protocol = textField(entry, 'protocol');
  if (protocol !== '' && !PROTOCOLS.includes(protocol))
    errors.push(unsupportedFieldError(`${path}.protocol`, protocol, PROTOCOLS));
  const { port } = entry;
  const end = numberField(entry, 'endPort');
  const wrongEnd = (value: number, detail: string): void =>
    void errors.push(invalidFieldError(`${path}.endPort`, value, detail));
  if (isFieldAbsent(port)) {
    if (end !== undefined) wrongEnd(end, 'may not be specified when `port` is not specified');
    return errors;
  }
  errors.push(...portValueErrors(`${path}.port`, port));
  if (end === undefined) return errors;
  if (typeof port === 'string') wrongEnd(end, 'may not be specified when `port` is non-numeric');
  // The value in the message is the port, as on a real server.
  else if (end < Number(port)) wrongEnd(Number(port), 'must be greater than or equal to `port`');
  return errors;
}

function networkPolicyPeerErrors(peer: Fields, path: string): FieldError[] {
  const hasSelector = !isFieldAbsent(peer['podSelector']) || !isFieldAbsent(peer['namespaceSelector']);
  if (isFieldAbsent(peer['ipBlock'])) return hasSelector ? [] : [requiredFieldError(path, 'must specify a peer')];
  if (hasSelector) return [forbiddenFieldError(path, 'may not specify both ipBlock and another peer')];
  const block = fieldsAt(peer, 'ipBlock');
  const field = `${path}.ipBlock`;
  const cidr = textField(block, 'cidr');
  if (cidr === '') return [requiredFieldError(`${field}.cidr`)];
  const errors = addressRangeValueErrors(`${field}.cidr`, cidr);
  const outer = addressRangeValue(cidr);
  for (const [index, text] of textsField(block, 'except').entries()) {
    const place = `${field}.except[${index}]`;
    const inner = addressRangeValue(text);
    errors.push(...addressRangeValueErrors(place, text));
    if (inner !== undefined && outer !== undefined && !isRangeValueInside(inner, outer))
      errors.push(invalidFieldError(place, text, 'must be a strict subset of `cidr`'));
  }
  return errors;
}
