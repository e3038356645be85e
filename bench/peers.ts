/**
 * kube-informer beside its peers, on a real server: `npm run bench:peers -- --help`.
 */
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findContestants } from './contestants/find-contestants.ts';
import { checkBounds } from './report/bounds.ts';
import { writePage } from './report/page.ts';
import { hasResult, keepResult, type MeasuredCase, readResults } from './report/results.ts';
import { Rig } from './server/rig.ts';
import { churn } from './work/churn.ts';
import { events, latency } from './work/events.ts';
import { firstSync } from './work/first-sync.ts';
import { informers } from './work/informers.ts';
import { queue } from './work/queue.ts';
import { reads } from './work/reads.ts';
import { apply, reconcile } from './work/reconcile.ts';
import { relist } from './work/relist.ts';
import { type Measurement, runCase } from './work/run-work.ts';
import { takeover } from './work/takeover.ts';
import { wake } from './work/wake.ts';
import { measureWeight } from './work/weight.ts';
import type { Bench, Case, Work } from './work/work.ts';

/** In the order of the page. */
const WORKS: readonly Work[] = [
  firstSync,
  events,
  latency,
  relist,
  informers,
  reads,
  churn,
  queue,
  reconcile,
  apply,
  wake,
  takeover,
];
const QUICK = ['first-sync', 'events', 'queue', 'reconcile'];
const RESULTS = fileURLToPath(new URL('../docs/performance', import.meta.url));

const HELP = `npm run bench:peers -- [options]
  --only first-sync,...     some of: ${[...WORKS.map(({ name }) => name), 'weight'].join(', ')}
  --cases TEXT,...          only cases whose values, as pods/friendly/10000/default, contain one of these
  --contestants TEXT,...    only contestants whose name contains one of these, as "client-go,kube-informer packed, Node 26"
  --all                     every form of kube-informer on every version of Node, not only the main ones
  --rounds 5
  --objects 1000,10000,...  sizes of the first sync; the largest of at most 10,000 is used for all other work
  --reads 10000,100000      sizes of the reads
  --churn 1000000           updates of the churn
  --missing                 only cases that are not kept yet: continues a run that was interrupted
  --kubeconfig FILE         a cluster of yours instead of a server of our own; objects are created there and stay
  --quick                   2,000 objects, ours and Go, nothing is kept; fails when a bound is broken
  --report                  writes the page from the kept results and measures nothing`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    cases: { type: 'string' },
    contestants: { type: 'string' },
    all: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    objects: { type: 'string' },
    reads: { type: 'string' },
    churn: { type: 'string', default: '1000000' },
    missing: { type: 'boolean', default: false },
    kubeconfig: { type: 'string' },
    quick: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const log = (line: string): void => console.log(line);
const numbers = (text: string): number[] => text.split(',').map(Number);

if (options.help) log(HELP);
else if (options.report) await writePage(readResults(RESULTS));
else await main();

async function main(): Promise<void> {
  const { quick } = options;
  const sizes = numbers(options.objects ?? (quick ? '2000' : '1000,10000,50000'));
  const readSizes = numbers(options.reads ?? (quick ? '2000' : '10000,100000'));
  const objects = Math.max(...sizes.filter((size) => size <= 10_000), Math.min(...sizes));
  const only = options.only?.split(',') ?? (quick ? QUICK : undefined);
  const isWanted = (name: string): boolean => only?.includes(name) ?? true;
  // A comma with a space after it belongs to a name: "kube-informer packed, Node 26".
  const names = options.contestants?.split(/,(?! )/);
  const cases = options.cases?.split(',');
  const isChosen = (one: Case): boolean => cases?.some((text) => Object.values(one).join('/').includes(text)) ?? true;
  const contestants = await findContestants({ isQuick: quick, isAll: options.all, names }, log);
  const rounds = Number(options.rounds ?? (quick ? 2 : 5));
  const most = Math.max(...sizes, ...(isWanted('reads') ? readSizes : []));
  await using rig = new Rig({
    loads: [
      { resource: 'pods', data: 'friendly', size: most },
      { resource: 'pods', data: 'randomised', size: objects },
      { resource: 'widgets', data: 'friendly', size: objects },
    ],
    objects,
    kubeconfig: options.kubeconfig,
    log,
  });
  const bench: Bench = { rig, sizes, readSizes, objects, churn: Number(options.churn), isQuick: quick };
  const measured: MeasuredCase[] = [];
  const keep = async (work: string, one: Case, measurement: Measurement): Promise<void> => {
    const at = new Date().toISOString().slice(0, 16);
    const about = { at, machine: machine(), server: await rig.version() };
    const result = { work, case: one, ...about, ...measurement };
    measured.push(result);
    if (!quick) await keepResult(RESULTS, result);
  };
  const kept = options.missing ? readResults(RESULTS) : [];
  for (const work of WORKS.filter(({ name }) => isWanted(name)))
    for (const one of work.cases(bench).filter((it) => isChosen(it) && !hasResult(kept, work.name, it)))
      await keep(work.name, one, await runCase(work, bench, one, { contestants, rounds, log }));
  if (isWanted('weight') && !hasResult(kept, 'weight', {})) await keep('weight', {}, await measureWeight(rounds, log));
  const isBroken = checkBounds(measured, log);
  // A contestant that no longer runs would be a bound that is no longer checked.
  const isIncomplete =
    measured.length === 0 || measured.some(({ leftOut, rows }) => leftOut.length > 0 || rows.length === 0);
  if (quick) process.exitCode = isBroken || isIncomplete ? 1 : 0;
  else await writePage(readResults(RESULTS));
}

function machine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
}
