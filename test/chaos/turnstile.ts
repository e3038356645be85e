/** A lock that many may share, or one may have alone. A waiting exclusive owner keeps newcomers out, so that its turn comes. */
export class Turnstile {
  #inside = 0;
  #lone: Promise<void> | undefined;
  #empty: (() => void) | undefined;

  async together(work: () => Promise<void>): Promise<void> {
    while (this.#lone !== undefined) await this.#lone;
    this.#inside += 1;
    try {
      await work();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#empty?.();
    }
  }

  async alone(work: () => Promise<void>): Promise<void> {
    while (this.#lone !== undefined) await this.#lone;
    let leave = (): void => {};
    this.#lone = new Promise((resolve) => (leave = resolve));
    try {
      if (this.#inside > 0) await new Promise<void>((resolve) => (this.#empty = resolve));
      await work();
    } finally {
      this.#lone = undefined;
      leave();
    }
  }
}
