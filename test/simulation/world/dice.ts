import { seededRandom } from 'kube-informer/testing';

/**
 * Every decision of a run, drawn from its seed.
 *
 * Each part of the world has its own dice (`fork`), so that one part drawing more
 * often does not change what another part does.
 */
export class Dice {
  readonly #seed: number;
  readonly #next: () => number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#next = seededRandom(seed);
  }

  fork(label: number): Dice {
    return new Dice(Math.imul(this.#seed + 1, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b));
  }

  /** A random number in [0, 1). */
  unit(): number {
    return this.#next();
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  between(min: number, max: number): number {
    return min + (max - min) * this.#next();
  }

  /** A whole number, both ends included. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1));
  }

  /** Spread evenly over orders of magnitude: small values are as likely as large ones. */
  magnitude(min: number, max: number): number {
    return min * (max / min) ** this.#next();
  }

  /** Time until the next event of something that happens every `mean` on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.#next());
  }

  pick<V>(values: readonly V[]): V {
    return values[Math.floor(this.#next() * values.length)] as V;
  }
}
