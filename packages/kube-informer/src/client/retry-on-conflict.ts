import { type Env, systemEnv } from '../core/env.ts';
import { abortError, requireOption } from '../core/errors.ts';
import { isConflict } from '../core/status.ts';
import { isApplyConflict } from './apply-conflict.ts';

export interface RetryOnConflictOptions {
  /** The first included. @default 5 */
  readonly attempts?: number;
  /** Before the second attempt. @default 10 */
  readonly pauseMs?: number;
  /** Each pause is so many times the one before. With 4 attempts, 5 suits a busy controller on the other side. @default 1 */
  readonly factor?: number;
  readonly signal?: AbortSignal;
  readonly env?: Env;
}

/** Added to each pause at most, so that two who collided do not meet again. */
const JITTER = 0.1;

/**
 * Runs `change` again when somebody else was quicker. Read the object inside it: a conflict means that the one
 * you had is no longer the newest.
 *
 * A field that another manager owns (server-side apply) is no such conflict: it is reported at once.
 */
export async function retryOnConflict<R>(
  change: (attempt: number) => Promise<R>,
  options: RetryOnConflictOptions = {},
): Promise<R> {
  const { attempts = 5, pauseMs = 10, factor = 1, signal, env = systemEnv } = options;
  requireOption(Number.isSafeInteger(attempts) && attempts >= 1, 'attempts', 'a whole number >= 1', attempts);
  requireOption(pauseMs >= 0, 'pauseMs', 'a number >= 0', pauseMs);
  requireOption(factor >= 1, 'factor', 'a number >= 1', factor);
  for (let attempt = 1, ms = pauseMs; ; attempt += 1, ms *= factor) {
    if (signal?.aborted === true) throw abortError(signal, 'a change that met a conflict');
    try {
      return await change(attempt);
    } catch (error) {
      if (!isConflict(error) || isApplyConflict(error) || attempt >= attempts) throw error;
      await env.sleep(ms * (1 + env.random() * JITTER), signal);
    }
  }
}
