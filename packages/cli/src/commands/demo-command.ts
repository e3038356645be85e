import type { KubeObject } from 'kube-informer';
import { resolveConnection } from 'kube-informer/client';
import type { Env } from 'kube-informer/core';
import { seededRandom } from 'kube-informer/testing';
import { resourceColumns } from '../columns/resource-columns.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { type Session, sessionOf } from '../session/session.ts';
import { demoFaults, demoFaultsOfReplicas } from '../demo/demo-faults.ts';
import { DEMO_CONTROLLERS, demoNodes } from '../demo/demo-nodes.ts';
import { GROUP } from '../demo/seed-demo.ts';
import type { DemoReplicas } from '../demo/demo-replicas.ts';
import { Simulation } from '../demo/simulation.ts';
import type { Host } from '../host/host.ts';
import { logNotices, Notices } from '../output/notices.ts';
import { FORCE_OPTION } from '../arguments/output-option.ts';
import { signalAborted, anySignal } from '../host/signals.ts';
import { findTargetResource } from '../session/session-target.ts';
import { showLive } from '../terminal/live.ts';
import { type Palette, stylePalette } from '../text/style.ts';
import { truncateToWidth } from '../text/width.ts';
import { InformerStats } from '../top/informer-stats.ts';
import { statsTableBar, statsTableBody, statsTableTotals } from '../top/stats-table.ts';
import { recentChangeLine, RecentChanges } from '../top/recent-changes.ts';
import { inspectorPageCommandLines, openInspectorPage, inspectorPageLines } from '../session/inspector-page.ts';
import { isServeCommandForced, serveCommandKubeconfig, type Served } from './serve-command.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';
import { escapeText } from '../text/escape.ts';

const KINDS: readonly string[] = [
  'v1/pods', 'apps/v1/deployments', 'apps/v1/replicasets', 'batch/v1/jobs', 'v1/nodes', 'v1/configmaps', 'v1/events',
  `${GROUP}/v1/backups`,
]; // prettier-ignore

/** Duration of the demo without a terminal. */
const PLAIN_SECONDS = 10;

