import type { KubeObject } from 'kube-informer';
import { resolveConnection } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import { seededRandom } from 'kube-informer/testing';
import { columnsOf } from '../columns/resource-columns.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, sessionOf } from '../session/session.ts';
import { demoFaults } from '../demo/faults.ts';
import { GROUP } from '../demo/seed.ts';
import { Simulation } from '../demo/simulation.ts';
import type { Host } from '../host/host.ts';
import { logTo, Notices } from '../output/notices.ts';
import { FORCE_OPTION } from '../arguments/options.ts';
import { aborted, anySignal } from '../host/signals.ts';
import { findResource } from '../session/target.ts';
import { showLive } from '../terminal/live.ts';
import { type Palette, paletteFor } from '../text/style.ts';
import { truncate } from '../text/width.ts';
import { InformerStats } from '../top/informer-stats.ts';
import { barLine, statsLines, totalsLine } from '../top/stats-table.ts';
import { recentChangeLine, RecentChanges } from '../top/recent-changes.ts';
import { commandLines, openInspector, pageLines } from '../session/inspector-page.ts';
import { isForced, withKubeconfig, type Served } from './serve.ts';

const KINDS: readonly string[] = [
  'v1/pods', 'apps/v1/deployments', 'apps/v1/replicasets', 'batch/v1/jobs', 'v1/nodes', 'v1/configmaps', 'v1/events',
  `${GROUP}/v1/backups`,
]; // prettier-ignore

/** Controllers a cluster has. The simulation deletes Events itself, sooner than after an hour. */
const CONTROLLERS = { garbageCollector: true, namespaces: true, podGrace: true, serviceAccounts: true };

/** Duration of the demo without a terminal. */
const PLAIN_SECONDS = 10;

export const demo: Command = {
  name: 'demo',
  summary: 'a small cluster inside this process, with informers on it, to see what they see',
  usage: '[options]',
  about:
    'Starts an API server with three nodes and a few deployments that roll, crash, recover and scale, and shows informers\n' +
    'on it: above how they are doing, below what happens. The same in a browser, with everything behind it and faults to\n' +
    'try, at the address it prints. kubectl works on it as well; the line to type is on the screen.\n' +
    'Without a terminal it prints lines for ten seconds and ends.',
  examples: [
    ['kube-informer demo', 'see it'],
    ['kube-informer demo --seed 7 | head -40', 'another story, as lines'],
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'the port of the API server; any free one if left out' },
    seed: { type: 'string', value: 'number', help: 'which story; 1 if left out' },
    'no-ui': { type: 'boolean', help: 'without the page for the browser' },
    seconds: { type: 'string', value: 'number', help: 'end after so many; 10 without a terminal, never with one' },
    ...FORCE_OPTION,
  },
  words: { max: 0 },

  async run(invocation, host) {
    const { env, stdout } = host;
    const port = invocation.number('port', { min: 0, max: 65_535, otherwise: 0 });
    const seed = invocation.number('seed', { min: 0, max: 4_294_967_295, otherwise: 1 });
    const isLive = stdout.isTerminal;
    const seconds = invocation.number('seconds', { min: 1, max: 86_400, otherwise: isLive ? Infinity : PLAIN_SECONDS });
    const force = isForced(invocation, host);
    const { startApiServer } = await import('@kube-informer/apiserver');
    const served = await withKubeconfig(
      await startApiServer({ port, profile: 'demo', controllers: CONTROLLERS, force }),
    );
    const end = new AbortController();
    const signal = anySignal(end.signal, host.signal);
    // Separate from the server's random numbers, which make credentials and must stay unpredictable.
    const random = seededRandom(seed);
    const told: Env = { ...logTo(env, () => {}), random };
    const simulation = new Simulation(served.server.local, told);
    const running = simulation.run(signal);
    try {
      if (seconds !== Infinity) void env.sleep(seconds * 1_000, signal).then(() => end.abort());
      await show(served, host, signal, { isLive, hasPage: !invocation.has('no-ui') });
      return EXIT.success;
    } catch (error) {
      // Interrupted during start-up.
      if (signal.aborted) return EXIT.success;
      throw error;
    } finally {
      end.abort();
      await running;
      await served[Symbol.asyncDispose]();
    }
  },
};

