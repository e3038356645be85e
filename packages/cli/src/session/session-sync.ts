import type { Client } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import type { ClusterInformer, KubeObject } from 'kube-informer';
import type { ProblemReason } from 'kube-informer/informer';
import type { Traffic } from './read-only-transport.ts';
import { type Host } from '../host/host.ts';
import type { Palette } from '../text/style.ts';
import { byteNumberText, pluralNumber, thousandsNumber } from '../text/numbers.ts';
import { escapeText } from '../text/escape.ts';
import type { Target } from './session-target.ts';
import { repeatSafe, type Safe, safe } from '../text/safe.ts';

/** Reasons that retrying does not fix: the command fails instead of waiting. */
const PERMANENT: ReadonlySet<ProblemReason> = new Set(['forbidden', 'unauthorized', 'not-found', 'tls', 'credentials']);

const POLL_MS = 25;
/** Time after which the progress of a list is reported. */
const REPORT_MS = 2_000;

/** Progress of the first list. */
export interface Progress {
  readonly received: number;
  /** Undefined if the server does not send the number of remaining items. */
  readonly total: number | undefined;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/**
 * Resolves when the cache is complete, or when `signal` aborts. Rejects with the server's error if retrying
 * cannot help.
 *
 * Waits for an unreachable server: the informer keeps retrying.
 */
export async function untilSessionSynced(
  informer: ClusterInformer<KubeObject>,
  env: Env,
  signal: AbortSignal,
  onPoll: () => void = () => {},
): Promise<void> {
  while (!signal.aborted && !informer.hasSynced) {
    const { state } = informer;
    const problem = state.kind === 'starting' ? state.problem : undefined;
    if (problem !== undefined && PERMANENT.has(problem.reason)) throw problem.error;
    onPoll();
    await env.sleep(POLL_MS, signal);
  }
}

/** Like `untilSessionSynced`, with progress on stderr for long lists. */
export async function untilSessionSyncedWithProgress(
  informer: ClusterInformer<KubeObject>,
  host: Host,
  target: Target,
  traffic: () => Traffic,
): Promise<void> {
  const { env, signal, stderr } = host;
  const startedAt = env.now();
  let reportedAt = startedAt;
  await untilSessionSynced(informer, env, signal, () => {
    if (env.now() - reportedAt < REPORT_MS) return;
    reportedAt = env.now();
    const progress = sessionSyncProgress(informer, traffic(), env.now() - startedAt);
    stderr.write(safe`${escapeText(target.title)}: ${sessionSyncProgressText(progress)}\n`);
  });
}

export function sessionSyncProgress(
  informer: ClusterInformer<KubeObject>,
  { bytes }: Traffic,
  elapsedMs: number,
  total?: number,
): Progress {
  const received = informer
    .health()
    .reduce((sum, { reflector, objects }) => sum + (reflector.kind === 'listing' ? reflector.received : objects), 0);
  return { received, total, bytes, elapsedMs };
}

export function sessionSyncProgressText({ received, total, bytes, elapsedMs }: Progress): Safe {
  const objects =
    total === undefined
      ? pluralNumber(received, safe`object`)
      : safe`${thousandsNumber(received)} of ${pluralNumber(total, safe`object`)}`;
  return safe`${objects}, ${byteNumberText(bytes)}, ${escapeText((elapsedMs / 1_000).toFixed(1))} s`;
}

/** A progress bar of `width` columns: `[████████────────]` */
export function sessionSyncProgressBar({ received, total }: Progress, width: number, palette: Palette): Safe {
  if (total === undefined || total === 0) return safe``;
  const done = Math.round(Math.min(1, received / total) * width);
  return safe`${palette('good', repeatSafe(safe`█`, done))}${palette('dim', repeatSafe(safe`─`, width - done))}`;
}

/** Requests a list of one item to get the total number of objects. Servers do not send it for selectors. */
export async function countSessionSyncObjects(
  client: Client,
  target: Target,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (target.labels !== '' || target.fields !== '') return undefined;
  try {
    const one = await client
      .resource<KubeObject>(target.name)
      .metadataOnly()
      .list({ namespace: target.namespace, limit: 1, signal, attempts: 'once' });
    const rest = one.metadata?.remainingItemCount ?? (one.metadata?.continue ? undefined : 0);
    return rest === undefined ? undefined : one.items.length + rest;
  } catch {
    return undefined; // only the length of the progress bar depends on it
  }
}
