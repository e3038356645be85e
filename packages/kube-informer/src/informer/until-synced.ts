import { defined } from '../core/defined.ts';
import type { Env } from '../core/env.ts';
import { abortError, KubeError, errorMessageOf, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { Latch } from '../core/async/latch.ts';
import type { Problem } from './reflector/reflector-context.ts';
import type { ProblemReason } from './reflector/watch-error.ts';

export interface SyncedOptions {
  /** Rejects SYNC_FAILED, with the reason, after this time. @default waits without a limit */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * Rejects SYNC_FAILED at the first failure that does not end by itself: 401, 403, 404, a certificate that is not trusted,
   * a credential plugin that fails. The informer continues to try. @default false: waits until it is repaired
   */
  readonly failFast?: boolean;
}

const SYNCED_OPTIONS: KnownOptions<SyncedOptions> = { timeoutMs: true, signal: true, failFast: true };

/** Failures that do not end by themselves: permissions, credentials, names, certificates. */
const LASTING: ReadonlySet<ProblemReason> = new Set(['unauthorized', 'forbidden', 'not-found', 'tls', 'credentials']);

/** Time after which a wait without a timeout is logged, once. */
const STILL_WAITING_MS = 30_000;

/** The surroundings of a wait: what ends it early, and what to report when it fails. */
export interface WaitContext {
  readonly env: Env;
  /** Latches of which any ends the wait. */
  readonly ended: readonly Latch[];
  readonly problem: () => Problem | undefined;
  /** Calls back whenever `problem` may have changed, until the returned function is called. @default never */
  readonly onChange?: (callback: () => void) => () => void;
  /** Describes what is still missing when there is no problem. */
  readonly missing: () => string;
  /** Describes what did not happen. @default "did not sync" */
  readonly failure?: string;
  /** The timeout to report, when `timeoutMs` is only the rest of it. @default `timeoutMs` */
  readonly askedMs?: number | undefined;
}

/**
 * Waits until `latch` opens. Rejects SYNC_FAILED with the current problem after the timeout or a stop, or ABORTED.
 * Without a timeout, logs once what it waits for.
 */
export async function untilSynced(
  latch: Latch,
  what: string,
  options: SyncedOptions,
  { env, ended, problem, onChange, missing, failure = 'did not sync', askedMs }: WaitContext,
): Promise<void> {
  requireKnown('synced', options, SYNCED_OPTIONS);
  const { timeoutMs, signal, failFast = false } = options;
  requireSyncedMs('timeoutMs', timeoutMs);
  if (latch.isOpen) return;
  const end = new AbortController();
  let because: 'stopped' | 'aborted' | 'late' | 'failed' | undefined;
  const endWait = (why: NonNullable<typeof because>): void => {
    because ??= why;
    end.abort();
  };
  const forget = ended.map((end) => end.onOpen(() => endWait('stopped')));
  const reason = (): string => {
    const found = problem();
    return found === undefined ? missing() : `${found.reason}: ${errorMessageOf(found.error)}`;
  };
  const failWhenLasting = (): void => {
    const found = problem();
    if (found !== undefined && LASTING.has(found.reason)) endWait('failed');
  };
  if (failFast && onChange !== undefined) {
    forget.push(onChange(failWhenLasting));
    failWhenLasting();
  }
  const aborted = (): void => endWait('aborted');
  if (signal?.aborted === true) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  if (timeoutMs !== undefined) void env.sleep(timeoutMs, end.signal).then(() => endWait('late'));
  else
    void env.sleep(STILL_WAITING_MS, end.signal).then(() => {
      if (!end.signal.aborted) env.log('warn', 'still waiting, without a timeout', { for: what, because: reason() });
    });
  const synced = await latch.wait(end.signal);
  end.abort();
  for (const unlink of forget) unlink();
  signal?.removeEventListener('abort', aborted);
  if (synced || latch.isOpen) return;
  if (because === 'aborted') throw abortError(signal as AbortSignal, `waiting for ${what}`);
  const found = problem();
  const when =
    because === 'failed' ? '' : because === 'stopped' ? ' before it was stopped' : ` within ${askedMs ?? timeoutMs} ms`;
  throw new KubeError('SYNC_FAILED', `${what} ${failure}${when} (${reason()})`, defined({ cause: found?.error }));
}

/** Accepts Infinity, which means "no limit". Rejects NaN, negative numbers, and what compares like a number without being one. */
export function requireSyncedMs(name: string, ms: number | undefined): void {
  requireOption(ms === undefined || (typeof ms === 'number' && ms >= 0), name, 'a number of milliseconds >= 0', ms);
}
