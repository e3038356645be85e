import { requireOption } from '../../core/errors.ts';
import { type KnownOptions, requireKnown } from '../../core/known-options.ts';
import type { BacklogPolicy } from './processor-listener.ts';

export interface HandlerOptions {
  /** Period of resync events for this handler; 0 for none. @default the informer's `resyncMs` */
  readonly resyncMs?: number;
  /** What to do when the handler is slower than its events. @default 'coalesce' */
  readonly policy?: BacklogPolicy;
  /** Number of waiting events from which the policy applies. @default 1024 */
  readonly limit?: number;
  /** False for later changes only, without initial adds for the objects already in the cache. @default true */
  readonly initial?: boolean;
  /** Pause after a callback that failed. @default 1000 */
  readonly errorPauseMs?: number;
  /** Name in log lines and health. @default the handler's class or function names */
  readonly name?: string;
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

/** Throws INVALID_OPTION for a handler that would never be called, and for options that are out of range. */
export function checkHandlerOptions(handler: unknown, options: HandlerOptions): void {
  requireOption(
    typeof handler === 'object' && handler !== null,
    'handler',
    'an object with callbacks, such as { add: fn, update: fn, delete: fn }',
    handler,
  );
  requireKnown('on', options, HANDLER_OPTIONS);
  const { limit = 1, policy = 'coalesce', errorPauseMs = 0 } = options;
  const callbacks = CALLBACKS.map((name) => (handler as Partial<Record<string, unknown>>)[name]);
  const areFunctions = callbacks.every((one) => one === undefined || typeof one === 'function');
  requireOption(areFunctions, 'handler', 'functions as add, update, delete and overflow', handler);
  // An empty handler is allowed; one with other names only is a mistake.
  const isMistaken = callbacks.every((one) => one === undefined) && Object.keys(handler as object).length > 0;
  requireOption(!isMistaken, 'handler', 'add, update, delete or overflow', Object.keys(handler as object).join(', '));
  requireOption(limit >= 1, 'limit', 'at least 1', limit);
  requireOption(errorPauseMs >= 0, 'errorPauseMs', 'a number of milliseconds >= 0', errorPauseMs);
  requireOption(POLICIES.has(policy), 'policy', '"coalesce", "block" or "detach"', policy);
}
