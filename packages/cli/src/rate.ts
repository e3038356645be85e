/** Seconds looked back on: long enough to be readable, short enough to be now. */
const WINDOW = 10;

/** Events per second over the last ten seconds. `now` is the steady clock. */
export class Rate {
  readonly #counts: number[] = Array.from({ length: WINDOW }, () => 0);
  #second = 0;
  #startedAt: number | undefined;

  count(now: number, events = 1): void {
    this.#moveTo(now);
    const slot = this.#second % WINDOW;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + events;
  }

  perSecond(now: number): number {
    this.#moveTo(now);
    const lived = Math.min(WINDOW, Math.max(1, (now - (this.#startedAt ?? now)) / 1_000));
    return this.#counts.reduce((sum, count) => sum + count, 0) / lived;
  }

  #moveTo(now: number): void {
    this.#startedAt ??= now;
    const second = Math.floor(now / 1_000);
    const passed = Math.min(WINDOW, second - this.#second);
    for (let i = 1; i <= passed; i += 1) this.#counts[(second - passed + i) % WINDOW] = 0;
    if (second > this.#second) this.#second = second;
  }
}
