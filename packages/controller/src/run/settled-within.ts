import type { Env } from 'kube-informer/core';

/** Resolves when `signal` aborts. */
export function settledByAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Resolves when `work` has settled, after `ms`, or when `signal` aborts. */
export async function settledWithin(work: Promise<unknown>, ms: number, env: Env, signal?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  signal?.addEventListener('abort', end, { once: true });
  void work.then(end, end);
  if (signal?.aborted !== true) await env.sleep(ms, over.signal);
  signal?.removeEventListener('abort', end);
}
