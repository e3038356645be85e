/** A sequence of numbers in [0, 1) that is the same for the same seed: a linear congruential generator, high bits only. */
export function randomSequence(seed: number): () => number {
  let state = BigInt(Math.trunc(seed)) & MASK;
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & MASK;
    return Number(state >> 32n) / 2 ** 32;
  };
}

const MASK = (1n << 64n) - 1n;
