import type { KubeObject } from 'kube-informer';
import type { Client } from 'kube-informer/client';
import { hasCode } from 'kube-informer/core';
import { type Invocation, invocationError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, openSession } from '../session/session.ts';
import type { Host } from '../host/host.ts';
import { logNotices, Notices } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS, UI_OPTION } from '../arguments/output-option.ts';
import { findTarget, type Target, targetWords } from '../session/session-target.ts';
import { escapeText } from '../text/escape.ts';
import { type LiveView, showLive } from '../terminal/live.ts';
import { stylePalette } from '../text/style.ts';
import { InformerStats } from '../top/informer-stats.ts';
import { type StatsSnapshot, followRemoteStats, readRemoteStats } from '../top/remote-stats.ts';
import { statsTableBar, statsTableBody, statsTableTotals } from '../top/stats-table.ts';
import { openInspectorPage, inspectorPageLine, withInspectorPage } from '../session/inspector-page.ts';
import { joinSafe, safe } from '../text/safe.ts';

/** Resources shown by default. Without Secrets: reading them should be requested explicitly. */
export const COMMON_RESOURCES: readonly string[] = [
  'v1/pods', 'v1/nodes', 'v1/namespaces', 'v1/services', 'v1/configmaps', 'v1/events',
  'apps/v1/deployments', 'apps/v1/replicasets', 'apps/v1/statefulsets', 'apps/v1/daemonsets', 'batch/v1/jobs',
]; // prettier-ignore

const POLL_MS = 50;
/** Maximum wait for the first table; it then shows informers that are still starting. */
const FIRST_SNAPSHOT_MS = 30_000;

