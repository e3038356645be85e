import type { Env } from '../../core/env.ts';
import type { KeyFn } from '../../core/object/key.ts';
import type { Latch } from '../../core/async/latch.ts';
import type { Gauge } from '../../core/metrics.ts';
import type { DeletedFinalStateUnknown, Deltas } from './delta.ts';
import type { TransformFn } from './transform.ts';

/** Says where a replace came from. */
export interface ReplaceInfo {
  /** The server's storage went back in time; what it says is older than the cache and still the truth. */
  readonly newEpoch?: boolean;
}

/** Where a Reflector puts what it learns: a queue, or a store of the user's own. */
export interface Sink<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): void | Promise<void>;
  resync?(): void;
  /** Nothing changed up to here. */
  bookmark?(resourceVersion: string): void;
  /** Called after each accepted event, bookmarks included. */
  updateResourceVersion?(resourceVersion: string): void;
  /**
   * The object the sink holds, if it is the same to the last field; otherwise the one given. A streamed list then needs
   * no second copy of what has not changed.
   */
  recall?(object: T): T;
  /** When the sink is full: a promise that settles when there is room again. */
  room?(): Promise<void> | undefined;
}

/**
 * Applies one entry of the queue. `initial` is true while the first list is being worked off.
 * Synchronous except for a whole replacement, which may be applied in slices.
 */
export type ProcessFn<T> = (deltas: Deltas<T>, initial: boolean) => void | Promise<void>;

/** Changes waiting to be applied. One producer, one consumer. */
export interface Queue<T> extends Sink<T> {
  delete(object: T | DeletedFinalStateUnknown<T>): void;
  resync(): void;
  bookmark(resourceVersion: string): void;
  /** Waits for work, applies the oldest entry and removes it. Rejects QUEUE_CLOSED once closed and empty. */
  pop(process: ProcessFn<T>): Promise<void>;
  /** Like `pop`, with up to `BATCH_SIZE` entries of different objects at once where the queue can. */
  popBatch?(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
  close(): void;
  readonly pending: number;
  readonly hasSynced: boolean;
  /** Opens when the first complete list has been applied. */
  readonly synced: Latch;
}

export interface QueueOptions<T> {
  readonly key: KeyFn<T>;
  readonly env: Env;
  readonly transform?: TransformFn<T>;
  /** Entries after which the producer should wait. @default 2000 */
  readonly pendingLimit?: number;
  readonly queuedItems?: Gauge;
  /** Whose queue it is, in messages. */
  readonly name?: string;
}
