interface Waiter {
  readonly isSo: () => boolean;
  readonly done: () => void;
}

/** Promises for things that become true. Whoever changes something calls `look`. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    return new Promise((done) => void this.#waiting.add({ isSo, done }));
  }

  look(): void {
    for (const waiter of this.#waiting) {
      if (!waiter.isSo()) continue;
      this.#waiting.delete(waiter);
      waiter.done();
    }
  }
}
