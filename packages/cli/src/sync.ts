import type { Client } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import type { ClusterInformer, KubeObject } from 'kube-informer';
import type { ProblemReason } from 'kube-informer/informer';
import type { Traffic } from './guarded-transport.ts';
import { type Host } from './host.ts';
import type { Palette } from './terminal/style.ts';
import { bytesText, counted, grouped } from './terminal/numbers.ts';
import { escapeText } from './terminal/escape.ts';
import type { Target } from './target.ts';

/** What waiting does not heal: better to say so and end than to try for ever. */
const HOPELESS: ReadonlySet<ProblemReason> = new Set(['forbidden', 'unauthorized', 'not-found', 'tls']);

const LOOK_MS = 25;
/** A list that is done by then needs no words about it. */
const PATIENCE_MS = 2_000;

/** How far the first list has come. */
export interface Progress {
  readonly received: number;
  /** Undefined where the server does not say how many there are. */
  readonly total: number | undefined;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/**
 * Resolves when the cache is complete, or when `signal` aborts. Rejects with the server's own words when it refuses.
 *
 * A server that is only out of reach is waited for: that is what informers are for.
 */
export async function untilComplete(
  informer: ClusterInformer<KubeObject>,
  env: Env,
  signal: AbortSignal,
  onLook: () => void = () => {},
): Promise<void> {
  while (!signal.aborted && !informer.hasSynced) {
    const { state } = informer;
    const trouble = state.kind === 'starting' ? state.problem : undefined;
    if (trouble !== undefined && HOPELESS.has(trouble.reason)) throw trouble.error;
    onLook();
    await env.sleep(LOOK_MS, signal);
  }
}

/** The same, telling a person on stderr how a long list is getting on. */
export async function untilCompleteAloud(
  informer: ClusterInformer<KubeObject>,
  host: Host,
  target: Target,
  traffic: () => Traffic,
): Promise<void> {
  const { env, signal, stderr } = host;
  const startedAt = env.now();
  let saidAt = startedAt;
  await untilComplete(informer, env, signal, () => {
    if (env.now() - saidAt < PATIENCE_MS) return;
    saidAt = env.now();
    const progress = progressOf(informer, traffic(), env.now() - startedAt);
    stderr.write(`${escapeText(target.title)}: ${progressText(progress)}\n`);
  });
}

export function progressOf(
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

export function progressText({ received, total, bytes, elapsedMs }: Progress): string {
  const objects =
    total === undefined ? counted(received, 'object') : `${grouped(received)} of ${counted(total, 'object')}`;
  return `${objects}, ${bytesText(bytes)}, ${(elapsedMs / 1_000).toFixed(1)} s`;
}

/** `[████████────────]`, as wide as asked. */
export function progressBar({ received, total }: Progress, width: number, palette: Palette): string {
  if (total === undefined || total === 0) return '';
  const done = Math.round(Math.min(1, received / total) * width);
  return `${palette('good', '█'.repeat(done))}${palette('dim', '─'.repeat(width - done))}`;
}

/** How many objects a list will bring, asked with a list of one. Servers do not say it of selections. */
export async function countObjects(client: Client, target: Target, signal: AbortSignal): Promise<number | undefined> {
  if (target.labels !== '' || target.fields !== '') return undefined;
  try {
    const one = await client
      .resource<KubeObject>(target.name)
      .metadataOnly()
      .list({ namespace: target.namespace, limit: 1, signal, attempts: 'once' });
    const rest = one.metadata?.remainingItemCount ?? (one.metadata?.continue ? undefined : 0);
    return rest === undefined ? undefined : one.items.length + rest;
  } catch {
    return undefined; // only the length of a bar is lost
  }
}
