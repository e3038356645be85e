import { compileCel, type Program } from '../../cel/expression.ts';
import { optionalType, type Type } from '../../cel/types/type.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { Schema } from '../schema/schema.ts';
import { ruleEnvironment } from './rule-environment.ts';
import { ruleFieldPath } from './rule-field-path.ts';

/** One entry of `x-kubernetes-validations`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason: string | undefined;
  readonly fieldPath: string;
  readonly optionalOldSelf: boolean | undefined;
}

/** A compiled rule, or the reason it does not compile. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly program: Program | undefined;
  /** The reason the rule does not compile; `program` is undefined then. */
  readonly error: string | undefined;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
  /** The field that a failure is about, below the one that has the rule; undefined for that field itself. */
  readonly field: string | undefined;
}

const compiledRuleText = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

export function rulesToCompile(schema: JsonObject): Rule[] {
  const rules = schema['x-kubernetes-validations'];
  if (!Array.isArray(rules)) return [];
  return rules.filter(isJson).map((rule) => ({
    rule: compiledRuleText(rule['rule']),
    message: compiledRuleText(rule['message']),
    messageExpression: compiledRuleText(rule['messageExpression']),
    reason: typeof rule['reason'] === 'string' ? rule['reason'] : undefined,
    fieldPath: compiledRuleText(rule['fieldPath']),
    optionalOldSelf: typeof rule['optionalOldSelf'] === 'boolean' ? rule['optionalOldSelf'] : undefined,
  }));
}

/** Compiles a rule for values of this type. A rule without text has neither program nor error. */
export function compileRule(rule: Rule, type: Type, schema: Schema): CompiledRule {
  const oldSelf = rule.optionalOldSelf === true ? optionalType(type) : type;
  const variables = new Map([
    ['self', type],
    ['oldSelf', oldSelf],
  ]);
  const nothing = { rule, program: undefined, message: undefined, messageError: undefined, field: undefined };
  if (rule.rule.trim() === '') return { ...nothing, error: undefined, usesOldSelf: false };
  const compiled = compileCel(rule.rule, ruleEnvironment, variables);
  if ('issues' in compiled) return { ...nothing, error: `compilation failed: ${compiled.issues}`, usesOldSelf: false };
  if ('fault' in compiled)
    return { ...nothing, error: `program instantiation failed: ${compiled.fault}`, usesOldSelf: false };
  const { program } = compiled;
  if (program.type.kind !== 'bool')
    return { ...nothing, error: 'cel expression must evaluate to a bool', usesOldSelf: false };
  return {
    rule,
    program,
    error: undefined,
    ...compiledRuleMessage(rule, variables),
    usesOldSelf: program.reads.has('oldSelf'),
    field: rule.fieldPath === '' ? undefined : ruleFieldPath(rule.fieldPath, schema),
  };
}

function compiledRuleMessage(
  { messageExpression }: Rule,
  variables: ReadonlyMap<string, Type>,
): Pick<CompiledRule, 'message' | 'messageError'> {
  if (messageExpression === '') return { message: undefined, messageError: undefined };
  const compiled = compileCel(messageExpression, ruleEnvironment, variables);
  if ('issues' in compiled)
    return { message: undefined, messageError: `messageExpression compilation failed: ${compiled.issues}` };
  if ('fault' in compiled)
    return { message: undefined, messageError: `messageExpression instantiation failed: ${compiled.fault}` };
  if (compiled.program.type.kind !== 'string')
    return { message: undefined, messageError: 'messageExpression must evaluate to a string' };
  return { message: compiled.program, messageError: undefined };
}