async function show(
  served: Served,
  host: Host,
  signal: AbortSignal,
  { isLive, hasPage }: { readonly isLive: boolean; readonly hasPage: boolean },
): Promise<void> {
  const { env, stdout, stderr, environment } = host;
  const palette = paletteFor(stdout.isTerminal, environment);
  const quiet = isLive ? new Notices().listen(env) : logTo(env, (line) => stderr.write(`${line}\n`));
  const board = new InformerStats(env);
  // Connects as any client does: with the kubeconfig file, over TLS.
  const connection = await resolveConnection({ kubeconfigFile: served.kubeconfig }, quiet);
  const opened = await sessionOf(connection, quiet, board.informers);
  const print = (line: string): void => stdout.write(`${line}\n`);
  const recent = new RecentChanges(env, isLive ? {} : { onChange: (one) => print(recentChangeLine(one, palette)) });
  try {
    const faults = demoFaults(served.server, env, signal);
    await using inspector = hasPage ? await openInspector(opened.cluster, quiet, { faults }) : undefined;
    const intro = (width: number): readonly string[] => introduction(served, inspector?.url, width);
    if (!isLive) for (const line of intro(Infinity)) print(line);
    for (const name of KINDS) await follow(name, opened, board, recent, signal);
    if (isLive) await showLive(host, liveView(intro, host, opened, board, recent, palette), signal);
    else {
      await aborted(signal);
      const { lines } = statsLines(board.rows(), env.wallNow(), palette);
      stdout.write(`\n${lines.join('\n')}\n ${totalsLine(board.rows(), totals(host, opened), 'demo')}\n`);
    }
  } finally {
    await opened[Symbol.asyncDispose]();
  }
}

async function follow(
  name: string,
  opened: Session,
  board: InformerStats,
  recent: RecentChanges,
  signal: AbortSignal,
): Promise<void> {
  const { client, cluster } = opened;
  const resource = await findResource(client, name, signal);
  const columns = await columnsOf(client, resource, { withNamespace: false, signal });
  const informer = cluster.informer<KubeObject, never>(name);
  board.add(name, informer, cluster);
  informer.on(recent.handler(resource.singular || resource.resource, columns), { name: 'recent' });
}

function introduction({ server, kubeconfig }: Served, page: string | undefined, width: number): readonly string[] {
  return [
    truncate(` kube-informer demo: a cluster inside this process, at ${server.url}`, width),
    ...(page === undefined ? [] : pageLines(page, width)),
    ...commandLines(`kubectl --kubeconfig ${kubeconfig} get pods -A -w`, width),
    '',
  ];
}

const totals = (host: Host, { traffic }: Session) => ({ ...host.memory(), receivedBytes: traffic().bytes });

function liveView(
  intro: (width: number) => readonly string[],
  host: Host,
  opened: Session,
  board: InformerStats,
  recent: RecentChanges,
  palette: Palette,
) {
  let widths: readonly number[] = [];
  return {
    lines({ columns, rows: height }: { readonly columns: number; readonly rows: number }): readonly string[] {
      const rows = board.rows();
      const drawn = statsLines(rows, host.env.wallNow(), palette, columns, widths);
      widths = drawn.widths;
      const above = [...intro(columns), ...drawn.lines, ''];
      const room = Math.max(0, height - above.length - 1);
      const news = recent.changes.slice(-room).map((one) => recentChangeLine(one, palette, columns));
      const filled = [...above, ...news].slice(0, height - 1);
      const bar = barLine(totalsLine(rows, totals(host, opened), 'demo'), columns, palette, ' · q quits');
      return [...filled, ...Array.from({ length: height - 1 - filled.length }, () => ''), bar];
    },
  };
}
