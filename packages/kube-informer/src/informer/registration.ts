import { requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import { Latch } from '../core/async/latch.ts';
import { guardedCallback } from '../core/async/guarded-callback.ts';
import { type SyncedOptions, untilSynced, type WaitContext } from './informer-state.ts';
import type { Listener } from './handlers/listener.ts';
import type { HandlerOptions, Processor } from './handlers/processor.ts';
import type { SyncChecker } from './handlers/sync.ts';

/** A handler's place in an informer. */
export interface Registration extends SyncChecker, AsyncDisposable {
  readonly name: string;
  /** Events accepted and not yet handled. */
  readonly pending: number;
  /** Whether this handler has been told of everything that was there at the start. */
  readonly hasSynced: boolean;
  /** Resolves when it has; rejects SYNC_FAILED with the reason, or ABORTED. */
  synced(options?: SyncedOptions): Promise<void>;
  /** No callback starts after this; a running one may finish. Idempotent, also after a stop. */
  remove(): void;
  /** Removes, and waits for the running callback. Not to be awaited inside that callback. */
  shutdown(): Promise<void>;
}

const CALLBACKS = ['add', 'update', 'delete', 'overflow'] as const;
const HANDLER_OPTIONS: KnownOptions<HandlerOptions> = {
  resyncMs: true,
  policy: true,
  limit: true,
  initial: true,
  errorPauseMs: true,
  name: true,
};
const POLICIES: ReadonlySet<unknown> = new Set(['coalesce', 'block', 'detach']);

/** Throws INVALID_OPTION for what would never be told anything, or would pile up without a bound. */
export function checkHandler(handler: unknown, options: HandlerOptions): void {
  requireKnown('on', options, HANDLER_OPTIONS);
  const { limit = 1, policy = 'coalesce', errorPauseMs = 0 } = options;
  requireOption(typeof handler === 'object' && handler !== null, 'handler', 'an object with callbacks', handler);
  const callbacks = CALLBACKS.map((name) => (handler as Partial<Record<string, unknown>>)[name]);
  const areFunctions = callbacks.every((one) => one === undefined || typeof one === 'function');
  requireOption(areFunctions, 'handler', 'functions only: add, update, delete, overflow', handler);
  // None at all is somebody's choice; other names and none of ours are a mistake.
  const isMistaken = callbacks.every((one) => one === undefined) && Object.keys(handler as object).length > 0;
  requireOption(!isMistaken, 'handler', 'add, update, delete or overflow', Object.keys(handler as object).join(', '));
  requireOption(limit >= 1, 'limit', 'at least 1', limit);
  requireOption(errorPauseMs >= 0, 'errorPauseMs', 'a number of milliseconds >= 0', errorPauseMs);
  requireOption(POLICIES.has(policy), 'policy', '"coalesce", "block" or "detach"', policy);
}

/** `informer` is the name and the surroundings of the informer the handler was given to. */
export function register<T>(
  processor: Processor<T>,
  listener: Listener<T>,
  informer: WaitContext & { readonly name: string },
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
    return listener.idle();
  };
  const around: WaitContext = {
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
    synced: (options = {}) => untilSynced(tracker.synced, name, options, around),
    remove,
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  };
}
