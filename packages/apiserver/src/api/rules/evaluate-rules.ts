import { WorkMeter } from '../../cel/expression.ts';
import { Failure, Optional, type Value } from '../../cel/values/cel-value.ts';
import { type FieldError, fieldError, invalidFieldError } from '../../core/field-error.ts';
import { isJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import { Work } from '../../core/work.ts';
import type { Schema } from '../schema/schema.ts';
import {
  isUnchangedForRatchet,
  ratchetStoredField,
  ratchetStoredItem,
  type Stored,
} from '../schema/validation/ratchet.ts';
import type { CompiledRule, Rule } from './compile-rule.ts';
import { type RuleTree, ruleTree } from './rule-tree.ts';
import { withObjectRuleTypes } from './rule-types.ts';
import { ruleValue } from './rule-values.ts';

/** Maximum cost of one evaluation, and of all rules of one object. */
const CALL_LIMIT = 1_000_000;
const OBJECT_BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;
const NO_FIELD = '<nil>';
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

export interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Failures of values that an update left as they were. */
  readonly warnings: readonly string[];
  readonly cost: number;
}

/** Evaluates the rules of a schema for an object, and on an update for the one that it replaces. */
export function evaluateRules(object: ApiObject, schema: Schema, old?: ApiObject): RuleFindings {
  const tree = ruleTree(schema);
  const run = new RuleRun();
  if (tree !== undefined) {
    const stored = old === undefined ? undefined : { value: old as Json, schema };
    run.node(tree, NO_FIELD, { value: object as Json, old: old as Json | undefined, own: stored, parent: undefined });
  }
  return { errors: run.errors, warnings: run.warnings, cost: OBJECT_BUDGET - Math.max(run.budget, -1) };
}

