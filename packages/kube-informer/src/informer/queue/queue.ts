import type { UserCode } from '../../core/guarded.ts';
import type { Env } from '../../core/env.ts';
import type { KeyFn } from '../../core/object/key.ts';
import type { Latch } from '../../core/async/latch.ts';
import type { Gauge } from '../../core/metrics.ts';
import type { DeletedFinalStateUnknown, Deltas } from './delta.ts';
import type { TransformFn } from './transform.ts';

/** The origin of a replace. */
export interface ReplaceInfo {
  /** Whether the server's storage went back in time: then the list is applied although it is older than the cache. */
  readonly newEpoch?: boolean;
}

/** The target of a Reflector: a queue, or the user's own store. */
export interface Sink<T> {
  /**
   * Whether the sink handles `unreadableCause`: it keeps the old state of an object that could not be
   * decoded. Other sinks never get such an object: an event with one is logged and skipped, a list with one
   * fails.
   */
  readonly keepsUnreadable?: boolean;
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /**
   * Called for a DELETED event that is older than what was received before: a replay, or a server that sends the last
   * version of the object instead of the version of the delete. Deletes the object only if exactly this state is held.
   */
  deleteIfHeld?(object: T): void;
  replace(items: readonly T[], resourceVersion: string, info?: ReplaceInfo): void | Promise<void>;
  resync?(): void;
  /** Called when all changes up to this version have been delivered. */
  bookmark?(resourceVersion: string): void;
  /** Called after each accepted event, bookmarks included. */
  updateResourceVersion?(resourceVersion: string): void;
  /**
   * Returns the object the sink holds if it is deeply equal to `object`, otherwise `object`. A streaming list then keeps
   * no second copy of unchanged objects.
   */
  recall?(object: T): T;
  /** When the sink is full, returns a promise that settles when there is room again. */
  room?(): Promise<void> | undefined;
}

/**
 * Applies one entry of the queue. `initial` is true until the first list has been applied.
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
  /** Like `pop`, but returns false when no entry is waiting. Returns a promise for an entry that is applied in slices. */
  popNow?(process: ProcessFn<T>): boolean | Promise<void>;
  /** Like `pop`, with up to `BATCH_SIZE` entries of different objects at once. */
  popBatch?(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void>;
  close(): void;
  readonly pending: number;
  readonly hasSynced: boolean;
  /** Opens when the first complete list has been applied. */
  readonly synced: Latch;
}

export interface QueueOptions<T> {
  readonly key: UserCode<KeyFn<T>>;
  readonly env: UserCode<Env>;
  readonly transform?: UserCode<TransformFn<T>>;
  /** Number of entries from which `room` makes the producer wait. @default 2000 */
  readonly pendingLimit?: number;
  readonly queuedItems?: Gauge;
  /** Name in log lines. */
  readonly name?: string;
}
