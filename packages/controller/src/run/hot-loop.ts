/** Maximum number of runs within the window at one generation; more are a hot loop. */
const MAX_RUNS = 20;
const WINDOW_MS = 10_000;
const MIN_SPACING_MS = 1_000;
const MAX_SPACING_MS = 30_000;
/** Time without an attempt to run after which a key is no longer in a loop. */
const QUIET_MS = 60_000;
/**
 * Maximum number of paths that are counted. A loop changes few paths; a user can change different ones in
 * every update.
 */
const MAX_PATHS = 64;

/**
 * Finds a key whose runs cause each other, and spaces its runs: 1 s, doubling to 30 s, until 60 s pass without one.
 *
 * A new generation is a new spec and starts over, unless the run made it itself.
 */
export class HotLoop {
  #generation: number | undefined;
  #times: number[] = [];
  #spacingMs = 0;
  #lastAt = 0;
  /** Number of changes of each path since runs began to follow each other fast. */
  readonly #paths = new Map<string, number>();

  get isHot(): boolean {
    return this.#spacingMs > 0;
  }

  /** Whether runs follow each other fast, so that it is worth knowing what changes. */
  get isWarm(): boolean {
    return this.isHot || this.#times.length > MAX_RUNS / 2;
  }

  /** Earliest time of the next run. */
  get notBefore(): number {
    return this.#spacingMs === 0 ? 0 : this.#lastAt + this.#spacingMs;
  }

  /** The path that changed most often. */
  get path(): string | undefined {
    return [...this.#paths].toSorted(([, a], [, b]) => b - a)[0]?.[0];
  }

  /** Records paths that an update changed. */
  changed(paths: readonly string[]): void {
    for (const path of paths) {
      const count = this.#paths.get(path) ?? 0;
      if (count > 0 || this.#paths.size < MAX_PATHS) this.#paths.set(path, count + 1);
    }
  }

  /** Records that a run changed the spec of its own object: that is part of the loop, not a new spec. */
  wrote(generation: number): void {
    this.#generation = generation;
  }

  /** Records that a run begins. Returns true when this run reveals the loop. */
  ran(now: number, generation: number | undefined): boolean {
    const isOver = this.isHot && now - this.#lastAt >= this.#spacingMs + QUIET_MS;
    if (generation !== this.#generation || isOver) this.#reset();
    this.#generation = generation;
    this.#lastAt = now;
    this.#times.push(now);
    while ((this.#times[0] ?? now) < now - WINDOW_MS) this.#times.shift();
    if (this.#times.length <= 1) this.#paths.clear();
    if (this.isHot) {
      this.#spacingMs = Math.min(this.#spacingMs * 2, MAX_SPACING_MS);
      return false;
    }
    if (this.#times.length <= MAX_RUNS) return false;
    this.#spacingMs = MIN_SPACING_MS;
    return true;
  }

  #reset(): void {
    this.#times = [];
    this.#spacingMs = 0;
    this.#paths.clear();
  }
}
