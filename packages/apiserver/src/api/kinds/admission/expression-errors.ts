import {
  duplicateFieldError,
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  tooManyFieldError,
} from '../../../core/field-error.ts';
import { loadedPolicies } from '../../policies/load-policies.ts';
import { labelKeySyntaxComplaints } from '../../meta/name-syntax.ts';
import { type Fields, textField } from '../common/fields.ts';

const MAX_CONDITIONS = 64;

/** The error of an expression that does not compile. */
export const expressionErrors = (path: string, text: string, error: string | undefined): FieldError[] =>
  error === undefined ? [] : [invalidFieldError(path, text, error)];

/** Conditions of a policy or webhook: each has a name of its own and an expression that compiles. */
export function conditionExpressionErrors(
  conditions: readonly Fields[],
  path: string,
  hasParams: boolean,
): FieldError[] {
  const compiled = loadedPolicies()?.compilePolicyConditions(conditions, hasParams) ?? [];
  const names = conditions.map((condition) => textField(condition, 'name'));
  const errors =
    conditions.length > MAX_CONDITIONS
      ? [tooManyFieldError(path, conditions.length, `must have at most ${MAX_CONDITIONS} items`)]
      : [];
  return [
    ...errors,
    ...names.flatMap((name, index) => {
      const at = `${path}[${index}]`;
      const text = textField(conditions[index] as Fields, 'expression').trim();
      return [
        ...(text === ''
          ? [requiredFieldError(`${at}.expression`)]
          : expressionErrors(`${at}.expression`, text, compiled[index]?.expression.error)),
        ...(name === ''
          ? [requiredFieldError(`${at}.name`)]
          : labelKeySyntaxComplaints(name).map((why) => invalidFieldError(`${at}.name`, name, why))),
        ...(name !== '' && names.indexOf(name) < index ? [duplicateFieldError(`${at}.name`, name)] : []),
      ];
    }),
  ];
}
