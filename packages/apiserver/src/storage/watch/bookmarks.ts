import type { Env } from 'kube-informer/core';

export interface BookmarkOptions {
  /** Time between two bookmarks of a watch. @default 60_000 */
  readonly everyMs?: number;
  /** Interval of the check for watches that are due. @default 1_000 */
  readonly tickMs?: number;
  /** Time before the end of a watch at which a last bookmark is sent. @default 2_000 */
  readonly beforeEndMs?: number;
}

/** A watch in the form that the timer of bookmarks uses. */
export interface Bookmarked {
  readonly signal: AbortSignal;
  bookmark(revision: number): void;
}

interface Entry {
  readonly watcher: Bookmarked;
  /** The version above which a bookmark is useful. */
  readonly from: number;
  /** End of the watch, on the clock of `env.now`; Infinity if it never ends. */
  readonly endsAt: number;
  dueAt: number;
}

/**
 * Sends watchers the store's revision at intervals, so that they can resume from there.
 *
 * One timer serves all of them; it is off while no watch requests bookmarks.
 */
export class Bookmarks {
  readonly #env: Env;
  readonly #revision: () => number;
  readonly #everyMs: number;
  readonly #tickMs: number;
  readonly #beforeEndMs: number;
  readonly #entries = new Set<Entry>();
  #running: AbortController | undefined;

  constructor(env: Env, revision: () => number, options: BookmarkOptions = {}) {
    const { everyMs = 60_000, tickMs = 1_000, beforeEndMs = 2_000 } = options;
    this.#env = env;
    this.#revision = revision;
    this.#everyMs = everyMs;
    this.#tickMs = tickMs;
    this.#beforeEndMs = beforeEndMs;
  }

  /**
   * Adds a watch. `isDue`: the first bookmark is sent with the next tick, as a real server does after the end
   * marker of a streamed list.
   */
  add(watcher: Bookmarked, from: number, lifetimeMs: number, isDue = false): void {
    const entry: Entry = { watcher, from, endsAt: this.#env.now() + lifetimeMs, dueAt: this.#env.now() };
    if (!isDue) entry.dueAt = this.#nextDue(entry);
    this.#entries.add(entry);
    watcher.signal.addEventListener('abort', () => this.#remove(entry), { once: true });
    if (this.#running === undefined) void this.#run((this.#running = new AbortController()));
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry);
    if (this.#entries.size > 0) return;
    this.#running?.abort();
    this.#running = undefined;
  }

  async #run({ signal }: AbortController): Promise<void> {
    for (;;) {
      await this.#env.sleep(this.#tickMs, signal);
      if (signal.aborted) return;
      const now = this.#env.now();
      const revision = this.#revision();
      for (const entry of this.#entries) {
        if (now < entry.dueAt) continue;
        entry.dueAt = this.#nextDue(entry);
        if (revision > entry.from) entry.watcher.bookmark(revision);
      }
    }
  }

  #nextDue({ endsAt }: Entry): number {
    const now = this.#env.now();
    const last = endsAt - this.#beforeEndMs;
    return last > now ? Math.min(last, now + this.#everyMs) : now + this.#everyMs;
  }
}
