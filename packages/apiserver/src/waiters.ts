import type { WatchInfo } from './watch/watches.ts';

/** So many watches that are open. */
export interface OpenWatches {
  readonly watches: number;
  readonly resource?: string;
  readonly namespace?: string;
}

/** What to wait for: open watches, or anything that can be asked. */
export type Awaited = OpenWatches | (() => boolean);

export function holds({ watches, resource, namespace }: OpenWatches, open: readonly WatchInfo[]): boolean {
  const matches = (watch: WatchInfo): boolean =>
    (resource === undefined || watch.resource === resource) &&
    (namespace === undefined || watch.namespace === namespace);
  return open.filter(matches).length >= watches;
}

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
