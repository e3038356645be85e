import type { Env } from '../core/env.ts';
import { requireOption } from '../core/errors.ts';
import type { Latch } from '../core/latch.ts';
import { guarded } from './guarded.ts';
import { type SyncedOptions, untilSynced } from './informer-state.ts';
import type { Listener } from './listener.ts';
import type { HandlerOptions, Processor } from './processor.ts';
import type { Trouble } from './reflector-context.ts';
import type { SyncChecker } from './sync.ts';

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

export interface RegistrationOwner {
  readonly name: string;
  readonly env: Env;
  readonly stopped: Latch;
  readonly trouble: () => Trouble | undefined;
}

const POLICIES: ReadonlySet<unknown> = new Set(['coalesce', 'block', 'detach']);

/** Throws INVALID_OPTION for what would never be told anything, or would pile up without a bound. */
export function checkHandler(handler: unknown, { limit = 1, policy = 'coalesce' }: HandlerOptions): void {
  requireOption(typeof handler === 'object' && handler !== null, 'handler', 'an object with callbacks', handler);
  requireOption(limit >= 1, 'limit', 'at least 1', limit);
  requireOption(POLICIES.has(policy), 'policy', '"coalesce", "block" or "detach"', policy);
}

export function register<T>(processor: Processor<T>, listener: Listener<T>, owner: RegistrationOwner): Registration {
  const name = `${owner.name} + event handler ${listener.name}`;
  const shutdown = (): Promise<void> => {
    processor.remove(listener);
    return listener.idle();
  };
  return {
    name,
    get pending() {
      return listener.pending;
    },
    get hasSynced() {
      return listener.tracker.hasSynced;
    },
    onSynced: (callback) => listener.tracker.synced.onOpen(guarded(owner.env, 'onSynced', callback)),
    synced: (options = {}) =>
      untilSynced(listener.tracker.synced, owner.stopped, owner.env, options, name, owner.trouble),
    remove: () => void processor.remove(listener),
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  };
}
