import type { Checked } from '../check/checker.ts';
import type { Environment, Overload } from '../check/environment.ts';
import { type CallEstimate, type EstimatedArgument, UNIT_ESTIMATE } from '../cost/call-cost.ts';
import { textSizeForCost } from '../cost/costs.ts';
import {
  addRanges, fixedRange, MAX_RANGE, multiplyRanges, ONE_RANGE, type Range, sumOfRanges, UNKNOWN_RANGE, unionOfRanges, ZERO_RANGE,
} from '../cost/cost-range.ts'; // prettier-ignore
import {
  type Call, type Expr, type Fold, type Ident, isBindingFold, type ListExpr, type MapExpr, type Select, type StructExpr,
} from '../syntax/ast.ts'; // prettier-ignore
import { isSameType, optionalContentType, type Type } from '../types/type.ts';
import type { Value } from '../values/cel-value.ts';
import {
  appendToEstimatePath,
  EMPTY_PATH,
  namesInEstimatePath,
  type Path,
  estimatePathOfVariable,
} from './estimate-path.ts';
import { type EntrySize, LocalScopes } from './scopes.ts';

/** Returns the size that the value at a path such as `['self', 'list', '@items']` can have; undefined if unknown. */
export type SizeLookup = (path: readonly string[]) => Range | undefined;

const LIST_COST = fixedRange(10);
const MAP_COST = fixedRange(30);
const STRUCT_COST = fixedRange(40);

/** Types for which selecting a field costs 1. */
const WITH_FIELDS: ReadonlySet<string> = new Set(['map', 'struct', 'parameter']);
const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** The minimum and maximum cost of an expression, as cel-go estimates them. */
export function estimateCost(checked: Checked, environment: Environment, sizes: SizeLookup): Range {
  return new CostEstimator(checked, environment, sizes).cost(checked.expr);
}

/**
 * Walks over an expression once. The size of a part is looked up after its cost was estimated, because
 * estimating determines its path.
 */
class CostEstimator {
  readonly #checked: Checked;
  readonly #environment: Environment;
  readonly #lookUp: SizeLookup;
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entrySizes = new Map<Expr, EntrySize>();
  readonly #locals = new LocalScopes();

