/** Random numbers from a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }

  /** Some of `choices`, in any order. */
  some<T>(choices: readonly T[], probability = 0.5): T[] {
    const chosen = choices.filter(() => this.chance(probability)).map((choice): [number, T] => [this.next(), choice]);
    return chosen.toSorted(([a], [b]) => a - b).map(([, choice]) => choice);
  }

  /** An object with some of the fields. */
  fields(makers: Readonly<Record<string, () => unknown>>, probability = 0.4): Record<string, unknown> {
    const names = Object.keys(makers).filter(() => this.chance(probability));
    return Object.fromEntries(names.map((name) => [name, makers[name]?.()]));
  }
}
