import {
  type FieldError,
  forbiddenFieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import { labelKeySyntaxComplaints } from '../../meta/name-syntax.ts';
import { type Fields, isFieldAbsent, itemsField, numberField, textField, textMapField } from '../common/fields.ts';
import { valueErrors, dnsLabelValueErrors, subdomainValueErrors } from '../common/value-errors.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Errors of scheduling constraints and host names of a pod. */
export function podPlacementErrors(spec: Fields, path: string): FieldError[] {
  const errors = Object.keys(textMapField(spec, 'nodeSelector')).flatMap((key) =>
    valueErrors(`${path}.nodeSelector`, key, labelKeySyntaxComplaints(key)),
  );
  errors.push(
    ...subdomainValueErrors(spec, 'serviceAccountName', path),
    ...subdomainValueErrors(spec, 'nodeName', path),
  );
  for (const name of ['hostname', 'subdomain'])
    if (textField(spec, name) !== '') errors.push(...dnsLabelValueErrors(`${path}.${name}`, textField(spec, name)));
  for (const [index, toleration] of itemsField(spec, 'tolerations').entries())
    errors.push(...podPlacementTolerationErrors(toleration, `${path}.tolerations[${index}]`));
  return errors;
}

function podPlacementTolerationErrors(toleration: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const [key, operator, value, effect] = ['key', 'operator', 'value', 'effect'].map((name) =>
    textField(toleration, name),
  ) as [string, string, string, string];
  if (key !== '') errors.push(...valueErrors(`${path}.key`, key, labelKeySyntaxComplaints(key)));
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidFieldError(`${path}.operator`, operator, detail));
  }
  if (!isFieldAbsent(toleration['tolerationSeconds']) && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidFieldError(`${path}.effect`, effect, detail));
  }
  if (operator === 'Exists' && value !== '')
    errors.push(invalidFieldError(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  if (!['', 'Equal', 'Exists'].includes(operator))
    errors.push(unsupportedFieldError(`${path}.operator`, operator, ['Equal', 'Exists']));
  if (effect !== '' && !EFFECTS.includes(effect)) errors.push(unsupportedFieldError(`${path}.effect`, effect, EFFECTS));
  return errors;
}

/** Errors of topology spread constraints and scheduling gates. */
export function podPlacementSchedulingErrors(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, spread] of itemsField(spec, 'topologySpreadConstraints').entries()) {
    const field = `${path}.topologySpreadConstraints[${index}]`;
    const [skew, when] = [numberField(spread, 'maxSkew') ?? 0, textField(spread, 'whenUnsatisfiable')];
    if (skew <= 0) errors.push(invalidFieldError(`${field}.maxSkew`, skew, 'must be greater than zero'));
    if (textField(spread, 'topologyKey') === '')
      errors.push(requiredFieldError(`${field}.topologyKey`, 'can not be empty'));
    if (!['DoNotSchedule', 'ScheduleAnyway'].includes(when))
      errors.push(unsupportedFieldError(`${field}.whenUnsatisfiable`, when, ['DoNotSchedule', 'ScheduleAnyway']));
  }
  const gates = itemsField(spec, 'schedulingGates').map((gate) => textField(gate, 'name'));
  for (const [index, gate] of gates.entries())
    if (gates.indexOf(gate) < index)
      errors.push({
        reason: 'FieldValueDuplicate',
        field: `${path}.schedulingGates[${index}]`,
        message: `Duplicate value: ${JSON.stringify(gate)}`,
      });
  if (gates.length > 0 && textField(spec, 'nodeName') !== '')
    errors.push(forbiddenFieldError(`${path}.nodeName`, 'cannot be set until all schedulingGates have been cleared'));
  if (textField(spec, 'dnsPolicy') === 'None' && isFieldAbsent(spec['dnsConfig']))
    errors.push(requiredFieldError(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None'));
  return errors;
}