  constructor(checked: Checked, environment: Environment, sizes: SizeLookup) {
    this.#checked = checked;
    this.#environment = environment;
    this.#lookUp = sizes;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return ZERO_RANGE;
      case 'ident':
        return this.#ident(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'fold':
        return isBindingFold(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #ident(expr: Ident | Select, name: string): Range {
    const plain = name.replace(/^\./, '');
    this.#paths.set(expr, this.#locals.peek(plain)?.path ?? estimatePathOfVariable(plain));
    return ONE_RANGE;
  }

  #select(expr: Select): Range {
    const name = this.#checked.names.get(expr);
    if (name !== undefined) return this.#ident(expr, name);
    const cost = this.cost(expr.operand);
    if (expr.isTest) return cost;
    this.#paths.set(expr, appendToEstimatePath(this.#path(expr.operand), expr.field));
    return WITH_FIELDS.has(this.#checked.typeOf(expr.operand).kind) ? addRanges(cost, ONE_RANGE) : cost;
  }

  #call(expr: Call): Range {
    const name = this.#checked.names.get(expr) ?? expr.name;
    const [first] = expr.args;
    if (name === 'dyn' && first !== undefined) {
      const cost = addRanges(ONE_RANGE, this.cost(first));
      this.#copySizes(expr, first);
      return cost;
    }
    // Arguments come before the target.
    const costs: Range[] = [];
    const args = expr.args.map((arg) => {
      costs.push(this.cost(arg));
      return this.#argument(arg);
    });
    if (name === '_?._') return sumOfRanges([...costs, ONE_RANGE]);
    const target = this.#checked.names.has(expr) ? undefined : expr.target;
    const targetCost = target === undefined ? ZERO_RANGE : this.cost(target);
    const all = target === undefined ? args : [this.#argument(target), ...args];
    let cost: Range = { min: MAX_RANGE, max: 0n };
    let size: Range | undefined;
    for (const overload of this.#checked.overloads.get(expr) ?? []) {
      const one = this.#overload(expr, overload, all, costs);
      cost = unionOfRanges(cost, one.cost);
      if (one.size !== undefined) size = size === undefined ? one.size : unionOfRanges(size, one.size);
      const below = INDEXED.get(overload.id);
      if (below !== undefined && first !== undefined) {
        size = this.#entrySize(first)?.value;
        this.#paths.set(expr, appendToEstimatePath(this.#path(first), below));
      }
      size ??= this.#size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return addRanges(targetCost, cost);
  }

  /** The cost of one overload, including its arguments. */
  #overload(
    expr: Call,
    { id, cost }: Overload,
    args: readonly EstimatedArgument[],
    costs: readonly Range[],
  ): CallEstimate {
    const [a = ZERO_RANGE, b = ZERO_RANGE, c = ZERO_RANGE] = costs;
    // The right side may not be evaluated.
    if (id === 'logical_and' || id === 'logical_or') return { cost: { min: a.min, max: addRanges(a, b).max } };
    const [one, two, three] = args;
    if (id === 'conditional' && two !== undefined && three !== undefined) {
      this.#setEntrySize(expr, this.#joinedEntrySize(expr.args[1], expr.args[2]));
      return { cost: addRanges(a, unionOfRanges(b, c)), size: unionOfRanges(two.size, three.size) };
    }
    const isSame = id === 'equals' && one !== undefined && two !== undefined && isSameType(one.type, two.type);
    const estimate = (isSame ? this.#environment.equalityOf(one.type) : undefined) ?? cost?.estimate;
    const { cost: own, size } = estimate?.(args) ?? UNIT_ESTIMATE;
    if (JOINING.has(id)) this.#setEntrySize(expr, this.#joinedEntrySize(expr.args[0], expr.args[1]));
    return { cost: sumOfRanges([own, ...costs]), size };
  }

  #list(expr: ListExpr): Range {
    const parts = expr.items.map((item) => [this.cost(item), this.#sizeOrUnknown(item)] as const);
    const value = unionOfCostEstimates(parts.map(([, size]) => size));
    this.#entrySizes.set(expr, { container: 'list', key: ONE_RANGE, value });
    return sumOfRanges([...parts.map(([cost]) => cost), LIST_COST]);
  }

  #map(expr: MapExpr): Range {
    const parts = expr.entries.map(({ key, value }) => ({
      costs: [this.cost(key), this.cost(value)],
      key: this.#sizeOrUnknown(key),
      value: this.#sizeOrUnknown(value),
    }));
    const [key, value] = [
      unionOfCostEstimates(parts.map((part) => part.key)),
      unionOfCostEstimates(parts.map((part) => part.value)),
    ];
    this.#entrySizes.set(expr, { container: 'map', key, value });
    return sumOfRanges([...parts.flatMap(({ costs }) => costs), MAP_COST]);
  }

  #struct({ fields }: StructExpr): Range {
    return sumOfRanges([...fields.map(({ value }) => this.cost(value)), STRUCT_COST]);
  }

  #loop(expr: Fold): Range {
    const { range, initial, condition, step, result, accumulator, variable, variable2 } = expr;
    const before = [this.cost(range), this.cost(initial)];
    this.#pushBound(accumulator, initial);
    if (variable2 === undefined) this.#pushItem(variable, range, this.#container(range) === 'list' ? 'value' : 'key');
    else {
      this.#pushItem(variable, range, 'key');
      this.#pushItem(variable2, range, 'value');
    }
    const each = addRanges(this.cost(condition), this.cost(step));
    this.#locals.pop(variable);
    if (variable2 !== undefined) this.#locals.pop(variable2);
    const end = this.cost(result);
    this.#locals.pop(accumulator);
    const count = this.#sizeOrUnknown(range);
    if (initial.kind === 'literal') this.#setSize(expr, this.#size(initial));
    else if (initial.kind === 'list' || initial.kind === 'map') {
      this.#setSize(expr, count);
      this.#setEntrySize(expr, this.#entrySize(step));
    }
    return sumOfRanges([...before, end, multiplyRanges(count, each)]);
  }

