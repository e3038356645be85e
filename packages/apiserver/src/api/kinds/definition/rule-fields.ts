import {
  type FieldError,
  invalidFieldError,
  requiredFieldError,
  unsupportedFieldError,
} from '../../../core/field-error.ts';
import type { JsonObject } from '../../../core/json.ts';
import { ruleFieldPath } from '../../rules/rule-field-path.ts';
import { RULES_KEY } from '../../rules/load-rules.ts';
import { schemaFrom } from '../../schema/schema-from.ts';
import { type Fields, itemsField, textField } from '../common/fields.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Errors of the fields of a rule, apart from its expressions. */
export function definitionRuleFieldErrors(schema: Fields, path: string): FieldError[] {
  return itemsField(schema, RULES_KEY).flatMap((rule, index) =>
    ruleFieldErrors(rule, `${path}.${RULES_KEY}[${index}]`, schema),
  );
}

function ruleFieldErrors(rule: Fields, at: string, schema: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const [text, message] = [textField(rule, 'rule').trim(), textField(rule, 'message')];
  if (text === '') errors.push(requiredFieldError(`${at}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(invalidFieldError(`${at}.message`, message, 'must be non-empty if specified'));
  else if (message.trim().includes('\n'))
    errors.push(invalidFieldError(`${at}.message`, message, 'must not contain line breaks'));
  else if (text.includes('\n') && message === '')
    errors.push(requiredFieldError(`${at}.message`, 'message must be specified if rule contains line breaks'));
  const expression = textField(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '')
    errors.push(requiredFieldError(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'));
  const reason = textField(rule, 'reason');
  if (reason !== '' && !REASONS.includes(reason)) errors.push(unsupportedFieldError(`${at}.reason`, reason, REASONS));
  const fieldPath = textField(rule, 'fieldPath');
  if (fieldPath !== '' && fieldPath.trim() === '')
    errors.push(invalidFieldError(`${at}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (fieldPath.includes('\n'))
    errors.push(invalidFieldError(`${at}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && ruleFieldPath(fieldPath, schemaFrom(schema as JsonObject)) === undefined)
    errors.push(invalidFieldError(`${at}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}
