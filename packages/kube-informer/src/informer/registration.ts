import { Latch } from '../core/async/latch.ts';
import { guardedCallback, type UserCode } from '../core/guarded.ts';
import type { Listener } from './handlers/processor-listener.ts';
import type { Processor } from './handlers/processor.ts';
import { untilHandlersStop } from './handlers/stop-handlers.ts';
import type { SyncChecker } from './handlers/wait-for-sync.ts';
import { type SyncedOptions, untilSynced, type WaitContext } from './until-synced.ts';

/** A handler that was added to an informer, as `on` returns it. */
export interface Registration extends SyncChecker, AsyncDisposable {
  readonly name: string;
  /** Number of events accepted and not yet handled. */
  readonly pending: number;
  /** Whether the callbacks for all initial objects have finished. */
  readonly hasSynced: boolean;
  /** Calls `callback` when `hasSynced` turns true, at once if it is. The returned function removes the callback. */
  onSynced(callback: UserCode<() => unknown>): () => void;
  /** Resolves when `hasSynced` turns true. Rejects SYNC_FAILED with the reason, or ABORTED. */
  synced(options?: SyncedOptions): Promise<void>;
  /** Removes the handler: no callback starts after this; a running one may finish. Idempotent, also after a stop. */
  remove(): void;
  /**
   * Removes the handler and waits for the running callback, at most `stopGraceMs` of the informer. Must not be awaited
   * inside that callback.
   */
  shutdown(): Promise<void>;
}

/**
 * Creates the registration of `listener`. `informer` is the name, the stop grace and the wait context of its
 * informer.
 */
export function createRegistration<T>(
  processor: Processor<T>,
  listener: Listener<T>,
  informer: WaitContext & { readonly name: string; readonly graceMs: number },
): Registration {
  const name = `${informer.name} + event handler ${listener.name}`;
  const { tracker } = listener;
  const removed = new Latch();
  const remove = (): void => {
    processor.remove(listener);
    removed.open();
  };
  const shutdown = (): Promise<void> => {
    remove();
    return untilHandlersStop(listener.idle(), { env: informer.env, name, graceMs: informer.graceMs });
  };
  const context: WaitContext = {
    ...informer,
    ended: [...informer.ended, removed],
    missing: () => (tracker.waiting > 0 ? 'its callbacks have not finished yet' : informer.missing()),
  };
  return {
    name,
    get pending() {
      return listener.pending;
    },
    get hasSynced() {
      return tracker.hasSynced;
    },
    onSynced: (callback) => tracker.synced.onOpen(guardedCallback(informer.env, 'onSynced', callback)),
    synced: (options = {}) => untilSynced(tracker.synced, name, options, context),
    remove,
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  };
}
