import {
  type Env,
  errorMessageOf,
  guardedEnv,
  guardedPromise,
  linkedAbort,
  systemEnv,
  untilAborted,
  type UserCode,
} from 'kube-informer/core';

export interface CaughtUpOptions {
  /** Resolves when the cache of `resource` has reached `version`. */
  readonly reached: UserCode<(resource: string, version: string, signal: AbortSignal) => Promise<void> | void>;
  /** Maximum time for all resources. @default 10_000 */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly env?: UserCode<Env>;
}

/**
 * Waits until caches have what earlier leaders wrote, and returns the resources that were too late.
 *
 * A resource that fails or is too late does not prevent the start: its version may be from before a restored backup, and a
 * reconcile that sees an older state is corrected by the next event.
 */
export async function untilCaughtUp(
  written: ReadonlyMap<string, string>,
  options: CaughtUpOptions,
): Promise<readonly string[]> {
  if (written.size === 0) return [];
  const { timeoutMs = 10_000, signal = new AbortController().signal } = options;
  const env = guardedEnv(options.env ?? systemEnv);
  const reached = guardedPromise(options.reached);
  const end = linkedAbort(signal);
  void env.sleep(timeoutMs, end.signal).then(() => end.abort());
  try {
    const late = await Promise.all(
      [...written].map(async ([resource, version]) => {
        try {
          await untilAborted(reached(resource, version, end.signal), end.signal, `waiting for ${resource}`);
          return [];
        } catch (error) {
          env.log('warn', 'a cache does not have what the last leader wrote; starting without it', {
            resource,
            version,
            error: errorMessageOf(error),
          });
          return [resource];
        }
      }),
    );
    return late.flat();
  } finally {
    end.abort();
  }
}
