import { NOT_NEEDED } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';

/** Calls `onTimeout` after `ms`, unless the returned function is called first. */
export function startTimeout(env: Env, ms: number, onTimeout: () => void): () => void {
  const stop = new AbortController();
  void env.sleep(ms, stop.signal).then(() => {
    if (!stop.signal.aborted) onTimeout();
  });
  return () => stop.abort(NOT_NEEDED);
}
