import type { ClusterCache } from 'kube-informer';
import type { Restart } from '../protocol/messages.ts';

type Informer = ClusterCache['informer'];

/** The number of times an informer's watch failed and was opened again. */
export interface Restarts {
  readonly count: number;
  /** Reason and time of the last failed watch's end. */
  readonly last: Restart | undefined;
}

interface Counted {
  count: number;
  last: Restart | undefined;
  /** Start of the newest watch counted so far, wall clock. */
  watchedAt: number;
}

/** Counts watches that were opened again after a failure. An informer's timeline is bounded; these counts are kept. */
export class RestartCounter {
  readonly #counted = new WeakMap<Informer, Counted>();

  /** Reads the timeline. Call it regularly: steps that leave the timeline between two calls are not counted. */
  of(informer: Informer): Restarts {
    const counted = this.#counted.get(informer) ?? { count: 0, last: undefined, watchedAt: -Infinity };
    this.#counted.set(informer, counted);
    let failure: Restart | undefined;
    for (const { kind, startedAt, endedAt, because = '', failed } of informer.timeline) {
      if (kind !== 'watch') continue;
      if (startedAt > counted.watchedAt) {
        counted.watchedAt = startedAt;
        if (failure !== undefined) {
          counted.count += 1;
          counted.last = failure;
        }
      }
      // A watch that ends at its timeout, several times an hour, is not a failure.
      if (endedAt !== undefined) failure = failed ? { because, at: endedAt } : undefined;
    }
    return counted;
  }
}
