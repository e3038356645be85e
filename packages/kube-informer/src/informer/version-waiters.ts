import { hasReached } from './informer-state.ts';

interface Waiter {
  readonly version: string;
  readonly reached: () => void;
}

/** Those who wait until the cache has seen a version: their own write, say. */
export class VersionWaiters {
  readonly #waiters = new Set<Waiter>();

  get size(): number {
    return this.#waiters.size;
  }

  add(version: string, reached: () => void): () => void {
    const waiter = { version, reached };
    this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  advancedTo(current: string): void {
    for (const waiter of this.#waiters) {
      if (!hasReached(current, waiter.version)) continue;
      this.#waiters.delete(waiter);
      waiter.reached();
    }
  }
}
