import type { UserCode } from '../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../core/env.ts';
import { abortError, requireOption } from '../core/errors.ts';
import { isConflict } from '../core/status.ts';
import { isApplyConflict } from './apply-conflict.ts';

export interface RetryOnConflictOptions {
  /** Maximum number of attempts, including the first. @default 5 */
  readonly attempts?: number;
  /** Pause before the second attempt. @default 10 */
  readonly pauseMs?: number;
  /** Multiplies the pause after each attempt. 4 attempts with factor 5 suit an object that a busy controller also writes. @default 1 */
  readonly factor?: number;
  readonly signal?: AbortSignal;
  readonly env?: UserCode<Env>;
}

/** Maximum share added to each pause, so that two writers that collided do not collide again. */
const JITTER = 0.1;

/**
 * Runs `change` again after a resource version conflict. Read the object inside `change`: a conflict means that the
 * version you had is no longer the newest.
 *
 * A server-side apply conflict (another manager owns the field) is not retried: it rejects at once.
 */
export async function retryOnConflict<R>(
  change: (attempt: number) => Promise<R>,
  options: RetryOnConflictOptions = {},
): Promise<R> {
  const { attempts = 5, pauseMs = 10, factor = 1, signal } = options;
  const env = guardedEnv(options.env ?? systemEnv);
  requireOption(Number.isSafeInteger(attempts) && attempts >= 1, 'attempts', 'a whole number >= 1', attempts);
  requireOption(pauseMs >= 0, 'pauseMs', 'a number >= 0', pauseMs);
  requireOption(factor >= 1, 'factor', 'a number >= 1', factor);
  for (let attempt = 1, ms = pauseMs; ; attempt += 1, ms *= factor) {
    if (signal?.aborted === true) throw abortError(signal, 'retrying after a conflict');
    try {
      return await change(attempt);
    } catch (error) {
      if (!isConflict(error) || isApplyConflict(error) || attempt >= attempts) throw error;
      await env.sleep(ms * (1 + env.random() * JITTER), signal);
    }
  }
}
