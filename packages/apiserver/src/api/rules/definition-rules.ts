import { type FieldError, invalidFieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { schemaFrom } from '../schema/schema-from.ts';
import type { Schema } from '../schema/schema.ts';
import { type CompiledRule, compileRule, type Rule, rulesToCompile } from './compile-rule.ts';
import { RULES_KEY } from './load-rules.ts';
import { mapValuesSchema } from './map-values.ts';
import { ruleType } from './rule-types.ts';

/** Errors of the rules of a definition: they must compile, and may use `oldSelf` only where there can be one. */
export function definitionRuleErrors(schema: JsonObject, path: string): FieldError[] {
  return definitionRuleErrorsBelow(schemaFrom(schema), path, true, undefined);
}

/** `lost` is the path of the list whose items cannot be found again in the stored object. */
function definitionRuleErrorsBelow(
  schema: Schema,
  path: string,
  isRoot: boolean,
  lost: string | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const values = mapValuesSchema(schema);
  const inList = lost ?? (schema.listType === 'map' ? undefined : path);
  const child = (one: Schema | undefined, at: string, within: string | undefined): void => {
    if (one !== undefined) errors.push(...definitionRuleErrorsBelow(one, at, one.embeddedResource, within));
  };
  child(values, `${path}.additionalProperties`, lost);
  for (const name of schema.propertyNames) child(schema.property(name), `${path}.properties[${name}]`, lost);
  child(schema.items, `${path}.items`, inList);
  return [...errors, ...definitionRuleErrorsAt(schema, path, isRoot, lost)];
}

function definitionRuleErrorsAt(schema: Schema, path: string, isRoot: boolean, lost: string | undefined): FieldError[] {
  const rules = rulesToCompile(schema.raw);
  if (rules.length === 0) return [];
  const at = `${path}.${RULES_KEY}`;
  const type = ruleType(schema, 'selfType', isRoot);
  if (type === undefined)
    return [
      {
        reason: 'InternalError',
        field: at,
        message:
          'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      },
    ];
  return rules.flatMap((rule, index) =>
    definitionRuleErrorsOfCompiled(compileRule(rule, type, schema), `${at}[${index}]`, lost),
  );
}

function definitionRuleErrorsOfCompiled(
  { rule, error, messageError, usesOldSelf }: CompiledRule,
  at: string,
  lost: string | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  if (error !== undefined) errors.push(invalidDefinitionRule(`${at}.rule`, rule, error));
  if (messageError !== undefined) errors.push(invalidDefinitionRule(`${at}.messageExpression`, rule, messageError));
  if (usesOldSelf && lost !== undefined)
    errors.push(
      invalidFieldError(
        `${at}.rule`,
        rule.rule,
        `oldSelf cannot be used on the uncorrelatable portion of the schema within ${lost}`,
      ),
    );
  if (!usesOldSelf && rule.optionalOldSelf !== undefined)
    errors.push(
      invalidFieldError(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'),
    );
  return errors;
}

/** The value of the error is the server's own struct of the rule. */
function invalidDefinitionRule(field: string, rule: Rule, detail: string): FieldError {
  const struct = {
    Rule: rule.rule,
    Message: rule.message,
    MessageExpression: rule.messageExpression,
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath,
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${definitionRuleJson(struct)}: ${detail}` };
}

/** JSON as Go writes it, with the letters of HTML escaped. */
const definitionRuleJson = (value: Json): string =>
  JSON.stringify(value).replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
