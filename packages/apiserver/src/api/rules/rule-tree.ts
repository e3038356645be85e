import type { Schema } from '../schema/schema.ts';
import { type CompiledRule, compileRule, rulesToCompile } from './compile-rule.ts';
import { mustLoadRules } from './load-rules.ts';
import { mapValuesSchema } from './rule-map-values.ts';
import { ruleType } from './rule-types.ts';

/** The rules of one node of a schema, and of everything below it that has rules. */
export interface RuleTree {
  readonly schema: Schema;
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly items: RuleTree | undefined;
  readonly values: RuleTree | undefined;
}

/** Name of the type of `self`. The real server appends a number that changes with every compilation. */
const SELF_TYPE = 'selfType';

/** The rules of a whole schema; undefined if it has none. Compiled once per schema. */
export function ruleTree(schema: Schema): RuleTree | undefined {
  if (!trees.has(schema)) trees.set(schema, mustLoadRules(schema) ? ruleTreeOf(schema, true) : undefined);
  return trees.get(schema);
}

const trees = new WeakMap<Schema, RuleTree | undefined>();

function ruleTreeOf(schema: Schema, isRoot: boolean): RuleTree | undefined {
  const type = ruleType(schema, SELF_TYPE, isRoot);
  const rules = type === undefined ? [] : rulesToCompile(schema.raw).map((rule) => compileRule(rule, type, schema));
  const below = (child: Schema | undefined): RuleTree | undefined =>
    child === undefined ? undefined : ruleTreeOf(child, child.embeddedResource);
  const [items, values] = [below(schema.items), below(mapValuesSchema(schema))];
  const properties = new Map<string, RuleTree>();
  for (const name of schema.propertyNames) {
    const tree = below(schema.property(name));
    if (tree !== undefined) properties.set(name, tree);
  }
  if (rules.length + properties.size === 0 && items === undefined && values === undefined) return undefined;
  return { schema, isRoot, rules, properties, items, values };
}
