import type { Type } from '../types/type.ts';
import type { Value } from '../values/cel-value.ts';
import { ONE_RANGE, type Range } from './cost-range.ts';

/** An argument of a call, as known before evaluation. The target of `x.f(y)` is the first argument. */
export interface EstimatedArgument {
  readonly type: Type;
  readonly size: Range;
  /** False if nothing is known about the size. */
  readonly isSized: boolean;
  /** Set if the argument is a literal. */
  readonly literal: Value | undefined;
  /** The size of the items, if the argument is a list. */
  itemSize(): Range;
}

/** The estimated cost of a call, apart from that of its arguments. */
export interface CallEstimate {
  readonly cost: Range;
  /** Size of the result in characters, bytes or items. Undefined if nothing is known about it. */
  readonly size?: Range | undefined;
}

/** Estimates a call. */
export type CallEstimator = (args: readonly EstimatedArgument[]) => CallEstimate;

/** The cost of one call of a function, apart from that of its arguments. */
export interface CallCost {
  /** The cost of a call that was made. */
  readonly actual: (args: readonly Value[], result: Value) => number;
  readonly estimate: CallEstimator;
}

/** The cost of most functions. */
export const UNIT_ESTIMATE: CallEstimate = { cost: ONE_RANGE };
