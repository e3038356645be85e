import type { Env } from '../../core/env.ts';
import { KubeError, messageOf } from '../../core/errors.ts';
import type { Differences } from './consistency.ts';

/** What is audited: an informer, as the audit sees it. */
export interface Audited {
  readonly name: string;
  readonly hasSynced: boolean;
  verify(signal: AbortSignal): Promise<Differences>;
}

/** The part of a Reflector that heals a difference. */
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
 * Compares the cache with the server from time to time. A server that loses an
 * event, or a watch that is fed from a frozen cache, cannot be noticed any other
 * way; a difference is counted, named, and healed by a list.
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
      env.log('error', 'the audit found that the cache differs from the server; listing again', {
        name,
        missing,
        extra,
        different,
      });
      reflector.requestRelist(new KubeError('CONTINUITY_LOST', 'the audit found differences'));
    } catch (error) {
      // The version may be compacted by now, or the server away: the next audit will tell.
      if (!signal.aborted) env.log('debug', 'the audit could not compare', { name, error: messageOf(error) });
    }
  }
}
