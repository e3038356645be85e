/** Minimum and maximum of a size or a cost: unsigned 64-bit numbers. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** Maximum of a range. Sums and products that exceed it are cut to it. */
export const MAX_RANGE: bigint = 2n ** 64n - 1n;

const saturatedRangeEnd = (value: bigint): bigint => (value > MAX_RANGE ? MAX_RANGE : value);

export const fixedRange = (value: number | bigint): Range => ({ min: BigInt(value), max: BigInt(value) });

export const ZERO_RANGE: Range = fixedRange(0);
export const ONE_RANGE: Range = fixedRange(1);
/** The size of a value about which nothing is known. */
export const UNKNOWN_RANGE: Range = { min: 0n, max: MAX_RANGE };

export const addRanges = (a: Range, b: Range): Range => ({
  min: saturatedRangeEnd(a.min + b.min),
  max: saturatedRangeEnd(a.max + b.max),
});

export const sumOfRanges = (ranges: readonly Range[]): Range => ranges.reduce(addRanges, ZERO_RANGE);

export const multiplyRanges = (a: Range, b: Range): Range => ({
  min: saturatedRangeEnd(a.min * b.min),
  max: saturatedRangeEnd(a.max * b.max),
});

/** Each end multiplied by a fraction, rounded up. Calculates in doubles, as cel-go does. */
export const scaleCostRange = ({ min, max }: Range, factor: number): Range => ({
  min: scaledCostRangeEnd(min, factor),
  max: scaledCostRangeEnd(max, factor),
});

function scaledCostRangeEnd(value: bigint, factor: number): bigint {
  const scaled = Math.ceil(Number(value) * factor);
  return scaled >= 2 ** 64 ? MAX_RANGE : BigInt(scaled);
}

/** The smallest range that contains both. */
export const unionOfRanges = (a: Range, b: Range): Range => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

/** Wraps to 64 bits, where cel-go overflows. */
export const wrappedRangeEnd = (value: bigint): bigint => BigInt.asUintN(64, value);
