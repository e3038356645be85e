import { DeltaFifo, type DeltaFifoOptions } from './delta-fifo.ts';
import type { Key } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { findOlderInList } from './older-in-list.ts';
import type { ReplaceInfo } from './queue.ts';

export interface VersionedDeltaFifoOptions<T> extends DeltaFifoOptions<T> {
  readonly access: ObjectAccess<T>;
  /** The state of a key that can be believed to be the newest applied one. */
  readonly applied: (key: Key) => T | undefined;
  /** How far the consumer has come, after every applied entry and every version handed on. */
  readonly onVersion: (resourceVersion: string) => void;
  /** A replace from another epoch has been applied whole. */
  readonly onEpochReset: () => void;
}

/**
 * A DeltaFifo that knows how far its consumer has come.
 *
 * Grouped by object, changes are applied out of order, and bookmarks leave no entry: only when the queue is
 * empty has everything up to the last version been applied. Until then the consumer stands where it stood.
 */
export class VersionedDeltaFifo<T> extends DeltaFifo<T> {
  readonly #options: VersionedDeltaFifoOptions<T>;
  readonly #onVersion: (resourceVersion: string) => void;
  readonly #onEpochReset: () => void;
  #handedOn = '';
  #reached = '';
  #newEpoch = false;

  constructor(options: VersionedDeltaFifoOptions<T>) {
    super(options);
    this.#options = options;
    this.#onVersion = options.onVersion;
    this.#onEpochReset = options.onEpochReset;
  }

  override replace(items: readonly T[], resourceVersion: string, info: ReplaceInfo = {}): void {
    // Judged by what has been applied; what waits in the queue is judged when the next list comes.
    const newEpoch = info.newEpoch === true || this.#isContradicted(items);
    super.replace(items, resourceVersion, { ...info, newEpoch });
    this.#newEpoch ||= newEpoch;
    this.updateResourceVersion(resourceVersion);
  }

  #isContradicted(items: readonly T[]): boolean {
    const { key, applied, access } = this.#options;
    return findOlderInList(items.map(key), items, applied, access) !== undefined;
  }

  updateResourceVersion(resourceVersion: string): void {
    this.#handedOn = resourceVersion;
    this.look();
  }

  /** To be called after each applied entry. */
  look(): void {
    const isThrough = this.pending === 0;
    if (isThrough) this.#reached = this.#handedOn;
    this.#onVersion(this.#reached);
    if (!isThrough || !this.#newEpoch) return;
    this.#newEpoch = false;
    this.#onEpochReset();
  }
}