  /** The cost of `cel.bind`, which the macro expands to a loop over an empty list. */
  #binding(expr: Fold): Range {
    const before = [this.cost(expr.range), this.cost(expr.initial)];
    this.#pushBound(expr.accumulator, expr.initial);
    const end = this.cost(expr.result);
    this.#locals.pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return sumOfRanges([...before, end]);
  }

  #pushBound(name: string, expr: Expr): void {
    this.#locals.push(name, { path: this.#path(expr), size: this.#size(expr), entrySize: this.#entrySize(expr) });
  }

  #pushItem(name: string, range: Expr, part: 'key' | 'value'): void {
    const isList = this.#container(range) === 'list';
    const keys = isList ? '@indices' : '@keys';
    const below = part === 'key' ? keys : isList ? '@items' : '@values';
    const size = this.#entrySize(range)?.[part];
    this.#locals.push(name, { path: appendToEstimatePath(this.#path(range), below), size, entrySize: undefined });
  }

  #container(range: Expr): string {
    return this.#entrySize(range)?.container ?? this.#checked.typeOf(range).kind;
  }

  #argument(expr: Expr): EstimatedArgument {
    const [path, size] = [this.#path(expr), this.#size(expr)];
    return {
      type: this.#checked.typeOf(expr),
      size: size ?? UNKNOWN_RANGE,
      isSized: size !== undefined,
      literal: expr.kind === 'literal' ? expr.value : undefined,
      itemSize: () =>
        (path.length === 0 ? undefined : this.#lookUp([...namesInEstimatePath(path), '@items'])) ?? UNKNOWN_RANGE,
    };
  }

  #path(expr: Expr): Path {
    const local = expr.kind === 'ident' ? this.#locals.peek(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? EMPTY_PATH;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? writtenSizeForCostEstimate(expr);
    if (known !== undefined) return known;
    const path = this.#path(expr);
    const found = path.length === 0 ? undefined : this.#lookUp(namesInEstimatePath(path));
    if (found !== undefined) {
      this.#sizes.set(expr, found);
      return found;
    }
    if (isScalarInCostEstimate(this.#checked.typeOf(expr))) return ONE_RANGE;
    return expr.kind === 'ident' ? this.#locals.peek(expr.name)?.size : undefined;
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    const known = this.#entrySizes.get(expr);
    return known ?? (expr.kind === 'ident' ? this.#locals.peek(expr.name)?.entrySize : undefined);
  }

  #joinedEntrySize(a: Expr | undefined, b: Expr | undefined): EntrySize | undefined {
    const [one, two] = [a && this.#entrySize(a), b && this.#entrySize(b)];
    if (one === undefined || two === undefined) return undefined;
    return { ...one, key: unionOfRanges(one.key, two.key), value: unionOfRanges(one.value, two.value) };
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(expr, size);
  }

  #setEntrySize(expr: Expr, size: EntrySize | undefined): void {
    if (size !== undefined) this.#entrySizes.set(expr, size);
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    this.#setEntrySize(to, this.#entrySize(from));
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#size(expr) ?? UNKNOWN_RANGE;
  }
}

const unionOfCostEstimates = (sizes: readonly Range[]): Range =>
  sizes.length === 0 ? ZERO_RANGE : sizes.reduce(unionOfRanges);

/** Overloads whose result is part of their first argument. */
const INDEXED: ReadonlyMap<string, string> = new Map([
  ['index_list', '@items'],
  ['index_map', '@values'],
]);
/** Overloads whose result contains the contents of both arguments. */
const JOINING: ReadonlySet<string> = new Set(['add_string', 'add_bytes', 'add_list']);

/** The size of a literal, list or map in the expression; undefined for anything else. */
function writtenSizeForCostEstimate(expr: Expr): Range | undefined {
  if (expr.kind === 'literal') return fixedRange(literalSizeForCostEstimate(expr.value));
  if (expr.kind === 'list') return fixedRange(expr.items.length);
  return expr.kind === 'map' ? fixedRange(expr.entries.length) : undefined;
}

function literalSizeForCostEstimate(value: Value): number {
  if (typeof value === 'string') return textSizeForCost(value);
  return value instanceof Uint8Array ? value.length : 1;
}

function isScalarInCostEstimate(type: Type): boolean {
  const content = optionalContentType(type);
  return content === undefined ? SCALARS.has(type.kind) : isScalarInCostEstimate(content);
}
