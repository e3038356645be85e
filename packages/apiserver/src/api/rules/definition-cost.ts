import { addRanges, fixedRange, multiplyRanges } from '../../cel/cost/cost-range.ts';
import { type FieldError, forbiddenFieldError } from '../../core/field-error.ts';
import type { Schema } from '../schema/schema.ts';
import { schemaSizeBound } from './schema-sizes.ts';

/** Maximum estimated cost of one expression of a definition, and of all expressions of one schema. */
const EXPRESSION_LIMIT = 10_000_000n;
const SCHEMA_LIMIT = 100_000_000n;
/**
 * Maximum number of expressions named when all together cost too much, and the share of the limit that each
 * must exceed.
 */
const MAX_NAMED = 4;
const NAMED_FROM = SCHEMA_LIMIT / 100n;

interface ExpressionCost {
  readonly field: string;
  readonly cost: bigint;
}

/** Sums up the estimated cost of the rules of one schema. */
export class DefinitionCost {
  #total = 0n;
  /** The most expensive expressions, highest cost first. */
  #expensive: readonly ExpressionCost[] = [];
  readonly #isUnchanged: boolean;

  /** `isUnchanged`: the stored definition has this schema, whose expressions may stay whatever they cost. */
  constructor(isUnchanged: boolean) {
    this.#isUnchanged = isUnchanged;
  }

  /** Adds an expression. Returns the error of one that costs too much by itself. */
  add(field: string, name: 'rule' | 'messageExpression', cost: bigint): FieldError[] {
    this.#total = addRanges(fixedRange(this.#total), fixedRange(cost)).max;
    if (cost >= NAMED_FROM)
      this.#expensive = [...this.#expensive, { field, cost }]
        .toSorted((a, b) => Number(b.cost - a.cost))
        .slice(0, MAX_NAMED);
    if (this.#isUnchanged || cost <= EXPRESSION_LIMIT) return [];
    return [forbiddenFieldError(field, tooHighDefinitionCost(`estimated ${name} cost`, cost, EXPRESSION_LIMIT))];
  }

  /** Errors of all expressions together. `path`: the schema. */
  errors(path: string): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return [];
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map(({ field }) =>
        forbiddenFieldError(
          field,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
      ),
      forbiddenFieldError(path, tooHighDefinitionCost(what, this.#total, SCHEMA_LIMIT)),
    ];
  }
}

const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

function tooHighDefinitionCost(what: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? 'more than 100x' : `${factorInDefinitionCost(factor, factor < 1.5 ? 6 : 1)}x`;
  return `${what} exceeds budget by factor of ${shown} ${ADVICE}`;
}

/** Number of digits that shows any double of this size exactly. */
const ALL_DIGITS = 60;

/** A factor as Go prints it: Go rounds a tie to the even digit, JavaScript up. */
function factorInDefinitionCost(value: number, digits: number): string {
  const [whole = '', fraction = ''] = value.toFixed(ALL_DIGITS).split('.');
  const isTie = /^50*$/.test(fraction.slice(digits));
  const below = `${whole}.${fraction.slice(0, digits)}`;
  return isTie && Number(below.at(-1)) % 2 === 0 ? below : value.toFixed(digits);
}

/** Maximum number of occurrences of a value; undefined if unbounded. */
export type Cardinality = bigint | undefined;

/** Maximum number of occurrences of values below a node, given that of the node itself. */
export function cardinalityForDefinitionCost(own: Cardinality, schema: Schema): Cardinality {
  const isMap = schema.type === 'object' && schema.raw['additionalProperties'] !== undefined;
  if (schema.type !== 'array' && !isMap) return own;
  const bound = schemaSizeBound(schema.raw, isMap ? 'maxProperties' : 'maxItems');
  return own === undefined || bound === undefined ? undefined : definitionCostTimes(own, BigInt(bound));
}

export const definitionCostTimes = (cost: bigint, times: bigint): bigint =>
  multiplyRanges(fixedRange(cost), fixedRange(times)).max;
