/** The middle of some rounds, and how far they lie apart. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly rounds: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('no values: a spread needs at least one round');
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    min: sorted[0] as number,
    max: sorted.at(-1) as number,
    rounds: sorted.length,
  };
}

/** A quantile of sorted values, interpolated between neighbours. */
export function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] as number;
  const above = sorted[Math.ceil(at)] as number;
  return below + (above - below) * (at - Math.floor(at));
}

/**
 * The median of the ratios within each round. A busy machine is busy for both of a round, so this is steadier than the ratio of
 * two medians.
 */
export function ratioOf(values: readonly number[], references: readonly number[]): number {
  const rounds = Math.min(values.length, references.length);
  return spreadOf(Array.from({ length: rounds }, (_, i) => (values[i] as number) / (references[i] as number))).median;
}
