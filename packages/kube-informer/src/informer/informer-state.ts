import type { Env } from '../core/env.ts';
import { abortError, KubeError, messageOf, requireOption } from '../core/errors.ts';
import { type KnownOptions, requireKnown } from '../core/known-options.ts';
import type { Latch } from '../core/async/latch.ts';
import { compareVersions } from '../core/object/resource-version.ts';
import type { Trouble } from './reflector/reflector-context.ts';
import type { TroubleReason } from './reflector/watch-error.ts';

/**
 * Where an informer stands.
 *
 *   idle ──► starting ──► synced ◄──► stale
 *                │           │          │
 *                └───────────┴──────────┴──► stopped
 *
 * `starting` and `stale` say why, when there is a reason; a stale cache still answers.
 */
export type InformerState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly trouble?: Trouble }
  | { readonly kind: 'synced' }
  | { readonly kind: 'stale'; readonly since: number; readonly reason: TroubleReason; readonly error: unknown }
  | { readonly kind: 'stopped'; readonly cause: unknown };

export interface SyncedOptions {
  /** Gives up after this, with the reason. @default waits for ever */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const SYNCED_OPTIONS: KnownOptions<SyncedOptions> = { timeoutMs: true, signal: true };

/** What a wait looks at besides the latch it is for. */
export interface WaitContext {
  readonly env: Env;
  /** Any of these ends the wait. */
  readonly ended: readonly Latch[];
  readonly trouble: () => Trouble | undefined;
  /** What is still missing when nothing is wrong. */
  readonly missing: () => string;
  /** What did not happen. @default "did not sync" */
  readonly failure?: string;
  /** The timeout the user named, when part of it is gone already. @default `timeoutMs` */
  readonly askedMs?: number | undefined;
}

/** Waits for a latch with a deadline, and fails with what was in the way. */
export async function untilSynced(
  latch: Latch,
  what: string,
  options: SyncedOptions,
  { env, ended, trouble, missing, failure = 'did not sync', askedMs }: WaitContext,
): Promise<void> {
  requireKnown('synced', options, SYNCED_OPTIONS);
  const { timeoutMs, signal } = options;
  requireMs('timeoutMs', timeoutMs);
  if (latch.isOpen) return;
  const end = new AbortController();
  let because: 'stopped' | 'aborted' | 'late' | undefined;
  const give = (why: 'stopped' | 'aborted' | 'late'): void => {
    because ??= why;
    end.abort();
  };
  const forget = ended.map((end) => end.onOpen(() => give('stopped')));
  const aborted = (): void => give('aborted');
  if (signal?.aborted === true) aborted();
  signal?.addEventListener('abort', aborted, { once: true });
  if (timeoutMs !== undefined) {
    void env.sleep(timeoutMs, end.signal).then(() => give('late'));
  }
  const synced = await latch.wait(end.signal);
  end.abort();
  for (const unlink of forget) unlink();
  signal?.removeEventListener('abort', aborted);
  if (synced || latch.isOpen) return;
  if (because === 'aborted') throw abortError(signal as AbortSignal, `waiting for ${what}`);
  const found = trouble();
  const reason = found === undefined ? missing() : `${found.reason}: ${messageOf(found.error)}`;
  const when = because === 'stopped' ? 'before it was stopped' : `within ${askedMs ?? timeoutMs} ms`;
  throw new KubeError(
    'SYNC_FAILED',
    `${what} ${failure} ${when} (${reason})`,
    found === undefined ? {} : { cause: found.error },
  );
}

/** What a read may ask of the cache. */
export interface ReadOptions {
  /** The server must have been heard from within this time. */
  readonly maxStalenessMs?: number;
  /** The cache must contain everything up to this version. */
  readonly notOlderThan?: string;
}

export const READ_OPTIONS: KnownOptions<ReadOptions> = { maxStalenessMs: true, notOlderThan: true };

/** Throws STALE_CACHE when the cache is not as fresh as the reader asks. */
export function requireFresh(
  name: string,
  cache: { readonly staleForMs: number; readonly resourceVersion: string },
  options: ReadOptions,
): void {
  requireKnown('read', options, READ_OPTIONS);
  const { maxStalenessMs, notOlderThan } = options;
  requireMs('maxStalenessMs', maxStalenessMs);
  if (maxStalenessMs !== undefined && cache.staleForMs > maxStalenessMs) {
    throw new KubeError(
      'STALE_CACHE',
      `${name} has not heard from the server for ${cache.staleForMs} ms, at most ${maxStalenessMs} were asked for`,
    );
  }
  if (notOlderThan !== undefined && !hasReached(cache.resourceVersion, notOlderThan)) {
    throw new KubeError(
      'STALE_CACHE',
      `${name} is at version ${cache.resourceVersion || '(none)'}, ${notOlderThan} was asked for; use waitFor`,
    );
  }
}

/** Infinity is a fair way to say "for ever"; NaN and negative numbers are mistakes. */
function requireMs(name: string, ms: number | undefined): void {
  requireOption(ms === undefined || ms >= 0, name, 'a number of milliseconds >= 0', ms);
}

/** Whether a cache at `current` contains everything up to `wanted`. Versions without an order must be equal. */
export function hasReached(current: string, wanted: string): boolean {
  const order = compareVersions(current, wanted);
  return order !== undefined && order >= 0;
}
