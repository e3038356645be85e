/** Seconds looked back on. */
const WINDOW = 60;
/** Of these, the ones a rate is made of: long enough to be readable, short enough to be now. */
const RECENT = 10;

/** How many events there were in each of the last seconds. `now` is the steady clock. */
export class Samples {
  readonly #counts: number[] = Array.from({ length: WINDOW }, () => 0);
  #second: number;
  readonly #startedAt: number;

  constructor(now: number) {
    this.#startedAt = now;
    this.#second = Math.floor(now / 1_000);
  }

  count(now: number): void {
    this.#moveTo(now);
    const slot = this.#second % WINDOW;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  /** Oldest first; the last one is the second that goes on. */
  list(now: number): readonly number[] {
    this.#moveTo(now);
    return Array.from({ length: WINDOW }, (_, index) => this.#counts[(this.#second + 1 + index) % WINDOW] ?? 0);
  }

  perSecond(now: number): number {
    const lived = Math.min(RECENT, Math.max(1, (now - this.#startedAt) / 1_000));
    return (
      this.list(now)
        .slice(-RECENT)
        .reduce((sum, count) => sum + count, 0) / lived
    );
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(WINDOW, second - this.#second);
    for (let i = 1; i <= passed; i += 1) this.#counts[(second - passed + i) % WINDOW] = 0;
    if (second > this.#second) this.#second = second;
  }
}
