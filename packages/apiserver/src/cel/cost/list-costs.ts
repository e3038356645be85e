import { isCelListValue, type Value } from '../values/cel-value.ts';
import type { CallCost, CallEstimate } from './call-cost.ts';
import { costArgument, sizeForCost } from './costs.ts';
import {
  addRanges,
  fixedRange,
  MAX_RANGE,
  multiplyRanges,
  ONE_RANGE,
  type Range,
  scaleCostRange,
  wrappedRangeEnd,
} from './cost-range.ts';

/** Cost of creating a list: 10 for the list, 1 for the call. */
const CREATE = 11;
/** Cost of comparing two items, and the factor for texts. */
const COMPARE = 2;
const COMPARE_TEXT = 2.1;

/** The estimate of a list that is created, with its size. */
const madeListEstimate = (size: Range, factor = 1): CallEstimate => ({
  cost: addRanges(scaleCostRange(size, factor), fixedRange(CREATE)),
  size,
});

const actualListOutputCost = (_: readonly Value[], result: Value): number => CREATE + sizeForCost(result);

/** The value of an argument that is a literal number, otherwise `other`. */
function literalInListCost(literal: Value | undefined, other: bigint): bigint {
  if (typeof literal !== 'bigint') return other;
  return literal < 0n ? 0n : literal;
}

/** The cost of a function that returns the items of a list in another order. */
export const COST_OF_REVERSE: CallCost = {
  actual: actualListOutputCost,
  estimate: (args) => madeListEstimate(costArgument(args, 0).size),
};

export const COST_OF_SLICE: CallCost = {
  actual: actualListOutputCost,
  estimate: (args) => {
    const start = literalInListCost(costArgument(args, 1).literal, 0n);
    const end = literalInListCost(costArgument(args, 2).literal, costArgument(args, 0).size.max);
    return madeListEstimate(fixedRange(wrappedRangeEnd(end - start)));
  },
};

export const COST_OF_RANGE: CallCost = {
  actual: actualListOutputCost,
  estimate: (args) => madeListEstimate(fixedRange(literalInListCost(costArgument(args, 0).literal, MAX_RANGE))),
};

/** The cost of `flatten`. Its depth is the second argument, or 1. */
export const COST_OF_FLATTEN: CallCost = {
  actual: ([list = null, depth]) =>
    CREATE + sizeForCost(list) * (typeof depth === 'bigint' ? Math.max(0, Number(depth)) : 1),
  estimate: (args) => {
    const [list, depth] = [costArgument(args, 0), args[1]];
    const times = depth === undefined ? 1n : literalInListCost(depth.literal, MAX_RANGE);
    return madeListEstimate(list.size, Number(times));
  },
};

/** The cost of a sort: every item may be compared with every other. A second list holds the sort keys. */
const actualListSortCost = (args: readonly Value[]): number => {
  const list = args.at(-1) as Value;
  const first = isCelListValue(list) && list.size > 0 ? list.item(0) : undefined;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? COMPARE_TEXT : COMPARE;
  return CREATE + Math.ceil(sizeForCost(list) ** 2 * factor);
};

export const COST_OF_DISTINCT: CallCost = {
  actual: actualListSortCost,
  estimate: (args) => {
    const { size } = costArgument(args, 0);
    return madeListEstimate(multiplyRanges(size, size), COMPARE);
  },
};

/** The cost of sorting by the last argument, which contains texts or other values. */
export const costOfSort = (isText: boolean): CallCost => ({
  actual: actualListSortCost,
  estimate: (args) => {
    const { size } = costArgument(args, args.length - 1);
    return madeListEstimate(multiplyRanges(size, size), isText ? COMPARE_TEXT : COMPARE);
  },
});

/** The cost of comparing two lists as sets, once or in both directions. */
export const listCostOfSets = (times: 1 | 2): CallCost => ({
  actual: ([a = null, b = null]) => 1 + sizeForCost(a) * sizeForCost(b) * times,
  estimate: (args) => {
    const product = multiplyRanges(costArgument(args, 0).size, costArgument(args, 1).size);
    return { cost: addRanges(scaleCostRange(product, times), ONE_RANGE) };
  },
});

/** The cost of joining two lists, which makes no copy. */
export const COST_OF_LIST_CONCATENATION: CallCost = {
  actual: () => 1,
  estimate: (args) => ({ cost: ONE_RANGE, size: addRanges(costArgument(args, 0).size, costArgument(args, 1).size) }),
};
