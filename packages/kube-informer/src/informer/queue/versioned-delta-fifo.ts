import { DeltaFifo, type DeltaFifoOptions } from './delta-fifo.ts';
import { guardedKey, type Key, type KeyFn } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { unreadableCause } from '../../core/object/unreadable.ts';
import { findOlderInList, withoutOlderTwins } from './older-in-list.ts';
import type { ReplaceInfo } from './queue.ts';

export interface VersionedDeltaFifoOptions<T> extends DeltaFifoOptions<T> {
  readonly access: ObjectAccess<T>;
  /** The newest applied state of a key; undefined when it may be from another epoch. */
  readonly applied: (key: Key) => T | undefined;
  /** Whether an object was deleted, and this is a state from before its delete. */
  readonly wasDeleted: (key: Key, object: T) => boolean;
  /** Called with the version of the cache, after each applied entry and each received version. */
  readonly onVersion: (resourceVersion: string) => void;
  /** Called when a replace from another epoch has been applied completely. */
  readonly onEpochReset: () => void;
}

/**
 * A DeltaFifo that tracks the version of the cache.
 *
 * Grouped by object, changes are applied out of order, and bookmarks are not queued: only when the queue is
 * empty has everything up to the last version been applied. Until then the version of the cache does not move.
 */
export class VersionedDeltaFifo<T> extends DeltaFifo<T> {
  readonly #options: VersionedDeltaFifoOptions<T>;
  readonly #keyOf: KeyFn<T>;
  readonly #onVersion: (resourceVersion: string) => void;
  readonly #onEpochReset: () => void;
  #received = '';
  #reached = '';
  #newEpoch = false;

  constructor(options: VersionedDeltaFifoOptions<T>) {
    super(options);
    this.#options = options;
    this.#keyOf = guardedKey(options.key);
    this.#onVersion = options.onVersion;
    this.#onEpochReset = options.onEpochReset;
  }

  override replace(items: readonly T[], resourceVersion: string, info: ReplaceInfo = {}): void {
    // Compared with the applied state only; queued changes are compared at the next list.
    const newEpoch = info.newEpoch === true || this.#isContradicted(items);
    super.replace(newEpoch ? this.#withoutTwins(items) : items, resourceVersion, { ...info, newEpoch });
    this.#newEpoch ||= newEpoch;
    this.updateResourceVersion(resourceVersion);
  }

  /**
   * The items without older duplicates: in a new epoch older states are accepted, so only the newer of two
   * may be queued.
   */
  #withoutTwins(items: readonly T[]): T[] {
    const unreadable = items.filter((item) => unreadableCause(item) !== undefined);
    const readable = items.filter((item) => unreadableCause(item) === undefined);
    return [...withoutOlderTwins(readable, this.#keyOf, this.#options.access), ...unreadable];
  }

  #isContradicted(items: readonly T[]): boolean {
    const { applied, access, wasDeleted } = this.#options;
    const readable = items.filter((item) => unreadableCause(item) === undefined);
    const keys = readable.map((item) => this.#keyOf(item));
    if (findOlderInList(keys, readable, applied, access) !== undefined) return true;
    return readable.some((item, at) => applied(keys[at] as Key) === undefined && wasDeleted(keys[at] as Key, item));
  }

  updateResourceVersion(resourceVersion: string): void {
    this.#received = resourceVersion;
    this.updateProgress();
  }

  /** Must be called after each applied entry. */
  updateProgress(): void {
    const isDrained = this.pending === 0;
    if (isDrained) this.#reached = this.#received;
    this.#onVersion(this.#reached);
    if (!isDrained || !this.#newEpoch) return;
    this.#newEpoch = false;
    this.#onEpochReset();
  }
}
