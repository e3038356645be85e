import { type CacheSummary, type Overview, readOverview } from '@kube-informer/inspector';
import type { InformerState } from 'kube-informer';
import type { ProblemReason } from 'kube-informer/informer';
import type { Env } from 'kube-informer/core';
import { errorText } from '../output/error-text.ts';
import { escapeText } from '../text/escape.ts';
import { safe, type Safe } from '../text/safe.ts';
import type { InformerRow } from './informer-stats.ts';
import type { Totals } from './stats-table.ts';

const POLL_MS = 1_000;

/** The informers of a process at one moment. */
export interface StatsSnapshot {
  readonly rows: readonly InformerRow[];
  readonly totals: Totals;
  /** The cluster, and whether the process still responds. */
  readonly title: Safe;
  /** Wall clock of that process. */
  readonly now: number;
}

/** Reads an inspector once. Rejects if none responds, or if the token is wrong. */
export async function readRemoteStats(url: string, signal: AbortSignal): Promise<StatsSnapshot> {
  return remoteStatsSnapshot(await readOverview(url, signal));
}

/** Reads an inspector every second until `signal` aborts. The title shows when it does not respond. */
export async function followRemoteStats(
  url: string,
  first: StatsSnapshot,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
  show: (stats: StatsSnapshot) => void,
): Promise<void> {
  let last = first;
  while (!signal.aborted) {
    await env.sleep(POLL_MS, signal);
    try {
      last = await readRemoteStats(url, signal);
      show(last);
    } catch (error) {
      show({ ...last, title: safe`${last.title}: no response (${escapeText(errorText(error))})` });
    }
  }
}

export function remoteStatsSnapshot({ caches, rssBytes, heapBytes, server, at }: Overview): StatsSnapshot {
  return { rows: caches.map(remoteStatsRow), totals: { rssBytes, heapBytes }, title: escapeText(server), now: at };
}

/** The row of a cache. Everything comes from another process, so all text is escaped. */
function remoteStatsRow(cache: CacheSummary): InformerRow {
  const { lastRestart } = cache;
  return {
    name: escapeText(cache.id),
    state: remoteStatsState(cache),
    objects: cache.objects,
    resourceVersion: cache.resourceVersion,
    perSecond: cache.perSecond,
    lagMs: cache.lagMs,
    queued: cache.queued,
    restarts: cache.restarts,
    lastProblem:
      lastRestart === undefined ? undefined : { reason: escapeText(lastRestart.because), at: lastRestart.at },
    bytes: cache.bytes,
  };
}

function remoteStatsState({ state, problem }: CacheSummary): InformerState {
  const reason = escapeText(problem?.reason ?? 'other') as ProblemReason;
  const found = { since: problem?.since ?? 0, reason, error: problem?.detail };
  switch (state) {
    case 'stale':
      return { kind: state, ...found };
    case 'polling':
      // The protocol does not contain it.
      return { kind: state, ...found, periodMs: 0 };
    case 'starting':
      return problem === undefined ? { kind: 'starting' } : { kind: 'starting', problem: found };
    case 'stopped':
      return { kind: 'stopped', cause: undefined };
    case 'idle':
    case 'synced':
      return { kind: state };
    default:
      // A newer inspector may have more states.
      return { kind: 'idle' };
  }
}
