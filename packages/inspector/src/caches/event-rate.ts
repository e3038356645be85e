/** Seconds of history kept. */
const WINDOW = 60;
/** Seconds a rate is averaged over: long enough to be readable, short enough to be current. */
const RECENT = 10;

/** Counts events per second over the last minute. `now` is the monotonic clock. */
export class EventRate {
  readonly #counts: number[] = Array.from({ length: WINDOW }, () => 0);
  #startedAt: number | undefined;
  #second = -Infinity;

  /** `startedAt` is the time at which counting starts. @default the time of the first event */
  constructor(startedAt?: number) {
    this.#startedAt = startedAt;
  }

  count(now: number): void {
    this.#startedAt ??= now;
    this.#moveTo(now);
    const slot = this.#second % WINDOW;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  /** Events in each of the last 60 seconds, oldest first; the last one is the current, incomplete second. */
  samples(now: number): readonly number[] {
    this.#moveTo(now);
    return Array.from({ length: WINDOW }, (_, index) => this.#counts[(this.#second + 1 + index) % WINDOW] ?? 0);
  }

  /** Average of the last ten seconds. */
  perSecond(now: number): number {
    const recent = this.samples(now).slice(-RECENT);
    const seconds = Math.min(RECENT, Math.max(1, (now - (this.#startedAt ?? now)) / 1_000));
    return recent.reduce((sum, count) => sum + count, 0) / seconds;
  }

  #moveTo(now: number): void {
    const second = Math.floor(now / 1_000);
    const passed = Math.min(WINDOW, second - this.#second);
    for (let i = 1; i <= passed; i += 1) this.#counts[(second - passed + i) % WINDOW] = 0;
    if (second > this.#second) this.#second = second;
  }
}
