import type { KubeObject } from 'kube-informer';
import type { Client } from 'kube-informer/client';
import { hasCode } from 'kube-informer/core';
import { type Invocation, usageError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, openSession } from '../session/session.ts';
import type { Host } from '../host/host.ts';
import { logTo, Notices } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS, UI_OPTION } from '../arguments/options.ts';
import { findTarget, type Target } from '../session/target.ts';
import { escapeText } from '../text/escape.ts';
import { type LiveView, showLive } from '../terminal/live.ts';
import { paletteFor } from '../text/style.ts';
import { InformerStats } from '../top/informer-stats.ts';
import { type StatsSnapshot, followRemoteStats, readRemoteStats } from '../top/remote-stats.ts';
import { barLine, statsLines, totalsLine } from '../top/stats-table.ts';
import { openInspector, pageLine, withPage } from '../session/inspector-page.ts';

/** Resources shown by default. Without Secrets: reading them should be requested explicitly. */
export const COMMON_KINDS: readonly string[] = [
  'v1/pods', 'v1/nodes', 'v1/namespaces', 'v1/services', 'v1/configmaps', 'v1/events',
  'apps/v1/deployments', 'apps/v1/replicasets', 'apps/v1/statefulsets', 'apps/v1/daemonsets', 'batch/v1/jobs',
]; // prettier-ignore

const LOOK_MS = 50;
/** Maximum wait for the first table; it then shows informers that are still starting. */
const FIRST_SNAPSHOT_MS = 30_000;

export const top: Command = {
  name: 'top',
  summary: 'informers of the common kinds and how they are doing: state, objects, lag, queues, restarts, memory',
  usage: '[resource …] [options]',
  about: 'All namespaces unless one is named. Without a terminal it prints a table every few seconds.',
  examples: [
    ['kube-informer top', 'the common kinds'],
    ['kube-informer top pods deploy widgets', 'these'],
    ['kube-informer top --once', 'one table, as soon as everything is complete'],
    ["kube-informer top --attach 'http://127.0.0.1:4000/#token=…'", 'the informers of another process'],
  ],
  options: {
    once: { type: 'boolean', help: 'print one table and end' },
    interval: { type: 'string', value: 'seconds', help: 'between two tables without a terminal; 10 if left out' },
    attach: {
      type: 'string',
      value: 'url',
      help: 'the informers of another process, by the address that its inspector printed, instead of a cluster',
    },
    ...UI_OPTION,
    ...NAMESPACE_OPTIONS,
    ...CONNECTION_OPTIONS,
  },

  async run(invocation, host) {
    if (invocation.text('attach') !== undefined) return attach(invocation, host);
    const { env, signal, stdout, stderr } = host;
    const once = invocation.has('once');
    const seconds = invocation.number('interval', { min: 1, max: 3_600, otherwise: 10 });
    const isLive = stdout.isTerminal && !once;
    const board = new InformerStats(env);
    const quiet = isLive ? new Notices().listen(env) : logTo(env, (line) => stderr.write(`${line}\n`));
    const opened = await openSession(invocation, host, {
      env: quiet,
      informers: board.informers,
    });
    try {
      for (const { name, namespace } of await targets(opened.client, invocation, signal)) {
        const informer = opened.cluster.informer<KubeObject, never>(name, { namespace });
        board.add(escapeText(name), informer, opened.cluster);
      }
      await using inspector = invocation.has('ui') ? await openInspector(opened.cluster, quiet) : undefined;
      if (!isLive && inspector !== undefined) stderr.write(`${pageLine(inspector.url)}\n`);
      if (isLive) await live(host, opened, board, inspector?.url);
      else await snapshots(host, opened, board, once ? undefined : seconds);
      return EXIT.success;
    } finally {
      await opened[Symbol.asyncDispose]();
    }
  },
};

