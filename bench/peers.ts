/**
 * kube-informer beside its peers, on a real server: `npm run bench:peers -- --help`.
 */
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findContestants } from './contestants/find-contestants.ts';
import { selectorOf } from './data/workload.ts';
import { checkBounds } from './report/bounds.ts';
import { writePage } from './report/page.ts';
import { type Measured, mergeResults, readResults } from './report/results.ts';
import { startServer, useServer } from './server/bench-server.ts';
import type { Load } from './server/load.ts';
import { Replay } from './server/replay.ts';
import { events, latency } from './work/events.ts';
import { firstSync } from './work/first-sync.ts';
import { informers } from './work/informers.ts';
import { reads } from './work/reads.ts';
import { churn, relist } from './work/relist.ts';
import { runWork } from './work/run-work.ts';
import { measureWeight } from './work/weight.ts';
import type { Bench, Work } from './work/work.ts';

const HELP = `npm run bench:peers -- [options]
  --objects 1000,10000    sizes of the first sync and of reads; the largest of at most 10,000 is used for all other work
  --only first-sync,...   some of: first-sync, events, latency, relist, informers, reads, churn, weight
  --contestants TEXT,...  only contestants whose name contains one of these
  --rounds 5
  --churn 1000000         updates of the churn
  --kubeconfig FILE       a cluster of yours instead of a server of our own; objects are created there and stay
  --quick                 2,000 objects, ours and client-go, no page written; fails when a bound is broken
  --report                writes the page from the kept results and measures nothing`;

const WORKS: readonly Work[] = [firstSync, events, latency, relist, informers, reads, churn];
const RESULTS = fileURLToPath(new URL('../docs/performance/results.json', import.meta.url));

const { values: options } = parseArgs({
  options: {
    objects: { type: 'string' },
    only: { type: 'string' },
    contestants: { type: 'string' },
    rounds: { type: 'string' },
    churn: { type: 'string', default: '1000000' },
    kubeconfig: { type: 'string' },
    quick: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const log = (line: string): void => console.log(line);

if (options.help) log(HELP);
else if (options.report) await writePage(readResults(RESULTS));
else await main();

async function main(): Promise<void> {
  const { quick } = options;
  const sizes = (options.objects ?? (quick ? '2000' : '1000,10000,50000')).split(',').map(Number);
  const objects = Math.max(...sizes.filter((size) => size <= 10_000), Math.min(...sizes));
  const only = options.only?.split(',') ?? (quick ? ['first-sync', 'events'] : undefined);
  const names = options.contestants?.split(',');
  const found = await findContestants(quick, log);
  const contestants = found.filter(({ name }) => names?.some((part) => name.includes(part)) ?? true);
  const rounds = Number(options.rounds ?? (quick ? 3 : 5));
  const loads: Load[] = [
    { resource: 'pods', data: 'friendly', size: Math.max(...sizes) },
    { resource: 'pods', data: 'randomised', size: objects },
    { resource: 'widgets', data: 'friendly', size: objects },
  ];
  await using server =
    options.kubeconfig === undefined ? await startServer(loads, log) : await useServer(options.kubeconfig, loads, log);
  const { kubeconfig, version } = server;
  await using replay = await Replay.start(kubeconfig, selectorOf('friendly', objects));
  const bench: Bench = {
    kubeconfig,
    sizes,
    objects,
    resources: ['pods', 'widgets'],
    data: ['friendly', 'randomised'],
    churn: Number(options.churn),
    replay,
  };
  const works: Record<string, Measured> = {};
  const about = { machine: machine(), server: version, rounds };
  const isWanted = (name: string): boolean => only?.includes(name) ?? true;
  for (const work of WORKS.filter(({ name }) => isWanted(name))) {
    const rows = await runWork(work, bench, contestants, rounds, log);
    works[work.name] = { at: new Date().toISOString().slice(0, 16), ...about, rows };
    if (!quick) await mergeResults(RESULTS, { [work.name]: works[work.name] as Measured });
  }
  if (isWanted('weight')) {
    const rows = await measureWeight(rounds, log);
    works['weight'] = { at: new Date().toISOString().slice(0, 16), ...about, server: 'none', rows };
    await mergeResults(RESULTS, { weight: works['weight'] });
  }
  const isBroken = checkBounds({ works }, log);
  if (quick) process.exitCode = isBroken ? 1 : 0;
  else await writePage(readResults(RESULTS));
}

function machine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}