/** A value under check, with the value that it replaces. */
interface Place {
  readonly value: Json;
  /** The value of `oldSelf`; undefined if no old value corresponds. */
  readonly old: Json | undefined;
  /** The stored value: an unchanged value stays allowed. */
  readonly own: Stored | undefined;
  /** The nearest value above that can be compared with the stored one, if `own` cannot. */
  readonly parent: { readonly value: Json; readonly stored: Stored } | undefined;
}

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  readonly #work = new Work('the comparison with the stored object');
  /** The meter of all rules, because each may be evaluated for every item of a list. */
  readonly #meter = new WorkMeter();
  budget = OBJECT_BUDGET;

  node(tree: RuleTree, field: string, place: Place): void {
    const { value } = place;
    if (value === null || this.budget < 0) return;
    this.#rules(tree, field, place);
    if (Array.isArray(value)) this.#items(tree, field, value, place);
    else if (isJson(value)) this.#fields(tree, field, value, place);
  }

  #items(tree: RuleTree, field: string, list: readonly Json[], place: Place): void {
    if (tree.items === undefined) return;
    const before = Array.isArray(place.old) ? { value: place.old, schema: tree.schema } : undefined;
    for (const [index, value] of list.entries()) {
      if (this.budget < 0) return;
      const old = ratchetStoredItem(before, value, this.#work)?.value;
      const own = ratchetStoredItem(place.own, value, this.#work);
      this.node(tree.items, `${field}[${index}]`, this.#below(place, value, old, own));
    }
  }

  #fields(tree: RuleTree, field: string, object: JsonObject, place: Place): void {
    const old = isJson(place.old) ? place.old : undefined;
    const visit = (name: string, child: RuleTree, at: string): void => {
      if (this.budget < 0) return;
      const isTypeMeta = place.parent === undefined && field === NO_FIELD && (name === 'apiVersion' || name === 'kind');
      const own = isTypeMeta ? undefined : ratchetStoredField(place.own, name);
      const next = this.#below(place, object[name] as Json, old?.[name], own);
      this.node(child, at, isTypeMeta ? { ...next, parent: undefined } : next);
    };
    for (const name of Object.keys(object)) {
      if (tree.values !== undefined) visit(name, tree.values, `${field}[${name}]`);
      const child = tree.properties.get(name);
      if (child !== undefined) visit(name, child, field === NO_FIELD ? name : `${field}.${name}`);
    }
  }

  #below(
    { value: parentValue, own: parentOwn, parent }: Place,
    value: Json,
    old: Json | undefined,
    own: Stored | undefined,
  ): Place {
    return { value, old, own, parent: parentOwn === undefined ? parent : { value: parentValue, stored: parentOwn } };
  }

  #rules(tree: RuleTree, field: string, place: Place): void {
    if (tree.rules.length === 0) return;
    const type = tree.schema.type ?? '';
    if (this.budget === 0) return this.#stop(invalidFieldError(field, type, OUT_OF_BUDGET));
    const schema = tree.isRoot ? withObjectRuleTypes(tree.schema) : tree.schema;
    const self = ruleValue(place.value, schema);
    const oldSelf = place.old === undefined || place.old === null ? undefined : ruleValue(place.old, schema);
    for (const compiled of tree.rules) {
      if (this.budget < 0) return;
      if (compiled.error !== undefined)
        this.errors.push(invalidFieldError(field, type, `rule compile error: ${compiled.error}`));
      else this.#rule(compiled, field, type, place, self, oldSelf);
    }
  }

  #rule(
    compiled: CompiledRule,
    field: string,
    type: string,
    place: Place,
    self: Value,
    oldSelf: Value | undefined,
  ): void {
    const { rule, program, usesOldSelf } = compiled;
    const isOptional = rule.optionalOldSelf === true;
    if (program === undefined || (usesOldSelf && oldSelf === undefined && !isOptional)) return;
    const variables = new Map([['self', self]]);
    if (isOptional) variables.set('oldSelf', new Optional(oldSelf));
    else if (oldSelf !== undefined) variables.set('oldSelf', oldSelf);
    const { value, cost } = program.run(variables, CALL_LIMIT, this.#meter);
    if (cost > this.budget) return this.#stop(invalidFieldError(field, type, OUT_OF_BUDGET));
    this.budget -= cost;
    if (value instanceof Failure) return this.#failed(value, rule, field, type);
    if (value === true) return;
    const about = evaluatedRuleField(field, compiled);
    const detail = this.#message(compiled, variables, about, type);
    if (detail === undefined) return;
    const error = evaluatedRuleError(
      rule,
      about,
      type === 'object' || type === 'array' ? undefined : place.value,
      detail,
    );
    if (!usesOldSelf && this.#isUnchanged(place)) this.warnings.push(`${error.field}: ${error.message}`);
    else this.errors.push(error);
  }

  #stop(error: FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }

  #failed({ message }: Failure, rule: Rule, field: string, type: string): void {
    const shown = evaluatedRuleText(rule);
    if (message.startsWith('no such overload'))
      this.errors.push(
        invalidFieldError(
          field,
          type,
          `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`,
        ),
      );
    else if (message.startsWith('operation cancelled: actual cost limit exceeded'))
      this.#stop(
        invalidFieldError(
          field,
          type,
          `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`,
        ),
      );
    else this.errors.push(invalidFieldError(field, type, `${message} evaluating rule: ${shown}`));
  }

  /**
   * The text of a failure: that of the expression if it gives a usable one, else the rule's. Undefined if
   * evaluation must stop.
   */
  #message(
    { rule, message }: CompiledRule,
    variables: ReadonlyMap<string, Value>,
    field: string,
    type: string,
  ): string | undefined {
    const plain = rule.message === '' ? `failed rule: ${evaluatedRuleText(rule)}` : rule.message.trim();
    if (message === undefined) return plain;
    const { value, cost } = message.run(variables, CALL_LIMIT, this.#meter);
    const stop = (detail: string): undefined => {
      this.#stop(invalidFieldError(field, type, detail));
      return undefined;
    };
    if (cost > this.budget)
      return stop(
        'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      );
    if (value instanceof Failure && value.message.startsWith('operation cancelled'))
      return stop(
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`,
      );
    this.budget -= cost;
    if (typeof value !== 'string') return plain;
    const text = value.trim();
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? plain : text;
  }

  #isUnchanged({ value, own, parent }: Place): boolean {
    if (own !== undefined) return isUnchangedForRatchet(value, own, this.#work);
    return parent !== undefined && isUnchangedForRatchet(parent.value, parent.stored, this.#work);
  }
}

function evaluatedRuleField(field: string, { field: below }: CompiledRule): string {
  if (below === undefined) return field;
  return field === NO_FIELD ? below : `${field}.${below}`;
}

const evaluatedRuleText = ({ rule, message }: Rule): string => (message === '' ? rule.trim() : message.trim());

function evaluatedRuleError({ reason }: Rule, field: string, value: Json | undefined, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
    case 'FieldValueRequired':
      return fieldError(reason, field, undefined, detail);
    case 'FieldValueDuplicate':
      return fieldError(reason, field, value, '');
    case undefined:
    default:
      return invalidFieldError(field, value, detail);
  }
}
