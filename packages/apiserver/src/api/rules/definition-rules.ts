import { type FieldError, invalidFieldError } from '../../core/field-error.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { schemaFrom } from '../schema/schema-from.ts';
import type { Schema } from '../schema/schema.ts';
import { type CompiledRule, compileRule, type Rule, rulesToCompile } from './compile-rule.ts';
import {
  type Cardinality,
  cardinalityForDefinitionCost,
  definitionCostTimes,
  DefinitionCost,
} from './definition-cost.ts';
import { RULES_KEY } from './load-rules.ts';
import { mapValuesSchema } from './rule-map-values.ts';
import { maxCardinalityOfSchemaSize, ruleSizes } from './schema-sizes.ts';
import { ruleType } from './rule-types.ts';

/**
 * Errors of the rules of a definition: they must compile, may use `oldSelf` only where an old value can
 * exist, and must not cost too much. `isUnchanged`: the stored definition has this schema.
 */
export function definitionRuleErrors(schema: JsonObject, path: string, isUnchanged: boolean): FieldError[] {
  const cost = new DefinitionCost(isUnchanged);
  const node: RuleNode = { schema: schemaFrom(schema), path, isRoot: true, lost: undefined, cardinality: 1n };
  return [...definitionRuleErrorsBelow(node, cost), ...cost.errors(path)];
}

/** A node of a schema, and its position. */
interface RuleNode {
  readonly schema: Schema;
  readonly path: string;
  readonly isRoot: boolean;
  /** The path of the list whose items cannot be matched with those of the stored object. */
  readonly lost: string | undefined;
  readonly cardinality: Cardinality;
}

function definitionRuleErrorsBelow(node: RuleNode, cost: DefinitionCost): FieldError[] {
  const { schema, path, lost } = node;
  const errors: FieldError[] = [];
  const cardinality = cardinalityForDefinitionCost(node.cardinality, schema);
  const child = (one: Schema | undefined, at: string, within: string | undefined): void => {
    if (one === undefined) return;
    errors.push(
      ...definitionRuleErrorsBelow(
        { schema: one, path: at, isRoot: one.embeddedResource, lost: within, cardinality },
        cost,
      ),
    );
  };
  child(mapValuesSchema(schema), `${path}.additionalProperties`, lost);
  for (const name of schema.propertyNames) child(schema.property(name), `${path}.properties[${name}]`, lost);
  child(schema.items, `${path}.items`, lost ?? (schema.listType === 'map' ? undefined : path));
  return [...errors, ...definitionRuleErrorsAt(node, cost)];
}

function definitionRuleErrorsAt(node: RuleNode, cost: DefinitionCost): FieldError[] {
  const { schema, path, isRoot } = node;
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
  return rules.flatMap((rule, index) => {
    const compiled = compileRule(rule, type, schema);
    return [
      ...ruleCostErrors(compiled, `${at}[${index}]`, node, cost),
      ...definitionRuleErrorsOfCompiled(compiled, `${at}[${index}]`, node.lost),
    ];
  });
}

/** Errors of costs. A rule is evaluated for every occurrence of its value; its message only once. */
function ruleCostErrors(
  { program, message }: CompiledRule,
  at: string,
  node: RuleNode,
  cost: DefinitionCost,
): FieldError[] {
  const { schema, isRoot, cardinality } = node;
  if (program === undefined) return [];
  const sizes = ruleSizes(schema, isRoot);
  const times = cardinality ?? maxCardinalityOfSchemaSize(schema, isRoot);
  const errors = cost.add(`${at}.rule`, 'rule', definitionCostTimes(program.estimate(sizes).max, times));
  if (message === undefined) return errors;
  return [...errors, ...cost.add(`${at}.messageExpression`, 'messageExpression', message.estimate(sizes).max)];
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

/** The error of a rule. Its value is the server's own struct of the rule. */
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

/** JSON as Go writes it, with HTML characters escaped. */
const definitionRuleJson = (value: Json): string =>
  JSON.stringify(value).replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
