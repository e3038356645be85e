import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { definitionSchemaErrors } from '../../../src/api/kinds/definition/definition-schema.ts';
import { compileRule, rulesToCompile } from '../../../src/api/rules/compile-rule.ts';
import { cardinalityForDefinitionCost, DefinitionCost } from '../../../src/api/rules/definition-cost.ts';
import { loadRules } from '../../../src/api/rules/load-rules.ts';
import { ruleSizes } from '../../../src/api/rules/schema-sizes.ts';
import { ruleType } from '../../../src/api/rules/rule-types.ts';
import { schemaFrom } from '../../../src/api/schema/schema-from.ts';
import type { Type } from '../../../src/cel/types/type.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { Work } from '../../../src/core/work.ts';
import { ESTIMATE_QUESTIONS } from '../../rig/rules/estimates.ts';

interface Fault {
  readonly field: string;
  readonly message: string;
}

interface Estimate {
  readonly min: string;
  readonly max: string;
}

/** The answers of Kubernetes; made by test/real/apiserver/rules.test.ts. */
interface Truth {
  readonly title: string;
  readonly definition: readonly Fault[];
  readonly estimates?: readonly Estimate[];
}

const TRUTH = JSON.parse(readFileSync(new URL('estimates.fixtures.json', import.meta.url), 'utf8')) as readonly Truth[];
const PATH = 'spec.validation.openAPIV3Schema';

const lines = (faults: readonly Fault[]): string[] =>
  faults.map(({ field, message }) => `${field}: ${message}`.replace(/selfType\d+/g, 'selfType')).toSorted();

/** The cost that each rule of `spec`, and its message, could have. */
function estimatesOf(schema: object): Estimate[] {
  const spec = schemaFrom(schema as JsonObject).property('spec');
  if (spec === undefined) return [];
  const [type, sizes] = [ruleType(spec, 'selfType', false) as Type, ruleSizes(spec, false)];
  return rulesToCompile(spec.raw).flatMap((rule) => {
    const { program, message } = compileRule(rule, type, spec);
    return [program, message].flatMap((one) => {
      if (one === undefined) return [];
      const { min, max } = one.estimate(sizes);
      return [{ min: String(min), max: String(max) }];
    });
  });
}

const definitionErrors = (schema: object, isUnchanged?: boolean): string[] =>
  lines(definitionSchemaErrors(schema as never, PATH, new Work('the definition'), isUnchanged));

beforeAll(loadRules);

describe('the cost that rules could have', () => {
  test('S133: Kubernetes has estimated the cost of every rule that is estimated here', () => {
    expect(ESTIMATE_QUESTIONS.map(({ title }) => title)).toEqual(TRUTH.map(({ title }) => title));
  });

  for (const [index, { title, schema }] of ESTIMATE_QUESTIONS.entries())
    test(title, () => {
      const { definition, estimates = [] } = TRUTH[index] as Truth;
      expect(estimatesOf(schema)).toEqual(estimates);
      expect(definitionErrors(schema)).toEqual(lines(definition));
    });
});

test('S134: a rule that is stored may stay whatever it costs; all of a schema together may not', () => {
  const cost = (title: string, isUnchanged: boolean): string[] => {
    const { schema } = ESTIMATE_QUESTIONS.find((one) => one.title === title) as { readonly schema: object };
    return definitionErrors(schema, isUnchanged).map((line) => line.replace(/^.*Forbidden: /, '').slice(0, 40));
  };
  expect(cost('a rule just above the limit', false)).toEqual(['estimated rule cost exceeds budget by fa']);
  expect(cost('a rule just above the limit', true)).toEqual([]);
  expect(cost('a product that is too large for 64 bits', true)).toEqual([
    'contributed to estimated rule cost total',
    'x-kubernetes-validations estimated rule ',
  ]);
});

test('S133: a factor exactly between two others is rounded to the even one, as Go does', () => {
  const factor = (cost: bigint): string | undefined => {
    const [error] = new DefinitionCost(false).add('rule', 'rule', cost);
    return /factor of (\S+)/.exec(error?.message ?? '')?.[1];
  };
  expect([22_500_000n, 23_500_000n, 22_600_000n].map(factor)).toEqual(['2.2x', '2.4x', '2.3x']);
});

test('S133: values in nested lists can be there as often as the product of all bounds', () => {
  const list = schemaFrom({ type: 'array', maxItems: 7, items: { type: 'string' } });
  expect(cardinalityForDefinitionCost(10n, list)).toBe(70n);
  expect(cardinalityForDefinitionCost(undefined, list)).toBeUndefined();
});
