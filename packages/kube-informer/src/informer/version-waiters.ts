import { Latch } from '../core/async/latch.ts';
import { readOptionsNameVersion } from './read-options.ts';
import { type SyncedOptions, untilSynced, type WaitContext } from './until-synced.ts';

interface VersionWaiter {
  readonly version: string;
  readonly reached: () => void;
}

/** The pending `waitForVersion` calls of one informer. */
export class VersionWaiters {
  readonly #waiters = new Set<VersionWaiter>();

  get size(): number {
    return this.#waiters.size;
  }

  /** Calls `reached` once, when the cache is at `version` or a newer one. The returned function cancels it. */
  add(version: string, reached: () => void): () => void {
    const waiter = { version, reached };
    this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** Resolves when the cache is at `version` or a newer one. `informer` is the informer's name. */
  async wait(version: string, informer: string, options: SyncedOptions, context: WaitContext): Promise<void> {
    const reached = new Latch();
    const cancel = this.add(version, () => reached.open());
    try {
      await untilSynced(reached, `${informer} at version ${version}`, options, context);
    } finally {
      cancel();
    }
  }

  advancedTo(current: string): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) {
      if (!readOptionsNameVersion(current, waiter.version)) continue;
      this.#waiters.delete(waiter);
      waiter.reached();
    }
  }
}