export const top: Command = {
  name: 'top',
  summary: 'shows informers and their state, objects, silence, queues, restarts and memory',
  usage: '[resource …] [options]',
  about:
    'Shows common resources in all namespaces by default. Without a terminal, it prints a table every few seconds.',
  examples: [
    ['kube-informer top', 'common resources'],
    ['kube-informer top pods deploy widgets', 'these resources'],
    ['kube-informer top --once', 'one table, once all informers have synced'],
    ["kube-informer top --attach 'http://127.0.0.1:4000/#token=…'", 'the informers of another process'],
  ],
  options: {
    once: { type: 'boolean', help: 'print one table and exit' },
    interval: { type: 'string', value: 'seconds', help: 'interval between tables without a terminal; default: 10' },
    attach: {
      type: 'string',
      value: 'url',
      help: 'show the informers of another process; url is the address its inspector printed',
    },
    ...UI_OPTION,
    ...NAMESPACE_OPTIONS,
    ...CONNECTION_OPTIONS,
  },

  async run(invocation, host) {
    if (invocation.text('attach') !== undefined) return attachTopCommand(invocation, host);
    const { env, signal, stdout, stderr } = host;
    const once = invocation.has('once');
    const seconds = invocation.number('interval', { min: 1, max: 3_600, fallback: 10 });
    const isLive = stdout.isTerminal && !once;
    const stats = new InformerStats(env);
    const quiet = isLive ? new Notices().listen(env) : logNotices(env, (line) => stderr.write(safe`${line}\n`));
    const session = await openSession(invocation, host, {
      env: quiet,
      informers: stats.informers,
    });
    try {
      for (const { name, namespace } of await topCommandTargets(session.client, invocation, signal)) {
        const informer = session.cluster.informer<KubeObject, never>(name, { namespace });
        stats.add(escapeText(name), informer, session.cluster);
      }
      await using inspector = invocation.has('ui') ? await openInspectorPage(session.cluster, quiet) : undefined;
      if (!isLive && inspector !== undefined) stderr.write(safe`${inspectorPageLine(inspector.url)}\n`);
      if (isLive) await runTopCommandLive(host, session, stats, inspector?.url);
      else await topCommandSnapshots(host, session, stats, once ? undefined : seconds);
      return EXIT.success;
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

/** The given resources, or the default ones this server has. */
async function topCommandTargets(
  client: Client,
  invocation: Invocation,
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const { positionals } = invocation;
  const found: Target[] = [];
  for (const word of positionals.length === 0 ? COMMON_RESOURCES : positionals.flatMap(targetWords)) {
    try {
      found.push(await findTarget(client, word, invocation, { signal, allByDefault: true }));
    } catch (error) {
      if (positionals.length > 0 || !hasCode(error, 'NOT_FOUND')) throw error;
    }
  }
  return found;
}

/** Shows the informers of another process. */
async function attachTopCommand(invocation: Invocation, host: Host): Promise<number> {
  const { env, signal, stdout, environment } = host;
  const url = invocation.text('attach') ?? '';
  const connecting = ['ui', ...Object.keys({ ...NAMESPACE_OPTIONS, ...CONNECTION_OPTIONS })];
  const given = connecting.find((name) => invocation.has(name) || invocation.text(name) !== undefined);
  if (invocation.positionals.length > 0 || given !== undefined)
    throw invocationError(
      `--attach cannot be used with ${given === undefined ? 'resources' : `--${given}`}: it shows all informers of another process`,
    );
  const once = invocation.has('once');
  const seconds = invocation.number('interval', { min: 1, max: 3_600, fallback: 10 });
  let stats = await readRemoteStats(url, signal);
  if (!stdout.isTerminal || once) {
    const palette = stylePalette(stdout.isTerminal, environment);
    for (;;) {
      const { lines } = statsTableBody(stats.rows, stats.now, palette);
      stdout.write(safe`${joinSafe(lines, '\n')}\n ${statsTableTotals(stats.rows, stats.totals, stats.title)}\n`);
      if (!once) await env.sleep(seconds * 1_000, signal);
      if (once || signal.aborted) break;
      stdout.write(safe`\n`);
      stats = await readRemoteStats(url, signal);
    }
    await stdout.drained();
    return EXIT.success;
  }
  const following = followRemoteStats(url, stats, host, (next) => (stats = next));
  await showTopCommand(host, () => stats);
  await following;
  return EXIT.success;
}

async function runTopCommandLive(
  host: Host,
  { client, traffic }: Session,
  stats: InformerStats,
  page: string | undefined,
): Promise<void> {
  const title = escapeText(client.connection.server.host);
  const { env } = host;
  const now = (): StatsSnapshot => {
    const totals = { ...host.memory(), receivedBytes: traffic().bytes };
    return { rows: stats.rows(), totals, title, now: env.wallNow() };
  };
  await showTopCommand(host, now, page);
}

async function showTopCommand(host: Host, read: () => StatsSnapshot, page?: string): Promise<void> {
  const { stdout, environment } = host;
  const palette = stylePalette(stdout.isTerminal, environment);
  let widths: readonly number[] = [];
  const view: LiveView = {
    lines({ columns, rows: height }) {
      const { rows, totals, title, now } = read();
      const drawn = statsTableBody(rows, now, palette, columns, widths);
      widths = drawn.widths;
      const shown = drawn.lines.slice(0, height - 1);
      const bar = statsTableBar(statsTableTotals(rows, totals, title), columns, palette);
      return [...shown, ...Array.from({ length: height - 1 - shown.length }, () => safe``), bar];
    },
  };
  await showLive(host, withInspectorPage(view, page));
}

async function topCommandSnapshots(
  host: Host,
  session: Session,
  stats: InformerStats,
  everySeconds: number | undefined,
): Promise<void> {
  const { env, signal, stdout, environment } = host;
  const palette = stylePalette(stdout.isTerminal, environment);
  const startedAt = env.now();
  while (!signal.aborted && !stats.isComplete && env.now() - startedAt < FIRST_SNAPSHOT_MS)
    await env.sleep(POLL_MS, signal);
  while (!signal.aborted) {
    const rows = stats.rows();
    const totals = { ...host.memory(), receivedBytes: session.traffic().bytes };
    const title = escapeText(session.client.connection.server.host);
    const { lines } = statsTableBody(rows, env.wallNow(), palette);
    stdout.write(safe`${joinSafe(lines, '\n')}\n ${statsTableTotals(rows, totals, title)}\n`);
    if (everySeconds === undefined) return stdout.drained();
    stdout.write(safe`\n`);
    await env.sleep(everySeconds * 1_000, signal);
  }
}