export const demo: Command = {
  name: 'demo',
  summary: 'shows informers on a small simulated cluster inside this process',
  usage: '[options]',
  about:
    'Starts an API server with three nodes and a few deployments that roll out, crash, recover and scale, and a controller\n' +
    'for backups in two replicas. Shows the informers and the latest changes. The web page at the printed\n' +
    'address shows more, and can inject faults. kubectl works with it too; the command is printed. Without a terminal, it\n' +
    'prints changes for ten seconds and exits.',
  examples: [
    ['kube-informer demo', 'full screen'],
    ['kube-informer demo --seed 7 | head -40', 'other changes, as lines'],
  ],
  options: {
    port: { type: 'string', short: 'p', value: 'number', help: 'port of the API server; default: a free port' },
    seed: { type: 'string', value: 'number', help: 'seed of the simulation; default: 1' },
    'no-ui': { type: 'boolean', help: 'do not serve the web page' },
    seconds: {
      type: 'string',
      value: 'number',
      help: 'exit after this time; default: 10 without a terminal, otherwise never',
    },
    ...FORCE_OPTION,
  },
  positionals: { max: 0 },

  async run(invocation, host) {
    const { env, stdout } = host;
    const port = invocation.number('port', { min: 0, max: 65_535, fallback: 0 });
    const seed = invocation.number('seed', { min: 0, max: 4_294_967_295, fallback: 1 });
    const isLive = stdout.isTerminal;
    const seconds = invocation.number('seconds', { min: 1, max: 86_400, fallback: isLive ? Infinity : PLAIN_SECONDS });
    const force = isServeCommandForced(invocation, host);
    const { startApiServer } = await import('@kube-informer/apiserver');
    // Separate from the server's random numbers, which make credentials and must stay unpredictable.
    const random = seededRandom(seed);
    const served = await serveCommandKubeconfig(
      await startApiServer({ port, controllers: DEMO_CONTROLLERS, nodes: demoNodes(random), force }),
    );
    const end = new AbortController();
    const signal = anySignal(end.signal, host.signal);
    const simulationEnv: Env = { ...logNotices(env, () => {}), random };
    const simulation = new Simulation(served.server, simulationEnv);
    const running = simulation.run(signal);
    // Loaded on demand, as the server is.
    const { DemoReplicas: Replicas } = await import('../demo/demo-replicas.ts');
    const replicas = new Replicas(
      served.kubeconfig,
      logNotices(env, () => {}),
    );
    try {
      await replicas.start();
      if (seconds !== Infinity) void env.sleep(seconds * 1_000, signal).then(() => end.abort());
      await showDemoCommand(served, replicas, host, signal, { isLive, hasPage: !invocation.has('no-ui') });
      return EXIT.success;
    } catch (error) {
      // Interrupted during start-up.
      if (signal.aborted) return EXIT.success;
      throw error;
    } finally {
      end.abort();
      await running;
      await replicas[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    }
  },
};

async function showDemoCommand(
  served: Served,
  replicas: DemoReplicas,
  host: Host,
  signal: AbortSignal,
  { isLive, hasPage }: { readonly isLive: boolean; readonly hasPage: boolean },
): Promise<void> {
  const { env, stdout, stderr, environment } = host;
  const palette = stylePalette(stdout.isTerminal, environment);
  const quiet = isLive ? new Notices().listen(env) : logNotices(env, (line) => stderr.write(safe`${line}\n`));
  const stats = new InformerStats(env);
  // Connects as any client does: with the kubeconfig file, over TLS.
  const connection = await resolveConnection({ kubeconfigFile: served.kubeconfig }, quiet);
  const session = await sessionOf(connection, quiet, stats.informers);
  const print = (line: Safe): void => stdout.write(safe`${line}\n`);
  const recent = new RecentChanges(env, isLive ? {} : { onChange: (one) => print(recentChangeLine(one, palette)) });
  try {
    const faults = [...demoFaults(served.server, env, signal), ...demoFaultsOfReplicas(replicas)];
    const { operators } = replicas;
    await using inspector = hasPage
      ? await openInspectorPage(session.cluster, quiet, { faults, operators })
      : undefined;
    const intro = (width: number): readonly Safe[] => demoCommandIntroduction(served, replicas, inspector?.url, width);
    if (!isLive) for (const line of intro(Infinity)) print(line);
    for (const name of KINDS) await followDemoCommand(name, session, stats, recent, signal, env);
    if (isLive) await showLive(host, demoCommandView(intro, host, session, stats, recent, palette), signal);
    else {
      await signalAborted(signal);
      const { lines } = statsTableBody(stats.rows(), env.wallNow(), palette);
      stdout.write(
        safe`\n${joinSafe(lines, '\n')}\n ${statsTableTotals(stats.rows(), demoCommandTotals(host, session), safe`demo`)}\n`,
      );
    }
  } finally {
    await session[Symbol.asyncDispose]();
  }
}

async function followDemoCommand(
  name: string,
  session: Session,
  stats: InformerStats,
  recent: RecentChanges,
  signal: AbortSignal,
  env: Env,
): Promise<void> {
  const { client, cluster } = session;
  const resource = await findTargetResource(client, name, signal);
  const columns = await resourceColumns(client, resource, { withNamespace: false, signal, env });
  const informer = cluster.informer<KubeObject, never>(name);
  stats.add(name, informer, cluster);
  informer.on(recent.handler(resource.singular || resource.resource, columns), { name: 'recent' });
}

function demoCommandIntroduction(
  { server, kubeconfig }: Served,
  replicas: DemoReplicas,
  page: string | undefined,
  width: number,
): readonly Safe[] {
  return [
    truncateToWidth(safe` kube-informer demo: API server at ${escapeText(server.url)}`, width),
    ...(page === undefined ? [] : inspectorPageLines(page, width)),
    truncateToWidth(safe`   controller backups: ${demoCommandLeader(replicas)}`, width),
    ...inspectorPageCommandLines(`kubectl --kubeconfig ${kubeconfig} get pods -A -w`, width),
    safe``,
  ];
}

function demoCommandLeader({ leader, standbys }: DemoReplicas): Safe {
  if (leader === undefined) return safe`${standbys} replicas, none leads yet`;
  const others = standbys === 0 ? safe`another one starts` : safe`${standbys} standing by`;
  return safe`${escapeText(leader)} leads, ${others}`;
}

const demoCommandTotals = (host: Host, { traffic }: Session) => ({ ...host.memory(), receivedBytes: traffic().bytes });

function demoCommandView(
  intro: (width: number) => readonly Safe[],
  host: Host,
  session: Session,
  stats: InformerStats,
  recent: RecentChanges,
  palette: Palette,
) {
  let widths: readonly number[] = [];
  return {
    lines({ columns, rows: height }: { readonly columns: number; readonly rows: number }): readonly Safe[] {
      const rows = stats.rows();
      const drawn = statsTableBody(rows, host.env.wallNow(), palette, columns, widths);
      widths = drawn.widths;
      const above = [...intro(columns), ...drawn.lines, safe``];
      const room = Math.max(0, height - above.length - 1);
      const news = recent.changes.slice(-room).map((one) => recentChangeLine(one, palette, columns));
      const filled = [...above, ...news].slice(0, height - 1);
      const bar = statsTableBar(
        statsTableTotals(rows, demoCommandTotals(host, session), safe`demo`),
        columns,
        palette,
        safe` · q quits`,
      );
      return [...filled, ...Array.from({ length: height - 1 - filled.length }, () => safe``), bar];
    },
  };
}
