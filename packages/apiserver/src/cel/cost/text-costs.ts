import type { CallCost, CallEstimator, EstimatedArgument } from './call-cost.ts';
import { costArgument, costOfFirst, sizeForCost, traversalCost, traversalCostRange } from './costs.ts';
import {
  addRanges,
  MAX_RANGE,
  multiplyRanges,
  ONE_RANGE,
  type Range,
  wrappedRangeEnd,
  ZERO_RANGE,
} from './cost-range.ts';

/** Texts are read once and written once. */
const READ_AND_WRITE = 2;

/** The estimate of a function that reads every item of a list, or every character of a text. */
export const textCostOfScan: CallEstimator = (args) => {
  const target = costArgument(args, 0);
  const [item] = target.type.parameters;
  if (item === undefined) return { cost: traversalCostRange(target.size) };
  const isText = item.kind === 'string' || item.kind === 'bytes';
  const each = isText ? addRanges(ONE_RANGE, traversalCostRange(target.itemSize())) : ONE_RANGE;
  return { cost: multiplyRanges(target.size, each) };
};

/** The cost of `indexOf`. Unlike other costs it is rounded down and counts bytes. */
export const COST_OF_TEXT_INDEX: CallCost = {
  actual: ([value]) => (typeof value === 'string' ? Math.floor(Buffer.byteLength(value) * 0.1) : 1),
  estimate: textCostOfScan,
};

export const COST_OF_JOIN: CallCost = {
  actual: (_, result) => traversalCost(sizeForCost(result) * READ_AND_WRITE),
  estimate: ([list, separator]) => {
    const { size: count, type } = list as EstimatedArgument;
    const items =
      type.parameters.length > 0 ? multiplyRanges(count, (list as EstimatedArgument).itemSize()) : ZERO_RANGE;
    const gaps = { min: count.min > 0n ? count.min - 1n : 0n, max: count.max > 0n ? count.max - 1n : 0n };
    const size = separator === undefined ? items : addRanges(items, multiplyRanges(separator.size, gaps));
    return { cost: traversalCostRange(size), size };
  },
};

export const COST_OF_SPLIT: CallCost = {
  actual: costOfFirst(READ_AND_WRITE).actual,
  estimate: ([text, , limit]) => {
    const { size } = text as EstimatedArgument;
    const most = typeof limit?.literal === 'bigint' ? wrappedRangeEnd(limit.literal) : size.max;
    return { cost: traversalCostRange(size, READ_AND_WRITE), size: { min: 0n, max: most } };
  },
};

export const COST_OF_REPLACE: CallCost = {
  actual: costOfFirst(READ_AND_WRITE).actual,
  estimate: (args) => {
    const [text, old, next] = [costArgument(args, 0).size, costArgument(args, 1).size, costArgument(args, 2).size];
    const most = textCostOfReplacement(text.max, old.min, (part) => next.max <= part);
    const least = textCostOfReplacement(text.min, old.max, (part) => part <= next.min);
    const count: Range = { min: least.count, max: most.count };
    const kept: Range = { min: least.kept, max: most.kept };
    return {
      cost: traversalCostRange(text, READ_AND_WRITE),
      size: addRanges(multiplyRanges(count, next), kept),
    };
  },
};

/** Number of times a part of this size is replaced in a text, and how much of the text remains. */
function textCostOfReplacement(
  text: bigint,
  part: bigint,
  keepsSize: (part: bigint) => boolean,
): { readonly count: bigint; readonly kept: bigint } {
  // An empty part occurs around every character.
  if (part === 0n) return { count: text < MAX_RANGE ? text + 1n : text, kept: text };
  if (keepsSize(part)) return { count: 0n, kept: text };
  return { count: BigInt(Math.ceil(Number(text) / Number(part))), kept: 0n };
}

const literalInTextCost = (size: Range, min: (size: bigint) => bigint, max: (size: bigint) => bigint): Range => ({
  min: wrappedRangeEnd(min(size.min)),
  max: wrappedRangeEnd(max(size.max)),
});

const costOfRewriting = (min: (size: bigint) => bigint, max: (size: bigint) => bigint): CallCost => ({
  actual: costOfFirst().actual,
  estimate: (args) => {
    const { size } = costArgument(args, 0);
    return { cost: traversalCostRange(size), size: literalInTextCost(size, min, max) };
  },
});

/** The cost of quoting: every character may be escaped, and two quotes are added. */
export const COST_OF_QUOTING: CallCost = costOfRewriting(
  (size) => size + 2n,
  (size) => size * 2n + 2n,
);

/** The cost of encoding a text as bytes: one to four for each character. */
export const COST_OF_ENCODING: CallCost = costOfRewriting(
  (size) => size,
  (size) => size * 4n,
);
export const COST_OF_DECODING: CallCost = costOfRewriting(
  (size) => size / 4n,
  (size) => size,
);
