import type { ClusterCache } from 'kube-informer';

type Informer = ClusterCache['informer'];

interface Count {
  restarts: number;
  /** Wall clock of the newest watch that was looked at. */
  watchedAt: number;
}

/** Counts how often watches broke and were opened again. An informer's timeline forgets; a count must not. */
export class Restarts {
  readonly #counts = new WeakMap<Informer, Count>();

  /** Ask now and then: what has left the timeline between two questions is not counted. */
  of(informer: Informer): number {
    const known = this.#counts.get(informer) ?? { restarts: 0, watchedAt: -Infinity };
    this.#counts.set(informer, known);
    let isBroken = false;
    for (const { kind, startedAt, endedAt, failed } of informer.timeline) {
      if (kind !== 'watch') continue;
      if (startedAt > known.watchedAt) {
        known.watchedAt = startedAt;
        if (isBroken) known.restarts += 1;
      }
      // One whose time is over, several times an hour, is no trouble.
      if (endedAt !== undefined) isBroken = failed;
    }
    return known.restarts;
  }
}
