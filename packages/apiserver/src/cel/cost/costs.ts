import { isCelListValue, isCelMapValue, OpaqueValue, type Value } from '../values/cel-value.ts';
import { spendWork } from '../values/work-meter.ts';
import type { CallCost, CallEstimator, EstimatedArgument } from './call-cost.ts';
import { addRanges, multiplyRanges, ONE_RANGE, type Range, scaleCostRange } from './cost-range.ts';

/** Cost of reading one character or item. */
const TRAVERSAL = 0.1;
/** Cost of one character of a regular expression: about four characters cost as much as one step. */
const REGEX_LENGTH = 0.25;

/** Number of characters, bytes or items of a value; 1 for a value of another type. */
export function sizeForCost(value: Value): number {
  if (typeof value === 'string') return textSizeForCost(value);
  if (value instanceof Uint8Array) return value.length;
  if (isCelListValue(value) || isCelMapValue(value)) return value.size;
  if (value instanceof OpaqueValue && 'size' in value) return value.size as number;
  return 1;
}

/** Number of characters. Counted without a copy, because the cost of every text function needs it. */
export function textSizeForCost(text: string): number {
  spendWork(text.length);
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1)
    if (isSurrogateInCost(text, at, 0xdc00) && isSurrogateInCost(text, at - 1, 0xd800)) pairs += 1;
  return text.length - pairs;
}

const isSurrogateInCost = (text: string, at: number, half: number): boolean => (text.charCodeAt(at) & 0xfc00) === half;

/** The cost of reading `count` characters. */
export const traversalCost = (count: number): number => Math.ceil(count * TRAVERSAL);

/** The cost of reading a text of this size. */
export const traversalCostRange = (size: Range, times = 1): Range => scaleCostRange(size, times * TRAVERSAL);

/** The argument at an index. Every overload has as many arguments as its cost reads. */
export const costArgument = (args: readonly EstimatedArgument[], index: number): EstimatedArgument =>
  args[index] as EstimatedArgument;

const actualCostOfFirst =
  (times: number) =>
  ([first = null]: readonly Value[]): number =>
    traversalCost(sizeForCost(first) * times);

/** The cost of a function that reads its first argument `times` times. */
export const costOfFirst = (times = 1): CallCost => ({
  actual: actualCostOfFirst(times),
  estimate: (args) => ({ cost: traversalCostRange(costArgument(args, 0).size, times) }),
});

/** The cost of a function that reads its first argument, and whose result is at most as long. */
export const COST_OF_COPY: CallCost = {
  actual: actualCostOfFirst(1),
  estimate: (args) => {
    const { size } = costArgument(args, 0);
    return { cost: traversalCostRange(size), size };
  },
};

/**
 * The cost of a function that looks for its second argument at one end of the first. The estimate depends on the second
 * only.
 */
export const COST_OF_AFFIX: CallCost = {
  actual: actualCostOfFirst(1),
  estimate: (args) => ({ cost: traversalCostRange(costArgument(args, 1).size) }),
};

const estimateShorter: CallEstimator = (args) => {
  const [a, b] = [costArgument(args, 0).size.max, costArgument(args, 1).size.max];
  const max = a < b ? a : b;
  return { cost: traversalCostRange({ min: max > 0n ? 1n : 0n, max }) };
};

/** The cost of comparing two values: the shorter one is read. */
export const COST_OF_SHORTER: CallCost = {
  actual: ([a = null, b = null]) => traversalCost(Math.min(sizeForCost(a), sizeForCost(b))),
  estimate: estimateShorter,
};

/** The cost of looking for the second text everywhere in the first. */
export const COST_OF_SEARCH: CallCost = {
  actual: ([a = '', b = '']) => traversalCost(sizeForCost(a)) * traversalCost(sizeForCost(b)),
  estimate: (args) => ({
    cost: multiplyRanges(
      traversalCostRange(costArgument(args, 0).size),
      traversalCostRange(costArgument(args, 1).size),
    ),
  }),
};

/** The range of the cost of a regular expression: every character of the text meets every part of the pattern. */
const regexCostRange = (text: Range, pattern: Range): Range =>
  multiplyRanges(traversalCostRange(addRanges(text, ONE_RANGE)), scaleCostRange(pattern, REGEX_LENGTH));

const actualRegexCost = ([text = '', pattern = '']: readonly Value[]): number =>
  Math.ceil((1 + sizeForCost(text)) * TRAVERSAL) * Math.ceil(sizeForCost(pattern) * REGEX_LENGTH);

/** The cost of matching a regular expression. */
export const COST_OF_MATCH: CallCost = {
  actual: actualRegexCost,
  estimate: (args) => ({ cost: regexCostRange(costArgument(args, 0).size, costArgument(args, 1).size) }),
};

/** The cost of finding a regular expression: each character may be a match. */
export const COST_OF_FIND: CallCost = {
  actual: actualRegexCost,
  estimate: (args) => {
    const { size } = costArgument(args, 0);
    return { cost: regexCostRange(size, costArgument(args, 1).size), size: { min: 0n, max: size.max } };
  },
};

/** The cost of joining two texts. The estimator computes the size of the result. */
export const COST_OF_CONCATENATION: CallCost = {
  actual: ([a = '', b = '']) => traversalCost(sizeForCost(a) + sizeForCost(b)),
  estimate: (args) => {
    const size = addRanges(costArgument(args, 0).size, costArgument(args, 1).size);
    return { cost: traversalCostRange(size), size };
  },
};