/** The given resources, or the default ones this server has. */
async function targets(client: Client, invocation: Invocation, signal: AbortSignal): Promise<readonly Target[]> {
  const { words } = invocation;
  const found: Target[] = [];
  for (const word of words.length === 0 ? COMMON_KINDS : words) {
    try {
      found.push(await findTarget(client, word, invocation, { signal, everywhere: true }));
    } catch (error) {
      if (words.length > 0 || !hasCode(error, 'NOT_FOUND')) throw error;
    }
  }
  return found;
}

/** Shows the informers of another process. */
async function attach(invocation: Invocation, host: Host): Promise<number> {
  const { env, signal, stdout, environment } = host;
  const url = invocation.text('attach') ?? '';
  const foreign = ['ui', ...Object.keys({ ...NAMESPACE_OPTIONS, ...CONNECTION_OPTIONS })];
  const given = foreign.find((name) => invocation.has(name) || invocation.text(name) !== undefined);
  if (invocation.words.length > 0 || given !== undefined)
    throw usageError(
      `--attach shows what another process keeps: ${given === undefined ? 'resources' : `--${given}`} cannot be chosen`,
    );
  const once = invocation.has('once');
  const seconds = invocation.number('interval', { min: 1, max: 3_600, otherwise: 10 });
  let board = await readRemoteStats(url, signal);
  if (!stdout.isTerminal || once) {
    const palette = paletteFor(stdout.isTerminal, environment);
    for (;;) {
      const { lines } = statsLines(board.rows, board.now, palette);
      stdout.write(`${lines.join('\n')}\n ${totalsLine(board.rows, board.totals, board.title)}\n`);
      if (!once) await env.sleep(seconds * 1_000, signal);
      if (once || signal.aborted) break;
      stdout.write('\n');
      board = await readRemoteStats(url, signal);
    }
    await stdout.drained();
    return EXIT.success;
  }
  const following = followRemoteStats(url, board, host, (next) => (board = next));
  await showStats(host, () => board);
  await following;
  return EXIT.success;
}

async function live(
  host: Host,
  { client, traffic }: Session,
  board: InformerStats,
  page: string | undefined,
): Promise<void> {
  const title = escapeText(client.connection.server.host);
  const { env } = host;
  const now = (): StatsSnapshot => {
    const totals = { ...host.memory(), receivedBytes: traffic().bytes };
    return { rows: board.rows(), totals, title, now: env.wallNow() };
  };
  await showStats(host, now, page);
}

async function showStats(host: Host, read: () => StatsSnapshot, page?: string): Promise<void> {
  const { stdout, environment } = host;
  const palette = paletteFor(stdout.isTerminal, environment);
  let widths: readonly number[] = [];
  const view: LiveView = {
    lines({ columns, rows: height }) {
      const { rows, totals, title, now } = read();
      const drawn = statsLines(rows, now, palette, columns, widths);
      widths = drawn.widths;
      const shown = drawn.lines.slice(0, height - 1);
      const bar = barLine(totalsLine(rows, totals, title), columns, palette);
      return [...shown, ...Array.from({ length: height - 1 - shown.length }, () => ''), bar];
    },
  };
  await showLive(host, withPage(view, page));
}

async function snapshots(
  host: Host,
  opened: Session,
  board: InformerStats,
  everySeconds: number | undefined,
): Promise<void> {
  const { env, signal, stdout, environment } = host;
  const palette = paletteFor(stdout.isTerminal, environment);
  const startedAt = env.now();
  while (!signal.aborted && !board.isComplete && env.now() - startedAt < FIRST_SNAPSHOT_MS)
    await env.sleep(LOOK_MS, signal);
  while (!signal.aborted) {
    const rows = board.rows();
    const totals = { ...host.memory(), receivedBytes: opened.traffic().bytes };
    const title = escapeText(opened.client.connection.server.host);
    const { lines } = statsLines(rows, env.wallNow(), palette);
    stdout.write(`${lines.join('\n')}\n ${totalsLine(rows, totals, title)}\n`);
    if (everySeconds === undefined) return stdout.drained();
    stdout.write('\n');
    await env.sleep(everySeconds * 1_000, signal);
  }
}
