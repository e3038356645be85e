import type { Env } from '../core/env.ts';
import { abortError, KubeError, errorMessageOf, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { Latch } from '../core/async/latch.ts';
import type { Problem } from './reflector/reflector-context.ts';

export interface SyncedOptions {
  /** Rejects SYNC_FAILED, with the reason, after this time. @default waits without a limit */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const SYNCED_OPTIONS: KnownOptions<SyncedOptions> = { timeoutMs: true, signal: true };

/** The surroundings of a wait: what ends it early, and what to report when it fails. */
export interface WaitContext {
  readonly env: Env;
  /** Any of these ends the wait. */
  readonly ended: readonly Latch[];
  readonly problem: () => Problem | undefined;
  /** Describes what is still missing when there is no problem. */
  readonly missing: () => string;
  /** Describes what did not happen. @default "did not sync" */
  readonly failure?: string;
  /** The timeout to report, when `timeoutMs` is only the rest of it. @default `timeoutMs` */
  readonly askedMs?: number | undefined;
}

/** Waits until `latch` opens. Rejects SYNC_FAILED with the current problem after the timeout or a stop, or ABORTED. */
export async function untilSynced(
  latch: Latch,
  what: string,
  options: SyncedOptions,
  { env, ended, problem, missing, failure = 'did not sync', askedMs }: WaitContext,
): Promise<void> {
  requireKnown('synced', options, SYNCED_OPTIONS);
  const { timeoutMs, signal } = options;
  requireSyncedMs('timeoutMs', timeoutMs);
  if (latch.isOpen) return;
  const end = new AbortController();
  let because: 'stopped' | 'aborted' | 'late' | undefined;
  const endWait = (why: 'stopped' | 'aborted' | 'late'): void => {
    because ??= why;
    end.abort();
  };
  const forget = ended.map((end) => end.onOpen(() => endWait('stopped')));
  const aborted = (): void => endWait('aborted');
  if (signal?.aborted === true) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  if (timeoutMs !== undefined) {
    void env.sleep(timeoutMs, end.signal).then(() => endWait('late'));
  }
  const synced = await latch.wait(end.signal);
  end.abort();
  for (const unlink of forget) unlink();
  signal?.removeEventListener('abort', aborted);
  if (synced || latch.isOpen) return;
  if (because === 'aborted') throw abortError(signal as AbortSignal, `waiting for ${what}`);
  const found = problem();
  const reason = found === undefined ? missing() : `${found.reason}: ${errorMessageOf(found.error)}`;
  const when = because === 'stopped' ? 'before it was stopped' : `within ${askedMs ?? timeoutMs} ms`;
  throw new KubeError(
    'SYNC_FAILED',
    `${what} ${failure} ${when} (${reason})`,
    found === undefined ? {} : { cause: found.error },
  );
}

/** Accepts Infinity, which means "no limit". Rejects NaN and negative numbers. */
export function requireSyncedMs(name: string, ms: number | undefined): void {
  requireOption(ms === undefined || ms >= 0, name, 'a number of milliseconds >= 0', ms);
}
