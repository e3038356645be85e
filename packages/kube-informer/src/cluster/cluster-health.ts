import type { InformerSetHealth } from './cache-registry.ts';
import { describeScope } from './scope.ts';

export interface ClusterHealth {
  /**
   * Whether every cache has synced, none has been stale for longer than `maxStaleMs`, and no handler holds
   * one back (`backlog`).
   */
  readonly ready: boolean;
  /** Whether no cache has stopped by itself. */
  readonly live: boolean;
  /** The reasons for not being ready or live, one sentence each. */
  readonly reasons: readonly string[];
  readonly informers: readonly InformerSetHealth[];
}

export interface HealthOptions {
  /** A cache that has been stale for longer is not ready. @default 300_000 */
  readonly maxStaleMs?: number;
}

/** Combines the health of all informers. `now` is the wall clock. */
export function clusterHealth(
  informers: readonly InformerSetHealth[],
  now: number,
  { maxStaleMs = 300_000 }: HealthOptions = {},
): ClusterHealth {
  const notReady: string[] = [];
  const notLive: string[] = [];
  for (const { resource, scope, health } of informers) {
    const what = describeScope(resource, scope);
    const { state } = health;
    if (state.kind === 'stopped') notLive.push(`${what} has stopped`);
    else if (state.kind === 'stale') {
      const seconds = Math.round((now - state.since) / 1_000);
      // A short outage of the server is no reason to stop serving; a hung handler of this program is.
      const maxMs = state.reason === 'backlog' ? 0 : maxStaleMs;
      if (now - state.since > maxMs) notReady.push(`${what} has been stale for ${seconds} s: ${state.reason}`);
    } else if (state.kind !== 'synced' && state.kind !== 'polling') {
      const problem = state.kind === 'starting' ? state.problem : undefined;
      notReady.push(`${what} has not synced yet${problem === undefined ? '' : `: ${problem.reason}`}`);
    }
  }
  const reasons = [...notLive, ...notReady];
  return { ready: reasons.length === 0, live: notLive.length === 0, reasons, informers };
}
