import { addRanges, fixedRange, multiplyRanges } from '../../cel/cost/cost-range.ts';
import { type FieldError, forbiddenFieldError } from '../../core/field-error.ts';
import type { Schema } from '../schema/schema.ts';
import { schemaSizeBound } from './schema-sizes.ts';

/** Maximum cost that one expression of a definition could have, and that all of one schema could have. */
const EXPRESSION_LIMIT = 10_000_000n;
const SCHEMA_LIMIT = 100_000_000n;
/** Expressions that are named when all together cost too much, and the part of the limit that each has to use. */
const MAX_NAMED = 4;
const NAMED_FROM = SCHEMA_LIMIT / 100n;

interface ExpressionCost {
  readonly field: string;
  readonly cost: bigint;
}

/** Sums up what the rules of one schema could cost. */
export class DefinitionCost {
  #total = 0n;
  /** The most expensive ones first. */
  #expensive: readonly ExpressionCost[] = [];
  readonly #isUnchanged: boolean;

  /** `isUnchanged`: the stored definition has this schema, whose expressions may stay whatever each costs. */
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

/** Digits that show any double of this size exactly. */
const ALL_DIGITS = 60;

/** Go rounds a number that is exactly between two others to the even one; JavaScript to the greater. */
function factorInDefinitionCost(value: number, digits: number): string {
  const [whole = '', fraction = ''] = value.toFixed(ALL_DIGITS).split('.');
  const isTie = /^50*$/.test(fraction.slice(digits));
  const below = `${whole}.${fraction.slice(0, digits)}`;
  return isTie && Number(below.at(-1)) % 2 === 0 ? below : value.toFixed(digits);
}

/** How often values can be there; undefined: there is no bound. */
export type Cardinality = bigint | undefined;

/** How often values below a node can be there, if the node itself can be there so often. */
export function cardinalityForDefinitionCost(own: Cardinality, schema: Schema): Cardinality {
  const isMap = schema.type === 'object' && schema.raw['additionalProperties'] !== undefined;
  if (schema.type !== 'array' && !isMap) return own;
  const bound = schemaSizeBound(schema.raw, isMap ? 'maxProperties' : 'maxItems');
  return own === undefined || bound === undefined ? undefined : definitionCostTimes(own, BigInt(bound));
}

export const definitionCostTimes = (cost: bigint, times: bigint): bigint =>
  multiplyRanges(fixedRange(cost), fixedRange(times)).max;
