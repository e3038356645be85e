import { KubeError } from 'kube-informer/core';
import type { WatchInfo } from '../http/served-watches.ts';

/** A number of open watches to wait for. */
export interface OpenWatches {
  readonly watches: number;
  readonly resource?: string;
  readonly namespace?: string;
}

/** A condition to wait for: open watches, or any function. */
export type Awaited = OpenWatches | (() => boolean);

export function hasWaiterWatches({ watches, resource, namespace }: OpenWatches, open: readonly WatchInfo[]): boolean {
  const matches = (watch: WatchInfo): boolean =>
    (resource === undefined || watch.resource === resource) &&
    (namespace === undefined || watch.namespace === namespace);
  return open.filter(matches).length >= watches;
}

interface Waiter {
  readonly isSo: () => boolean;
  readonly done: () => void;
  readonly fail: (error: KubeError) => void;
}

/** Promises for conditions. `look` checks them after a change; after `close` none resolves. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();
  #isClosed = false;

  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(waiterTooLate());
    return new Promise((done, fail) => void this.#waiting.add({ isSo, done, fail }));
  }

  /** Rejects the pending promises; otherwise they would never settle. */
  close(): void {
    this.#isClosed = true;
    for (const { fail } of this.#waiting) fail(waiterTooLate());
    this.#waiting.clear();
  }

  look(): void {
    for (const waiter of this.#waiting) {
      if (!waiter.isSo()) continue;
      this.#waiting.delete(waiter);
      waiter.done();
    }
  }
}

const waiterTooLate = (): KubeError =>
  new KubeError('ILLEGAL_STATE', 'the server was closed before the awaited condition was met');
