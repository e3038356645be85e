import { requireKnown, requireOption, retryAfterOf } from 'kube-informer/core';

/** Delays between the retries of a key. `client-go`: its delays, up to 1000 s and without jitter. */
export type Retry = 'client-go' | RetryOptions;

export interface RetryOptions {
  /** Delay after the first failure; each further one doubles it. @default 5 */
  readonly initialMs?: number;
  /** @default 300_000 */
  readonly maxMs?: number;
  /** Random part that is added to delays of a second and more. @default 0.1 */
  readonly jitter?: number;
}

const DEFAULTS: Required<RetryOptions> = { initialMs: 5, maxMs: 300_000, jitter: 0.1 };
const CLIENT_GO: Required<RetryOptions> = { initialMs: 5, maxMs: 1_000_000, jitter: 0 };
/** Minimum delay that gets jitter. Shorter delays need none: they do not stay simultaneous for long. */
const MIN_JITTERED_MS = 1_000;

export function retryOptions(retry: Retry = {}): Required<RetryOptions> {
  if (retry === 'client-go') return CLIENT_GO;
  requireKnown('retry', retry, { initialMs: true, maxMs: true, jitter: true });
  const { initialMs = DEFAULTS.initialMs, maxMs = DEFAULTS.maxMs, jitter = DEFAULTS.jitter } = retry;
  requireOption(initialMs > 0, 'retry.initialMs', 'a number of milliseconds > 0', initialMs);
  requireOption(maxMs >= initialMs && maxMs < Infinity, 'retry.maxMs', 'a number, at least initialMs', maxMs);
  requireOption(jitter >= 0 && jitter < Infinity, 'retry.jitter', 'a number >= 0', jitter);
  return { initialMs, maxMs, jitter };
}

/** Delay after the `failures`th failure in a row, never shorter than the Retry-After of the error. */
export function retryDelayMs(
  { initialMs, maxMs, jitter }: Required<RetryOptions>,
  failures: number,
  error: unknown,
  random: () => number,
): number {
  const delay = Math.min(initialMs * 2 ** (failures - 1), maxMs);
  const jittered = delay < MIN_JITTERED_MS || jitter === 0 ? delay : delay * (1 + jitter * random());
  return Math.max(jittered, retryAfterOf(error) ?? 0);
}
