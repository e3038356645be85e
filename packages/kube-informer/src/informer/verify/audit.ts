import type { Env } from '../../core/env.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import type { Differences } from './consistency.ts';

/** The part of an informer that the audit uses. */
export interface Audited {
  readonly name: string;
  readonly hasSynced: boolean;
  verify(signal: AbortSignal): Promise<Differences>;
}

/** The part of a Reflector that counts and repairs differences. */
export interface Relister {
  countMissed(count: number): void;
  requestRelist(error: unknown): void;
}

export interface AuditOptions {
  readonly everyMs: number;
  readonly env: Env;
  readonly reflector: Relister;
}

/**
 * Compares the cache with the server every `everyMs`. Differences are counted, logged
 * and repaired by a relist. A server that loses an event, or serves a watch from a
 * frozen cache, cannot be detected in any other way.
 */
export async function runAudit(
  informer: Audited,
  { everyMs, env, reflector }: AuditOptions,
  signal: AbortSignal,
): Promise<void> {
  const { name } = informer;
  while (!signal.aborted) {
    await env.sleep(everyMs, signal);
    if (signal.aborted || !informer.hasSynced) continue;
    try {
      const { consistent, missing, extra, different } = await informer.verify(signal);
      if (consistent) continue;
      reflector.countMissed(missing.length + extra.length + different.length);
      env.log('error', 'the audit found that the cache differs from the server; relisting', {
        name,
        missing,
        extra,
        different,
      });
      reflector.requestRelist(new KubeError('CONTINUITY_LOST', 'the audit found differences'));
    } catch (error) {
      // The version may be compacted by now, or the server unreachable; the next audit compares again.
      if (!signal.aborted)
        env.log('debug', 'the audit could not compare the cache with the server', {
          name,
          error: errorMessageOf(error),
        });
    }
  }
}
