import { type CacheSummary, type Overview, readOverview } from '@kube-informer/inspector';
import type { InformerState } from 'kube-informer';
import type { ProblemReason } from 'kube-informer/informer';
import type { Env } from 'kube-informer/core';
import { errorText } from '../error-text.ts';
import { escapeText } from '../terminal/escape.ts';
import type { BoardRow } from './board.ts';
import type { Totals } from './board-view.ts';

const LOOK_MS = 1_000;

/** What can be told of the informers of another process. */
export interface AttachedBoard {
  readonly rows: readonly BoardRow[];
  readonly totals: Totals;
  /** Which cluster it is about, and whether it still answers. Escaped. */
  readonly title: string;
  /** Wall clock of that process. */
  readonly now: number;
}

/** Asks an inspector once. Rejects when there is none, or when it does not know the token. */
export async function readBoard(url: string, signal: AbortSignal): Promise<AttachedBoard> {
  return boardOf(await readOverview(url, signal));
}

/** Asks an inspector every second until `signal` aborts; one that does not answer any more is said in the title. */
export async function followBoard(
  url: string,
  first: AttachedBoard,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
  show: (board: AttachedBoard) => void,
): Promise<void> {
  let last = first;
  while (!signal.aborted) {
    await env.sleep(LOOK_MS, signal);
    try {
      last = await readBoard(url, signal);
      show(last);
    } catch (error) {
      show({ ...last, title: `${last.title}: no answer (${escapeText(errorText(error))})` });
    }
  }
}

export function boardOf({ caches, rssBytes, heapBytes, server, at }: Overview): AttachedBoard {
  return { rows: caches.map(rowOf), totals: { rssBytes, heapBytes }, title: escapeText(server), now: at };
}

/** All of it comes from another process: nothing is printed as it is. */
function rowOf(cache: CacheSummary): BoardRow {
  const { lastRestart } = cache;
  return {
    name: escapeText(cache.id),
    state: stateOf(cache),
    objects: cache.objects,
    resourceVersion: cache.resourceVersion,
    perSecond: cache.perSecond,
    lagMs: cache.lagMs,
    queued: cache.queued,
    restarts: cache.restarts,
    lastTrouble:
      lastRestart === undefined ? undefined : { reason: escapeText(lastRestart.because), at: lastRestart.at },
    bytes: cache.bytes,
  };
}

function stateOf({ state, trouble }: CacheSummary): InformerState {
  const reason = escapeText(trouble?.reason ?? 'other') as ProblemReason;
  const found = { since: trouble?.since ?? 0, reason, error: trouble?.detail };
  switch (state) {
    case 'stale':
      return { kind: 'stale', ...found };
    case 'starting':
      return trouble === undefined ? { kind: 'starting' } : { kind: 'starting', problem: found };
    case 'stopped':
      return { kind: 'stopped', cause: undefined };
    case 'idle':
    case 'synced':
      return { kind: state };
    default:
      // A newer inspector may know more.
      return { kind: 'idle' };
  }
}
